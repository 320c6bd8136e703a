"""biHAC and biiHAC: agglomeration that learns feature weights from the triplets it violates."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from clustraint.checks import as_generator, check_choice, check_number, check_whole_number
from clustraint.cluster._bihac_runs import BiHACRun, first_best, learning_runs
from clustraint.cluster._feature_weights import adapted
from clustraint.cluster._indexed_triplets import IndexedTriplets
from clustraint.cluster._triplet_clusterer import TripletClusterer, merge_enforcing
from clustraint.cluster._vectors import Vectors, as_vectors
from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, InvalidParameterError
from clustraint.kernels.merges import Merges
from clustraint.typing import RandomState

UPDATES = ("joint", "sequential")


class BiHAC(TripletClusterer):
    """Hierarchical clustering that weighs features so that it violates fewer triplets.

    After Bade and Nürnberger, Learning a metric during hierarchical clustering based on
    constraints, 2009: average linkage on the weighted cosine similarity (equation 2). Where a merge
    violates a triplet for the first time in both of its clusters, each of these is drawn to the
    closest cluster that it could have merged with, and away from the other (section 4.2, equations
    4 to 7). The clustering is run again with the new weights, and the run of the lowest cluster
    error is kept (figure 5).

    Parameters
    ----------
    n_clusters : int, optional
        How many clusters `labels_` has: the last ``n_clusters - 1`` merges are undone. None: the
        number that resolves the largest weight of triplets, having a and b in one cluster and c in
        another; the fewest clusters among equals, hence 1 where nothing is known.
    learning_rate : float, default=5
        How far weights move for a violation. With ``metric="euclidean"`` the right size depends on
        the scale of the features.
    max_iter : int, default=50
        How many runs at the most.
    patience : int, default=10
        After how many runs without a lower error to stop.
    updates : {"joint", "sequential"}, default="joint"
        "joint" takes the gradients of both clusters at the same weights and adds them;
        "sequential" is the paper's, one after the other, and depends on the order of the samples.
    enforce : bool, default=False
        False is biHAC. True is biiHAC: a last run, with the weights learned, merges as `IHAC` does.
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance of two samples: 1 minus the weighted cosine, where a zero vector is at the
        distance 1 from all; or the weighted Euclidean distance, which the paper leaves open.
    dead_end : {"merge", "stop", "raise"}, default="merge"
        What that last run does when each merge that is left would violate a triplet; see `IHAC`.
    validation_fraction : float, default=0
        The share of the triplets that is held out of the learning; if there are any, the run of
        the lowest error on these is kept.
    random_state : int, RandomState, Generator or None, default=None
        What draws the triplets held out.
    max_memory : float, optional
        How many bytes distances and counts may take; None: as many as are free.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample, numbered by first sample.
    n_clusters_ : int
        How many there are.
    feature_weights_ : ndarray of shape (n_features,)
        The weights of the run that was kept: from 0 up, and 1 on average.
    history_ : dict of str to ndarray of shape (n_runs,)
        For each run: its cluster "error" on the triplets learned from, the "validation_error" if
        some were held out, "n_adaptations", and "weights_change", the sum of what these changed.
    n_iter_ : int
        How many runs there were.
    best_iter_ : int
        Which of them was kept, from 0.
    hierarchy_ : Hierarchy
        The merges as a tree.
    linkage_ : ndarray of shape (n_samples - 1, 4)
        The same as a linkage matrix, its heights raised where they would not increase.
    merge_distances_ : ndarray of shape (n_merges,)
        The distance of each merge as it was.
    violating_merges_ : int64 ndarray
        The numbers of the merges that violate a triplet.
    constraint_report_ : ConstraintReport
        Which triplets `hierarchy_` displays, and which it does not. Triplets that contradict each
        other are no error; some of them are in the report.

    Raises
    ------
    NoAllowedMergeError
        In `fit`, with ``enforce=True`` and ``dead_end="raise"``, where no merge is left that
        violates no triplet.

    Notes
    -----
    The cluster error is 1 minus the H-correlation on the given triplets. If these are just all
    triplets of a hierarchy over the samples that they mention, each once and of one weight, then
    the nodes of that hierarchy weigh equally, as in `evaluation.h_correlation`; otherwise each
    triplet has its own weight.

    Where the paper is silent: similarities between clusters are means over the pairs of their
    samples and stay as they are during a run; centroids, whose similarities are differentiated, are
    means of vectors of unit length; weights are cut at 0 and scaled to sum to the number of
    features once for each violation. Ties are decided as in `IHAC`.

    A constant rate does not converge: the last run is usually no better than the first, so that the
    best one matters. Gains are not universal, and may be negative on tiny classes.

    Examples
    --------
    Texts on two topics (the first two words) in two styles:

    >>> from clustraint import BiHAC, Constraints
    >>> X = [[1, 0, 2, 0], [1, 0, 0, 2], [0, 1, 2, 0], [0, 1, 0, 2], [1, 0, 1, 1]]
    >>> BiHAC(2).fit(X).labels_.tolist()
    [0, 1, 0, 1, 0]
    >>> c = Constraints(5, triplets=[(0, 1, 2), (2, 3, 0)])
    >>> model = BiHAC(2).fit(X, constraints=c)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0]
    >>> model.feature_weights_.round(1)
    array([1.6, 1.5, 0.9, 0. ])
    >>> model.history_["error"]
    array([1., 0.])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        learning_rate: float = 5,
        max_iter: int = 50,
        patience: int = 10,
        updates: Literal["joint", "sequential"] = "joint",
        enforce: bool = False,
        metric: Literal["cosine", "euclidean"] = "cosine",
        dead_end: Literal["merge", "stop", "raise"] = "merge",
        validation_fraction: float = 0,
        random_state: RandomState = None,
        max_memory: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.patience = patience
        self.updates = updates
        self.enforce = enforce
        self.metric = metric
        self.dead_end = dead_end
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.max_memory = max_memory

    def _check_parameters(self, n_samples: int) -> None:
        super()._check_parameters(n_samples)
        check_number("learning_rate", self.learning_rate, least=0)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_whole_number("patience", self.patience, least=1)
        check_choice("updates", self.updates, UPDATES)
        if not isinstance(self.enforce, bool | np.bool_):
            raise InvalidParameterError("enforce", self.enforce, "True or False")
        share = self.validation_fraction
        if not isinstance(share, numbers.Real) or not 0 <= share < 1:
            raise InvalidParameterError("validation_fraction", share, "a share from 0 to below 1")

    def _merges(
        self, vectors: Vectors, constraints: Constraints, triplets: IndexedTriplets
    ) -> Merges:
        training, validation = self._split(triplets.node_weighted())
        best, history = first_best(self._learning(vectors, training), validation, self.patience)
        self.feature_weights_ = best.weights
        self.history_ = history.as_arrays()
        self.n_iter_ = len(history.error)
        self.best_iter_ = best.number
        if not self.enforce:
            return best.merges
        distances = vectors.distances(best.weights)
        return merge_enforcing(distances, constraints, triplets.index, "average", self.dead_end)

    def _learning(self, vectors: Vectors, triplets: IndexedTriplets) -> Iterator[BiHACRun]:
        """Yield the runs, each with the weights that the one before has learned."""
        step = partial(
            adapted, rate=float(self.learning_rate), metric=self.metric, updates=self.updates
        )
        return islice(learning_runs(vectors, triplets, step), self.max_iter)

    def runs(self, X: Any, *, constraints: Constraints | None = None) -> Iterator[BiHACRun]:
        """Yield the runs one by one: those that `fit` chooses from, and all that would follow.

        They end after `max_iter` runs, or with one that has nothing to learn from; neither
        `patience` nor `validation_fraction` have a say.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples.
        constraints : Constraints, optional
            Triplets.

        Yields
        ------
        BiHACRun
            The weights, the hierarchy, its error and the mistakes to learn from.

        Examples
        --------
        >>> from clustraint import BiHAC, Constraints
        >>> X = [[1, 0, 2, 0], [1, 0, 0, 2], [0, 1, 2, 0], [0, 1, 0, 2], [1, 0, 1, 1]]
        >>> c = Constraints(5, triplets=[(0, 1, 2), (2, 3, 0)])
        >>> [run.error for run in BiHAC().runs(X, constraints=c)]
        [1.0, 0.0]
        """
        # A clone, since validation notes the number and the names of features.
        blank: BiHAC = clone(self)
        samples = blank._validate(X)
        blank._check_parameters(samples.shape[0])
        checked = blank._check_constraints(constraints, X)
        triplets = IndexedTriplets(checked.n_samples, *checked.links["triplets"])
        return blank._learning(as_vectors(samples, self.metric), triplets.node_weighted())

    def _split(self, triplets: IndexedTriplets) -> tuple[IndexedTriplets, IndexedTriplets | None]:
        """Return the triplets to learn from and, if some are held out, those to choose by."""
        total = len(triplets)
        count = round(float(self.validation_fraction) * total)
        if not self.validation_fraction or not total:
            return triplets, None
        if count in (0, total):
            raise ClustraintError(
                f"validation_fraction={self.validation_fraction} of {total} triplets leaves none "
                f"to {'choose by' if count == 0 else 'learn from'}; give more triplets, or 0."
            )
        rng = as_generator(self.random_state)
        held_out = np.zeros(total, np.bool_)
        held_out[rng.choice(total, size=count, replace=False)] = True
        return triplets.select(~held_out), triplets.select(held_out)
