"""The methods, as data: ours, and the peers that answer the same question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import peers
from benchmarks.accuracy.knowledge import Knowledge
from benchmarks.accuracy.tables import AccuracyTable
from clustraint import Constraints

IntArray = NDArray[np.int64]

PAIRS = frozenset({"pairs", "labels", "rules"})
TRIPLETS = frozenset({"triplets"})
EVERYTHING = PAIRS | TRIPLETS
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ScoredMethod:
    """What is compared.

    `takes` names the kinds of statements that count; of a mixture, others are left out. A method
    that takes nothing is plain: it is run once for each table and seed. `fit` gets the table, what
    is known and a seed, and returns a model with `labels_`. Tables of more samples than `limit`
    would take it minutes. `tuned_on` says which tables were looked at when defaults were chosen.
    """

    name: str
    package: str
    takes: frozenset[str]
    fit: Callable[[AccuracyTable, Knowledge, int], Any]
    limit: int | None = None
    tuned_on: str = "none"

    @property
    def is_plain(self) -> bool:
        return not self.takes

    def takes_part(self, kind: str) -> bool:
        """Whether a run with such statements says anything about the method."""
        return not self.is_plain and (kind == "mixture" or kind in self.takes)


def as_pairs(data: AccuracyTable, statements: Knowledge) -> Constraints:
    """Return pairs that say what pairs, labels and rules say."""
    constraints = statements.constraints.restrict(
        kinds=("must_link", "cannot_link", "together", "exactly")
    )
    if constraints.rules:
        constraints = constraints.expand_rules(data.X)
    labelled = np.flatnonzero(statements.labels >= 0)
    rows = np.array(list(combinations(labelled, 2)), np.int64).reshape(-1, 2)
    same = statements.labels[rows[:, 0]] == statements.labels[rows[:, 1]]
    return constraints | Constraints(len(data.y), must_link=rows[same], cannot_link=rows[~same])


def estimator(name: str, data: AccuracyTable, seed: int, **options: Any) -> Any:
    """Return an estimator of ours for as many clusters as there are classes."""
    kind = getattr(import_module("clustraint"), name)
    return kind(data.n_classes, random_state=seed, **options)


def by_pairs(
    name: str, data: AccuracyTable, statements: Knowledge, seed: int, **options: Any
) -> Any:
    """Fit an estimator of ours to pairs alone."""
    model = estimator(name, data, seed, **options)
    return model.fit(data.X, constraints=as_pairs(data, statements))


def by_pairs_and_seeds(name: str, data: AccuracyTable, statements: Knowledge, seed: int) -> Any:
    """Fit an estimator of ours that starts from known labels."""
    labels = statements.labels if (statements.labels >= 0).any() else None
    model = estimator(name, data, seed)
    return model.fit(data.X, labels, constraints=as_pairs(data, statements))


def by_everything(
    name: str, data: AccuracyTable, statements: Knowledge, seed: int, **options: Any
) -> Any:
    """Fit an estimator of ours that takes all kinds, and known labels as y."""
    labels = statements.labels if (statements.labels >= 0).any() else None
    model = estimator(name, data, seed, **options)
    return model.fit(data.X, labels, constraints=statements.constraints)


def by_links_and_triplets(name: str, data: AccuracyTable, statements: Knowledge, seed: int) -> Any:
    """Fit an estimator of ours that takes pairs and triplets."""
    constraints = as_pairs(data, statements) | statements.constraints.restrict(kinds="triplets")
    return estimator(name, data, seed).fit(data.X, constraints=constraints)


def complete_linkage(data: AccuracyTable, statements: Knowledge, seed: int) -> Any:
    from clustraint import ConstrainedCompleteLinkage

    # Contradictory pairs are an error, as they are to whoever uses it.
    return ConstrainedCompleteLinkage(data.n_classes).fit(
        data.X, constraints=as_pairs(data, statements)
    )


def recon(data: AccuracyTable, statements: Knowledge, seed: int) -> Any:
    from clustraint import ReCon

    constraints = statements.constraints.restrict(kinds="triplets")
    return ReCon(data.n_classes, noise="repair").fit(data.X, constraints=constraints)


def pairs_of(data: AccuracyTable, statements: Knowledge) -> peers.Pairs:
    constraints = as_pairs(data, statements)
    return constraints.must_link, constraints.cannot_link


def peer_by_pairs(
    fit: Callable[..., Any], data: AccuracyTable, statements: Knowledge, seed: int
) -> Any:
    return fit(data.X, data.n_classes, *pairs_of(data, statements), seed)


# Starts were chosen after a look at 13 tables of both halves: for these the halves are no test.
BOTH_HALVES = "both halves"
OURS = "clustraint"
SCIKIT_LEARN = "scikit-learn"
ACTIVE = "active-semi-supervised-clustering"
METHODS = {
    method.name: method
    for method in (
        ScoredMethod(
            "k-means", SCIKIT_LEARN, NOTHING, lambda d, _, s: peers.k_means(d.X, d.n_classes, s)
        ),
        ScoredMethod(
            "Gaussian mixture (tied)",
            SCIKIT_LEARN,
            NOTHING,
            lambda d, _, s: peers.gaussian_mixture(d.X, d.n_classes, s),
        ),
        ScoredMethod(
            "spectral clustering",
            SCIKIT_LEARN,
            NOTHING,
            lambda d, _, s: peers.spectral(d.X, d.n_classes, s),
        ),
        ScoredMethod("COPKMeans", OURS, PAIRS, partial(by_pairs, "COPKMeans")),
        ScoredMethod(
            "COPKMeans, soft", OURS, PAIRS, partial(by_pairs, "COPKMeans", assignment="soft")
        ),
        ScoredMethod("ConstrainedCompleteLinkage", OURS, PAIRS, complete_linkage),
        ScoredMethod(
            "PCKMeans",
            OURS,
            PAIRS,
            partial(by_pairs_and_seeds, "PCKMeans"),
            tuned_on=BOTH_HALVES,
        ),
        ScoredMethod(
            "MPCKMeans",
            OURS,
            PAIRS,
            partial(by_pairs_and_seeds, "MPCKMeans"),
            tuned_on=BOTH_HALVES,
        ),
        ScoredMethod("ReCon", OURS, TRIPLETS, recon),
        ScoredMethod(
            "ConstrainedMixture",
            OURS,
            EVERYTHING,
            partial(by_everything, "ConstrainedMixture"),
            tuned_on="iris and wine",
        ),
        ScoredMethod(
            "ConstraintPropagation",
            OURS,
            EVERYTHING,
            partial(by_links_and_triplets, "ConstraintPropagation"),
            tuned_on="the first half",
        ),
        ScoredMethod(
            "BestClusterer",
            OURS,
            EVERYTHING,
            partial(by_everything, "BestClusterer"),
            tuned_on="the first half; odds after a look at both, before that iris and newsgroups",
        ),
        ScoredMethod("E2CP", "Lu & Ip 2010", PAIRS, partial(peer_by_pairs, peers.e2cp)),
        ScoredMethod(
            "COP-k-means", ACTIVE, PAIRS, partial(peer_by_pairs, peers.cop_k_means), limit=220
        ),
        ScoredMethod(
            "PCK-means", ACTIVE, PAIRS, partial(peer_by_pairs, peers.pck_means), limit=600
        ),
        ScoredMethod(
            "MPCK-means", ACTIVE, PAIRS, partial(peer_by_pairs, peers.mpck_means), limit=220
        ),
        ScoredMethod(
            "label spreading",
            SCIKIT_LEARN,
            frozenset({"labels"}),
            lambda d, statements, _: peers.label_spreading(d.X, statements.labels),
        ),
    )
}
# What knowledge must never fall behind.
PLAIN = "k-means"


def is_here(method: ScoredMethod) -> bool:
    """Tell whether the package of a method is installed and has it."""
    if method.package == OURS:
        function = method.fit
        name = function.args[0] if isinstance(function, partial) else method.name
        return hasattr(import_module("clustraint"), name)
    if method.package == ACTIVE:
        return peers.has_active_semi_clustering()
    return True
