"""A mixture of Gaussians in a view of the samples that constraints teach."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from clustraint.base import ConstraintTaker
from clustraint.cluster._constrained_mixture import ConstrainedMixture, Statements
from clustraint.constraints import Constraints
from clustraint.typing import FloatArray, IntArray, RandomState

# Of more pairs of labelled samples than this, so many are drawn to learn a view from.
MOST_LABEL_PAIRS = 5_000


class ViewedMixture(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedMixture):
    """A mixture of Gaussians in a view of the samples, which may learn from the same statements.

    Parameters
    ----------
    view : transformer
        It learns from statements if its `fit` takes pairs and triplets, as which rules and labels
        are given to it. What is fitted is a shallow copy, so that views may share what they have
        learned of the samples alone; see `warm_start` of `PropagatedEmbedding`.
    n_clusters : int, default=8
        The number of clusters.
    covariance, shrinkage, trust, n_init, init, assignment, random_state
        See `ConstrainedMixture`.

    Attributes
    ----------
    view_ : transformer
        The fitted view.
    embedding_ : ndarray of shape (n_samples, n_coordinates)
        The samples as the view shows them.
    labels_, probabilities_, doubt_, trust_, means_, covariances_, constraint_report_, …
        See `ConstrainedMixture`; means and covariances are those in the view.

    Examples
    --------
    >>> from clustraint.cluster import ViewedMixture
    >>> from clustraint.metric import DiscriminantMetric
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [2.0, 0.0], [2.0, 9.0]])
    >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    >>> model = ViewedMixture(DiscriminantMetric(), 2, random_state=0).fit(X, constraints=c)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    """

    # Parameters of a mixture that this one leaves as they are.
    # Its view is learned from all samples at once.
    takes_chunks: ClassVar[bool] = False

    max_iter: ClassVar[int] = 100  # type: ignore[misc]
    tol: ClassVar[float] = 1e-3  # type: ignore[misc]
    reg_covar: ClassVar[float] = 1e-6  # type: ignore[misc]

    def __init__(
        self,
        view: Any,
        n_clusters: int = 8,
        *,
        covariance: Literal["tied", "full", "diag", "spherical"] = "tied",
        shrinkage: float = 0.0,
        trust: Literal["learn"] | float = "learn",
        n_init: int = 5,
        init: Literal["auto"] | ArrayLike = "auto",
        assignment: Literal["soft", "hard"] = "soft",
        random_state: RandomState = None,
    ) -> None:
        self.view = view
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.trust = trust
        self.n_init = n_init
        self.init = init
        self.assignment = assignment
        self.random_state = random_state

    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None
    ) -> Self:
        """Learn the view, and cluster the samples in it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as further statements; -1, nan or None where unknown. Ignored
            if none is unknown.
        constraints : Constraints, optional
            Statements about the samples, each of which may be wrong.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), 2, random_state=0)
        >>> model = model.fit([[0.0, 1.0], [1.0, 0.0], [9.0, 8.0], [8.0, 9.0]])
        >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
        True
        """
        return self._fit_checked(X, y, constraints)

    def _make_view(self) -> Any:
        """Return the view, not fitted yet."""
        return copy(self.view)

    def _learn_view(self, X: FloatArray, statements: Statements) -> FloatArray:
        view = self._make_view()
        if isinstance(view, ConstraintTaker):
            pairs = as_pairs(statements.constraints, statements.classes, X, self._names)
            view.fit(X, constraints=pairs)  # type: ignore[attr-defined]
        else:
            view.fit(X)
        self.view_: Any = view
        # A view that keeps the coordinates of the samples need not look for them once more.
        kept = getattr(view, "embedding_", None)
        self.embedding_: FloatArray = self._view(X) if kept is None else kept
        return self.embedding_

    def _view(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.view_.transform(X), np.float64)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def transform(self, X: Any) -> FloatArray:
        """Return samples as the view shows them, (n_samples, n_coordinates).

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), 2, random_state=0)
        >>> model.fit([[0.0, 1.0], [1.0, 0.0], [9.0, 8.0]]).transform([[1.0, 1.0]]).shape
        (1, 2)
        """
        check_is_fitted(self)
        return self._view(self._validate(X, reset=False))


def as_pairs(
    constraints: Constraints,
    classes: IntArray,
    X: Any,
    feature_names: Sequence[str] | None = None,
) -> Constraints:
    """Return rules and labels as pairs, beside the pairs and triplets.

    Parameters
    ----------
    constraints : Constraints
        Pairs, triplets and rules.
    classes : int64 ndarray of shape (n_samples,)
        The class that each sample is labelled with, -1 for none.
    X : DataFrame or array of shape (n_samples, n_features)
        What the rules are about.
    feature_names : sequence of str, optional
        Names of the columns of an array, see `Rule.scope`.

    Examples
    --------
    >>> as_pairs(Constraints(3, triplets=[(0, 1, 2)]), np.array([0, 0, 1]), None)
    Constraints(3 samples: 1 must-link, 2 cannot-links, 1 triplet)
    """
    if constraints.rules:
        constraints = constraints.expand_rules(X, feature_names)
    return constraints | _label_pairs(classes, constraints.names)


def _label_pairs(classes: IntArray, names: Any) -> Constraints:
    """Return all pairs of labelled samples or, of very many, some."""
    labelled = np.flatnonzero(classes >= 0)
    if len(labelled) * (len(labelled) - 1) // 2 > MOST_LABEL_PAIRS:
        return Constraints.from_labels(
            classes, n_pairs=MOST_LABEL_PAIRS, random_state=0, names=names
        )
    pairs = labelled[np.stack(np.triu_indices(len(labelled), 1), axis=1)]
    is_same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return Constraints(len(classes), pairs[is_same], pairs[~is_same], names=names)
