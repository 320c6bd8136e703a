"""What is stated about samples, as evidence about their clusters.

A statement of log-odds J is right with the probability 1 / (1 + exp(-J)). It comes as one answer or
several: a pair says that two samples are together or apart; a rule, that each sample in its scope
is together with its *hub*, a node that stands for the rule's cluster, and under `exactly` every
other sample apart from it; a triplet ab|c, that neither a nor b is with c unless all three are
together; a label, in which cluster a sample is.

All answers about the same two nodes, or to the same triplet, are one factor, whose log-odds add
up: two answers to one question are no ring, and opposite ones cancel out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logit

from clustraint.constraints import Constraints
from clustraint.kernels.beliefs import believe, walk

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# So many right and wrong answers of each kind are taken as seen before the first is looked at: a
# handful of statements is neither believed without end nor given up.
RIGHT, WRONG = 10.0, 0.5
PRIOR_TRUST = RIGHT / (RIGHT + WRONG)

# Log-odds that no sum of densities outweighs, yet finite: the logs of what is impossible add up.
CERTAIN = 1e12

# How messages pass around rings: rounds in each step of a fit and in the last, and when to stop.
ROUNDS, LAST_ROUNDS = 10, 500
DAMPING, TOLERANCE = 0.3, 1e-4


class Answers(NamedTuple):
    """What the statements of one kind say, one answer a row."""

    rows: IntArray  # which statement of its kind it belongs to
    nodes: IntArray  # (n_answers, 2 or 3) samples, or hubs numbered on from these
    is_yes: BoolArray  # together rather than apart; triplets are always affirmed
    weights: FloatArray


def answers(
    constraints: Constraints, scopes: Mapping[str, Sequence[BoolArray]]
) -> dict[str, Answers]:
    """Return the answers of each kind that occurs; `scopes` are those of rules, by kind."""
    by_kind = {
        kind: Answers(
            np.arange(len(links.rows)),
            links.rows,
            np.full(len(links.rows), kind != "cannot_link"),
            links.weights,
        )
        for kind, links in constraints.links.items()
    }
    hub = constraints.n_samples
    for kind, masks in scopes.items():
        by_kind[kind] = _rule_answers(masks, hub, is_exact=kind == "exactly")
        hub += len(masks)
    return {kind: each for kind, each in by_kind.items() if len(each.rows)}


def _rule_answers(scopes: Sequence[BoolArray], first_hub: int, *, is_exact: bool) -> Answers:
    """Return one answer for each sample in a scope, or for every sample where that is exact."""
    spoken = [np.flatnonzero(scope | (is_exact & scope.any())) for scope in scopes]
    rows = np.repeat(np.arange(len(scopes)), [len(each) for each in spoken])
    samples = np.concatenate(spoken)
    is_yes = np.concatenate([s[each] for s, each in zip(scopes, spoken, strict=True)])
    nodes = np.stack((samples, first_hub + rows), axis=1)
    return Answers(rows, nodes, is_yes, np.ones(len(rows)))


class Beliefs(NamedTuple):
    """What is believed once all statements are heard."""

    shares: FloatArray  # of clusters, for each sample in `Evidence.samples`
    wrong: dict[str, FloatArray]  # by kind, the chance of each answer to be wrong
    log_evidence: float  # of these samples and all statements
    settled: bool


class Evidence:
    """The graph of statements over the samples that they speak of.

    Parameters
    ----------
    by_kind : dict of str to Answers
        What is stated.
    classes : int64 ndarray of shape (n_samples,)
        The cluster that a label puts each sample in, -1 without a label.
    node_of : int64 ndarray of shape (n_samples,)
        Samples of one node are in one cluster for certain.
    n_clusters : int
        How many clusters there are.
    """

    def __init__(
        self,
        by_kind: Mapping[str, Answers],
        classes: IntArray,
        node_of: IntArray,
        n_clusters: int,
    ) -> None:
        self.by_kind = by_kind
        self.n_clusters = n_clusters
        n_samples = len(classes)
        n_groups = int(node_of.max()) + 1
        last = max((int(each.nodes.max()) for each in by_kind.values()), default=0)
        n_hubs = max(0, last + 1 - n_samples)
        places = np.concatenate((node_of, n_groups + np.arange(n_hubs)))
        nodes = {kind: places[each.nodes] for kind, each in by_kind.items()}
        is_spoken_of = np.concatenate((np.bincount(node_of) > 1, np.zeros(n_hubs, np.bool_)))
        is_spoken_of[node_of[classes >= 0]] = True
        for rows in nodes.values():
            is_spoken_of[rows.ravel()] = True
        number = np.cumsum(is_spoken_of) - 1
        self.samples = np.flatnonzero(is_spoken_of[node_of])
        self.homes = number[node_of[self.samples]]
        self.n_nodes = int(is_spoken_of.sum())
        self.classes = classes[self.samples]
        self._connect({kind: number[rows] for kind, rows in nodes.items()})

    def _connect(self, nodes: Mapping[str, IntArray]) -> None:
        """Make the factors: one for each two nodes that are spoken of, then one for each three."""
        pairs = {kind: np.sort(rows, axis=1) for kind, rows in nodes.items() if kind != "triplets"}
        triplets, three = np.unique(
            nodes.get("triplets", np.empty((0, 3), np.int64)), axis=0, return_inverse=True
        )
        every = np.concatenate([*pairs.values(), np.empty((0, 2), np.int64)])
        keys, factors = np.unique(every @ [self.n_nodes, 1], return_inverse=True)
        ends = np.cumsum([len(rows) for rows in pairs.values()])
        self.factors = dict(zip(pairs, np.split(factors, ends), strict=False))
        self.factors["triplets"] = len(keys) + three.ravel()
        self.n_factors = len(keys) + len(triplets)
        members = (np.stack(np.divmod(keys, max(self.n_nodes, 1)), axis=1), triplets)
        widths = np.repeat([2, 3], [len(keys), len(triplets)])
        self.start = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        self.members = np.concatenate([rows.ravel() for rows in members]).astype(np.int64)
        self.order, self.ringed = walk(self.n_nodes, self.start, self.members)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of statement that there are."""
        return (*self.by_kind, *(["labels"] * bool((self.classes >= 0).any())))

    def silence(self) -> FloatArray:
        """Return the messages before anything is heard."""
        return np.zeros((len(self.members), self.n_clusters))

    def hear(
        self,
        log_densities: FloatArray,
        log_odds: Mapping[str, float],
        messages: FloatArray,
        most_rounds: int = ROUNDS,
    ) -> Beliefs:
        """Return what is believed; `messages` are those to begin with, and are overwritten.

        Parameters
        ----------
        log_densities : float64 ndarray of shape (n_samples_spoken_of, n_clusters)
            What the data say.
        log_odds : dict of str to float
            By kind, those of a statement of weight 1 to be right.
        messages : float64 ndarray of shape (n_slots, n_clusters)
            As `silence` and earlier calls leave them.
        most_rounds : int
            When to stop passing messages around rings.
        """
        strengths, constant = self._strengths(log_odds)
        shares, chances, log_evidence, settled = believe(
            self._unary(log_densities, log_odds),
            self.start,
            self.members,
            self.order,
            self.ringed,
            strengths,
            messages,
            most_rounds,
            DAMPING,
            TOLERANCE,
        )
        wrong = {
            kind: np.where(
                each.is_yes, 1 - chances[self.factors[kind]], chances[self.factors[kind]]
            )
            for kind, each in self.by_kind.items()
        }
        own = shares[self.homes]
        labelled = np.flatnonzero(self.classes >= 0)
        if len(labelled):
            wrong["labels"] = 1 - own[labelled, self.classes[labelled]]
        return Beliefs(own, wrong, log_evidence + constant, bool(settled))

    def _strengths(self, log_odds: Mapping[str, float]) -> tuple[FloatArray, float]:
        """Return the log-odds of each factor, and the log-probability of the likelier side."""
        yes = np.zeros(self.n_factors)
        no = np.zeros(self.n_factors)
        for kind, each in self.by_kind.items():
            strength = each.weights * log_odds[kind]
            right, wrong = log_expit(strength), np.maximum(log_expit(-strength), -CERTAIN)
            size = self.n_factors
            yes += np.bincount(self.factors[kind], np.where(each.is_yes, right, wrong), size)
            no += np.bincount(self.factors[kind], np.where(each.is_yes, wrong, right), size)
        return yes - no, float(np.maximum(yes, no).sum())

    def _unary(self, log_densities: FloatArray, log_odds: Mapping[str, float]) -> FloatArray:
        """Return what is held of each node alone: hubs may be anywhere."""
        unary = np.full((self.n_nodes, self.n_clusters), -np.log(self.n_clusters))
        unary[self.homes] = 0
        np.add.at(unary, self.homes, log_densities)
        labelled = np.flatnonzero(self.classes >= 0)
        if len(labelled):
            is_other = self.classes[labelled, np.newaxis] != np.arange(self.n_clusters)
            right = log_expit(log_odds["labels"])
            wrong = max(log_expit(-log_odds["labels"]), -CERTAIN)
            np.add.at(unary, self.homes[labelled], np.where(is_other, wrong, right))
        return unary

    def learn(self, beliefs: Beliefs) -> dict[str, float]:
        """Return the log-odds of each kind under which what is believed is likeliest."""
        return {
            kind: _likeliest_log_odds(
                1 - wrong, self.by_kind[kind].weights if kind in self.by_kind else np.ones(1)
            )
            for kind, wrong in beliefs.wrong.items()
        }

    def doubts(self, beliefs: Beliefs) -> dict[str, FloatArray]:
        """Return by kind the chance of each statement to be wrong.

        Of a rule, the expected number of samples out of place by the number in its scope, at
        most 1. Labels have a place for each sample in `samples` that has one.
        """
        doubts = {}
        for kind, wrong in beliefs.wrong.items():
            doubts[kind] = wrong
            if kind in ("together", "exactly"):
                each = self.by_kind[kind]
                sizes = np.bincount(each.rows, each.is_yes)
                doubts[kind] = np.minimum(np.bincount(each.rows, wrong) / np.maximum(sizes, 1), 1)
        return doubts


def _likeliest_log_odds(right: FloatArray, weights: FloatArray) -> float:
    """Return the mode of the log-odds, from the chances of answers to be right.

    An answer of weight w is right with the log-odds w times this, so that the derivative of the
    expected log-probability falls from its value at 0 to one below 0. Statements that are wrong
    more often than not say nothing: their log-odds are 0, never negative.
    """
    if (weights == 1).all():
        share = (right.sum() + RIGHT) / (len(right) + RIGHT + WRONG)
        return max(float(logit(share)), 0.0)

    def slope(log_odds: float) -> float:
        surprise = weights @ (right - expit(weights * log_odds))
        return float(surprise + RIGHT - (RIGHT + WRONG) * expit(log_odds))

    most = float(logit((len(right) + RIGHT) / (len(right) + RIGHT + WRONG))) / weights.min()
    most = max(most, float(logit(RIGHT / (RIGHT + WRONG))))
    return float(brentq(slope, 0, most + 1)) if slope(0) > 0 else 0.0


def log_prior(log_odds: Mapping[str, float]) -> float:
    """Return the log-density, but for a constant, of log-odds before any answer is seen."""
    return sum(float(RIGHT * log_expit(j) + WRONG * log_expit(-j)) for j in log_odds.values())
