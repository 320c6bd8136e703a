"""Of bonds that hold a block together, a part that contradicts itself and of which none can go.

A bond ties two samples: a triplet ab|c ties a and b as long as c is with them, a must-link (c = -1)
whatever happens. Bonds that form a tree contradict each other exactly if some part of the tree is
closed, that is, has the c of each of its triplets in it; by triplets alone, or with a cannot-link
between two of its samples. So a triplet needs all bonds on the way from it to its c, and what can
be reached from a bond by such needs is the least closed part that it is in. Triplets that all need
each other, and nothing else, are a minimal contradiction.

A way may be long. It is taken as two ways, which may overlap, of 2, 4, 8, … bonds towards the root,
each of which needs its two halves.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from clustraint.kernels.witness import small_core
from clustraint.typing import IntArray


def minimal_witness(
    n_samples: int, bonds: IntArray, cannot_link: IntArray, core: IntArray, cannot: int
) -> tuple[IntArray, int]:
    """Return bonds, and a cannot-link or -1, that contradict each other and of which none can go.

    `core` and `cannot` are some that do.
    """
    core = small_core(n_samples, bonds, cannot_link, core, cannot)
    rows = bonds[core]
    samples = np.unique(rows[:, :2])
    tree = _Tree(np.searchsorted(samples, rows[:, :2]))
    triplets = np.flatnonzero(rows[:, 2] >= 0)
    needs = [tree.halves()]
    needs += tree.ways(tree.lower[triplets], np.searchsorted(samples, rows[triplets, 2]))
    alone = _least_that_need_each_other(tree, np.concatenate(needs), tree.lower[triplets])
    if len(alone):
        return np.sort(core[np.isin(tree.lower, alone)]), -1
    # Every closed part has must-links: what the cannot-link contradicts is all that its ends need.
    ends = np.searchsorted(samples, cannot_link[cannot])
    needs += [
        np.stack((np.full(len(way), tree.n_ways), way[:, 1]), axis=1)
        for way in tree.ways(ends[:1], ends[1:])
    ]
    reached = breadth_first_order(_graph(np.concatenate(needs), tree.n_ways + 1), tree.n_ways)[0]
    return np.sort(core[np.isin(tree.lower, reached)]), cannot


def _graph(arcs: IntArray, n_nodes: int) -> coo_array:
    ones = np.ones(len(arcs), np.int8)
    return coo_array((ones, (arcs[:, 0], arcs[:, 1])), shape=(n_nodes, n_nodes)).tocsr()


def _least_that_need_each_other(tree: _Tree, needs: IntArray, triplets: IntArray) -> IntArray:
    """Return the fewest triplets that need each other and nothing else; there may be none."""
    n_parts, part = connected_components(_graph(needs, tree.n_ways), connection="strong")
    is_closed = np.ones(n_parts, np.bool_)
    leaving = part[needs[:, 0]] != part[needs[:, 1]]
    is_closed[part[needs[leaving, 0]]] = False
    sizes = np.bincount(part[triplets], minlength=n_parts)
    sizes[~is_closed | (sizes == 0)] = len(triplets) + 1
    least = int(np.argmin(sizes))
    return np.asarray(triplets[(part[triplets] == least) & (sizes[least] <= len(triplets))])


class _Tree:
    """A tree of bonds, rooted, with the ways towards the root.

    Way ``k * n_samples + v`` is the 2**k bonds from sample v on; for k = 0 it is a bond, called by
    its `lower` end.
    """

    def __init__(self, ends: IntArray) -> None:
        self.n_samples = len(ends) + 1
        edges = _graph(ends, self.n_samples)
        depth, above = dijkstra(
            edges, directed=False, indices=0, unweighted=True, return_predecessors=True
        )
        self.depth = depth.astype(np.int64)
        self.lower = np.where(above[ends[:, 0]] == ends[:, 1], ends[:, 0], ends[:, 1])
        above[0] = 0
        self.above = [above.astype(np.int64)]
        for _ in range(int(self.depth.max()).bit_length()):
            self.above.append(self.above[-1][self.above[-1]])
        self.n_ways = len(self.above) * self.n_samples

    def halves(self) -> IntArray:
        """Return each way with its two halves, as rows."""
        ways = np.arange(self.n_samples, self.n_ways)
        half = np.concatenate(
            [k * self.n_samples + above for k, above in enumerate(self.above[:-1])]
        )
        return np.concatenate(
            (np.stack((ways, ways - self.n_samples), axis=1), np.stack((ways, half), axis=1))
        )

    def ways(self, first: IntArray, second: IntArray) -> list[IntArray]:
        """Return rows of a first sample and a way, so that all together lead to the second one."""
        meet = self._meet(first, second)
        return [
            rows
            for sample in (first, second)
            for rows in self._ways_up(first, sample, self.depth[sample] - self.depth[meet])
        ]

    def _ways_up(self, first: IntArray, sample: IntArray, length: IntArray) -> list[IntArray]:
        some = length > 0
        first, sample, length = first[some], sample[some], length[some]
        k = np.frexp(length)[1] - 1
        last = self._up(sample, length - (1 << k))
        return [np.stack((first, k * self.n_samples + start), axis=1) for start in (sample, last)]

    def _up(self, samples: IntArray, steps: IntArray) -> IntArray:
        for k, above in enumerate(self.above):
            samples = np.where(steps >> k & 1, above[samples], samples)
        return samples

    def _meet(self, first: IntArray, second: IntArray) -> IntArray:
        least = np.minimum(self.depth[first], self.depth[second])
        first = self._up(first, self.depth[first] - least)
        second = self._up(second, self.depth[second] - least)
        for above in reversed(self.above):
            apart = above[first] != above[second]
            first, second = (
                np.where(apart, above[first], first),
                np.where(apart, above[second], second),
            )
        return np.where(first == second, first, self.above[0][first])
