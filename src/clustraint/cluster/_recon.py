"""ReCon: hierarchical clustering that displays every triplet."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from clustraint.checks import check_choice, check_differences, check_number, check_whole_number
from clustraint.cluster._dead_end import too_many_clusters
from clustraint.cluster._hierarchical import HierarchicalClusterer
from clustraint.cluster._noise import NoiseMixin
from clustraint.cluster._recon_cuts import (
    Branches,
    cut_last,
    cut_open,
    cut_resolved,
    highest_level,
    labels_of,
    most_whole,
    open_owners,
    owners_of,
)
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidParameterError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels import recon
from clustraint.kernels.agglomeration import CENTROID, WARD
from clustraint.kernels.build import build
from clustraint.kernels.merges import Merges
from clustraint.typing import FloatArray, IntArray, LabelArray

LINKAGES = {"centroid": CENTROID, "ward": WARD}
CUTS = ("whole", "levels", "resolved", "last")


class ReCon(NoiseMixin, HierarchicalClusterer):
    """Agglomerative clustering whose hierarchy displays every triplet.

    After Liu, Zhang and Wang, Clustering with relative constraints, KDD 2011. Of the pairs of
    clusters after whose merge the triplets still hold together, the closest is merged, so that no
    triplet is ever violated and no merge ends in a dead end.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.
    linkage : {"centroid", "ward"}, default="centroid"
        The distance of clusters: that of their centroids, as in the paper, or the growth of the
        variance.
    metric : transformer, optional
        What turns samples into points whose Euclidean distances count, such as a `RelativeMetric`;
        default: the samples as they are. A fitted one is used as it is; of one that is not, a clone
        is fitted to the samples, and to the triplets if its `fit` takes constraints.
    cut : {"whole", "levels", "resolved", "last"}, default="whole"
        How the hierarchy becomes clusters. "whole" opens branches from the root down, those first
        that hold most triplets whole, and takes small branches for outliers. "levels" is the
        paper's: it opens them level by level, and an outlier may join any cluster. "resolved" is
        the cut that resolves most triplets: a and b in one cluster, c in another. "last" undoes
        the last merges, as other methods do.
    min_branch_size : "auto" or float, default="auto"
        For the cuts "whole" and "levels": branches of fewer samples are outliers. "auto" is 5 % of
        the samples, at most ``n_samples / (2 * n_clusters)``, and half of that, a quarter and so on
        where this leaves too few clusters.
    noise : {"raise", "repair", "doubt"}, default="raise"
        What becomes of constraints that contradict each other: an error, or `Constraints.repair`
        drops a small weight of them. "doubt" first drops those that a `ConstrainedMixture` takes
        for rather wrong than right.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample, numbered by first samples.
    hierarchy_ : Hierarchy
        All merges, in their order.
    linkage_ : float64 ndarray of shape (n_samples - 1, 4)
        The merges as scipy has them, with distances raised by the smallest float step wherever they
        do not increase, so that cutting by height undoes the last merges.
    merge_distances_ : float64 ndarray of shape (n_samples - 1,)
        The distance of each merge; it may decrease.
    dropped_ : Constraints
        What `noise` has dropped.
    metric_ : transformer or None
        What turned samples into points.
    min_branch_size_ : float
        The least size of a branch that was no outlier, 0 for the cuts "resolved" and "last".
    constraint_report_ : ConstraintReport
        What was given, satisfied and violated by the labels, dropped constraints included. That the
        hierarchy displays a triplet does not mean that the labels keep it: outliers may break it.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Raises
    ------
    InconsistentConstraintsError
        In `fit`, if the constraints contradict each other and `noise` is "raise".
    NoFeasibleClusteringError
        If must-links leave fewer groups of samples than `n_clusters`.
    BranchSizeError
        If `min_branch_size` leaves fewer branches than `n_clusters`.

    Notes
    -----
    *Algorithm ReCon (section 4.2)* as printed, on plain Euclidean distances, without a distance
    matrix. Ties: the lowest first sample of either cluster, then of the other. TestCompatibility
    starts at the node of the BUILD tree where the two clusters part, and what it refuses once is
    not tested again, nor is any pair for which the same reason holds.

    *Must-links and cannot-links*, the paper's future work, may be given too. What must-links hold
    together is merged first, among itself as everything else is. Cannot-links keep clusters apart
    until `n_clusters` are left; if by then only such pairs may merge, the one that breaks the least
    weight of cannot-links does.

    *Cut.* The paper starts at the root and goes down level by level (section 4.1.2), ignores small
    branches, and merges them with their nearest clusters at the end (section 4.2.1): "levels". It
    does not print the threshold, nor what comes first within a level; here that is the latest
    merge. The sibling of an ignored branch takes the place of both. But two finished classes may
    merge before a third is finished, hence the other cuts. Under "whole" a small branch joins the
    nearest centroid among the clusters below its sibling, so that fewer triplets break. "whole" and
    "resolved" put cannot-links before triplets, and count by weight. Where all informative
    triplets of a labelling are given, "resolved" returns that labelling.

    Time is about quadratic in the number of samples, memory linear, plus `n_samples` bits for each
    cluster that a failed test has kept apart from others, and two more for each such test.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints, ReCon
    >>> X = np.array([[0.0], [1.0], [2.5], [6.0]])
    >>> ReCon(2).fit(X).labels_
    array([0, 0, 0, 1], dtype=int32)
    >>> model = ReCon(2).fit(X, constraints=Constraints(4, triplets=[(2, 3, 1)]))
    >>> model.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> model.hierarchy_.to_newick()
    '((0,1),(2,3));'
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("triplets", "must_link", "cannot_link")

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: Literal["centroid", "ward"] = "centroid",
        metric: Any = None,
        cut: Literal["whole", "levels", "resolved", "last"] = "whole",
        min_branch_size: float | Literal["auto"] = "auto",
        noise: Literal["raise", "repair", "doubt"] = "raise",
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.cut = cut
        self.min_branch_size = min_branch_size
        self.noise = noise

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        samples = super()._validate(X, reset=reset)
        # A metric looks at the names of the columns, which only X itself has.
        return samples if self.metric is None else X

    def _check_parameters(self, n_samples: int) -> None:
        self._check_n_clusters(n_samples)
        check_choice("linkage", self.linkage, LINKAGES)
        check_choice("cut", self.cut, CUTS)
        self._check_noise()
        if not isinstance(self.min_branch_size, str):
            check_number("min_branch_size", self.min_branch_size, least=0)
        elif self.min_branch_size != "auto":
            wanted = "'auto' or a number from 0 up"
            raise InvalidParameterError("min_branch_size", self.min_branch_size, wanted)
        if self.metric is not None and not hasattr(self.metric, "transform"):
            raise InvalidParameterError("metric", self.metric, "a transformer or None")

    def _fit(self, X: Any, constraints: Constraints) -> None:
        consistent = self._without_noise(X, constraints)
        points = self._points(X, consistent)
        units = units_of(consistent)
        n_units = int(units.max()) + 1
        if n_units < self.n_clusters:
            raise too_many_clusters(n_units, self.n_clusters)
        merges = merges_of(points, consistent, units, self.n_clusters, self.linkage)
        self._keep_merges(merges)
        self._branches = Branches.of(self.hierarchy_, consistent, units)
        self._moved = points
        owners, self.min_branch_size_ = self._owners(self.cut, self.n_clusters)
        self.labels_ = labels_of(owners)

    def _points(self, X: Any, constraints: Constraints) -> FloatArray:
        """Return what distances are measured between."""
        self.metric_ = self.metric
        if self.metric is not None:
            try:
                check_is_fitted(self.metric)
            except NotFittedError:
                takes = has_fit_parameter(self.metric, "constraints")
                triplets = constraints.restrict(kinds="triplets")
                arguments = {"constraints": triplets} if takes else {}
                self.metric_ = clone(self.metric).fit(X, **arguments)
        moved = X if self.metric_ is None else self.metric_.transform(X)
        points = np.asarray(moved, np.float64)
        n_samples = constraints.n_samples
        if points.ndim != 2 or len(points) != n_samples or not np.isfinite(points).all():
            wanted = "a transformer to one finite row for each sample"
            raise InvalidParameterError("metric", self.metric, wanted)
        check_differences(points)
        return points

    def _linked(self, X: Any) -> FloatArray:
        """Return how far samples are from the centroids, as the merges would see it."""
        points = X if self.metric_ is None else self.metric_.transform(X)
        sizes = np.bincount(self.labels_)
        sums = np.zeros((len(sizes), self._moved.shape[1]))
        np.add.at(sums, self.labels_, self._moved)
        away = euclidean_distances(points, sums / sizes[:, np.newaxis])
        # What joining a cluster of that size would add to the squares, for Ward.
        return np.asarray(away * np.sqrt(sizes / (sizes + 1)) if self.linkage == "ward" else away)

    def _distances_to_fitted(self, X: Any) -> FloatArray:
        points = X if self.metric_ is None else self.metric_.transform(X)
        return np.asarray(euclidean_distances(points, self._moved))

    def recut(
        self,
        cut: Literal["whole", "levels", "resolved", "last"] | None = None,
        n_clusters: int | None = None,
    ) -> LabelArray:
        """Return the clusters of another cut of the hierarchy, without merging again.

        Parameters
        ----------
        cut : {"whole", "levels", "resolved", "last"}, optional
            How the hierarchy becomes clusters; by default as in `fit`.
        n_clusters : int, optional
            The number of clusters; by default as in `fit`.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)
            Numbered by first samples. Those of `fit` stay as they are.

        Examples
        --------
        >>> model = ReCon(2).fit([[0.0], [1.0], [6.0], [9.0]])
        >>> model.recut("last", n_clusters=3).tolist()
        [0, 0, 1, 2]
        """
        check_is_fitted(self)
        chosen = check_choice("cut", self.cut if cut is None else cut, CUTS)
        count = check_whole_number(
            "n_clusters",
            self.n_clusters if n_clusters is None else n_clusters,
            least=1,
            most=len(self.labels_),
        )
        return labels_of(self._owners(chosen, count)[0])

    def _owners(self, cut: str, n_clusters: int) -> tuple[IntArray, float]:
        """Return the node that is the cluster of each sample, and the least size of a branch."""
        branches = self._branches
        if cut == "last":
            return owners_of(branches, cut_last(branches, n_clusters)), 0.0
        if cut == "resolved":
            return owners_of(branches, cut_resolved(branches, n_clusters)), 0.0
        least = None if isinstance(self.min_branch_size, str) else float(self.min_branch_size)
        is_printed = cut == "levels"
        urgency = highest_level if is_printed else most_whole
        opening, least_size = cut_open(branches, n_clusters, least, urgency)
        return open_owners(branches, opening, self._moved, anywhere=is_printed), least_size


def units_of(constraints: Constraints) -> IntArray:
    """Return which samples must-links hold together, as units numbered by first sample.

    A unit is more than a must-link component where a triplet ab|c ties b in: if a and c are in one
    cluster, b joins a before. In the BUILD tree with must-links as bonds such a set is a node, the
    highest one at which the ends of a must-link part.
    """
    must_link = constraints.links["must_link"].rows
    if not len(must_link):
        return np.arange(constraints.n_samples)
    bonds = np.concatenate(
        (constraints.links["triplets"].rows, np.insert(must_link, 2, -1, axis=1)), dtype=np.int64
    )
    tied = Hierarchy(build(constraints.n_samples, bonds, np.empty((0, 2), np.int64)).parents)
    is_unit = np.zeros(tied.n_nodes, np.bool_)
    is_unit[tied.meet(must_link[:, 0], must_link[:, 1])] = True
    highest = np.arange(tied.n_nodes)
    for node in range(tied.n_nodes - 2, -1, -1):
        above = tied.parents[node]
        if is_unit[above] or highest[above] != above:
            highest[node] = highest[above]
    _, first, places = np.unique(
        highest[: constraints.n_samples], return_index=True, return_inverse=True
    )
    return np.asarray(np.argsort(np.argsort(first))[places])


def merges_of(
    X: FloatArray, constraints: Constraints, units: IntArray, n_clusters: int, linkage: str
) -> Merges:
    """Return all merges: those within units, unit by unit, and then those of units."""
    sizes = np.bincount(units)
    # Without must-links each sample is a unit, and these are all merges.
    if len(sizes) == len(X):
        return _agglomerate(X, sizes, constraints, n_clusters, linkage)
    parts = [
        _within(X, constraints, np.flatnonzero(units == unit), linkage)
        for unit in np.flatnonzero(sizes > 1)
    ]
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, units, X)
    between = _between(constraints, units, len(sizes))
    merges = _agglomerate(sums / sizes[:, np.newaxis], sizes, between, n_clusters, linkage)
    parts.append(_called(merges, np.unique(units, return_index=True)[1]))
    slots, distances = (np.concatenate([part[place] for part in parts]) for place in range(2))
    return Merges(slots, distances)


def _within(X: FloatArray, constraints: Constraints, samples: IntArray, linkage: str) -> Merges:
    inside = constraints[samples].restrict(kinds="triplets")
    return _called(_agglomerate(X[samples], np.ones(len(samples)), inside, 1, linkage), samples)


def _between(constraints: Constraints, units: IntArray, n_units: int) -> Constraints:
    """Return the triplets and cannot-links between units."""
    triplets, cannot_link = constraints.links["triplets"], constraints.links["cannot_link"]
    rows = units[triplets.rows]
    apart = rows[:, 0] != rows[:, 1]
    return Constraints(
        n_units,
        triplets=rows[apart],
        triplets_weights=triplets.weights[apart],
        cannot_link=units[cannot_link.rows],
        cannot_link_weights=cannot_link.weights,
    )


def _called(merges: Merges, names: IntArray) -> Merges:
    return Merges(names[merges.slots], merges.distances)


def _agglomerate(
    X: FloatArray,
    sizes: NDArray[np.integer | np.floating],
    constraints: Constraints,
    k: int,
    linkage: str,
) -> Merges:
    """Merge the rows of `X`, each standing for so many samples."""
    # Without must-links, the tree of all constraints is that of the triplets.
    slots, squares, _ = recon.agglomerate(
        np.array(X.T, np.float64, order="C"),
        sizes.astype(np.int64),
        constraints.links["triplets"].rows,
        Hierarchy.from_constraints(constraints).layout,
        *constraints.links["cannot_link"],
        k,
        LINKAGES[linkage],
    )
    return Merges(slots, np.sqrt(squares))
