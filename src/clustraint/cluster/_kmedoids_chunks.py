"""K-medoids under rules over rows in chunks: counts of values add up, as whole numbers.

A round is two passes. The first assigns the rows of a chunk to their nearest open medoids, and
counts how often each value of each column is in each cluster. From these counts the second finds
the best member of each cluster, which is the one that agrees with most others. Whole numbers add
up exactly, so that the result is that of memory, ties included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._rule_scopes import Scopes
from clustraint.constraints import Rule
from clustraint.exceptions import NominalValueError
from clustraint.kernels.kmedoids import assign_codes, best_members, count_codes
from clustraint.rows import KnownLabels, Rows
from clustraint.tables import Columns, read_columns
from clustraint.typing import BoolArray, IntArray, LabelArray

Codes = NDArray[np.int32]
# Places of rows of a chunk whose labels are known, and their classes.
Labelled = tuple[IntArray, IntArray]
NONE_LABELLED: Labelled = (np.empty(0, np.int64), np.empty(0, np.int64))


class FirstPass(NamedTuple):
    """What a first pass tells: the rows, the values of each column, and patterns of rules."""

    n_rows: int
    levels: tuple[dict[Any, None], ...]
    # By which rules hold: how many rows, and the first.
    patterns: dict[tuple[bool, ...], tuple[int, int]]

    def __add__(self, other: FirstPass) -> FirstPass:  # type: ignore[override]
        levels = tuple(a | b for a, b in zip(self.levels, other.levels, strict=True))
        patterns = dict(self.patterns)
        for pattern, (size, first) in other.patterns.items():
            before, earlier = patterns.get(pattern, (0, first))
            patterns[pattern] = before + size, min(earlier, first)
        return FirstPass(self.n_rows + other.n_rows, levels, patterns)

    def scopes(self, rules: Sequence[Rule]) -> Scopes:
        """Return the patterns of all rows, without saying which row has which.

        The last of the rules may be those that labels stand for.
        """
        covers = np.array(list(self.patterns), np.bool_).reshape(len(self.patterns), len(rules))
        sizes, first = np.array(list(self.patterns.values()), np.int64).T
        exactly = np.array([rule.exactly for rule in rules], np.bool_)
        return Scopes(np.empty(0, np.int32), covers, sizes, first, exactly)


class Plan(NamedTuple):
    """What steps need of a round."""

    names: tuple[str, ...]
    codes: tuple[dict[Any, int], ...]  # by column, the code of each value
    offsets: IntArray  # where the counts of each column begin, and end
    rules: tuple[Rule, ...]
    n_classes: int  # of labels, each a further rule
    rule_clusters: IntArray
    medoids: Codes  # (n_clusters, n_columns)
    rows: IntArray  # the numbers of these rows

    def coded(self, columns: Columns) -> Codes:
        """Return the codes of a table."""
        parts = []
        for column, codes in zip(columns, self.codes, strict=True):
            numbers = np.array([codes[_plain(value)] for value in column.levels], np.int32)
            parts.append(numbers[column.codes])
        return np.ascontiguousarray(np.stack(parts, axis=1), np.int32)


class Moves(NamedTuple):
    """Rows of a chunk that fill empty clusters, and those whose labels are known."""

    start: int  # the number of the chunk's first row
    places: IntArray
    labels: LabelArray
    labelled: Labelled


class BestMembers(NamedTuple):
    """The best member of each cluster, and where the present medoids are."""

    agreement: IntArray
    rows: IntArray
    codes: Codes
    homes: IntArray  # the clusters of the present medoids, -1 where they are in other chunks

    def __add__(self, other: BestMembers) -> BestMembers:  # type: ignore[override]
        # Chunks are in order: among equals the lower row stays.
        better = other.agreement > self.agreement
        return BestMembers(
            np.where(better, other.agreement, self.agreement),
            np.where(better, other.rows, self.rows),
            np.where(better[:, np.newaxis], other.codes, self.codes),
            np.maximum(self.homes, other.homes),
        )


class FarMembers(NamedTuple):
    """The free rows farthest from their medoids, the farthest and lowest first."""

    away: IntArray
    rows: IntArray
    labels: IntArray
    codes: Codes
    wanted: int

    def __add__(self, other: FarMembers) -> FarMembers:  # type: ignore[override]
        away = np.concatenate((self.away, other.away))
        rows = np.concatenate((self.rows, other.rows))
        labels = np.concatenate((self.labels, other.labels))
        codes = np.concatenate((self.codes, other.codes))
        first = np.lexsort((rows, -away))[: self.wanted]
        return FarMembers(away[first], rows[first], labels[first], codes[first], self.wanted)


def look_step(
    chunk: Any,
    own: tuple[int, Labelled],
    names: tuple[str, ...],
    rules: tuple[Rule, ...],
    n_classes: int,
) -> FirstPass:
    """Return the values and patterns of a chunk, or name a cell that holds no value."""
    number, labelled = own
    columns = _columns(chunk, names)
    levels = []
    for column in columns:
        missing = np.flatnonzero(column.codes < 0)
        if len(missing):
            raise NominalValueError(f"{column.name} in chunk {number}", int(missing[0]), None)
        levels.append(dict.fromkeys(map(_plain, column.levels)))
    scopes = Scopes.from_rules(rules, columns, _masks(len(columns), labelled, n_classes))
    patterns = {
        tuple(covers.tolist()): (int(size), int(first))
        for covers, size, first in zip(scopes.covers, scopes.sizes, scopes.first, strict=True)
        if size
    }
    return FirstPass(len(columns), tuple(levels), patterns)


def _columns(chunk: Any, names: tuple[str, ...]) -> Columns:
    return read_columns(chunk).renamed(names)


def _masks(n_rows: int, labelled: Labelled, n_classes: int) -> list[BoolArray]:
    """Return for each class which rows of a chunk have its label."""
    places, classes = labelled
    masks = np.zeros((n_classes, n_rows), np.bool_)
    masks[classes, places] = True
    return list(masks)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _assigned(chunk: Any, own: Moves, plan: Plan) -> tuple[Codes, LabelArray, IntArray, BoolArray]:
    """Return codes, clusters, distances to medoids, and which rows are in no scope."""
    columns = _columns(chunk, plan.names)
    codes = plan.coded(columns)
    masks = _masks(len(columns), own.labelled, plan.n_classes)
    scopes = Scopes.from_rules(plan.rules, columns, masks)
    choices = scopes.open_clusters(plan.rule_clusters, len(plan.medoids))
    labels = np.empty(len(codes), np.int32)
    away = np.empty(len(codes), np.int64)
    assign_codes(codes, plan.medoids, scopes.pattern, *choices, labels, away)
    labels[own.places] = own.labels
    return codes, labels, away, scopes.is_free[scopes.pattern]


def count_step(chunk: Any, own: Moves, plan: Plan) -> tuple[int, IntArray, IntArray]:
    """Return the cost, the sizes of clusters, and how often each value is in each."""
    codes, labels, away, _ = _assigned(chunk, own, plan)
    counts = np.zeros((len(plan.medoids), plan.offsets[-1]), np.int64)
    count_codes(codes, labels, plan.offsets, counts)
    return int(away.sum()), np.bincount(labels, minlength=len(plan.medoids)), counts


def far_step(chunk: Any, own: Moves, plan: Plan, wanted: int) -> FarMembers:
    """Return the free rows farthest from their medoids."""
    codes, labels, away, is_free = _assigned(chunk, own, plan)
    away = np.where(is_free, away, 0)
    rows = np.argsort(-away, kind="stable")[:wanted]
    return FarMembers(
        away[rows], rows + own.start, labels[rows].astype(np.int64), codes[rows], wanted
    )


def member_step(chunk: Any, own: Moves, plan: Plan, counts: IntArray) -> BestMembers:
    """Return the member of each cluster that agrees with most others."""
    codes, labels, _, _ = _assigned(chunk, own, plan)
    agreement = np.full(len(plan.medoids), -1, np.int64)
    places = np.full(len(plan.medoids), -1, np.int64)
    best_members(codes, labels, plan.offsets, counts, agreement, places)
    best = np.zeros_like(plan.medoids)
    best[places >= 0] = codes[places[places >= 0]]
    here = (plan.rows >= own.start) & (plan.rows < own.start + len(codes))
    homes = np.full(len(plan.rows), -1, np.int64)
    homes[here] = labels[plan.rows[here] - own.start]
    rows = np.where(places >= 0, places + own.start, -1)
    return BestMembers(agreement, rows, best, homes)


def label_step(chunk: Any, own: Moves, plan: Plan) -> LabelArray:
    """Return the cluster of each row."""
    return _assigned(chunk, own, plan)[1]


class ChunkedRun:
    """A run from a start until no medoid changes."""

    def __init__(self, rows: Rows, plan: Plan, labels: KnownLabels | None = None) -> None:
        self.rows = rows
        self.plan = plan
        self.labelled = labelled_by_chunk(rows, labels)
        self.unmoved = self._moves({})

    def _moves(self, moved: dict[int, int]) -> list[Moves]:
        """Return for each chunk which of its rows fill empty clusters."""
        numbers = np.array(sorted(moved), np.int64)
        labels = np.array([moved[row] for row in numbers.tolist()], np.int32)
        places = self.rows.split(numbers)
        parts = np.split(labels, np.cumsum([len(part) for part in places])[:-1])
        starts = self.rows.starts[:-1].tolist()
        each_chunk = zip(starts, places, parts, self.labelled, strict=True)
        return [Moves(*each) for each in each_chunk]

    def run(self, max_iter: int) -> tuple[int, int, IntArray]:
        """Move medoids until none moves; return cost, rounds and the sizes of clusters."""
        for n_iter in range(1, max_iter + 1):
            cost, sizes, counts = self.rows.map_add(count_step, self.unmoved, self.plan)
            own = self.unmoved
            if not sizes.all():
                own = self._moves(self._filling(sizes, counts))
            members = self.rows.map_add(member_step, own, self.plan, counts)
            if not self._moved(members, counts):
                return cost, n_iter, sizes
        cost, sizes, _ = self.rows.map_add(count_step, self.unmoved, self.plan)
        return cost, max_iter, sizes

    def _filling(self, sizes: IntArray, counts: IntArray) -> dict[int, int]:
        """Give each empty cluster the farthest free row that is not alone; change the counts."""
        empty = np.flatnonzero(sizes == 0)
        wanted = len(empty) + len(sizes)
        far: FarMembers = self.rows.map_add(far_step, self.unmoved, self.plan, wanted)
        waiting = list(zip(*far[:-1], strict=True))
        moved: dict[int, int] = {}
        for cluster in empty:
            place = next(
                (i for i, (away, _, home, _) in enumerate(waiting) if away and sizes[home] > 1),
                None,
            )
            if place is None:
                break
            _, row, home, codes = waiting.pop(place)
            moved[int(row)] = int(cluster)
            sizes[[home, cluster]] += -1, 1
            cells = self.plan.offsets[:-1] + codes
            counts[home, cells] -= 1
            counts[cluster, cells] += 1
        return moved

    def _moved(self, members: BestMembers, counts: IntArray) -> bool:
        """Make the best members medoids; the present one stays on ties while it is a member."""
        medoids, rows = self.plan.medoids.copy(), self.plan.rows.copy()
        for cluster in range(len(rows)):
            if members.rows[cluster] < 0:
                continue
            present = int(counts[cluster, self.plan.offsets[:-1] + medoids[cluster]].sum())
            stays = members.homes[cluster] == cluster and present >= members.agreement[cluster]
            if not stays:
                medoids[cluster] = members.codes[cluster]
                rows[cluster] = members.rows[cluster]
        changed = bool((rows != self.plan.rows).any())
        self.plan = self.plan._replace(medoids=medoids, rows=rows)
        return changed


def labelled_by_chunk(rows: Rows, labels: KnownLabels | None) -> list[Labelled]:
    """Return for each chunk which of its rows have labels; nothing is read where none has."""
    if labels is None or not labels.names:
        return [NONE_LABELLED] * rows.n_chunks
    return labels.split(rows)


def looked_at(
    rows: Rows, names: tuple[str, ...], rules: tuple[Rule, ...], labels: KnownLabels | None = None
) -> FirstPass:
    """Return what the first pass tells; lengths of chunks are known afterwards."""
    own = list(enumerate(labelled_by_chunk(rows, labels)))
    looks = rows.map(look_step, own, names, rules, 0 if labels is None else len(labels.names))
    rows.lengths = np.array([look.n_rows for look in looks], np.int64)
    total = FirstPass(0, tuple({} for _ in names), {})
    for start, look in zip(rows.starts.tolist(), looks, strict=False):
        moved = {key: (size, first + start) for key, (size, first) in look.patterns.items()}
        total = total + look._replace(patterns=moved)
    return total


def taken_table(rows: Rows, wanted: IntArray, names: tuple[str, ...]) -> Columns:
    """Return some rows as a table of any values."""
    parts = rows.map(_cells_step, rows.split(wanted), names)
    filled = [part for part in parts if part is not None]
    cells = {
        name: np.concatenate([part[place] for part in filled]) for place, name in enumerate(names)
    }
    return read_columns(cells)


def _cells_step(chunk: Any, places: IntArray, names: tuple[str, ...]) -> list[Any] | None:
    if not len(places):
        return None
    return [column.to_numpy() for column in _columns(chunk, names)[places]]
