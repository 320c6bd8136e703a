"""What every estimator that takes constraints is built on; estimators of other packages too."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import _num_samples, validate_data

from clustraint.checks import check_whole_number
from clustraint.constraints import Constraints, check_constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import ClustraintError, UnsupportedConstraintsError

__all__ = ["ConstrainedClusterer", "ConstraintTaker", "takers"]

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

    Examples
    --------
    >>> from clustraint import COPKMeans
    >>> COPKMeans.constraint_kinds
    ('must_link', 'cannot_link')
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ()

    # With metadata routing on, constraints reach `fit` without being asked for.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"constraints": True}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        is_ours = cls.__module__.split(".")[0] == __name__.split(".")[0]
        # A private class only lends its kinds to those that derive from it.
        if is_ours and cls.constraint_kinds and "__init__" in vars(cls):
            _DECLARED.append(cls)

    def _check_constraints(self, constraints: Constraints | None, X: Any) -> Constraints:
        """Return the constraints on the samples of `X`, none where None is given."""
        n_samples = _num_samples(X)
        if constraints is None:
            return Constraints(n_samples)
        checked = check_constraints(constraints, n_samples)
        refused = [kind for kind in checked.kinds if kind not in self.constraint_kinds]
        if refused:
            raise UnsupportedConstraintsError(
                type(self).__name__,
                self.constraint_kinds,
                {kind: takers(kind) for kind in refused},
            )
        return checked


class ConstrainedClusterer(ConstraintTaker, ClusterMixin, BaseEstimator):
    """A clusterer whose `fit` takes constraints of the kinds that it declares.

    A subclass stores its parameters, declares `constraint_kinds`, and computes in ``_fit(X,
    constraints)``, which sets `labels_`. What else it may change: ``_validate`` (which samples are
    taken), ``_check_parameters`` and ``_report``.

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

    n_clusters: Any
    noise: str
    labels_: Any
    constraint_report_: ConstraintReport
    dropped_: Constraints

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples, in a form that the class takes.
        y : None
            Ignored.
        constraints : Constraints, optional
            What is known about the samples, of the kinds in `constraint_kinds`.

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
        """
        return self._fit_checked(X, constraints)

    def _fit_checked(self, X: Any, constraints: Constraints | None, **options: Any) -> Self:
        """Do what every `fit` does; `options` are further arguments of `_fit`."""
        samples = self._validate(X)
        self._check_parameters(_num_samples(samples))
        checked = self._check_constraints(constraints, samples)
        self._fit(samples, checked, **options)
        self.constraint_report_ = self._report(samples, checked)
        return self

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

    def _without_contradictions(self, constraints: Constraints) -> Constraints:
        """Return consistent constraints by the parameter `noise`, and keep what was dropped."""
        if self.noise == "repair":
            consistent, self.dropped_ = constraints.repair()
            return consistent
        constraints.check()
        self.dropped_ = Constraints(constraints.n_samples, names=constraints.names)
        return constraints
