"""Gaussian mixtures under statements that may be wrong."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from functools import reduce
from itertools import islice
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import (
    as_generator,
    check_choice,
    check_differences,
    check_number,
    check_whole_number,
    encode_labels,
)
from clustraint.cluster._doubts import DoubtingMixin
from clustraint.cluster._mixture.certain import as_links, assign, certain_evidence
from clustraint.cluster._mixture.evidence import (
    LAST_ROUNDS,
    PRIOR_TRUST,
    Beliefs,
    Evidence,
    assertions,
)
from clustraint.cluster._mixture.gaussians import (
    COVARIANCES,
    Gaussians,
    checked_masses,
    log_densities,
)
from clustraint.cluster._mixture.in_chunks import MixtureInChunks
from clustraint.cluster._mixture.rounds import MixtureRun, Rounds
from clustraint.cluster._mixture.starts import draw_starts, nearest_shares, stated_groups
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    EmptyScopeWarning,
    InvalidParameterError,
    SparseMixtureError,
    TooManyClassesError,
)
from clustraint.kernels.mixture import to_shares
from clustraint.machine import Footprint
from clustraint.typing import BoolArray, FloatArray, IntArray, LabelArray, RandomState

NOT_CONVERGED = (
    "the likeliest start has not converged after max_iter={} rounds; raise max_iter or tol."
)


class Statements(NamedTuple):
    """All that is stated about the samples of one table."""

    constraints: Constraints
    scopes: dict[str, list[BoolArray]]  # of rules, by kind
    classes: IntArray  # the cluster that a label puts each sample in, or -1

    def evidence(self, n_clusters: int) -> Evidence:
        """Return the graph of statements that may be wrong."""
        n_rules = {kind: len(masks) for kind, masks in self.scopes.items()}
        by_kind = assertions(self.constraints, self.scopes)
        return Evidence(by_kind, n_rules, self.classes, np.arange(len(self.classes)), n_clusters)


class ConstrainedMixture(DoubtingMixin, MixtureInChunks, ConstrainedClusterer):
    """A mixture of Gaussians in which every statement is evidence that may be wrong.

    Must-links, cannot-links, triplets, rules and the labels of some samples go into one
    probabilistic model, together in any mix. How often statements of each kind are wrong is learnt
    along, so that wrong ones do little harm, and `doubt_` says which ones they are.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    covariance : {"tied", "full", "diag", "spherical"}, default="tied"
        The shape of clusters. "tied": all share one covariance matrix, which pairs teach what
        counts. "full": each has its own. "diag": each has a variance of its own in each feature.
        "spherical": each has one variance.
    trust : "learn" or float above 0.5 and at most 1, default="learn"
        The probability that a statement of weight 1 is right; a weight multiplies its log-odds.
        "learn": for each kind of statement what the data make of it, see Notes. 1: statements are
        certain, and none is ever violated.
    n_init : int, default=5
        The number of starts; the likeliest result is kept. Ignored if `init` is an array.
    max_iter : int, default=100
        The maximum number of rounds of a start.
    tol : float, default=1e-3
        A start ends when the mean log-likelihood of a sample changes by less than this.
    shrinkage : float from 0 to 1, default=0
        How far covariances are moved towards what is safer to estimate: equal variances without
        correlation if they are "tied", else their mean over all clusters.
    reg_covar : float, default=1e-6
        Added to all variances.
    assignment : {"soft", "hard"}, default="soft"
        Whether a sample counts in all clusters, by its probabilities, or wholly in the likeliest
        one. "hard" takes all clusters for equally large, too: with ``covariance="tied"`` and
        ``shrinkage=1`` this is k-means, which stays apart where soft clusters that overlap merge.
    init : "auto" or array-like, default="auto"
        Where to begin: means, (n_clusters, n_features), or the shares that each sample has of the
        clusters, (n_samples, n_clusters). "auto" draws means as k-means++ does; in every other
        start by distances that statements of what is together suggest.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample: the most probable one, or with ``trust=1`` the one in the
        assignment that keeps all statements.
    probabilities_ : ndarray of shape (n_samples, n_clusters)
        The probability of each cluster for each sample, given all statements.
    trust_ : dict of str to float
        For each kind of statement the probability that one of weight 1 is right. The kinds are
        must_link, cannot_link, triplets, together, exactly and labels.
    doubt_ : dict of str to ndarray
        For each kind, the probability of each statement to be wrong, in the order of the
        constraints; where trust is learnt, tempered (see Notes). ``doubt_["labels"]`` has an entry
        for each sample, nan where it has no label; of rows in chunks, for each that has one.
    weights_ : ndarray of shape (n_clusters,)
        The share of samples in each cluster.
    means_ : ndarray of shape (n_clusters, n_features)
        The means of the clusters.
    covariances_ : ndarray
        Their covariances, of shape (n_features, n_features) if tied, (n_clusters, n_features,
        n_features) if full, (n_clusters, n_features) if diag, (n_clusters,) if spherical.
    classes_ : list
        The labels in `y`, in the order of their clusters.
    lower_bound_ : float
        The mean log-likelihood of a sample with all statements, and the prior of what is learnt.
    bic_ : float
        The Bayesian information criterion, with the statements; the lower the better.
    n_iter_ : int
        The rounds of the start that was kept.
    converged_ : bool
        Whether it ended before `max_iter`.
    constraint_report_ : ConstraintReport
        What was given, satisfied and violated by `labels_`.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Notes
    -----
    *The model.* Given the clusters of all samples, a statement that holds is made with the
    probability t, and one that does not hold with 1 - t. A triplet ab|c does not hold if c shares a
    cluster with one of a and b alone. A rule that is right has a cluster, unknown, and states of
    each sample in its scope that it is in that cluster, and of all others, if it is an `exactly`
    rule, that they are not: it may have exceptions, with the probability 1 - t for each sample (t
    is .95 where trust is learnt). A rule that is wrong, as it is with the probability 1 - t, says
    nothing: each sample in its scope is a coin flip. The labels in `y` stand for the clusters 0, 1,
    … in the order in which they appear.

    *Expectation.* Sum-product on the graph of statements, over the samples that they speak of;
    exact where it has no ring, which random pairs hardly make if they are fewer than half of the
    samples; else damped, with a warning if messages do not settle. All other samples have their
    plain posterior.

    *Trust* is learnt as the expected share of right answers of each kind, after 10 right and half
    a wrong one that are taken as seen beforehand. It never falls below 0.5: a kind that is wrong
    more often than not is ignored.

    *Doubts.* Densities are too sure of themselves where classes overlap. With ``trust="learn"``
    their logarithms are therefore multiplied by a factor from 0.02 to 1, and factor and share of
    wrong statements are those that make the statements likeliest. With a number as `trust`,
    doubts are the posterior of the model as it stands.

    *Certainty.* With ``trust=1``, must-link components are one sample each, and `labels_` come from
    the assignment of COPKMeans, on the logs of their probabilities, with mixed-integer programming
    where that leaves a triplet violated.

    *Without statements* the result is that of scikit-learn's GaussianMixture from the same start
    and with the same parameters (its ``covariance_type`` is `covariance`), as long as `shrinkage`
    is 0. The sums over samples of which a round is made are those of any parts, added up.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import ConstrainedMixture, Constraints
    >>> X = np.array([[0.0], [0.5], [1.0], [1.5], [8.0], [8.5], [9.0], [9.5]])
    >>> c = Constraints(8, must_link=[(0, 1), (1, 2), (4, 6), (3, 7)], cannot_link=[(0, 5), (2, 4)])
    >>> model = ConstrainedMixture(2, random_state=0).fit(X, constraints=c)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True,  True,  True, False, False, False, False])
    >>> model.doubt_["must_link"].round(2)
    array([0., 0., 0., 1.])
    >>> model.doubtful(1)
    [('sample 3 = sample 7', 1.0)]
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = (
        "must_link",
        "cannot_link",
        "triplets",
        "together",
        "exactly",
    )
    takes_labels: ClassVar[bool] = True
    footprint: ClassVar[Footprint] = Footprint(per_value=4, per_cluster=8, per_constraint=200)
    takes_chunks: ClassVar[bool] = True
    # Whether `fit` tempers its doubts, which takes a third of its time: in a race nobody asks.
    _finds_doubts: bool = True

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
        assignment: Literal["soft", "hard"] = "soft",
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
        self.assignment = assignment
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples. Distances depend on the units of features unless `covariance` is "tied" or
            "full": scale them before.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as further statements; -1, nan or None where unknown. Ignored if
            none is unknown, as it leaves nothing to find out: scikit-learn passes such labels to
            every clusterer, for scores.
        constraints : Constraints, optional
            Statements of any kind. Rules are evaluated on `X`; the columns of an array are called
            x0, x1, ….
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts; statements about it count once.

        Raises
        ------
        InconsistentConstraintsError
            With ``trust=1``, if statements contradict each other; else they only cost likelihood.
        NoFeasibleClusteringError
            With ``trust=1``, if no assignment to so many clusters keeps all statements.
        IllDefinedCovarianceError
            If a cluster has no extent in some direction.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` ends the best start, if messages around rings of statements do not settle,
            or if there are fewer different samples than clusters.
        EmptyScopeWarning
            If a rule holds for no sample.

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0)
        >>> model.fit([[0.0], [1.0], [9.0], [8.0]], y=["low", None, "high", None]).labels_.tolist()
        [0, 0, 1, 1]
        """
        return self._fit_checked(X, y, constraints, sample_weight=sample_weight)

    def _validate(self, X: Any, *, reset: bool = True) -> FloatArray:
        if issparse(X):
            raise SparseMixtureError(type(self).__name__)
        return np.asarray(validate_data(self, X, dtype=np.float64, order="C", reset=reset))

    def _check_parameters(self, n_samples: int) -> None:
        self._check_n_clusters(n_samples)
        check_choice("covariance", self.covariance, COVARIANCES)
        if not isinstance(self.trust, str) or self.trust != "learn":
            try:
                check_number("trust", self.trust, least=np.nextafter(0.5, 1), most=1)
            except InvalidParameterError:
                wanted = "'learn' or a number above 0.5 and at most 1"
                raise InvalidParameterError("trust", self.trust, wanted) from None
        check_whole_number("n_init", self.n_init, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_choice("assignment", self.assignment, ("soft", "hard"))
        check_number("tol", self.tol, least=0)
        check_number("shrinkage", self.shrinkage, least=0, most=1)
        check_number("reg_covar", self.reg_covar, least=0)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("auto",))

    def _check_classes(self, y: Any, n_samples: int) -> IntArray:
        """Return the class of each sample, -1 where it is unknown."""
        self.classes_: list[Hashable] = []
        if y is None:
            return np.full(n_samples, -1)
        classes, self.classes_ = encode_labels(y)
        if len(self.classes_) > self.n_clusters:
            raise TooManyClassesError(len(self.classes_), self.n_clusters)
        return classes

    def _statements(self, X: FloatArray, constraints: Constraints, classes: IntArray) -> Statements:
        """Evaluate the rules."""
        scopes: dict[str, list[BoolArray]] = {}
        for rule in constraints.rules:
            scope = rule.scope(X, self._names)
            if not scope.any():
                warnings.warn(EmptyScopeWarning(rule), stacklevel=5)
            scopes.setdefault(rule.kind, []).append(scope)
        return Statements(constraints, scopes, classes)

    @property
    def _names(self) -> Any:
        """The names of columns in rules, None where these are x0, x1, …."""
        return getattr(self, "feature_names_in_", None)

    def _fit(
        self,
        X: FloatArray,
        constraints: Constraints,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        weights = checked_masses(sample_weight, X)
        check_differences(X)
        classes = self._check_classes(y, len(X))
        statements, links, evidence = self._evidence(X, constraints, classes)
        X = self._learn_view(X, statements)
        # Around the mean, products of large coordinates do not swallow small distances.
        self._center = np.average(X, axis=0, weights=weights if weights.any() else None)
        centred = X - self._center
        run = self._best_run(centred, weights, statements, evidence)
        beliefs = self._keep(centred, weights, run, evidence)
        if links is not None:
            self._assign(links, classes)
        self._keep_doubts(self._doubts(centred, run, links, evidence, beliefs), statements)
        self._warn(centred, run, beliefs)

    def _evidence(
        self, X: FloatArray, constraints: Constraints, classes: IntArray, n_elsewhere: int = 0
    ) -> tuple[Statements, Constraints | None, Evidence]:
        """Return statements, the links that they are where all are certain, and their graph."""
        statements = self._statements(X, constraints, classes)
        if self.trust != 1:
            return statements, None, statements.evidence(self.n_clusters)
        links = as_links(constraints, X, self._names, classes, self.n_clusters, n_elsewhere)
        return statements, links, certain_evidence(links, classes, self.n_clusters)

    def _doubts(
        self,
        X: FloatArray,
        run: MixtureRun,
        links: Constraints | None,
        evidence: Evidence,
        beliefs: Beliefs,
    ) -> dict[str, FloatArray]:
        if links is not None:
            return {}
        if self.trust != "learn" or not self._finds_doubts:
            return beliefs.doubts
        densities = log_densities(X[evidence.samples], run.gaussians, COVARIANCES[self.covariance])
        return evidence.tempered_doubts(densities)

    @property
    def _manner(self) -> dict[str, Any]:
        """How a round is done."""
        chosen = {"learns": self.trust == "learn", "decides": self.assignment == "hard"}
        return {"shrinkage": self.shrinkage, "reg_covar": self.reg_covar, **chosen}

    def _first_odds(self, evidence: Evidence) -> dict[str, float]:
        trust = PRIOR_TRUST if self.trust == "learn" else float(self.trust)
        return dict.fromkeys((*evidence.kinds, "follow"), float(logit(trust)))

    def _learn_view(self, X: FloatArray, statements: Statements) -> FloatArray:
        """Return the samples in the coordinates in which they are clustered."""
        return X

    def _view(self, X: FloatArray) -> FloatArray:
        """Return samples in those coordinates once these are learned."""
        return X

    def _report(self, X: FloatArray, constraints: Constraints) -> ConstraintReport:
        return constraint_satisfaction(constraints, self.labels_, X, self._names)

    def _best_run(
        self, X: FloatArray, weights: FloatArray, statements: Statements, evidence: Evidence
    ) -> MixtureRun:
        rounds = Rounds(X, weights, evidence, COVARIANCES[self.covariance], **self._manner)
        log_odds = self._first_odds(evidence)
        runs = (
            rounds.run(shares, log_odds, self.max_iter, self.tol)
            for shares in self._starts(X, weights, statements)
        )
        return reduce(MixtureRun.or_likelier, runs)

    def _starts(
        self, X: FloatArray, weights: FloatArray, statements: Statements
    ) -> Iterator[FloatArray]:
        if not isinstance(self.init, str):
            return iter([self._given_start(X)])
        groups = stated_groups(*statements)
        rng = as_generator(self.random_state)
        starts = draw_starts(X, weights, self.n_clusters, statements.classes, groups, rng)
        return islice(starts, self.n_init)

    def _given_start(self, X: FloatArray) -> FloatArray:
        init = np.asarray(self.init, dtype=np.float64)
        if init.shape == (self.n_clusters, X.shape[1]):
            return nearest_shares(X, init - self._center, 1.0)
        if init.shape != (len(X), self.n_clusters):
            raise ClustraintError(
                f"init must be means of shape {(self.n_clusters, X.shape[1])} or shares of shape "
                f"{(len(X), self.n_clusters)}, but has shape {init.shape}."
            )
        if not (np.isfinite(init).all() and (init >= 0).all() and init.sum(axis=1).all()):
            raise ClustraintError("init must hold shares from 0 up, not all 0 for any sample.")
        return np.asarray(init / init.sum(axis=1, keepdims=True))

    def _keep(
        self,
        X: FloatArray,
        weights: FloatArray,
        run: MixtureRun,
        evidence: Evidence,
        far: tuple[float, float] | None = None,
    ) -> Beliefs:
        """Keep the parameters of a run, and return where statements put samples under them.

        Of rows that are elsewhere, `far` is the log-likelihood, with the weight of all rows.
        """
        covariance = COVARIANCES[self.covariance]
        logs = log_densities(X, run.gaussians, covariance)
        beliefs = evidence.hear(logs[evidence.samples], run.log_odds, run.messages, LAST_ROUNDS)
        log_likelihoods = to_shares(logs)
        likelihood = float(weights @ log_likelihoods)
        likelihood += beliefs.log_evidence - float(log_likelihoods[evidence.samples].sum())
        logs[evidence.samples] = beliefs.shares
        self.probabilities_ = logs
        self.labels_ = logs.argmax(axis=1).astype(np.int32)
        self.weights_, means, self.covariances_ = run.gaussians
        self.means_ = means + self._center
        self.trust_ = {kind: float(expit(run.log_odds[kind])) for kind in evidence.kinds}
        n_parameters = covariance.n_parameters(*means.shape) + means.size + len(means) - 1
        elsewhere, total = (0.0, float(weights.sum())) if far is None else far
        self.bic_ = -2 * (likelihood + elsewhere) + n_parameters * float(np.log(total))
        self.lower_bound_ = float(run.objective)
        self.n_iter_ = run.n_iter
        self.converged_ = run.converged
        return beliefs

    def _assign(self, links: Constraints, classes: IntArray) -> None:
        """Give samples clusters that keep all statements, and clusters the numbers of classes."""
        labels = assign(links, self.probabilities_)
        homes = [int(labels[classes == each][0]) for each in range(len(self.classes_))]
        order = np.array([*homes, *np.setdiff1d(np.arange(self.n_clusters), homes)])
        self.labels_ = np.argsort(order)[labels].astype(np.int32)
        self.probabilities_ = self.probabilities_[:, order]
        self.weights_ = self.weights_[order]
        self.means_ = self.means_[order]
        if self.covariance != "tied":
            self.covariances_ = self.covariances_[order]

    def _keep_doubts(self, doubts: dict[str, FloatArray], statements: Statements) -> None:
        """Keep the doubts, which are 0 where statements are certain."""
        constraints, labelled = statements.constraints, statements.classes >= 0
        sizes = {kind: len(links.rows) for kind, links in constraints.links.items()}
        sizes |= {kind: len(scopes) for kind, scopes in statements.scopes.items()}
        sizes["labels"] = int(labelled.sum())
        self.doubt_ = {k: doubts.get(k, np.zeros(size)) for k, size in sizes.items() if size}
        self.trust_ = {kind: self.trust_.get(kind, 1.0) for kind in self.doubt_}
        if "labels" in self.doubt_:
            by_sample = np.full(len(labelled), np.nan)
            by_sample[labelled] = self.doubt_["labels"]
            self.doubt_["labels"] = by_sample
        self._stated_labels = {
            int(i): self.classes_[statements.classes[i]] for i in np.flatnonzero(labelled)
        }

    def _warn_of(self, run: MixtureRun, beliefs: Beliefs) -> None:
        if not beliefs.settled:
            message = (
                "what statements say about each other did not settle, so that probabilities_ and "
                "doubt_ are rough; there may be many that contradict each other."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=6)
        if not run.converged:
            warnings.warn(NOT_CONVERGED.format(self.max_iter), ConvergenceWarning, stacklevel=6)

    def _warn(self, X: FloatArray, run: MixtureRun, beliefs: Beliefs) -> None:
        self._warn_of(run, beliefs)
        if len(np.unique(self.labels_)) < self.n_clusters > len(np.unique(X, axis=0)):
            message = "fewer clusters than n_clusters were found, because of equal samples."
            warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def predict(self, X: Any) -> LabelArray:
        """Return the most probable cluster of each sample; statements have no say in it.

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> bool((model.predict([[2.0], [7.0]]) == model.labels_[[0, 2]]).all())
        True
        """
        return np.asarray(self._log_densities(X).argmax(axis=1), np.int32)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each cluster for each sample, (n_samples, n_clusters).

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> model.predict_proba([[4.5]]).round(3)
        array([[0.5, 0.5]])
        """
        shares = self._log_densities(X)
        to_shares(shares)
        return shares

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        constraints: Constraints | None = None,
    ) -> float:
        """Return the mean log-likelihood of a sample, with statements about the samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples, in general others than those of `fit`.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the pairs that they mean; ignored if none is unknown.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts.
        constraints : Constraints, optional
            Statements about these samples, whose log-probability is added to that of the samples.
            Kinds that `fit` saw are trusted as in `trust_`, others as before anything is learnt.

        Returns
        -------
        score : float

        Examples
        --------
        >>> model = ConstrainedMixture(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> round(model.score([[0.5], [8.5]]), 2)
        -0.92
        """
        logs = self._log_densities(X)
        checked = self._stated(constraints, y, X)
        unlabelled = np.full(len(logs), -1)
        samples = self._validate(X, reset=False)
        evidence = self._statements(samples, checked, unlabelled).evidence(self.n_clusters)
        trust = PRIOR_TRUST if self.trust == "learn" else float(self.trust)
        kinds = (*evidence.kinds, "follow")
        log_odds = {kind: float(logit(self.trust_.get(kind, trust))) for kind in kinds}
        beliefs = evidence.hear(logs[evidence.samples], log_odds, evidence.silence(), LAST_ROUNDS)
        alone = to_shares(logs)
        weights = _check_sample_weight(sample_weight, alone, dtype=np.float64)
        stated = beliefs.log_evidence - float(alone[evidence.samples].sum())
        return (float(weights @ alone) + stated) / float(weights.sum())

    def _log_densities(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._log_densities_at(self._view(self._validate(X, reset=False)))

    def _log_densities_at(self, coordinates: FloatArray) -> FloatArray:
        gaussians = Gaussians(self.weights_, self.means_ - self._center, self.covariances_)
        return log_densities(coordinates - self._center, gaussians, COVARIANCES[self.covariance])
