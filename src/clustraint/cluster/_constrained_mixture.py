"""Gaussian mixtures under statements that may be wrong."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import (
    as_generator,
    check_choice,
    check_number,
    check_whole_number,
    encode_labels,
)
from clustraint.cluster._mixture.evidence import (
    LAST_ROUNDS,
    RIGHT,
    WRONG,
    Evidence,
    answers,
)
from clustraint.cluster._mixture.gaussians import COVARIANCES, Gaussians, log_densities
from clustraint.cluster._mixture.rounds import MixtureRun, Rounds
from clustraint.cluster._mixture.starts import class_means, draw_means, nearest_shares
from clustraint.cluster._nominal import is_frame
from clustraint.constraints import Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    EmptyScopeWarning,
    InvalidParameterError,
    SparseMixtureError,
    TooManyClassesError,
)
from clustraint.kernels.mixture import to_shares
from clustraint.typing import RandomState

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class ConstrainedMixture(ConstrainedClusterer):
    """A mixture of Gaussians in which every statement is evidence that may be wrong.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    covariance : {"tied", "full", "diag", "spherical"}, default="tied"
        The shape of clusters. "tied": all share one covariance matrix; "full": each has its own;
        "diag": each has a variance of its own for each feature; "spherical": each has one variance.
    trust : "learn" or float above 0.5, at most 1, default="learn"
        How likely a statement is to be right. "learn": found out along, for each kind of
        statement.
    n_init : int, default=5
        How many starts; the likeliest is kept.
    max_iter : int, default=100
        Maximum number of rounds of a start.
    tol : float, default=1e-3
        A start ends when the mean log-likelihood of a sample gains less.
    shrinkage : float from 0 to 1, default=0
        How far covariances are moved towards what is safer to estimate.
    reg_covar : float, default=1e-6
        What is added to all variances.
    init : "auto" or array-like, default="auto"
        Where to begin.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import ConstrainedMixture, Constraints
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    >>> c = Constraints(5, must_link=[(0, 1), (3, 4)], cannot_link=[(1, 3)])
    >>> ConstrainedMixture(2, random_state=0).fit(X, constraints=c).labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = (
        "must_link",
        "cannot_link",
        "triplets",
        "together",
        "exactly",
    )

    # With metadata routing on, held-out constraints reach `score` too.
    __metadata_request__score: ClassVar[dict[str, Any]] = {"constraints": True}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        covariance: Literal["tied", "full", "diag", "spherical"] = "tied",
        trust: Literal["learn"] | float = "learn",
        n_init: int = 5,
        max_iter: int = 100,
        tol: float = 1e-3,
        shrinkage: float = 0.0,
        reg_covar: float = 1e-6,
        init: Literal["auto"] | ArrayLike = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.trust = trust
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.shrinkage = shrinkage
        self.reg_covar = reg_covar
        self.init = init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Cluster the samples.

        Examples
        --------
        >>> ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]]).labels_.tolist()
        [0, 0, 1, 1]
        """
        table = X
        X = self._checked(X, reset=True)
        self._check_parameters(len(X))
        checked = self._check_constraints(constraints, X)
        scopes = _scopes(checked, table if is_frame(table) else X)
        classes = self._check_classes(y, len(X))
        self._fit(X, checked, scopes, classes)
        self.constraint_report_ = constraint_satisfaction(
            checked, self.labels_, table if is_frame(table) else X
        )
        return self

    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> NDArray[np.int32]:
        """Cluster the samples and return their clusters.

        Examples
        --------
        >>> ConstrainedMixture(2, random_state=0).fit_predict([[0.0], [1.0], [9.0], [8.0]]).tolist()
        [0, 0, 1, 1]
        """
        return self.fit(X, y, **params).labels_

    def _check_parameters(self, n_samples: int) -> None:
        check_whole_number("n_clusters", self.n_clusters, least=1)
        if n_samples < self.n_clusters:
            raise ClustraintError(
                f"n_samples={n_samples} should be >= n_clusters={self.n_clusters}."
            )
        check_choice("covariance", self.covariance, COVARIANCES)
        if self.trust != "learn":
            check_number("trust", self.trust, least=0.5, most=1)
            if self.trust == 0.5:
                raise InvalidParameterError("trust", self.trust, "above 0.5, or 'learn'")
        check_whole_number("n_init", self.n_init, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)
        check_number("shrinkage", self.shrinkage, least=0, most=1)
        check_number("reg_covar", self.reg_covar, least=0)

    def _check_classes(self, y: Any, n_samples: int) -> IntArray:
        """Return the class of each sample, -1 where nobody knows it."""
        if y is None:
            self.classes_: list[Any] = []
            return np.full(n_samples, -1)
        classes, self.classes_ = encode_labels(y)
        if len(classes) != n_samples:
            raise ClustraintError(f"y has {len(classes)} labels, but X has {n_samples} samples.")
        if len(self.classes_) > self.n_clusters:
            raise TooManyClassesError(len(self.classes_), self.n_clusters)
        return classes

    def _fit(
        self,
        X: FloatArray,
        constraints: Constraints,
        scopes: Mapping[str, list[BoolArray]],
        classes: IntArray,
    ) -> None:
        # Around the mean, products of large coordinates do not swallow small distances.
        self._center = X.mean(axis=0)
        centred = X - self._center
        covariance = COVARIANCES[self.covariance]
        evidence = Evidence(
            answers(constraints, scopes), classes, np.arange(len(X)), self.n_clusters
        )
        rounds = Rounds(
            centred,
            evidence,
            covariance,
            shrinkage=float(self.shrinkage),
            reg_covar=float(self.reg_covar),
            learns=self.trust == "learn",
        )
        trust = RIGHT / (RIGHT + WRONG) if self.trust == "learn" else float(self.trust)
        log_odds = dict.fromkeys(evidence.kinds, float(logit(trust)))
        rng = as_generator(self.random_state)
        starts = self._starts(centred, constraints, scopes, classes, rng)
        runs = (rounds.run(start, log_odds, self.max_iter, self.tol) for start in starts)
        best = max(runs, key=lambda run: run.objective)
        self._keep(centred, best, evidence)

    def _starts(self, X, constraints, scopes, classes, rng):
        if not isinstance(self.init, str):
            yield self._given_start(X)
            return
        anchors = class_means(X, classes) if classes.max() >= 0 else np.empty((0, X.shape[1]))
        groups = _groups(X, constraints, scopes)
        none = np.empty((0, X.shape[1])), np.empty(0)
        for number in range(self.n_init):
            used = groups if number % 2 == 0 else none
            means = draw_means(X, self.n_clusters, anchors, used, rng)
            shares = nearest_shares(X, means)
            yield np.pad(shares, ((0, 0), (0, self.n_clusters - shares.shape[1])))

    def _given_start(self, X: FloatArray) -> FloatArray:
        init = np.asarray(self.init, dtype=np.float64)
        if init.shape == (self.n_clusters, X.shape[1]):
            return nearest_shares(X, init - self._center)
        if init.shape == (len(X), self.n_clusters):
            return np.ascontiguousarray(init)
        raise ClustraintError(
            f"init must be means of the shape {(self.n_clusters, X.shape[1])} or shares of the "
            f"shape {(len(X), self.n_clusters)}, but has {init.shape}."
        )

    def _keep(self, X: FloatArray, run: MixtureRun, evidence: Evidence) -> None:
        covariance = COVARIANCES[self.covariance]
        logs = log_densities(X, run.gaussians, covariance)
        shares = logs.copy()
        totals = to_shares(shares)
        beliefs = evidence.hear(logs[evidence.samples], run.log_odds, run.messages, LAST_ROUNDS)
        shares[evidence.samples] = beliefs.shares
        self.probabilities_ = shares
        self.labels_ = shares.argmax(axis=1).astype(np.int32)
        self.weights_, self.means_, self.covariances_ = run.gaussians
        self.means_ = self.means_ + self._center
        self.trust_ = {kind: float(expit(odds)) for kind, odds in run.log_odds.items()}
        self.doubt_ = evidence.doubts(beliefs)
        self.lower_bound_ = run.objective
        free = np.delete(totals, evidence.samples).sum()
        n_parameters = (
            covariance.n_parameters(*self.means_.shape) + self.means_.size + self.n_clusters - 1
        )
        self.bic_ = -2 * (free + beliefs.log_evidence) + n_parameters * np.log(len(X))
        self.n_iter_ = run.n_iter
        self.converged_ = run.converged
        if not beliefs.settled:
            warnings.warn("x", ConvergenceWarning, stacklevel=4)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the likeliest cluster of each sample; statements have no say in it.

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> model.predict([[2.0], [7.0]]).tolist()
        [0, 1]
        """
        return self._log_densities(X).argmax(axis=1).astype(np.int32)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each cluster for each sample, (n_samples, n_clusters).

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> model.predict_proba([[2.0]]).round(3)
        array([[1., 0.]])
        """
        shares = self._log_densities(X)
        to_shares(shares)
        return shares

    def score(self, X, y=None, sample_weight=None, constraints=None) -> float:
        """Return the mean log-likelihood of a sample.

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> round(model.score([[2.0], [7.0]]), 2)
        -5.42
        """
        totals = to_shares(self._log_densities(X))
        weights = _check_sample_weight(sample_weight, totals, dtype=np.float64)
        return float(np.average(totals, weights=weights))

    def _log_densities(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        X = self._checked(X, reset=False) - self._center
        gaussians = Gaussians(self.weights_, self.means_ - self._center, self.covariances_)
        return log_densities(X, gaussians, COVARIANCES[self.covariance])

    def _checked(self, X: Any, *, reset: bool) -> FloatArray:
        if issparse(X):
            raise SparseMixtureError(type(self).__name__)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=reset)
        return np.asarray(X)


def _scopes(constraints: Constraints, X: Any) -> dict[str, list[BoolArray]]:
    """Return the scopes of rules by kind."""
    scopes: dict[str, list[BoolArray]] = {}
    for rule in constraints.rules:
        scope = rule.scope(X)
        if not scope.any():
            warnings.warn(EmptyScopeWarning(rule), stacklevel=3)
        scopes.setdefault(rule.kind, []).append(scope)
    return scopes


def _groups(
    X: FloatArray, constraints: Constraints, scopes: Mapping[str, list[BoolArray]]
) -> tuple[FloatArray, FloatArray]:
    """Return the means and sizes of must-link components and of the scopes of rules."""
    labels = constraints.component_labels
    sizes = np.bincount(labels)
    members = [np.flatnonzero(labels == each) for each in np.flatnonzero(sizes > 1)]
    members += [
        np.flatnonzero(scope) for masks in scopes.values() for scope in masks if scope.any()
    ]
    means = np.array([X[each].mean(axis=0) for each in members]).reshape(-1, X.shape[1])
    return means, np.array([float(len(each)) for each in members])
