"""A short tour: ``python -m clustraint.demo``."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from clustraint import Constraints, Hierarchy
from clustraint.constraints._describe import descriptions
from clustraint.exceptions import InconsistentConstraintsError, TooFewClustersError

__all__ = ["main"]

ANIMALS = ("dog", "wolf", "fox", "polar bear", "trout", "salmon", "crow")
ATTRIBUTES = ("milk", "feathers", "legs")
TABLE = np.array([[1, 0, 4]] * 4 + [[0, 0, 0]] * 2 + [[0, 1, 2]])
KNOWLEDGE = """\
dog = wolf                  # must-link: one cluster
0.5 * wolf = fox            # said with less confidence
trout = salmon
fox != trout                # cannot-link: different clusters
dog != crow
salmon != crow
dog, wolf | "polar bear"    # triplet: dog and wolf join before either joins the bear
dog, "polar bear" | trout
together: milk & legs == 4  # rule: all of these are in one cluster
exactly: feathers           # rule: these are a cluster, and nobody else is in it
"""
CONTRADICTION = "wolf = trout"


def main() -> None:
    """Print what a constraint file says, what follows, what contradicts it, and its hierarchy.

    Examples
    --------
    >>> main()  # doctest: +SKIP
    """
    for title, text in chapters():
        print(f"\n{title}\n{'-' * len(title)}\n{text.rstrip()}")


def chapters() -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each part of the tour."""
    yield "What somebody knows, as a file", KNOWLEDGE
    known = read_lines(KNOWLEDGE)
    yield "Read", repr(known)
    yield "Rules turned into pairs of the samples at hand", repr(grounded(known))
    yield "What follows from that", consequences(grounded(known))
    yield f"One more line, {CONTRADICTION!r}, is a contradiction", contradiction(known)
    yield "Two clusters are too few", too_few(known, 2)
    yield "The hierarchy that the triplets describe", hierarchy(known)


def read_lines(text: str) -> Constraints:
    """Return the constraints in a file of that text."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "knowledge.txt")
        path.write_text(text, encoding="utf-8")
        return Constraints.read(path, names=ANIMALS)


def grounded(known: Constraints) -> Constraints:
    """Return the rules as pairs."""
    return known.expand_rules(TABLE, feature_names=ATTRIBUTES)


def consequences(known: Constraints) -> str:
    """Tell the components and the size of the closure."""
    groups: dict[int, list[str]] = {}
    for sample, component in enumerate(known.components.labels.tolist()):
        groups.setdefault(component, []).append(known.name_of(sample))
    closed = known.closure()
    return "\n".join(
        [
            *(f"together: {', '.join(group)}" for group in groups.values()),
            f"{closed!r}, from {known!r}",
            f"does 'dog, polar bear | salmon' follow? {_yes(known.implies((0, 3, 5)))}",
        ]
    )


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def contradiction(known: Constraints) -> str:
    """Explain the contradiction and repair it."""
    contradictory = known | read_lines(CONTRADICTION)
    try:
        contradictory.check()
    except InconsistentConstraintsError as error:
        _, dropped = contradictory.repair()
        return f"{wrapped(str(error))}\ndropping a small weight mends it: {listed(dropped)}"
    return "no contradiction"


def too_few(known: Constraints, n_clusters: int) -> str:
    """Explain why that many clusters do not suffice."""
    try:
        known.check(n_clusters)
    except TooFewClustersError as error:
        return wrapped(str(error))
    return f"{n_clusters} clusters may suffice"


def hierarchy(known: Constraints) -> str:
    """Return the BUILD tree of the triplets, and how few of them say it all."""
    tree = Hierarchy.from_triplets(known.triplets, len(known), names=known.names)
    informative = Constraints.from_hierarchy(tree)
    return (
        f"{tree.to_newick()}\n{tree!r}; it displays {tree.n_triplets} triplets, and these "
        f"{len(informative.triplets)} imply them all: {listed(informative)}"
    )


def listed(constraints: Constraints) -> str:
    """Return all pairs and triplets in one line."""
    return "; ".join(descriptions(constraints))


def wrapped(text: str) -> str:
    """Return a text in lines of a terminal's width."""
    return textwrap.fill(text, width=88)


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, `head` perhaps, has seen enough; nothing may be written at exit, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
