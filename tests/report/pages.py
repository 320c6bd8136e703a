"""Pages of reports, and what their sections hold."""

from clustraint import Report
from tests.html_page import check_readable, read_page

NAMES = ["ant", "bee", "cow", "dog"]
NOUNS = {"must_link": "must-link", "cannot_link": "cannot-link", "triplets": "triplet"}
SQUARE = [[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 0.0]]


def page_of(*arguments, **options):
    page = read_page(Report(*arguments, **options).html)
    check_readable(page)
    return page


def section(page, name):
    (found,) = page.find("section", id=name)
    return found


def rows(table):
    return [
        [cell.text for cell in row.children if cell.tag in ("th", "td")]
        for row in table.find("tbody")[0].find("tr")
    ]


def links(page, kind):
    """Return title and classes of each link of a kind that is drawn."""
    board = page.find("svg", id="scatter")[0]
    return [
        (link.find("title")[0].text, link.classes)
        for group in board.find("g", cls=kind)
        for link in group.find("g", cls="link")
    ]
