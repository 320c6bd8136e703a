"""A mixture of Gaussians in a view of the samples that constraints teach."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer, ConstraintTaker
from clustraint.checks import encode_labels
from clustraint.cluster._constrained_mixture import ConstrainedMixture, Statements
from clustraint.cluster._nominal import is_frame
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.typing import FloatArray, LabelArray

# Of more pairs of labelled samples than this, so many are drawn to learn a view from.
MOST_LABEL_PAIRS = 5_000


class ViewedMixture(ConstrainedClusterer):
    """A view that learns from constraints, and a mixture under the same constraints in it.

    Parameters
    ----------
    view : transformer
        It learns from constraints if its `fit` takes pairs and triplets. What is fitted is a
        shallow copy, so that it may share with others what is learned of the samples alone; see
        `PropagatedEmbedding.warm_start`.
    mixture : ConstrainedMixture
        What clusters the samples as the view shows them.

    Attributes
    ----------
    view_ : transformer
        The fitted view.
    embedding_ : ndarray of shape (n_samples, n_coordinates)
        The samples as the view shows them.
    mixture_ : ConstrainedMixture
        The fitted mixture; further attributes are those of a `ConstrainedMixture`.

    Examples
    --------
    >>> from clustraint.metric import DiscriminantMetric
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [2.0, 0.0], [2.0, 9.0]])
    >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    >>> mixture = ConstrainedMixture(2, random_state=0)
    >>> ViewedMixture(DiscriminantMetric(), mixture).fit(X, constraints=c).labels_.tolist()
    [1, 1, 0, 0]
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ConstrainedMixture.constraint_kinds
    # With metadata routing on, held-out constraints reach `score` too.
    __metadata_request__score: ClassVar[dict[str, Any]] = {"constraints": True}

    embedding_: FloatArray
    labels_: LabelArray
    probabilities_: FloatArray
    doubt_: dict[str, FloatArray]
    trust_: dict[str, float]
    constraint_report_: ConstraintReport

    def __init__(self, view: Any, mixture: ConstrainedMixture) -> None:
        self.view = view
        self.mixture = mixture

    def _parts(self) -> tuple[Any, ConstrainedMixture]:
        """Return the view and the mixture, not fitted yet."""
        return copy(self.view), clone(self.mixture)

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Learn the view, and cluster the samples in it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples; -1, None and nan are unknown.
        constraints : Constraints, optional
            Statements about the samples, each of which may be wrong.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> model.fit([[0.0, 1.0], [1.0, 0.0], [9.0, 8.0], [8.0, 9.0]]).labels_.tolist()
        [1, 1, 0, 0]
        """
        samples = validate_data(self, X, dtype=np.float64)
        constraints = self._check_constraints(constraints, samples)
        table = X if is_frame(X) else samples
        view, mixture = self._parts()
        if isinstance(view, ConstraintTaker):
            view.fit(samples, constraints=as_pairs(constraints, table, y))
        else:
            view.fit(samples)
        # A view that keeps the coordinates of the samples need not look for them once more.
        kept = getattr(view, "embedding_", None)
        self.embedding_ = view.transform(samples) if kept is None else kept
        fit_elsewhere(mixture, self.embedding_, table, y, constraints)
        self.view_, self.mixture_ = view, mixture
        for name in ("labels_", "probabilities_", "doubt_", "trust_", "constraint_report_"):
            setattr(self, name, getattr(mixture, name))
        return self

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> LabelArray:
        """Cluster the samples and return their clusters.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> model.fit_predict([[0.0, 1.0], [1.0, 0.0], [9.0, 8.0], [8.0, 9.0]]).tolist()
        [1, 1, 0, 0]
        """
        return self.fit(X, y, **params).labels_

    def transform(self, X: Any) -> FloatArray:
        """Return samples as the view shows them, (n_samples, n_coordinates).

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> model.fit([[0.0, 1.0], [1.0, 0.0], [9.0, 8.0]]).transform([[1.0, 1.0]]).shape
        (1, 2)
        """
        check_is_fitted(self)
        return np.asarray(
            self.view_.transform(validate_data(self, X, dtype=np.float64, reset=False))
        )

    def predict(self, X: Any) -> LabelArray:
        """Return the likeliest cluster of each sample; constraints have no say in it.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> model.fit([[0.0], [1.0], [9.0], [8.0]]).predict([[2.0], [7.0]]).tolist()
        [1, 0]
        """
        return self.mixture_.predict(self.transform(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each cluster for each sample, (n_samples, n_clusters).

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> model.fit([[0.0], [1.0], [9.0], [8.0]]).predict_proba([[2.0]]).shape
        (1, 2)
        """
        return self.mixture_.predict_proba(self.transform(X))

    def doubtful(self, n_statements: int = 10) -> list[tuple[str, float]]:
        """Return the most doubtful statements in words, each with the probability to be wrong.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> c = Constraints(4, must_link=[(0, 1)])
        >>> model.fit([[0.0], [1.0], [9.0], [8.0]], constraints=c).doubtful()[0][0]
        'sample 0 = sample 1'
        """
        check_is_fitted(self)
        return self.mixture_.doubtful(n_statements)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        constraints: Constraints | None = None,
    ) -> float:
        """Return the mean log-likelihood of a sample as the view shows it.

        Examples
        --------
        >>> from clustraint.metric import DiscriminantMetric
        >>> model = ViewedMixture(DiscriminantMetric(), ConstrainedMixture(2, random_state=0))
        >>> bool(model.fit([[0.0], [1.0], [9.0], [8.0]]).score([[2.0]]) < 0)
        True
        """
        return self.mixture_.score(self.transform(X), y, sample_weight, constraints=constraints)


def fit_elsewhere(
    mixture: ConstrainedMixture,
    coordinates: FloatArray,
    table: Any,
    y: Any,
    constraints: Constraints,
) -> None:
    """Fit a mixture to samples in other coordinates than those that rules speak of."""
    mixture._check_parameters(len(coordinates))
    classes = mixture._check_classes(y, len(coordinates))
    statements = Statements.about(table, constraints, classes)
    mixture._fit(coordinates, np.ones(len(coordinates)), statements)
    mixture.constraint_report_ = constraint_satisfaction(constraints, mixture.labels_, table)


def as_pairs(constraints: Constraints, table: Any, y: Any = None) -> Constraints:
    """Return all statements as pairs and triplets, which views learn from.

    Examples
    --------
    >>> as_pairs(Constraints(3, triplets=[(0, 1, 2)]), None, [0, 0, 1])
    Constraints(3 samples: 1 must-link, 2 cannot-links, 1 triplet)
    """
    if constraints.rules:
        constraints = constraints.expand_rules(table)
    if y is None:
        return constraints
    classes, _ = encode_labels(y)
    labelled = np.flatnonzero(classes >= 0)
    n_pairs = len(labelled) * (len(labelled) - 1) // 2
    if n_pairs > MOST_LABEL_PAIRS:
        return constraints | Constraints.from_labels(
            classes, n_pairs=MOST_LABEL_PAIRS, random_state=0, names=constraints.names
        )
    first, second = np.triu_indices(len(labelled), 1)
    pairs = labelled[np.stack((first, second), axis=1)]
    is_same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    both = Constraints(len(classes), pairs[is_same], pairs[~is_same], names=constraints.names)
    return constraints | both
