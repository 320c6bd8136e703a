"""The search for a tree of low H: greedy, or with a beam of several trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from clustraint.cluster._tree.leaves import Leaf, SplitProblem, SplitTest
from clustraint.kernels.refinements import NEW, best_refinements, beyond
from clustraint.typing import IntArray

# Values of H that differ by no more count as equal.
TOLERANCE = 1e-10


class Options(NamedTuple):
    """The parameters of the search."""

    n_clusters: int
    gamma: float
    any_label: bool
    max_leaves: int
    max_depth: int
    least_improvement: float
    first_is_free: bool


class Choices(NamedTuple):
    """What the sides of a leaf may be called: labels of other leaves, or so many new ones."""

    labels: tuple[int, ...]
    n_new: int


class SplitCandidate(NamedTuple):
    """A refinement of a leaf: the change of H, the split and the labels."""

    change: float
    which: int
    place: int
    label_yes: int
    label_no: int


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


class LeafOptions(NamedTuple):
    """The best refinements of a leaf under some choices of labels.

    None instead of these if they were not searched for, since no change of H is below `limit`.
    """

    choices: Choices
    candidates: list[SplitCandidate] | None
    limit: float

    def misses(self, bound: float) -> bool:
        """Say whether something below the bound may not have been found."""
        return self.candidates is None and self.limit < bound

    def weakened(self, loss: float) -> LeafOptions:
        """Return what is left of them if any change of H may be lower by so much."""
        least = self.limit if self.candidates is None else self.change
        return LeafOptions(self.choices, None, least - loss - 2 * TOLERANCE)

    @property
    def change(self) -> float:
        """The change of H by the best refinement."""
        return self.candidates[0].change if self.candidates else np.inf


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree during the search: leaves depth first, the yes-side first, with their labels.

    `counts` says how many members of each group of linked samples have each label, and `options`
    the best refinements of a leaf, as far as nothing has changed for it since.
    """

    leaves: tuple[Leaf, ...]
    labels: tuple[int, ...]
    opened: frozenset[int]
    counts: IntArray
    variance: float
    violated: float
    heuristic: float
    last: Step | None
    options: dict[int, LeafOptions]

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
        self._link_share = options.gamma / self._links.total if self._links.has_pairs else 0.0

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
        violated = self._links.violated(counts)
        h = self._heuristic(root.spread, violated)
        return GrownTree((root,), (0,), frozenset([0]), counts, root.spread, violated, h, None, {})

    def _heuristic(self, variance: float, violated: float) -> float:
        return (1 - self._options.gamma) * variance + self._link_share * violated

    def _refined(self, beam: list[GrownTree], width: int) -> list[GrownTree]:
        """Return the best refinements of all trees, each partition of the samples once."""
        refinements = [
            (tree, leaf, candidate)
            for tree in beam
            for leaf, candidate in self._refinements(tree, width)
        ]
        # Stable, so that equals keep the order of the search; and only the best are carried out, as
        # a split costs more than its evaluation.
        refinements.sort(key=lambda item: item[0].heuristic + item[2].change)
        trees: dict[frozenset[tuple[int, int]], GrownTree] = {}
        for tree, leaf, candidate in refinements:
            refined = self._refine(tree, leaf, candidate)
            trees.setdefault(_partition(refined), refined)
            if len(trees) == width:
                break
        return list(trees.values())

    def _refinements(self, tree: GrownTree, width: int) -> list[tuple[Leaf, SplitCandidate]]:
        """Return the best refinements that improve a tree, in the order of the search if equal."""
        bound = self._evaluate_leaves(tree, width)
        best: list[tuple[Leaf, SplitCandidate]] = []
        for leaf in tree.leaves:
            options = tree.options.get(leaf.number)
            for candidate in (options and options.candidates) or []:
                place = len(best)
                # Insertion keeps equals in order, which a sort by rounded changes would not.
                while place and candidate.change < best[place - 1][1].change - TOLERANCE:
                    place -= 1
                if candidate.change < bound:
                    best.insert(place, (leaf, candidate))
                    del best[width:]
        return best

    def _evaluate_leaves(self, tree: GrownTree, width: int) -> float:
        """Find the best refinements of all leaves that may have the best of all.

        Returns the change of H below which a refinement is an improvement.
        """
        free = self._options.first_is_free and tree.last is None
        least = np.inf if free else -self._options.least_improvement
        choices = self._choices(tree)
        # The bound falls as good refinements are met; a leaf that cannot beat it is put off, with
        # its limit, and searched only if the bound ever rises above that.
        bound = least
        unknown = []
        for leaf, label in zip(tree.leaves, tree.labels, strict=True):
            if leaf.is_final or leaf.depth >= self._options.max_depth:
                continue
            options = tree.options.get(leaf.number)
            # Valid as long as neither the labels it may take nor the links around it have changed;
            # `_still_known` sees to the latter.
            if options is not None and options.choices == choices[label]:
                bound = self._lowered(bound, options, width)
            else:
                options = None
            unknown.append((options, leaf, label))
        # The most promising first, so that others need not be searched.
        unknown.sort(key=lambda item: -np.inf if item[0] is None else item[0].limit)
        for options, leaf, label in unknown:
            if options is None or options.misses(bound):
                options = self._evaluate(tree, leaf, label, choices[label], bound, width)
                tree.options[leaf.number] = options
                bound = self._lowered(bound, options, width)
        return least

    def _lowered(self, bound: float, options: LeafOptions, width: int) -> float:
        """Return what others must beat; equals may still come first in the order of the search."""
        return bound if width > 1 else min(bound, options.change + 2 * TOLERANCE)

    def _choices(self, tree: GrownTree) -> dict[int, Choices]:
        """Return per label what the sides of a leaf with that label may be called."""
        leaves = Counter(tree.labels)
        # Without links nothing is gained by sharing a label: every leaf is a cluster.
        takers = leaves if self._links.has_pairs else {}
        n_labels = len(leaves) if self._options.any_label else len(tree.opened)
        choices = {}
        for label, n_leaves in leaves.items():
            others = tuple(sorted(c for c in takers if c != label or n_leaves > 1))
            # A label on one leaf only is free again once that leaf is split.
            n_new = self._options.n_clusters - n_labels + (n_leaves == 1)
            choices[label] = Choices(others, max(0, min(n_new, 2)))
        return choices

    def _evaluate(
        self, tree: GrownTree, leaf: Leaf, label: int, choices: Choices, bound: float, width: int
    ) -> LeafOptions:
        edges = self._links.edge_start, self._links.edge_group, self._links.edge_weight
        far = beyond(leaf.groups, leaf.links, label, tree.counts, self._links.weight, *edges)
        labels = np.array(choices.labels, dtype=np.int64)
        changes, rows, limit = best_refinements(
            leaf.passes,
            leaf.links,
            far,
            label,
            tree.counts.shape[1],
            (labels, self._options.any_label, choices.n_new),
            (1 - self._options.gamma, self._link_share),
            bound,
            width,
            TOLERANCE,
        )
        if limit >= bound:
            return LeafOptions(choices, None, limit)
        pairs = zip(changes.tolist(), rows.tolist(), strict=True)
        candidates = [SplitCandidate(change, *row) for change, row in pairs if change < np.inf]
        return LeafOptions(choices, candidates, limit)

    def _refine(self, tree: GrownTree, leaf: Leaf, candidate: SplitCandidate) -> GrownTree:
        place = tree.leaves.index(leaf)
        test, yes, no = self._split(leaf, candidate)
        old = tree.labels[place]
        new = _named(candidate, {*tree.labels[:place], *tree.labels[place + 1 :]})
        labels = (*tree.labels[:place], *new, *tree.labels[place + 1 :])
        # H is not updated by the change that was found but computed from the new counts, so that
        # rounding does not add up over hundreds of steps.
        counts, options = self._relabelled(tree, leaf, old, ((yes, new[0]), (no, new[1])))
        variance = tree.variance - leaf.spread + yes.spread + no.spread
        violated = self._links.violated(counts)
        figures = variance, violated, self._heuristic(variance, violated)
        ids = leaf.number, yes.number, no.number
        sizes = len(yes.rows), len(no.rows)
        step = Step(tree.last, *ids, test, *sizes, *new, *figures)
        leaves = (*tree.leaves[:place], yes, no, *tree.leaves[place + 1 :])
        return GrownTree(leaves, labels, tree.opened | set(new), counts, *figures, step, options)

    def _split(self, leaf: Leaf, candidate: SplitCandidate) -> tuple[SplitTest, Leaf, Leaf]:
        if self._splits is None:
            return leaf.split(candidate.which, candidate.place)
        key = leaf.number, candidate.which, candidate.place
        if key not in self._splits:
            self._splits[key] = leaf.split(candidate.which, candidate.place)
        return self._splits[key]

    def _relabelled(
        self, tree: GrownTree, leaf: Leaf, old: int, sides: tuple[tuple[Leaf, int], ...]
    ) -> tuple[IntArray, dict[int, LeafOptions]]:
        """Return the new counts, and what is known of leaves that the new labels do not touch."""
        counts = tree.counts.copy()
        moves = []
        for side, label in sides:
            if label != old and len(counts):
                joined = self._links.members_per_group(side.rows)
                counts[:, old] -= joined
                counts[:, label] += joined
                moves.append((label, joined))
        options = {n: options for n, options in tree.options.items() if n != leaf.number}
        return counts, self._still_known(tree, options, old, moves) if moves else options

    def _still_known(
        self,
        tree: GrownTree,
        options: dict[int, LeafOptions],
        old: int,
        moves: list[tuple[int, IntArray]],
    ) -> dict[int, LeafOptions]:
        """Return what is known of leaves after some members of each group got another label.

        A must-link to one of them may allow a label that was not to be had. A cannot-link to one
        makes a refinement better by its weight at most, since a side may take the label that was
        left. That is made up for where the leaf has this label, and is violated less already; where
        it has the new one, it is violated more now, and there is as much more to be mended.
        """
        links, labels = self._links, np.array(tree.labels)
        rows = np.concatenate([leaf.rows for leaf in tree.leaves])
        owner = np.repeat(np.arange(len(labels)), [len(leaf.rows) for leaf in tree.leaves])
        reached, weights, losses = np.zeros((3, len(labels)))
        for new, joined in moves:
            nears = links.per_sample(((joined > 0) & (links.weight > 0)).astype(np.float64))
            reached += np.bincount(owner, nears[rows])
            changed = np.bincount(owner, links.per_sample(links.cannot_weights(joined))[rows])
            weights += changed
            losses += self._link_share * changed * (1.0 - (labels == old) + (labels == new))
        for place in np.flatnonzero(reached + weights).tolist():
            number = tree.leaves[place].number
            kept = options.pop(number, None)
            if kept is not None and not reached[place]:
                options[number] = kept.weakened(float(losses[place]))
        return options


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
