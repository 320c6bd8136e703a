"""The ways to cut a hierarchy that triplets have shaped."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints import Constraints
from clustraint.exceptions import BranchSizeError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels import cuts, tree
from clustraint.typing import BoolArray, FloatArray, IntArray


class Branches(NamedTuple):
    """A binary hierarchy, and how much of what is known each of its nodes holds whole.

    Attributes
    ----------
    parents, begin, sizes : int64 ndarray of shape (n_nodes,)
        The parent of each node, the first place of its samples from left to right, their number.
    children : int64 ndarray of shape (n_samples - 1, 2)
        Those of each inner node.
    is_unit : bool ndarray of shape (n_nodes,)
        Whether must-links hold the node together.
    parted : float64 ndarray of shape (n_nodes,)
        The weight of cannot-links between its two children.
    apart : float64 ndarray of shape (n_nodes,)
        The weight of cannot-links below it.
    whole : float64 ndarray of shape (n_nodes,)
        The weight of triplets whose three samples are below it.
    gains : float64 ndarray of shape (n_nodes,)
        The weight of triplets of which a and b are below it and c is not.
    """

    parents: IntArray
    begin: IntArray
    sizes: IntArray
    children: IntArray
    is_unit: BoolArray
    parted: FloatArray
    apart: FloatArray
    whole: FloatArray
    gains: FloatArray

    @classmethod
    def of(cls, hierarchy: Hierarchy, constraints: Constraints, units: IntArray) -> Branches:
        """Count what is known at the nodes; samples of one unit are held together."""
        n_samples, parents = hierarchy.n_samples, hierarchy.layout.parents
        triplets, weights = constraints.links["triplets"]
        pairs, pair_weights = constraints.links["cannot_link"]
        # Columns as rows of their own, since kernels take contiguous arrays.
        first, second, third = np.array(triplets.T, np.int64, order="C")
        near = tree.meets(hierarchy.ancestry, first, second)
        far = tree.meets(hierarchy.ancestry, near, third)
        together = np.bincount(near, weights, len(parents))
        complete = np.bincount(far, weights, len(parents))
        meets = tree.meets(hierarchy.ancestry, *np.array(pairs.T, np.int64, order="C"))
        parted = np.bincount(meets, pair_weights, len(parents)).astype(np.float64)
        whole = cuts.sums_below(parents, complete)
        layout = hierarchy.layout
        return cls(
            parents,
            layout.first,
            layout.sizes,
            np.argsort(parents[:-1], kind="stable").reshape(-1, 2),
            _unit_nodes(parents, n_samples, units),
            parted,
            cuts.sums_below(parents, parted),
            whole,
            cuts.sums_below(parents, together) - whole,
        )

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.children) + 1


def _unit_nodes(parents: IntArray, n_samples: int, units: IntArray) -> BoolArray:
    """Return which nodes lie within one unit."""
    if len(np.unique(units)) == n_samples:
        return np.arange(len(parents)) < n_samples
    lowest, highest = (np.append(units, np.full(n_samples - 1, fill)) for fill in (n_samples, -1))
    for node in range(len(parents) - 1):
        above = parents[node]
        lowest[above] = min(lowest[above], lowest[node])
        highest[above] = max(highest[above], highest[node])
    return np.asarray(lowest == highest)


def cut_last(branches: Branches, n_clusters: int) -> BoolArray:
    """Return the clusters that undoing the last merges leaves."""
    opened = np.arange(len(branches.parents)) > len(branches.parents) - n_clusters
    above = np.append(opened[branches.parents[:-1]], True)
    return np.asarray(~opened & above)


def cut_resolved(branches: Branches, n_clusters: int) -> BoolArray:
    """Return the clusters that keep most cannot-links, then resolve most triplets."""
    # All triplets together weigh less than the lightest cannot-link.
    links = branches.parted[branches.parted > 0]
    factor = 2 * (1 + branches.whole[-1]) / links.min() if len(links) else 0.0
    gains = branches.gains - factor * branches.apart
    nodes = cuts.best_cut(branches.children, gains, branches.is_unit, n_clusters)
    return np.asarray(nodes)


class Opening(NamedTuple):
    """The clusters after opening branches from the root down, and the branches set aside."""

    clusters: list[int]
    aside: list[int]


# Which branch is opened first, by its node and how many branches above it were opened: the least.
Urgency = Callable[[Branches, int, int], tuple[float, ...]]


def most_whole(branches: Branches, node: int, level: int) -> tuple[float, ...]:
    """Put branches with cannot-links below them first, then those that hold most triplets whole."""
    return -branches.apart[node], -branches.whole[node], -node


def highest_level(branches: Branches, node: int, level: int) -> tuple[float, ...]:
    """Put the highest level first, and in a level the latest merge."""
    return level, -node


def open_branches(
    branches: Branches, n_clusters: int, least: float, urgency: Urgency = most_whole
) -> Opening:
    """Open the most urgent branch, time after time, until there are enough.

    A child of fewer than `least` samples is set aside, unless a cannot-link parts it from its
    sibling, which then takes the place of both.
    """
    root = len(branches.parents) - 1
    waiting = [(urgency(branches, root, 0), root, 0)]
    done: list[int] = []
    aside: list[int] = []
    while waiting and len(waiting) + len(done) < n_clusters:
        _, node, level = heappop(waiting)
        if node < branches.n_samples or branches.is_unit[node]:
            done.append(node)
            continue
        pair = branches.children[node - branches.n_samples].tolist()
        large = [child for child in pair if branches.sizes[child] >= least]
        if branches.parted[node] > 0:
            large = pair
        if not large:
            done.append(node)
            continue
        aside += [child for child in pair if child not in large]
        below = level + len(large) - 1
        for child in large:
            heappush(waiting, (urgency(branches, child, below), child, below))
    return Opening(sorted([*done, *(node for _, node, _ in waiting)]), aside)


def automatic_size(n_samples: int, n_clusters: int) -> float:
    """Return the least size of a branch that is no outlier: 5 %, at most half a cluster."""
    return min(0.05 * n_samples, n_samples / (2 * n_clusters))


def cut_open(
    branches: Branches,
    n_clusters: int,
    min_branch_size: float | None,
    urgency: Urgency = most_whole,
) -> tuple[Opening, float]:
    """Return the opening into `n_clusters`, and the least size of a branch that it took.

    None starts from the automatic size, which is halved until there are enough clusters.
    """
    if min_branch_size is not None:
        opening = open_branches(branches, n_clusters, min_branch_size, urgency)
        if len(opening.clusters) < n_clusters:
            raise BranchSizeError(n_clusters, min_branch_size, len(opening.clusters))
        return opening, min_branch_size
    least = automatic_size(branches.n_samples, n_clusters)
    opening = open_branches(branches, n_clusters, least, urgency)
    while len(opening.clusters) < n_clusters:
        least /= 2
        opening = open_branches(branches, n_clusters, least, urgency)
    return opening, least


def open_owners(
    branches: Branches, opening: Opening, X: FloatArray, *, anywhere: bool = False
) -> IntArray:
    """Return the cluster of each sample; what was set aside joins the cluster of nearest centroid.

    The clusters that a branch may join are those below its sibling, or all if `anywhere`.
    """
    is_cluster = np.zeros(len(branches.parents), np.bool_)
    is_cluster[opening.clusters] = True
    is_cluster[opening.aside] = True
    owner = cuts.owners(branches.parents, is_cluster)
    sums = np.zeros((len(branches.parents), X.shape[1]))
    np.add.at(sums, owner[: branches.n_samples], X)
    sizes = np.bincount(owner[: branches.n_samples], minlength=len(branches.parents))
    centroids = sums / np.maximum(sizes, 1)[:, np.newaxis]
    target = np.arange(len(branches.parents))
    clusters = np.array(opening.clusters)
    for branch in opening.aside:
        both = branches.children[branches.parents[branch] - branches.n_samples]
        sibling = int(both.sum()) - branch
        offsets = branches.begin[clusters] - branches.begin[sibling]
        beside = (offsets >= 0) & (offsets < branches.sizes[sibling])
        candidates = clusters if anywhere else clusters[beside]
        distances = ((centroids[candidates] - centroids[branch]) ** 2).sum(axis=1)
        target[branch] = candidates[int(np.argmin(distances))]
    return np.asarray(target[owner[: branches.n_samples]])


def labels_of(owners: IntArray) -> NDArray[np.int32]:
    """Return clusters numbered by their first samples."""
    _, first, places = np.unique(owners, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[places].astype(np.int32)


def owners_of(branches: Branches, is_cluster: BoolArray) -> IntArray:
    """Return the cluster of each sample."""
    return np.asarray(cuts.owners(branches.parents, is_cluster)[: branches.n_samples])
