"""The search for a tree of low H: greedy, or with a beam of several trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from clustraint.cluster._tree.leaves import Leaf, SplitProblem, SplitTest
from clustraint.cluster._tree.prospects import TOLERANCE, LeafSearch, Prospects, SplitCandidate
from clustraint.kernels.refinements import NEW, best_refinements, relabel
from clustraint.typing import FloatArray, IntArray


class Options(NamedTuple):
    """The parameters of the search."""

    n_clusters: int
    any_label: bool
    max_leaves: int
    max_depth: int
    least_improvement: float
    first_is_free: bool


class Choices(NamedTuple):
    """What the sides of a leaf may be called: labels of other leaves, or so many new ones."""

    labels: tuple[int, ...]
    n_new: int


class Step(NamedTuple):
    """A refinement as the search keeps it, after all those before it.

    `leaf`, `yes` and `no` are the numbers of leaves.
    """

    before: Step | None
    leaf: int
    yes: int
    no: int
    test: SplitTest
    n_yes: int
    n_no: int
    label_yes: int
    label_no: int
    variance: float
    violated: float
    heuristic: float


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree during the search: leaves depth first, the yes-side first, with their labels.

    `counts` says how many members of each group of linked samples have each label, `cannot` the
    weight of the cannot-links of a member to samples of each label, and `owner` the place of each
    sample's leaf.
    """

    leaves: tuple[Leaf, ...]
    labels: tuple[int, ...]
    opened: frozenset[int]
    room: Choices
    counts: IntArray
    cannot: FloatArray
    owner: IntArray
    variance: float
    violated: float
    heuristic: float
    last: Step | None
    prospects: Prospects

    @cached_property
    def leaves_per_label(self) -> Counter[int]:
        """How many leaves have each label."""
        return Counter(self.labels)

    def choices(self, label: int) -> Choices:
        """Return what the sides of a leaf with some label may be called."""
        takers, n_new = self.room
        # A label on one leaf only is free again once that leaf is split.
        if self.leaves_per_label[label] == 1:
            takers = tuple(taker for taker in takers if taker != label)
            n_new += 1
        return Choices(takers, 0 if n_new < 0 else min(n_new, 2))

    def steps(self) -> list[Step]:
        """Return the refinements that made the tree, the first one first."""
        steps = []
        step = self.last
        while step is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


class Search:
    """The search for a tree on one problem."""

    def __init__(self, problem: SplitProblem, options: Options) -> None:
        self._problem = problem
        self._options = options
        self._links = problem.links
        self._root = Leaf.root(problem)
        # Trees of one beam share the leaves that they have made by the same split.
        self._splits: dict[tuple[int, int, int], tuple[SplitTest, Leaf, Leaf]] | None = None
        self._moving = self._links.members, self._links.weight, self._links.edges
        self._shares = problem.shares

    def best(self, width: int) -> GrownTree:
        """Return the tree of least H found; with a beam, it is no worse than the greedy one."""
        # A beam may lose the greedy path early, so that it is walked as well.
        greedy = self.climb(1)
        if width == 1:
            return greedy
        wide = self.climb(width)
        return wide if wide.heuristic < greedy.heuristic - TOLERANCE else greedy

    def climb(self, width: int, is_enough: Callable[[GrownTree], bool] | None = None) -> GrownTree:
        """Return the tree of least H met with a beam of some width, or the first that is enough."""
        self._splits = {} if width > 1 else None
        beam = [self._sprout(self._root)]
        best = beam[0]
        # All trees of a beam have the same number of leaves, as each step splits one leaf of each.
        while len(beam[0].leaves) < self._options.max_leaves:
            if is_enough is not None and any(map(is_enough, beam)):
                return next(filter(is_enough, beam))
            beam = self._refined(beam, width)
            if not beam:
                break
            # The tree of one leaf is no clustering: any first split counts as better.
            if best.last is None or beam[0].heuristic < best.heuristic:
                best = beam[0]
        return best

    def _sprout(self, root: Leaf) -> GrownTree:
        """Return the tree of one leaf."""
        n_labels = min(self._options.n_clusters, len(root.rows))
        counts = np.zeros((len(self._links.size), n_labels), np.int64)
        # All samples have label 0: must-links hold, cannot-links are violated.
        counts[:, 0] = self._links.size
        cannot = np.zeros(counts.shape)
        cannot[:, 0] = self._links.cannot_weights(self._links.size)
        owner = np.zeros(len(root.rows), np.int64)
        violated = self._links.violated(counts, cannot)
        h = self._heuristic(root.spread, violated)
        figures = root.spread, violated, h
        prospects = Prospects.unknown([self._is_final(root)])
        labels, opened = (0,), frozenset([0])
        state = (root,), labels, opened, self._room(labels, opened), counts, cannot, owner
        return GrownTree(*state, *figures, None, prospects)

    def _is_final(self, leaf: Leaf) -> bool:
        return leaf.is_final or leaf.depth >= self._options.max_depth

    def _heuristic(self, variance: float, violated: float) -> float:
        return self._shares[0] * variance + self._shares[1] * violated

    def _refined(self, beam: list[GrownTree], width: int) -> list[GrownTree]:
        """Return the best refinements of all trees, each partition of the samples once."""
        refinements = [
            (tree, place, candidate)
            for tree in beam
            for place, candidate in self._refinements(tree, width)
        ]
        # Stable, so that equals keep the order of the search; and only the best are carried out, as
        # a split costs more than its evaluation.
        refinements.sort(key=lambda item: item[0].heuristic + item[2].change)
        if width == 1:
            return [self._refine(*refinement) for refinement in refinements[:1]]
        trees: dict[frozenset[tuple[int, int]], GrownTree] = {}
        for refinement in refinements:
            refined = self._refine(*refinement)
            trees.setdefault(_partition(refined), refined)
            if len(trees) == width:
                break
        return list(trees.values())

    def _refinements(self, tree: GrownTree, width: int) -> list[tuple[int, SplitCandidate]]:
        """Return the best refinements that improve a tree, in the order of the search if equal."""
        bound = self._search_leaves(tree, width)
        best: list[tuple[int, SplitCandidate]] = []
        for leaf in np.flatnonzero(tree.prospects.exact & (tree.prospects.limits[0] < bound)):
            search = tree.prospects.searches[leaf]
            for candidate in search.candidates if search else []:
                place = len(best)
                # Insertion keeps equals in order, which a sort by rounded changes would not.
                while place and candidate.change < best[place - 1][1].change - TOLERANCE:
                    place -= 1
                if candidate.change < bound:
                    best.insert(place, (int(leaf), candidate))
                    del best[width:]
        return best

    def _search_leaves(self, tree: GrownTree, width: int) -> float:
        """Find the best refinements of all leaves that may have the best of all.

        Returns the change of H that the best refinements are below.
        """
        free = self._options.first_is_free and tree.last is None
        least = np.inf if free else -self._options.least_improvement
        # The bound falls as good refinements are met; a leaf that cannot beat it is put off, with
        # its limit, and searched only if the bound ever rises above that. The most promising come
        # first, so that others need not be searched.
        bound = self._lowered(least, tree.prospects.lowest(), width)
        for place in tree.prospects.open_places():
            if tree.prospects.limits[0, place] >= bound:
                break
            change = self._search_leaf(tree, place, bound, width)
            bound = self._lowered(bound, change, width)
        return bound

    def _lowered(self, bound: float, change: float, width: int) -> float:
        """Return what others must beat; equals may still come first in the order of the search."""
        return bound if width > 1 else min(bound, change + 2 * TOLERANCE)

    def _room(self, labels: tuple[int, ...], opened: frozenset[int]) -> Choices:
        """Return the labels on leaves, and how many more there may be, as far as it matters."""
        in_use = set(labels)
        # Without links nothing is gained by sharing a label: every leaf is a cluster.
        takers = tuple(sorted(in_use)) if self._links.has_pairs else ()
        n_labels = len(in_use) if self._options.any_label else len(opened)
        return Choices(takers, max(-1, min(self._options.n_clusters - n_labels, 2)))

    def _search_leaf(self, tree: GrownTree, place: int, bound: float, width: int) -> float:
        """Find the best refinements of a leaf, and return the least change of H by them."""
        leaf, label = tree.leaves[place], tree.labels[place]
        choices = tree.choices(label)
        scan = leaf.scan
        floors = tree.prospects.floors(place, len(scan.pass_start) - 1)
        changes, rows = best_refinements(
            scan,
            label,
            np.array(choices.labels, np.int64),
            (self._options.any_label, choices.n_new),
            (tree.counts, tree.cannot, self._links.weight, self._links.size),
            self._shares,
            floors,
            bound,
            width,
            TOLERANCE,
        )
        pairs = zip(changes.tolist(), rows.tolist(), strict=True)
        candidates = [SplitCandidate(change, *row) for change, row in pairs if change < np.inf]
        # Of what was left out, nothing is known but that it is not below the bound.
        exact = bool(candidates) and candidates[0].change < bound
        tree.prospects.keep(place, LeafSearch(candidates, floors), exact=exact)
        return candidates[0].change if exact else np.inf

    def _refine(self, tree: GrownTree, place: int, candidate: SplitCandidate) -> GrownTree:
        leaf = tree.leaves[place]
        test, yes, no = self._split(leaf, candidate)
        new = _named(candidate, {*tree.labels[:place], *tree.labels[place + 1 :]})
        labels = (*tree.labels[:place], *new, *tree.labels[place + 1 :])
        owner = tree.owner + (tree.owner > place)
        owner[no.rows] = place + 1
        sides = Prospects.unknown([self._is_final(yes), self._is_final(no)])
        prospects = tree.prospects.with_split(place, sides)
        counts, cannot = tree.counts.copy(), tree.cannot.copy()
        for side, label in ((yes, new[0]), (no, new[1])):
            if label != tree.labels[place] and self._links.has_pairs:
                moved = side.rows, tree.labels[place], label
                weights = relabel(*moved, *self._moving, counts, cannot, owner, len(labels))
                self._weaken(prospects, np.array(labels), moved[1:], *weights)
        # H is not updated by the change that was found but computed from the new counts, so that
        # rounding does not add up over hundreds of steps.
        variance = tree.variance - leaf.spread + yes.spread + no.spread
        violated = self._links.violated(counts, cannot)
        figures = variance, violated, self._heuristic(variance, violated)
        ids = leaf.number, yes.number, no.number
        sizes = len(yes.rows), len(no.rows)
        step = Step(tree.last, *ids, test, *sizes, *new, *figures)
        leaves = (*tree.leaves[:place], yes, no, *tree.leaves[place + 1 :])
        opened = tree.opened | set(new)
        state = leaves, labels, opened, self._room(labels, opened), counts, cannot, owner
        refined = GrownTree(*state, *figures, step, prospects)
        self._forget_old_choices(tree, refined, {tree.labels[place], *new})
        return refined

    def _forget_old_choices(self, tree: GrownTree, refined: GrownTree, touched: set[int]) -> None:
        """Take back what is known of leaves whose sides may be called otherwise now."""
        if tree.room != refined.room:
            touched = set(refined.leaves_per_label)
        touched &= tree.leaves_per_label.keys() & refined.leaves_per_label.keys()
        changed = [c for c in touched if tree.choices(c) != refined.choices(c)]
        if changed:
            refined.prospects.forget(np.isin(refined.labels, changed))

    def _split(self, leaf: Leaf, candidate: SplitCandidate) -> tuple[SplitTest, Leaf, Leaf]:
        if self._splits is None:
            return leaf.split(candidate.which, candidate.place)
        key = leaf.number, candidate.which, candidate.place
        if key not in self._splits:
            self._splits[key] = leaf.split(candidate.which, candidate.place)
        return self._splits[key]

    def _weaken(
        self,
        prospects: Prospects,
        labels: IntArray,
        moved: tuple[int, int],
        must: FloatArray,
        cannot: FloatArray,
    ) -> None:
        """Lower what is known of leaves that have links of these weights to moved samples.

        When a sample goes from an old label to a new one, a cannot-link to it makes the old label
        better for a side, and a must-link the new one, by their weight at most. That is made up for
        where the leaf has this label, as it is violated less already; where it has the other, it is
        violated more now, and there is as much more to be mended.
        """
        has_old, has_new = labels == moved[0], labels == moved[1]
        losses = cannot * (1.0 - has_old + has_new) + must * (1.0 + has_old - has_new)
        # A must-link to a moved sample may also allow a label that was not to be had.
        reached = (must > 0) & (not self._options.any_label)
        prospects.weaken(self._shares[1] * losses, (must > 0) | (cannot > 0), reached)


def _named(candidate: SplitCandidate, others: set[int]) -> tuple[int, int]:
    """Return the labels of both sides; a new one takes the lowest number on no other leaf."""
    free = (label for label in count() if label not in others)
    yes = next(free) if candidate.label_yes == NEW else candidate.label_yes
    no = next(free) if candidate.label_no == NEW else candidate.label_no
    return yes, no


def _partition(tree: GrownTree) -> frozenset[tuple[int, int]]:
    """Return a key that trees with the same samples under the same labels share."""
    return frozenset(
        (leaf.key, label) for leaf, label in zip(tree.leaves, tree.labels, strict=True)
    )
