"""Terms of an ontology in OBO format, as far as they make a tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from clustraint.exceptions import InvalidHierarchyError
from clustraint.hierarchy._assemble import assemble
from clustraint.typing import IntArray
from clustraint.wording import excerpt, near_matches

SeveralParents = Literal["raise", "first"]

STANZA = re.compile(r"\[(\w+)\]")
# A comment begins with "!", trailing modifiers stand in braces.
TRAILER = re.compile(r"\s+(?:!|\{.*\}\s*(?:!|\Z)).*|\s+\Z", re.DOTALL)


class TreeContentError(Exception):
    """What is wrong with a line; 0 is the text as a whole."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass
class Term:
    """A term, and the terms above it."""

    line: int
    identifier: str = ""
    name: str = ""
    parents: list[tuple[str, int]] = field(default_factory=list)  # with their lines
    is_obsolete: bool = False


class OntologyTree(NamedTuple):
    """An ontology as a raw tree: node 0 stands above all roots, and every parent is lower."""

    parents: list[int]
    identifiers: list[str]
    titles: list[str]

    def places(self, terms: Sequence[str]) -> list[int]:
        """Return the nodes of terms, by their identifiers or by names that only one term has."""
        titles = Counter(self.titles[1:])
        numbers = {title: node for node, title in enumerate(self.titles) if titles[title] == 1}
        numbers |= {each: node for node, each in enumerate(self.identifiers) if node}
        for sample, term in enumerate(terms):
            if term not in numbers:
                problem = (
                    f"is the name of {titles[term]} terms; give an id"
                    if titles[term] > 1
                    else f"is not in the ontology{near_matches(str(term), numbers)}"
                )
                end = "" if problem.endswith("?") else "."
                raise InvalidHierarchyError(
                    f"the term {excerpt(str(term))!r} of sample {sample} {problem}{end}"
                )
        return [numbers[term] for term in terms]

    def leaves(self) -> tuple[list[int], list[str]]:
        """Return the terms with no others below them, and what to call these samples."""
        above = set(self.parents)
        nodes = [node for node in range(1, len(self.parents)) if node not in above]
        titles = Counter(self.titles[node] for node in nodes)
        return nodes, [
            self.titles[node] if titles[self.titles[node]] == 1 else self.identifiers[node]
            for node in nodes
        ]

    def hung(self, nodes: Sequence[int]) -> tuple[IntArray, tuple[str, ...]]:
        """Return the parents and the node names of samples that sit on these nodes."""
        return assemble(self.parents, nodes, self.titles.__getitem__)


def read_obo(text: str, several_parents: SeveralParents) -> OntologyTree:
    """Return the tree of the ``is_a`` lines of an ontology.

    Raises
    ------
    TreeContentError
        With the line, where the text is no ontology or has no tree.
    """
    terms = {term.identifier: term for term in _distinct(_terms(text))}
    if not terms:
        raise TreeContentError(0, "no [Term] that is not obsolete is in it; is it an OBO file?")
    children: dict[str, list[str]] = {identifier: [] for identifier in ("", *terms)}
    for term in terms.values():
        children[_parent(term, terms, several_parents)].append(term.identifier)
    order, parents = [""], [-1]
    # Whoever is below a root comes after it; what is left over goes in circles.
    for node, identifier in enumerate(order):
        order += children[identifier]
        parents += [node] * len(children[identifier])
    if len(order) <= len(terms):
        astray = next(term for term in terms.values() if term.identifier not in set(order))
        raise TreeContentError(astray.line, f"the term {astray.identifier} is above itself.")
    titles = ["", *(terms[each].name or each for each in order[1:])]
    return OntologyTree(parents, order, titles)


def _terms(text: str) -> Iterator[Term]:
    """Yield the terms in their order; stanzas of other kinds are read over."""
    term: Term | None = None
    for line, content in enumerate(text.splitlines(), 1):
        stripped = content.strip()
        if stripped.startswith("["):
            if term is not None:
                yield term
            kind = STANZA.fullmatch(TRAILER.sub("", stripped))
            if kind is None:
                raise TreeContentError(line, f"{excerpt(stripped)!r} is not a stanza like [Term].")
            term = Term(line) if kind[1] == "Term" else None
        elif term is not None and stripped and not stripped.startswith("!"):
            _take(term, stripped, line)
    if term is not None:
        yield term


def _take(term: Term, stripped: str, line: int) -> None:
    tag, colon, rest = stripped.partition(":")
    if not colon:
        raise TreeContentError(line, f"{excerpt(stripped)!r} is not of the form 'tag: value'.")
    value = TRAILER.sub("", rest.strip())
    if tag == "id":
        term.identifier = value
    elif tag == "name":
        term.name = value
    elif tag == "is_a":
        term.parents.append((value, line))
    elif tag == "is_obsolete":
        term.is_obsolete = value == "true"


def _distinct(terms: Iterator[Term]) -> Iterator[Term]:
    """Yield the terms in use, each of which must have an identifier of its own."""
    lines: dict[str, int] = {}
    for term in terms:
        if not term.identifier:
            raise TreeContentError(term.line, "this term has no id.")
        first = lines.setdefault(term.identifier, term.line)
        if first != term.line:
            problem = f"the id {excerpt(term.identifier)} is taken by the term of line {first}."
            raise TreeContentError(term.line, problem)
        if not term.is_obsolete:
            yield term


def _parent(term: Term, terms: dict[str, Term], several_parents: SeveralParents) -> str:
    for parent, line in term.parents:
        if parent not in terms:
            raise TreeContentError(
                line, f"there is no term {excerpt(parent)!r}, or it is obsolete."
            )
    if len(term.parents) > 1 and several_parents == "raise":
        listed = ", ".join(parent for parent, _ in term.parents)
        raise TreeContentError(
            term.parents[1][1],
            f"the term {term.identifier} has {len(term.parents)} parents ({excerpt(listed)}), but "
            'a tree has one for each; several_parents="first" takes the first of them.',
        )
    return term.parents[0][0] if term.parents else ""
