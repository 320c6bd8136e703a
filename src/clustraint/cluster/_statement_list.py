"""Statements one by one: some to cluster with, others to see whether clusters predict them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import betaln

from clustraint.cluster._constrained_mixture import Statements
from clustraint.constraints import Constraints
from clustraint.typing import AnyArray, BoolArray, FloatArray, IntArray

# A statement that clusters contradict has this probability: people make mistakes, and no single
# one is to decide.
MISTAKES = 0.1
# Before any is seen: as if two statements had borne out what clusters say, and one had not.
BORNE_OUT, CONTRADICTED = 2.0, 1.0
# A label that a cluster has not seen yet counts as if half a one were there.
UNSEEN_LABEL = 0.5
# No statement decides alone, however sure somebody is of it.
MOST_WEIGHT = 10.0

# What is nearer to 0 is impossible.
CERTAIN = 1e-13
LABELS = "labels"


class StatementList:
    """All that is stated about samples: constraints of every kind, and labels.

    Parameters
    ----------
    constraints : Constraints
        Pairs, triplets and rules.
    classes : int64 ndarray of shape (n_samples,)
        The class that each sample is labelled with, -1 for none.
    scopes : dict of str to list of bool ndarray
        The samples in the scope of each rule of `constraints`, by kind of rule.

    Examples
    --------
    >>> c = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 2)])
    >>> statements = StatementList(c, np.array([0, -1, -1, 1]), {})
    >>> len(statements), statements.kinds
    (4, ('must_link', 'cannot_link', 'labels'))
    """

    def __init__(
        self, constraints: Constraints, classes: IntArray, scopes: Mapping[str, list[BoolArray]]
    ) -> None:
        self.constraints = constraints
        self.classes = classes
        self.scopes = scopes
        self.labelled = np.flatnonzero(classes >= 0)
        self.sizes = {kind: len(links.rows) for kind, links in constraints.links.items()}
        self.sizes |= {kind: len(masks) for kind, masks in scopes.items()}
        self.sizes[LABELS] = len(self.labelled)
        self.sizes = {kind: size for kind, size in self.sizes.items() if size}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that occur, labels included."""
        return tuple(self.sizes)

    @property
    def labels(self) -> IntArray | None:
        """The classes of labelled samples and -1, as estimators take them; None without labels."""
        return self.classes if len(self.labelled) else None

    def __len__(self) -> int:
        return sum(self.sizes.values())

    def folds(self, n_folds: int, rng: np.random.Generator) -> IntArray:
        """Return a fold for each statement; those of a kind are spread evenly over all folds."""
        shuffled = [rng.permutation(size) for size in self.sizes.values()]
        starts = np.cumsum([0, *self.sizes.values()])
        order = np.concatenate(
            [start + part for start, part in zip(starts, shuffled, strict=False)]
        )
        folds = np.empty(len(self), np.int64)
        folds[order] = np.arange(len(self)) % n_folds
        return folds

    def by_kind(self, mask: AnyArray) -> dict[str, AnyArray]:
        """Return the parts, by kind, of an array that has a place for each statement."""
        ends = np.cumsum([*self.sizes.values()])[:-1]
        return dict(zip(self.sizes, np.split(mask, ends), strict=True))

    def take(self, mask: BoolArray) -> StatementList:
        """Return the statements that a mask chooses."""
        masks = self.by_kind(mask)
        links: dict[str, Any] = {kind: masks.get(kind) for kind in self.constraints.links}
        rules, scopes = [], {}
        for kind, scope in self.scopes.items():
            rows = np.flatnonzero(masks[kind])
            of_kind = [rule for rule in self.constraints.rules if rule.kind == kind]
            rules += [of_kind[row] for row in rows]
            scopes[kind] = [scope[row] for row in rows]
        classes = np.full_like(self.classes, -1)
        if LABELS in masks:
            chosen = self.labelled[masks[LABELS]]
            classes[chosen] = self.classes[chosen]
        return StatementList(self.constraints.take(**links, rules=rules), classes, scopes)

    @property
    def weights(self) -> FloatArray:
        """How much each statement counts."""
        links = self.constraints.links
        parts = [
            links[kind].weights if kind in links else np.ones(size)
            for kind, size in self.sizes.items()
        ]
        return np.asarray(np.minimum(np.concatenate([np.empty(0), *parts]), MOST_WEIGHT))

    def hold(self, shares: FloatArray, labelled: IntArray) -> FloatArray:
        """Return the probability that each statement holds, under the shares of samples.

        Parameters
        ----------
        shares : float64 ndarray of shape (n_samples, n_clusters)
            Of each sample, as a clustering has them that these statements had no part in.
        labelled : int64 ndarray of shape (n_samples,)
            The classes that the clustering was told of, -1 for none: what labels are held against.
        """
        return np.concatenate([np.empty(0), *self._hold(shares, labelled).values()])

    def predictions(self, labels: IntArray, labelled: IntArray) -> FloatArray:
        """Return what clusters say where each statement speaks.

        Of a pair, 1 if the clusters put it together and else 0; of a triplet, 1 if they bear it
        out, 0 if they say something else, and 0.5 if they say nothing; of a label and a rule, the
        logarithm of its probability, of a rule beside what sizes of clusters alone would predict.

        Parameters
        ----------
        labels : int64 ndarray of shape (n_samples,)
            The cluster of each sample, made without these statements.
        labelled : int64 ndarray of shape (n_samples,)
            The classes that the clustering was told of, -1 for none.
        """
        parts = [np.empty(0)]
        for kind in self.kinds:
            if kind in self.constraints.links:
                columns = labels[self.constraints.links[kind].rows].T
                a, b, c = (*columns, None)[:3]
                parts.append((a == b) * 1.0 if c is None else (1 + (a == b) - _meets(a, b, c)) / 2)
            elif kind == LABELS:
                parts.append(_label_logs(labels, self.labelled, self.classes, labelled))
            else:
                parts.append(
                    np.array([_rule_log(labels, scope, kind) for scope in self.scopes[kind]])
                )
        return np.concatenate(parts)

    def log_evidence(self, predictions: FloatArray) -> float:
        """Return the log-probability of the statements, given what clusters say where they speak.

        How often pairs that clusters put together are said to be together, and those that they put
        apart to be apart, is not known: the probability is the mean over all shares, so that
        clusters are judged by what they tell about the statements and not by how sure they are.

        Parameters
        ----------
        predictions : float64 ndarray of shape (n_statements,)
            As `predictions` returns them, in parts; nan for statements that do not count.
        """
        weights = self.by_kind(np.where(np.isnan(predictions), 0, self.weights))
        verdicts = self.by_kind(np.nan_to_num(predictions))
        total = 0.0
        # right[0] of what clusters put apart, right[1] of what they put together
        right, wrong = np.zeros(2), np.zeros(2)
        for kind, (is_right, is_wrong) in AS_SAID.items():
            if kind in verdicts:
                right[is_right] += weights[kind] @ (verdicts[kind] == is_right)
                wrong[is_wrong] += weights[kind] @ (verdicts[kind] == is_wrong)
        total += float(_beta_binomial(right, wrong).sum())
        if "triplets" in verdicts:
            counts = [weights["triplets"] @ (verdicts["triplets"] == each) for each in (0, 0.5, 1)]
            total += float(_beta_binomial(counts[2], counts[0]))
            # Of the two other answers one is as likely as the other; where clusters say nothing,
            # all three are.
            total -= counts[0] * np.log(2) + counts[1] * np.log(3)
        logs = [
            weights[kind] @ verdicts[kind] for kind in verdicts if kind in (LABELS, *self.scopes)
        ]
        return total + float(sum(logs))

    def log_likelihoods(self, hold: FloatArray) -> FloatArray:
        """Return the log-probability of each statement from the probability that it holds."""
        return np.asarray(self.weights * np.log(MISTAKES + (1 - 2 * MISTAKES) * hold))

    def doubts(self, shares: FloatArray) -> dict[str, FloatArray]:
        """Return by kind the probability that each statement is wrong, from shares of clusters."""
        unlabelled = np.full_like(self.classes, -1)
        evidence = Statements(self.constraints, dict(self.scopes), unlabelled).evidence(
            shares.shape[1]
        )
        doubts = evidence.tempered_doubts(np.log(np.maximum(shares[evidence.samples], CERTAIN)))
        # Clusters have no classes: a label is held against the others of its own.
        doubts[LABELS] = 1 - _labels_hold(shares, self.labelled, self.classes, self.classes)
        return {kind: doubts[kind] for kind in self.kinds}

    def _hold(self, shares: FloatArray, labelled: IntArray) -> dict[str, FloatArray]:
        """Return by kind the probability that each statement holds."""
        hold = {}
        for kind in self.kinds:
            if kind in self.constraints.links:
                rows = self.constraints.links[kind].rows
                hold[kind] = PAIRWISE[kind](*(shares[column] for column in rows.T))
            elif kind == LABELS:
                hold[kind] = _labels_hold(shares, self.labelled, self.classes, labelled)
            else:
                hold[kind] = np.array([_rule_holds(shares, s, kind) for s in self.scopes[kind]])
        return hold


def _together(*shares: FloatArray) -> FloatArray:
    """Return the probability that samples are in one cluster."""
    product = shares[0]
    for each in shares[1:]:
        product = product * each
    return np.asarray(product.sum(axis=1))


def _triplet_holds(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Return the probability that c is with both of a and b or with neither."""
    return 1 - _together(a, c) - _together(b, c) + 2 * _together(a, b, c)


# From the shares of the samples of each row to the probability that the statement holds.
PAIRWISE: dict[str, Callable[..., FloatArray]] = {
    "must_link": _together,
    "cannot_link": lambda a, b: 1 - _together(a, b),
    "triplets": _triplet_holds,
}


# By kind, what clusters say if they bear a pair out, and if they do not.
AS_SAID = {"must_link": (1, 0), "cannot_link": (0, 1)}


def _beta_binomial(right: Any, wrong: Any) -> Any:
    """Return the log-probability of so many right and wrong ones, whatever their share is."""
    prior = betaln(BORNE_OUT, CONTRADICTED)
    return betaln(BORNE_OUT + right, CONTRADICTED + wrong) - prior


def _meets(a: IntArray, b: IntArray, c: IntArray) -> BoolArray:
    """Say where c is with a or b."""
    return np.asarray((a == c) | (b == c))


def _label_logs(
    labels: IntArray, samples: IntArray, classes: IntArray, labelled: IntArray
) -> FloatArray:
    """Return the logs of the shares that classes have in the clusters of samples."""
    n_classes = int(max(classes.max(), labelled.max())) + 1
    counts = np.full((int(labels.max()) + 1, n_classes), UNSEEN_LABEL)
    others = np.flatnonzero(labelled >= 0)
    np.add.at(counts, (labels[others], labelled[others]), 1)
    rows = counts[labels[samples]]
    return np.asarray(np.log(rows[np.arange(len(samples)), classes[samples]] / rows.sum(axis=1)))


def _rule_log(labels: IntArray, scope: BoolArray, kind: str) -> float:
    """Return the log-probability of a rule, less what sizes of clusters alone would make of it."""
    shares = np.eye(int(labels.max()) + 1)[labels]
    sizes = np.broadcast_to(shares.mean(axis=0), shares.shape)
    logs = [
        np.log(MISTAKES + (1 - 2 * MISTAKES) * _rule_holds(each, scope, kind))
        for each in (shares, sizes)
    ]
    return float(logs[0] - logs[1])


def _rule_holds(shares: FloatArray, scope: BoolArray, kind: str) -> float:
    """Return the mean probability of the pairs that a rule speaks of to be as it says."""
    inside, outside = shares[scope].sum(axis=0), shares[~scope].sum(axis=0)
    n_inside, n_outside = int(scope.sum()), int((~scope).sum())
    means = []
    if n_inside > 1:
        oneself = float((shares[scope] ** 2).sum())
        means.append((float(inside @ inside) - oneself) / (n_inside * (n_inside - 1)))
    if kind == "exactly" and n_inside and n_outside:
        means.append(1 - float(inside @ outside) / (n_inside * n_outside))
    return float(np.mean(means)) if means else 1.0


def _labels_hold(
    shares: FloatArray, samples: IntArray, classes: IntArray, labelled: IntArray
) -> FloatArray:
    """Return how well samples agree with those of their class and disagree with the others."""
    others = np.flatnonzero(labelled >= 0)
    if not len(others):
        return np.full(len(samples), 0.5)
    together = shares[samples] @ shares[others].T
    is_same = classes[samples][:, np.newaxis] == labelled[others]
    agreement = np.where(is_same, together, 1 - together)
    # A class has fewer members than all others together, and counts as much.
    weights = np.where(is_same, 1 / np.maximum(is_same.sum(axis=1, keepdims=True), 1), 0)
    weights = weights + np.where(
        is_same, 0, 1 / np.maximum((~is_same).sum(axis=1, keepdims=True), 1)
    )
    return np.asarray((weights * agreement).sum(axis=1) / weights.sum(axis=1))
