"""What somebody says about a table: statements drawn from its classes, some of them wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.tables import AccuracyTable, table
from clustraint import Constraints, Rule
from papers import generator_of

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Generator = np.random.Generator

# A rule about less than this share of its class says little.
LEAST_SCOPE = 0.2
# Of samples in the scope of a wrong rule, no class has more than this share.
MIXED = 0.6


@dataclass(frozen=True)
class Knowledge:
    """Statements about samples: constraints, labels (-1 is unknown), and which pairs are wrong."""

    constraints: Constraints
    labels: IntArray
    wrong: dict[str, BoolArray] = field(default_factory=dict)

    @property
    def touched(self) -> BoolArray:
        """Whether a statement speaks of a sample; a rule speaks of a column, not of samples."""
        mask = self.labels >= 0
        for kind in ("must_link", "cannot_link", "triplets"):
            mask[getattr(self.constraints, kind).ravel()] = True
        return mask

    def __or__(self, other: Knowledge) -> Knowledge:
        labels = np.where(self.labels >= 0, self.labels, other.labels)
        return Knowledge(
            self.constraints | other.constraints, labels, {**other.wrong, **self.wrong}
        )


def nothing(data: AccuracyTable) -> Knowledge:
    return Knowledge(Constraints(len(data.y)), np.full(len(data.y), -1))


def pairs(data: AccuracyTable, count: int, share: float, rng: Generator) -> Knowledge:
    """Draw pairs; a wrong one says the opposite of what the classes say."""
    drawn = Constraints.from_labels(data.y, n_pairs=count, random_state=rng)
    rows = np.concatenate((drawn.must_link, drawn.cannot_link))
    together = np.arange(count) < len(drawn.must_link)
    flipped = some(count, share, rng)
    linked = together ^ flipped
    constraints = Constraints(len(data.y), must_link=rows[linked], cannot_link=rows[~linked])
    wrong = {"must_link": flipped[linked], "cannot_link": flipped[~linked]}
    return Knowledge(constraints, nothing(data).labels, wrong)


def triplets(data: AccuracyTable, count: int, share: float, rng: Generator) -> Knowledge:
    """Draw triplets ab|c; a wrong one says ac|b."""
    rows = Constraints.from_labels(data.y, n_triplets=count, random_state=rng).triplets.copy()
    flipped = some(count, share, rng)
    rows[flipped] = rows[flipped][:, [0, 2, 1]]
    return Knowledge(Constraints(len(data.y), triplets=rows), nothing(data).labels)


def labels(data: AccuracyTable, count: int, share: float, rng: Generator) -> Knowledge:
    """Draw so many labels of each class, or all that it has; a wrong one is any other class."""
    chosen = [
        rng.permutation(np.flatnonzero(data.y == each))[:count] for each in range(data.n_classes)
    ]
    samples = np.concatenate(chosen)
    drawn = nothing(data).labels
    drawn[samples] = data.y[samples]
    wrong = samples[some(len(samples), share, rng)]
    drawn[wrong] = (data.y[wrong] + rng.integers(1, data.n_classes, len(wrong))) % data.n_classes
    return Knowledge(Constraints(len(data.y)), drawn)


def rules(data: AccuracyTable, count: int, share: float, rng: Generator) -> Knowledge:
    """Draw rules that hold, and wrong ones, whose scope holds several classes."""
    right, mixed = _candidates(data)
    n_wrong = round(count * share)
    chosen = [right[each] for each in rng.permutation(len(right))[: count - n_wrong]]
    chosen += [mixed[each] for each in rng.permutation(len(mixed))[:n_wrong]]
    return Knowledge(Constraints(len(data.y), rules=chosen), nothing(data).labels)


def mixture(data: AccuracyTable, count: int, share: float, rng: Generator) -> Knowledge:
    """Draw half as many pairs as asked for, as many triplets, a label of each class, two rules."""
    drawn = pairs(data, count // 2, share, rng) | triplets(data, count // 2, share, rng)
    drawn |= labels(data, 1, share, rng)
    return drawn | rules(data, 2, share, rng) if data.binary else drawn


Draw = Callable[[AccuracyTable, int, float, Generator], Knowledge]
KINDS: dict[str, Draw] = {
    "pairs": pairs,
    "triplets": triplets,
    "labels": labels,
    "rules": rules,
    "mixture": mixture,
}


def some(count: int, share: float, rng: Generator) -> BoolArray:
    """Return a mask in which that share of places, rounded, is true."""
    mask = np.zeros(count, bool)
    mask[rng.permutation(count)[: round(count * share)]] = True
    return mask


def knowledge(name: str, kind: str, budget: int | str, wrong: float, seed: int) -> Knowledge:
    """Return what is said about a table, the same for all methods."""
    data = table(name)
    count = int(budget) if budget != FIVE_PERCENT else round(0.05 * len(data.y))
    if not count:
        return nothing(data)
    return KINDS[kind](data, count, wrong, generator_of(name, kind, budget, wrong, seed))


FIVE_PERCENT = "5 %"


@cache
def _candidates(data: AccuracyTable) -> tuple[list[Rule], list[Rule]]:
    """Return rules that hold for part of a class, or a whole one, and rules that do not hold."""
    columns = {column: data.X[:, column] > 0 for column in data.binary}
    scopes: list[tuple[tuple[int, ...], BoolArray]] = [
        ((column,), scope) for column, scope in columns.items()
    ]
    scopes += [((a, b), columns[a] & columns[b]) for a, b in combinations(columns, 2)]
    sizes = np.bincount(data.y)
    right: dict[bytes, Rule] = {}
    mixed: dict[bytes, Rule] = {}
    for places, scope in scopes:
        counts = np.bincount(data.y[scope], minlength=len(sizes))
        best, total = int(counts.argmax()), int(counts.sum())
        text = " & ".join(f"x{place} > 0" for place in places)
        if total >= max(3, LEAST_SCOPE * sizes[best]):
            if counts[best] == total:
                right.setdefault(scope.tobytes(), Rule(text, exactly=total == int(sizes[best])))
            elif counts[best] <= MIXED * total and len(places) == 2:
                mixed.setdefault(scope.tobytes(), Rule(text))
    return list(right.values()), list(mixed.values())
