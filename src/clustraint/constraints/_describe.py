"""Constraints in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from clustraint.constraints._kinds import KINDS
from clustraint.typing import IntArray
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# How many constraints or samples a sentence lists before it counts the rest.
MOST_LISTED = 12


def descriptions(constraints: Constraints) -> Iterator[str]:
    """Yield every pair and triplet as it is written, then every rule."""
    for kind, links in constraints.links.items():
        for row in links.rows.tolist():
            yield KINDS[kind].describe(map(constraints.name_of, row))
    yield from map(str, constraints.rules)


def summary(constraints: Constraints) -> str:
    """Return how many samples there are, and how many constraints of each kind."""
    counts = {KINDS[kind].noun: len(links.rows) for kind, links in constraints.links.items()}
    counts["rule"] = len(constraints.rules)
    listed = ", ".join(counted(count, noun) for noun, count in counts.items() if count)
    return f"{counted(constraints.n_samples, 'sample')}: {listed or 'nothing known'}"


def contradiction(witness: Constraints) -> str:
    """Return the sentence for a minimal contradictory set."""
    if len(witness.triplets):
        total = witness.n_constraints
        return (
            f"These {total:,} constraints cannot all hold, though any {total - 1:,} of them can: "
            f"{_listed(descriptions(witness), total, '; ')}."
        )
    source, sink = witness.cannot_link[0].tolist()
    rows = witness.must_link
    if len(rows) < MOST_LISTED:
        chain = " = ".join(_names_along(witness, source, rows))
    else:
        head = _names_along(witness, source, rows[:4])
        tail = _names_along(witness, sink, rows[:-5:-1])
        chain = " = ".join([*head, "…", *reversed(tail)])
    return (
        f"{witness.name_of(source)} and {witness.name_of(sink)} cannot be linked, but "
        f"{counted(len(rows), 'must-link')} link{'s' * (len(rows) == 1)} them: {chain}."
    )


def _names_along(witness: Constraints, sample: int, rows: IntArray) -> list[str]:
    """Return the names along must-links that follow one another, starting at `sample`."""
    names = [witness.name_of(sample)]
    for left, right in rows.tolist():
        sample = right if left == sample else left
        names.append(witness.name_of(sample))
    return names


def _listed(items: Iterable[str], total: int, separator: str) -> str:
    """Return the first items and how many more there are."""
    shown = [item for _, item in zip(range(MOST_LISTED), items, strict=False)]
    more = total - len(shown)
    return separator.join(shown) + (f" and {more:,} more" if more > 0 else "")


def crowding(constraints: Constraints, samples: IntArray, n_clusters: int) -> str:
    """Return the sentence for more samples that exclude each other than there are clusters."""
    names = _listed(map(constraints.name_of, samples), len(samples), ", ")
    return (
        f"{counted(n_clusters, 'cluster')} cannot hold {counted(len(samples), 'sample')} of which "
        f"no two may be together: {names}."
    )


def ring(constraints: Constraints, samples: IntArray) -> str:
    """Return the sentence for an odd ring of cannot-links, which two clusters cannot hold."""
    names = _listed(map(constraints.name_of, samples), len(samples), " != ")
    return (
        f"2 clusters cannot hold a ring of {len(samples):,} (an odd number of) cannot-links: "
        f"{names} != {constraints.name_of(samples[0])}."
    )
