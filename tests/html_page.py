"""A page as the tests read it: its elements, and whether a screen reader can follow."""

from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "input", "br", "hr", "img"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag = tag
        self.attributes = dict(attributes)
        self.parent = parent
        self.children = []
        self.texts = []

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        """All text below, in its order, with single blanks."""
        return " ".join("".join(self._pieces()).split())

    def _pieces(self):
        for piece in self.texts:
            if isinstance(piece, Element):
                yield from piece._pieces()
            else:
                yield piece

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, tag=None, **wanted):
        """Return elements below by tag, ``cls`` (a class) and other attributes."""
        cls = wanted.pop("cls", None)
        return [
            each
            for each in self.walk()
            if tag in (None, each.tag)
            and (cls is None or cls in each.classes)
            and all(each.attributes.get(key) == value for key, value in wanted.items())
        ]

    def ancestors(self):
        element = self.parent
        while element is not None:
            yield element
            element = element.parent


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.current = Element("", (), None)

    def handle_starttag(self, tag, attributes):
        self._open(tag, attributes)
        if tag not in VOID:
            self.current = self.current.children[-1]

    def handle_startendtag(self, tag, attributes):
        self._open(tag, attributes)

    def _open(self, tag, attributes):
        element = Element(tag, attributes, self.current)
        self.current.children.append(element)
        self.current.texts.append(element)

    def handle_endtag(self, tag):
        assert tag == self.current.tag, f"</{tag}> closes <{self.current.tag}>"
        self.current = self.current.parent

    def handle_data(self, data):
        self.current.texts.append(data)


def read_page(html):
    """Return the page's elements; an error where tags do not match."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.current is reader.root
    return reader.root


def check_readable(page):
    """Assert what a screen reader needs: names for all pictures, tables and controls."""
    ids = [each.attributes["id"] for each in page.walk() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    _check_references(page, set(ids))
    for tag in ("main", "header", "nav", "footer", "h1"):
        assert len(page.find(tag)) == 1, tag
    levels = [int(each.tag[1]) for each in page.walk() if each.tag in ("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in page.find("table"):
        assert table.find("caption")[0].text
        assert all(each.attributes.get("scope") in ("row", "col") for each in table.find("th"))
    for svg in page.find("svg"):
        assert _is_hidden(svg) or (svg.attributes.get("role") == "img" and _is_named(svg))
    for control in page.find("input"):
        assert any(each.tag == "label" and each.text for each in control.ancestors())


def _check_references(page, ids):
    for element in page.walk():
        for key in ("aria-labelledby", "aria-describedby"):
            for reference in (element.attributes.get(key) or "").split():
                assert reference in ids
        if (element.attributes.get("href") or "").startswith("#"):
            assert element.attributes["href"][1:] in ids


def _is_hidden(element):
    return any(
        each.attributes.get("aria-hidden") == "true" for each in (element, *element.ancestors())
    )


def _is_named(element):
    return "aria-label" in element.attributes or "aria-labelledby" in element.attributes
