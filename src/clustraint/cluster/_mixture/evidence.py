"""What is stated about samples, as evidence about their clusters.

A statement of log-odds J is right with the probability 1 / (1 + exp(-J)). A pair says that two
samples are together or apart; a triplet ab|c, that neither a nor b is with c unless all three are
together; a label, in which cluster a sample is. A rule has a *hub*, a node that stands for the
rule's cluster, or for none if the rule is wrong (*void*): it says that each sample in its scope is
together with its hub, and under `exactly` that every other is apart from it. So a right rule may
have exceptions, and a wrong one says nothing.

All answers about the same two nodes, or to the same triplet, are one factor, whose log-odds add
up: two answers to one question are no ring, and opposite ones cancel out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logit, logsumexp

from clustraint.constraints import Constraints
from clustraint.kernels.beliefs import believe, walk
from clustraint.typing import BoolArray, FloatArray, IntArray

# So many right and wrong answers of each kind are taken as seen before the first is looked at: a
# handful of statements is neither believed without end nor given up.
RIGHT, WRONG = 10.0, 0.5
PRIOR_TRUST = RIGHT / (RIGHT + WRONG)

# Learnt log-odds end where their probability is 1 but for rounding.
MOST_LOG_ODDS = 36.0

# Log-odds that no sum of densities outweighs, yet finite: the logs of what is impossible add up.
CERTAIN = 1e12

# How messages pass around rings: rounds in each step of a fit and in the last, and when to stop.
ROUNDS, LAST_ROUNDS = 10, 500
DAMPING, TOLERANCE = 0.3, 1e-4

# How far densities are believed: factors of their logs to choose from.
TEMPERS = np.geomspace(1, 0.02, 10)
# Rounds in which the share of wrong statements settles for each of them, and differences of logs
# beyond which nothing changes.
LEARNING_ROUNDS = 5
SURE = 50.0

RULES = ("together", "exactly")


class Assertions(NamedTuple):
    """What the statements of one kind say, one a row; those of rules are many."""

    nodes: IntArray  # (n_assertions, 2 or 3) samples, or hubs numbered on from these
    is_yes: BoolArray  # together rather than apart; triplets are always affirmed
    weights: FloatArray


def assertions(
    constraints: Constraints, scopes: Mapping[str, Sequence[BoolArray]]
) -> dict[str, Assertions]:
    """Return the answers of each kind that occurs; `scopes` are those of rules, by kind."""
    by_kind = {
        kind: Assertions(links.rows, np.full(len(links.rows), kind != "cannot_link"), links.weights)
        for kind, links in constraints.links.items()
        if len(links.rows)
    }
    hub = constraints.n_samples
    for kind, masks in scopes.items():
        by_kind[kind] = _rule_assertions(masks, hub, is_exact=kind == "exactly")
        hub += len(masks)
    return by_kind


def _rule_assertions(scopes: Sequence[BoolArray], first_hub: int, *, is_exact: bool) -> Assertions:
    """Return one answer for each sample in a scope, or for every sample where that is exact."""
    spoken = [np.flatnonzero(scope | (is_exact & scope.any())) for scope in scopes]
    hubs = first_hub + np.repeat(np.arange(len(scopes)), [len(each) for each in spoken])
    is_yes = np.concatenate([s[each] for s, each in zip(scopes, spoken, strict=True)])
    nodes = np.stack((np.concatenate(spoken), hubs), axis=1)
    return Assertions(nodes, is_yes, np.ones(len(hubs)))


class Beliefs(NamedTuple):
    """What is believed once all statements are heard."""

    shares: FloatArray  # of clusters, for each sample in `Evidence.samples`
    doubts: dict[str, FloatArray]  # by kind, the chance of each statement to be wrong
    log_evidence: float  # of these samples and all statements
    settled: bool


class Evidence:
    """The graph of statements over the samples that they speak of.

    Parameters
    ----------
    by_kind : dict of str to Assertions
        What is stated.
    n_rules : dict of str to int
        How many rules there are of each kind; their hubs are numbered in this order.
    classes : int64 ndarray of shape (n_samples,)
        The cluster that a label puts each sample in, -1 without a label.
    node_of : int64 ndarray of shape (n_samples,)
        Samples of one node are in one cluster for certain.
    n_clusters : int
        How many clusters there are.
    """

    def __init__(
        self,
        by_kind: Mapping[str, Assertions],
        n_rules: Mapping[str, int],
        classes: IntArray,
        node_of: IntArray,
        n_clusters: int,
    ) -> None:
        self.by_kind = by_kind
        self.n_rules = n_rules
        self.n_clusters = n_clusters
        n_groups = int(node_of.max(initial=-1)) + 1
        n_hubs = sum(n_rules.values())
        # Hubs are nodes after those of the samples; only nodes that something is said about are
        # kept.
        places = np.concatenate((node_of, n_groups + np.arange(n_hubs)))
        nodes = {kind: places[each.nodes] for kind, each in by_kind.items()}
        is_spoken_of = np.concatenate((np.bincount(node_of) > 1, np.ones(n_hubs, np.bool_)))
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
        # Statements of several kinds about the same two nodes are one factor, whose strengths add
        # up: two factors between two nodes would be a ring.
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

    @property
    def n_states(self) -> int:
        """How many states a node has: the clusters, and void where there are hubs."""
        return self.n_clusters + bool(self.n_rules)

    def silence(self) -> FloatArray:
        """Return the messages before anything is heard."""
        return np.zeros((len(self.members), self.n_states))

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
            By kind, those of a statement of weight 1 to be right, and under "follow" those of a
            sample to follow a right rule.
        messages : float64 ndarray of shape (n_slots, n_states)
            As `silence` and earlier calls leave them.
        most_rounds : int
            When to stop passing messages around rings.
        """
        strengths, constant = self._strengths(log_odds)
        shares, chances, log_evidence, settled = believe(
            self.n_clusters,
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
        own = np.ascontiguousarray(shares[self.homes, : self.n_clusters])
        doubts = self._doubts(shares, chances)
        return Beliefs(own, doubts, log_evidence + constant, bool(settled))

    def _doubts(self, shares: FloatArray, chances: FloatArray) -> dict[str, FloatArray]:
        """Return by kind the chance of each statement to be wrong: of a rule, to be void."""
        doubts = {}
        for kind, each in self.by_kind.items():
            if kind not in RULES:
                chance = chances[self.factors[kind]]
                doubts[kind] = np.where(each.is_yes, 1 - chance, chance)
        first = self.n_nodes - sum(self.n_rules.values())
        for kind, count in self.n_rules.items():
            doubts[kind] = shares[first : first + count, -1]
            first += count
        labelled = np.flatnonzero(self.classes >= 0)
        if len(labelled):
            doubts["labels"] = 1 - shares[self.homes[labelled], self.classes[labelled]]
        return doubts

    def _strengths(self, log_odds: Mapping[str, float]) -> tuple[FloatArray, float]:
        """Return the log-odds of each factor, and the log-probability of the likelier side."""
        # Log-probabilities of all that is said, if a factor's nodes are together and if they are
        # not; the difference is its strength, and the likelier side a constant of the evidence.
        yes = np.zeros(self.n_factors)
        no = np.zeros(self.n_factors)
        for kind, each in self.by_kind.items():
            strength = each.weights * log_odds["follow" if kind in RULES else kind]
            right, wrong = log_expit(strength), np.maximum(log_expit(-strength), -CERTAIN)
            size = self.n_factors
            yes += np.bincount(self.factors[kind], np.where(each.is_yes, right, wrong), size)
            no += np.bincount(self.factors[kind], np.where(each.is_yes, wrong, right), size)
        return yes - no, float(np.maximum(yes, no).sum())

    def _unary(self, log_densities: FloatArray, log_odds: Mapping[str, float]) -> FloatArray:
        """Return what is held of each node alone."""
        unary = np.zeros((self.n_nodes, self.n_states))
        unary[:, self.n_clusters :] = -CERTAIN
        first = self.n_nodes - sum(self.n_rules.values())
        for kind, count in self.n_rules.items():
            hubs = unary[first : first + count]
            hubs[:] = log_expit(log_odds[kind]) - np.log(self.n_clusters)
            hubs[:, -1] = log_expit(-log_odds[kind])
            first += count
        in_clusters = unary[:, : self.n_clusters]
        # Samples of one node are in one cluster, so that their densities multiply.
        np.add.at(in_clusters, self.homes, log_densities)
        labelled = np.flatnonzero(self.classes >= 0)
        if len(labelled):
            is_other = self.classes[labelled, np.newaxis] != np.arange(self.n_clusters)
            right = log_expit(log_odds["labels"])
            wrong = max(log_expit(-log_odds["labels"]), -CERTAIN)
            np.add.at(in_clusters, self.homes[labelled], np.where(is_other, wrong, right))
        return unary

    def tempered_doubts(self, log_densities: FloatArray) -> dict[str, FloatArray]:
        """Return by kind the chance of each statement to be wrong, as far as densities can tell.

        Densities take every feature for news and are far too sure: where classes overlap, a third
        of the statements may be all but impossible to them. So their logs are multiplied by a
        factor of at most 1, the same for all samples. It is learnt together with the share of wrong
        statements of each kind, which few statements seldom raise far: where many seem wrong, it is
        rather the clusters that are.

        Parameters
        ----------
        log_densities : float64 ndarray of shape (n_samples_spoken_of, n_clusters)
            What the data say.
        """
        logs = log_densities - log_densities.max(axis=1, keepdims=True, initial=-np.inf)
        logs = np.maximum(logs, -SURE)
        kept, best = {}, -np.inf
        for temper in TEMPERS:
            odds = dict.fromkeys((*self.kinds, "follow"), float(logit(PRIOR_TRUST)))
            messages = self.silence()
            for _ in range(LEARNING_ROUNDS):
                beliefs = self.hear(temper * logs, odds, messages)
                odds |= self.learn(beliefs)
            beliefs = self.hear(temper * logs, odds, messages, LAST_ROUNDS)
            alone = float(logsumexp(temper * logs, axis=1).sum())
            # A density of √temper beforehand: without need the model is taken as it is.
            value = beliefs.log_evidence - alone + log_prior(odds) + 0.5 * float(np.log(temper))
            if value > best:
                kept, best = beliefs.doubts, value
        return kept

    def learn(self, beliefs: Beliefs) -> dict[str, float]:
        """Return the log-odds of each kind under which what is believed is likeliest."""
        one = np.ones(1)
        return {
            kind: _likeliest_log_odds(
                1 - doubts, self.by_kind[kind].weights if kind not in (*RULES, "labels") else one
            )
            for kind, doubts in beliefs.doubts.items()
        }


def _likeliest_log_odds(right: FloatArray, weights: FloatArray) -> float:
    """Return the mode of the log-odds, from the chances of statements to be right.

    A statement of weight w is right with the log-odds w times this, so that the derivative of the
    expected log-probability falls from its value at 0 to one below 0. Statements that are wrong
    more often than not say nothing: their log-odds are 0, never negative.
    """
    if (weights == 1).all():
        share = (right.sum() + RIGHT) / (len(right) + RIGHT + WRONG)
        return max(float(logit(share)), 0.0)

    def slope(log_odds: float) -> float:
        surprise = weights @ (right - expit(weights * log_odds))
        return float(surprise + RIGHT - (RIGHT + WRONG) * expit(log_odds))

    if slope(0) <= 0:
        return 0.0
    return MOST_LOG_ODDS if slope(MOST_LOG_ODDS) >= 0 else float(brentq(slope, 0, MOST_LOG_ODDS))


def log_prior(log_odds: Mapping[str, float]) -> float:
    """Return the log-density, but for a constant, of log-odds before any answer is seen."""
    learnt = [odds for kind, odds in log_odds.items() if kind != "follow"]
    return sum(float(RIGHT * log_expit(odds) + WRONG * log_expit(-odds)) for odds in learnt)
