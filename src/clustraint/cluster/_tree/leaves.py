"""A leaf: its samples, sorted by every column, and the splits worth a look."""

from __future__ import annotations

from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from clustraint.cluster._tree.links import GroupLinks
from clustraint.cluster._tree.targets import TargetTable, principal_scores
from clustraint.kernels.refinements import Scan, survey
from clustraint.kernels.splits import Targets, divide
from clustraint.typing import BoolArray, FloatArray, IntArray

# With more values than this, a nominal column is tried in one order of its values only.
MANY_LEVELS = 6

# Less variance than this is rounding.
PURE = 1e-12

_numbers = count()


class SplitTest(NamedTuple):
    """A question that a sample answers with yes or no.

    Attributes
    ----------
    feature : int
        The column.
    threshold : float
        A number holds if it is larger; of a nominal column, nan.
    levels : tuple of int or None
        The nominal values that hold.
    missing : bool
        Whether a missing value holds.
    """

    feature: int
    threshold: float
    levels: tuple[int, ...] | None
    missing: bool


class SplitProblem(NamedTuple):
    """The data that a tree is grown on, and the parameters of its splits.

    `values` are the columns of the table, codes for nominal ones, of which `n_levels` counts the
    values; it is 0 for numeric ones. `shares` are what the variance and a violated link count in H.
    Leaves without variance are split only if `split_pure`.
    """

    values: FloatArray
    n_levels: IntArray
    targets: TargetTable
    links: GroupLinks
    shares: tuple[float, float]
    min_leaf: int
    gain_tolerance: float
    split_pure: bool


class _SplitPlan(NamedTuple):
    """One pass over a leaf: the moves, where a split may be made, and how to read it as a test."""

    feature: int
    missing: bool
    moves: IntArray
    stops: BoolArray


class Leaf:
    """Samples at the end of a branch, the splits that they allow, and the links they are part of.

    Splits and links do not depend on labels, so they are found once in a leaf's life.
    """

    def __init__(
        self,
        problem: SplitProblem,
        rows: IntArray,
        order: IntArray,
        sorted_values: FloatArray,
        depth: int,
    ) -> None:
        self.number = next(_numbers)
        self.problem = problem
        self.rows = rows
        self.depth = depth
        # Per numeric column: the samples, in numbers of the leaf, from large to small, nan last.
        self._order = order
        self._sorted = sorted_values

    @classmethod
    def root(cls, problem: SplitProblem) -> Leaf:
        """Return the leaf of all samples; this is the only time that columns are sorted."""
        columns = np.ascontiguousarray(problem.values[:, problem.n_levels == 0].T)
        order = np.argsort(-columns, axis=1, kind="stable")
        sorted_values = np.take_along_axis(columns, order, axis=1)
        return cls(problem, np.arange(len(problem.values)), order, sorted_values, 0)

    @property
    def is_final(self) -> bool:
        """Whether it is not to be split, whatever the labels."""
        if len(self.rows) < 2 * self.problem.min_leaf:
            return True
        return not self.problem.split_pure and self.spread < PURE

    @cached_property
    def key(self) -> int:
        """A number that is the same for leaves of the same samples."""
        return hash(self.rows.tobytes())

    @cached_property
    def _survey(self) -> tuple[float, list[_SplitPlan], IntArray, Scan]:
        """The variance, the passes over all columns, where each begins, and what they bring."""
        targets = self.problem.targets.of(self.rows)
        plans = self._plans(targets)
        start = np.cumsum([0, *(len(plan.moves) for plan in plans)])
        moves = np.concatenate([plan.moves for plan in plans])
        stops = np.concatenate([plan.stops for plan in plans])
        problem, links = self.problem, self.problem.links
        spread, scan = survey(
            self.rows,
            links.members,
            (links.size, links.weight),
            links.edges,
            (moves, stops, start),
            targets,
            problem.min_leaf,
            problem.gain_tolerance,
            problem.shares,
        )
        return spread, plans, start, scan

    @property
    def spread(self) -> float:
        """Its share in the variance of all samples."""
        return self._survey[0]

    @property
    def scan(self) -> Scan:
        """What a search for refinements needs of it."""
        return self._survey[3]

    def split(self, which: int, place: int) -> tuple[SplitTest, Leaf, Leaf]:
        """Return the test of a split and the leaves of its yes-side and its no-side."""
        _, plans, start, _ = self._survey
        plan = plans[which]
        done = plan.moves[: place - start[which] + 1]
        side = np.zeros(len(self.rows), np.int64)
        np.add.at(side, np.where(done < 0, ~done, done), np.where(done < 0, -1, 1))
        on_yes = side > 0
        yes_order, yes_sorted, no_order, no_sorted = divide(self._order, self._sorted, on_yes)
        depth = self.depth + 1
        yes = Leaf(self.problem, self.rows[on_yes], yes_order, yes_sorted, depth)
        no = Leaf(self.problem, self.rows[~on_yes], no_order, no_sorted, depth)
        return self._test(plan, on_yes), yes, no

    def _test(self, plan: _SplitPlan, on_yes: BoolArray) -> SplitTest:
        values = self.problem.values[self.rows, plan.feature]
        present = ~np.isnan(values)
        missing = plan.missing if not present.all() else bool(2 * on_yes.sum() > len(on_yes))
        if self.problem.n_levels[plan.feature]:
            levels = tuple(np.unique(values[present & on_yes]).astype(int).tolist())
            return SplitTest(plan.feature, np.nan, levels, missing)
        threshold = _midpoint(values[present & on_yes], values[present & ~on_yes])
        return SplitTest(plan.feature, threshold, None, missing)

    def _plans(self, targets: Targets) -> list[_SplitPlan]:
        plans: list[_SplitPlan] = []
        changes = np.zeros(self._sorted.shape, dtype=np.bool_)
        changes[:, :-1] = self._sorted[:, :-1] > self._sorted[:, 1:]
        # Missing values come last.
        has_gaps = np.isnan(self._sorted[:, -1]).tolist()
        column = 0
        for feature, n_levels in enumerate(self.problem.n_levels.tolist()):
            if n_levels:
                plans += self._nominal_plans(feature, targets)
                continue
            if has_gaps[column]:
                plans += self._gappy_plans(feature, column, changes[column])
            else:
                plans.append(_SplitPlan(feature, False, self._order[column], changes[column]))
            column += 1
        return plans

    def _gappy_plans(self, feature: int, column: int, changes: BoolArray) -> list[_SplitPlan]:
        order = self._order[column]
        n_known = len(order) - int(np.isnan(self._sorted[column]).sum())
        present, missing = order[:n_known], order[n_known:]
        stops = changes[:n_known]
        # The last threshold is minus infinity: all that is known, against what is missing.
        with_end = np.append(stops[:-1], True)[:n_known]
        return [
            _SplitPlan(feature, False, present, with_end),
            _SplitPlan(feature, True, np.append(missing, present), np.append(missing < 0, stops)),
        ]

    def _nominal_plans(self, feature: int, targets: Targets) -> list[_SplitPlan]:
        values = self.problem.values[self.rows, feature]
        missing = np.flatnonzero(np.isnan(values))
        levels, codes = np.unique(values[~np.isnan(values)], return_inverse=True)
        samples = np.flatnonzero(~np.isnan(values))
        members = [samples[codes == level] for level in range(len(levels))]
        if len(levels) > MANY_LEVELS:
            scores = principal_scores(targets)
            means = [scores[group].mean() for group in members]
            turns = np.argsort(means, kind="stable")[:-1].tolist()
        else:
            turns = _turns(len(levels))
        groups = [members[turn] if turn >= 0 else ~members[~turn] for turn in turns]
        ends = np.cumsum([len(group) for group in groups], dtype=np.int64) - 1
        moves = np.concatenate(groups or [samples[:0]])
        stops = np.zeros(len(moves), dtype=np.bool_)
        stops[ends] = True
        plans = [_SplitPlan(feature, False, moves, stops)]
        if len(missing):
            apart = np.arange(1, len(missing) + 1) == len(missing)
            both = np.append(missing, moves), np.append(apart, stops)
            plans.append(_SplitPlan(feature, True, *both))
        return plans


def _turns(n_levels: int) -> list[int]:
    """Return moves of values through all sets without the first value, one move a set.

    Sets follow each other in a Gray code; a value that leaves is written as its complement.
    """
    turns = []
    for place in range(1, 2 ** max(n_levels - 1, 0)):
        bit = (place & -place).bit_length() - 1
        joins = (place ^ place >> 1) >> bit & 1
        turns.append(bit + 1 if joins else ~(bit + 1))
    return turns


def _midpoint(above: FloatArray, below: FloatArray) -> float:
    """Return a threshold between two sets of numbers, -inf if nothing is below."""
    if not len(below):
        return -np.inf
    low, high = float(below.max()), float(above.min())
    middle = (low + high) / 2
    if np.isinf(middle):
        middle = low / 2 + high / 2
    # Between neighbours among floats, the middle may be rounded up to the larger.
    return middle if middle < high else low
