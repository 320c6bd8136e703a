"""Constraints as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from clustraint.constraints._kinds import KINDS
from clustraint.wording import counted, html_table

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# Of each kind.
MOST_SHOWN = 3


def constraints_table(constraints: Constraints) -> str:
    """Return an HTML table with the kinds, how many there are of each, and the first of them."""
    caption = f"Constraints on {counted(constraints.n_samples, 'sample')}"
    return html_table(caption, ["kind", "number", "first"], _rows(constraints))


def _rows(constraints: Constraints) -> Iterator[Sequence[object]]:
    for kind, links in constraints.links.items():
        texts = (KINDS[kind].describe(map(constraints.name_of, row)) for row in links.rows.tolist())
        if len(links.rows):
            yield KINDS[kind].plural, f"{len(links.rows):,}", _first(texts, len(links.rows))
    if constraints.rules:
        n_rules = len(constraints.rules)
        yield "rules", f"{n_rules:,}", _first(map(str, constraints.rules), n_rules)


def _first(texts: Iterator[str], count: int) -> str:
    return "; ".join(islice(texts, MOST_SHOWN)) + ("; …" if count > MOST_SHOWN else "")
