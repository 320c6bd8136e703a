"""What every estimator that takes constraints is built on; estimators of other packages too."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from copy import copy
from functools import wraps
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import silhouette_score
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from clustraint.checks import check_whole_number, encode_labels, is_whole
from clustraint.constraints import PAIR_KINDS, Constraints, as_constraints
from clustraint.evaluation import (
    ConstraintReport,
    constraint_satisfaction,
    satisfaction_score,
)
from clustraint.exceptions import (
    ClustraintError,
    InvalidLabelsError,
    NotInChunksError,
    UnsupportedConstraintsError,
)
from clustraint.machine import Footprint, check_samples, one_thread
from clustraint.rows import KnownLabels, Rows, as_numbers, as_rows, is_chunked
from clustraint.tables import has_columns, read_columns
from clustraint.typing import LabelArray

__all__ = [
    "ConstrainedClusterer",
    "ConstraintTaker",
    "about_rows",
    "by_chunks",
    "partial_labels",
    "takers",
    "without_rows",
]

# Of more samples, the silhouette is estimated by some: it compares all of them with each other.
MOST_COMPARED = 2_000

# Estimators of this package that declare kinds, in the order in which they are defined.
_DECLARED: list[type[ConstraintTaker]] = []


def takers(kind: str) -> tuple[str, ...]:
    """Return the names of the estimators that take a kind of constraint.

    Examples
    --------
    >>> import clustraint.cluster
    >>> "COPKMeans" in takers("must_link")
    True
    """
    return tuple(cls.__name__ for cls in _DECLARED if kind in cls.constraint_kinds)


class ConstraintTaker:
    """An estimator whose `fit` takes constraints of the kinds that it declares.

    Attributes
    ----------
    constraint_kinds : tuple of str
        Some of "must_link", "cannot_link", "triplets", "together" and "exactly".
    takes_labels : bool
        Whether labels in `y` are used as they are, and not as the constraints that they mean.
    footprint : Footprint
        How much memory `fit` takes beside the samples; what cannot fit is refused beforehand.
        Distances of all pairs are counted, and refused, where they are made.

    Examples
    --------
    >>> from clustraint import COPKMeans
    >>> COPKMeans.constraint_kinds
    ('must_link', 'cannot_link')
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ()
    takes_labels: ClassVar[bool] = False
    footprint: ClassVar[Footprint] = Footprint()

    # With metadata routing on, constraints reach `fit` without being asked for.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"constraints": True}

    # Whether `fit` takes `Rows` and dask collections, by `_fit_in_chunks`.
    takes_chunks: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Here, so that nobody forgets it: numpy would quietly fetch a whole collection.
        for name, guard in (("fit", _guarded), ("predict", by_chunks)):
            if callable(vars(cls).get(name)):
                setattr(cls, name, guard(vars(cls)[name]))
        is_ours = cls.__module__.split(".")[0] == __name__.split(".")[0]
        # A private class only lends its kinds to those that derive from it.
        if is_ours and cls.constraint_kinds and "__init__" in vars(cls):
            _DECLARED.append(cls)

    def _footprint(self) -> Footprint:
        """Return how much memory `fit` takes, where that depends on parameters."""
        return self.footprint

    def _check_memory(self, X: Any, constraints: Any = None) -> None:
        """Raise if `fit` needs more memory than there is, before it takes any."""
        way_out = (
            "give X as Rows, which are read in chunks"
            if self.takes_chunks
            else "take fewer samples, or fit Coarse with this estimator"
        )
        check_samples(
            f"in {type(self).__name__}",
            X,
            self._footprint(),
            way_out,
            n_clusters=_largest_number(getattr(self, "n_clusters", 1)),
            n_constraints=getattr(constraints, "n_constraints", 0),
        )

    def _check_constraints(self, constraints: Any, X: Any) -> Constraints:
        """Return the constraints on the rows of `X` as it was given, none where None is given."""
        if isinstance(X, Rows) and isinstance(constraints, Constraints):
            constraints = about_rows(constraints, X)
        checked = as_constraints(constraints, X)
        refused = [kind for kind in checked.kinds if kind not in self.constraint_kinds]
        if refused:
            raise UnsupportedConstraintsError(
                type(self).__name__,
                self.constraint_kinds,
                {kind: takers(kind) for kind in refused},
            )
        return checked

    def _check_knowledge(self, constraints: Any, y: Any, X: Any) -> Constraints:
        """Return the constraints on the samples of `X`, and those that labels in `y` mean."""
        checked = self._check_constraints(constraints, X)
        labels = KnownLabels.of(y, len(checked))
        if not labels.names or self.takes_labels:
            return checked
        takes_pairs = any(kind in self.constraint_kinds for kind in PAIR_KINDS)
        form: dict[str, Any] = {"n_pairs" if takes_pairs else "n_triplets": "all"}
        meant = Constraints.from_labels(labels.classes, **form)
        rows: dict[str, Any] = {k: labels.rows[links.rows] for k, links in meant.links.items()}
        return checked | Constraints(len(checked), **rows).restrict(kinds=self.constraint_kinds)


def partial_labels(y: Any, n_samples: int) -> list[Any] | None:
    """Return labels of which some are unknown (-1, None, nan), None if there is no such thing.

    Labels of all samples leave nothing to find out: scikit-learn passes them to every clusterer,
    for scores, and clusterers ignore them.

    Examples
    --------
    >>> partial_labels(["a", None, "b"], 3), partial_labels(["a", "a", "b"], 3)
    (['a', None, 'b'], None)
    """
    if y is None:
        return None
    classes, names = encode_labels(y)
    if len(classes) != n_samples:
        raise InvalidLabelsError(
            f"y must be one label for each of {n_samples} samples, but has {len(classes)}."
        )
    if not names or (classes >= 0).all():
        return None
    return list(y) if isinstance(y, list | tuple) else np.asarray(y).tolist()


def about_rows(constraints: Constraints, rows: Rows) -> Constraints:
    """Return named constraints about the rows of these names, wherever these are.

    Raises
    ------
    RowNameError
        If no row, or several, have a name that is spoken of.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints
    >>> from clustraint.rows import ArrayRows
    >>> rows = ArrayRows(np.ones((3, 1)), ids=["eel", "dog", "wolf"])
    >>> c = Constraints.from_names(["dog", "wolf"], must_link=[("dog", "wolf")])
    >>> about_rows(c, rows).must_link
    array([[1, 2]])
    """
    is_about_them = len(constraints) == len(rows)
    # Constraints read from a file of rules alone are about no sample yet.
    is_of_rules = not len(constraints.mentioned) and not is_about_them
    if not is_of_rules and (constraints.names is None or (not rows.has_ids and is_about_them)):
        return constraints
    mentioned = constraints.mentioned
    names: Any = constraints.names
    numbers = rows.find([names[sample] for sample in mentioned]) if len(mentioned) else mentioned
    parts: dict[str, Any] = {"rules": constraints.rules}
    for kind, (members, weights) in constraints.links.items():
        parts[kind] = numbers[np.searchsorted(mentioned, members)]
        parts[f"{kind}_weights"] = weights
    return Constraints(len(rows), **parts)


def _largest_number(n_clusters: Any) -> int:
    """Return the largest number of clusters that is asked for, 1 where that makes no sense."""
    numbers = [1, *n_clusters] if isinstance(n_clusters, list | tuple | range) else [n_clusters]
    return max((int(each) for each in numbers if is_whole(each) and each > 0), default=1)


def _guarded(fit: Any) -> Any:
    """Return a `fit` that names the way out where rows or memory are not there for it."""

    @wraps(fit)
    def guarded(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if is_chunked(X) and not self.takes_chunks:
            raise NotInChunksError(type(self).__name__)
        if not is_chunked(X):
            self._check_memory(X, options.get("constraints"))
        return fit(self, X, *args, **options)

    return guarded


def without_rows(model: Any) -> Any:
    """Return a fitted model that predicts, without what may be as long as very many rows.

    Examples
    --------
    >>> from clustraint import COPKMeans
    >>> hasattr(without_rows(COPKMeans(2).fit([[0.0], [1.0], [9.0]])), "labels_")
    False
    """
    light = copy(model)
    # Others have seen few samples, and hierarchies ask for the clusters of these.
    if not model.takes_chunks:
        return light
    for name in ("labels_", "home_", "probabilities_", "constraint_report_"):
        vars(light).pop(name, None)
    return light


def by_chunks(predict: Any) -> Any:
    """Return a `predict` that gives labels chunk by chunk, when they are asked for.

    For a method that is not a plain function of a class, whose `predict` is wrapped anyway.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import COPKMeans
    >>> from clustraint.rows import ArrayRows
    >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
    >>> model.predict(ArrayRows(np.array([[2.0], [8.0], [7.0]]), chunk_rows=2))
    ChunkedLabels(2 chunks)
    """

    @wraps(predict)
    def lazy(self: Any, X: Any) -> Any:
        if not is_chunked(X):
            return predict(self, X)
        check_is_fitted(self)
        return as_rows(X).labels(_predicted, None, without_rows(self))

    return lazy


def _predicted(chunk: Any, own: None, model: Any) -> LabelArray:
    n_rows = chunk.shape[0] if hasattr(chunk, "shape") else len(chunk)
    if not n_rows:
        return np.empty(0, np.int32)
    if hasattr(chunk, "iloc"):
        return np.asarray(model.predict(chunk), np.int32)
    names = getattr(model, "feature_names_in_", None)
    if names is not None and has_columns(chunk):
        chunk = read_columns({str(name): chunk[str(name)].to_numpy() for name in names})
    tags = get_tags(model).input_tags
    if not (tags.string or tags.allow_nan):
        chunk = as_numbers(chunk)
    with warnings.catch_warnings():
        # The columns are those of `fit`, by their names, which only frames have.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return np.asarray(model.predict(chunk), np.int32)


class ConstrainedClusterer(ConstraintTaker, ClusterMixin, BaseEstimator):
    """A clusterer whose `fit` takes constraints of the kinds that it declares.

    A subclass stores its parameters, declares `constraint_kinds`, and computes in ``_fit(X,
    constraints)``, which sets `labels_`. One that declares `takes_labels` gets labels of some
    samples as ``_fit(X, constraints, y=None)``; for others they are constraints. What else it may
    change: ``_validate`` (which samples are taken), ``_check_parameters`` and ``_report``.

    Attributes
    ----------
    labels_ : int ndarray of shape (n_samples,)
        The cluster of each sample.
    constraint_report_ : ConstraintReport
        Which constraints the clusters satisfy and violate.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> from clustraint.base import ConstrainedClusterer
    >>> class Components(ConstrainedClusterer):
    ...     constraint_kinds = ("must_link",)
    ...
    ...     def _check_parameters(self, n_samples):
    ...         pass
    ...
    ...     def _fit(self, X, constraints):
    ...         self.labels_ = constraints.components.labels
    >>> c = Constraints(3, must_link=[(0, 2)])
    >>> model = Components().fit([[0.0], [1.0], [2.0]], constraints=c)
    >>> model.labels_.tolist(), model.constraint_report_
    ([0, 1, 0], ConstraintReport(must_link: 1 of 1 satisfied))
    """

    # With metadata routing on, held-out constraints reach `score` too.
    __metadata_request__score: ClassVar[dict[str, Any]] = {"constraints": True}

    n_clusters: Any
    labels_: Any
    constraint_report_: ConstraintReport

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples, in a form that the class takes.
        y : array-like of shape (n_samples,), optional
            Labels of some samples; -1, None or nan where unknown. They count as the constraints
            that they mean: samples of one label are together, and those of two labels apart.
            Ignored if none is unknown, as scikit-learn passes such labels on for scores;
            ``Constraints.from_labels(y)`` turns those into constraints, too.
        constraints : Constraints, list, dict, DataFrame or path, optional
            What is known about the samples, of the kinds in `constraint_kinds`, in a form that
            `as_constraints` takes. Samples with names are found by the index of a DataFrame.

        Returns
        -------
        self

        Raises
        ------
        UnsupportedConstraintsError
            If there are constraints of other kinds; it names the estimators that take them.
        InconsistentConstraintsError
            If the constraints contradict each other, unless the class says otherwise.

        Examples
        --------
        >>> from clustraint import ConstrainedCompleteLinkage, Constraints
        >>> model = ConstrainedCompleteLinkage(2)
        >>> c = Constraints(3, must_link=[(1, 2)])
        >>> model.fit([[0.0], [1.0], [9.0]], constraints=c).labels_.tolist()
        [0, 1, 1]
        >>> model.fit([[0.0], [1.0], [9.0]], ["near", "far", None]).labels_.tolist()
        [0, 1, 1]
        """
        return self._fit_checked(X, y, constraints)

    def fit_predict(self, X: Any, y: Any = None, **metadata: Any) -> LabelArray:
        """Cluster the samples and return their clusters; arguments are those of `fit`.

        Examples
        --------
        >>> from clustraint import ConstrainedCompleteLinkage
        >>> ConstrainedCompleteLinkage(2).fit_predict([[0.0], [1.0], [9.0]], [0, 1, -1]).tolist()
        [0, 1, 1]
        """
        # scikit-learn's own would leave y out.
        return np.asarray(self.fit(X, y, **metadata).labels_)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        constraints: Any = None,
    ) -> float:
        """Return how well the clusters of samples agree with what is known about them.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts where nothing is known about them.
        constraints : Constraints, list, dict, DataFrame or path, optional
            Constraints of any kind on these samples, as in `fit`.

        Returns
        -------
        float
            The share of constraints that the clusters of `predict` satisfy, every kind counting the
            same, from 0 to 1 (`satisfaction_score`): the higher the better. Without constraints,
            how compact the clusters are by the measure of the method (minus the sum of squared
            distances for k-means, for example), which larger numbers of clusters may raise.

        Examples
        --------
        >>> from clustraint import ConstrainedCompleteLinkage
        >>> model = ConstrainedCompleteLinkage(2).fit([[0.0], [1.0], [9.0]])
        >>> model.score([[2.0], [3.0], [8.0]], constraints=[(0, 1, "same"), (1, 2, "different")])
        1.0
        """
        stated = self._stated(constraints, y, X)
        if not stated.n_constraints:
            return self._score_alone(X, sample_weight)
        return satisfaction_score(stated, self._predicted(X), X)

    def _stated(self, constraints: Any, y: Any, X: Any) -> Constraints:
        """Return the constraints on the rows of `X`, and the pairs that labels in `y` mean."""
        stated = as_constraints(constraints, X)
        labels = partial_labels(y, len(stated))
        return stated if labels is None else stated | Constraints.from_labels(labels)

    def _score_alone(self, X: Any, sample_weight: Any) -> float:
        """Return the silhouette of samples, from -1 to 1, for classes without a measure of theirs.

        Of very many samples, some are drawn.
        """
        labels = self._predicted(X)
        samples = self._validate(X, reset=False)
        if not 2 <= len(np.unique(labels)) < len(labels):
            return 0.0
        most = None if len(labels) <= MOST_COMPARED else MOST_COMPARED
        return float(silhouette_score(samples, labels, sample_size=most, random_state=0))

    def _predicted(self, X: Any) -> LabelArray:
        if not hasattr(self, "predict"):
            raise ClustraintError(
                f"{type(self).__name__} has no predict, which score needs; fit and look at "
                "constraint_report_ instead."
            )
        return np.asarray(self.predict(X))

    def _fit_checked(self, X: Any, y: Any, constraints: Any, **options: Any) -> Self:
        """Do what every `fit` does; `options` are further arguments of `_fit`."""
        if is_chunked(X):
            rows = as_rows(X)
            self._keep_features(rows)
            self._fit_in_chunks(rows, y, constraints, **options)
            return self
        samples = self._validate(X)
        self._check_parameters(_num_samples(samples))
        checked = self._check_knowledge(constraints, y, X)
        if self.takes_labels:
            options["y"] = partial_labels(y, len(checked))
        with one_thread():
            self._fit(samples, checked, **options)
        self.constraint_report_ = self._report(samples, checked)
        return self

    def _keep_features(self, rows: Rows) -> None:
        """Set the number and the names of columns, as scikit-learn does for arrays and frames."""
        self.n_features_in_ = rows.n_features
        if rows.names is not None:
            self.feature_names_in_ = np.array(rows.names, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _fit_in_chunks(
        self, rows: Rows, y: Any, constraints: Constraints | None, **options: Any
    ) -> None:
        """Cluster rows in chunks, where `takes_chunks`, and set `labels_` and the report."""
        raise NotInChunksError(type(self).__name__)

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        """Return samples in the form that `_fit` and `predict` work with."""
        return validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=reset)

    def _check_parameters(self, n_samples: int) -> None:
        """Raise where a parameter makes no sense for so many samples."""
        self._check_n_clusters(n_samples)

    def _check_n_clusters(self, n_samples: int) -> None:
        check_whole_number("n_clusters", self.n_clusters, least=1)
        if n_samples < self.n_clusters:
            raise ClustraintError(
                f"n_samples={n_samples} should be >= n_clusters={self.n_clusters}."
            )

    @abstractmethod
    def _fit(self, X: Any, constraints: Constraints) -> None:
        """Cluster validated samples under checked constraints, and set `labels_`."""

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        return constraint_satisfaction(constraints, self.labels_)
