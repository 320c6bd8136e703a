"""What a cell does: methods side by side on the same constraints."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from clustraint import ClusteringTree, Constraints
from clustraint.evaluation import CrossValidatedRand, cross_validated_rand
from clustraint.exceptions import NoFeasibleClusteringError
from papers._experiment import Record, generator_of
from papers._guests import Problem
from papers._timing import timed
from papers.clusilc.methods import METHODS, warm_up
from papers.clusilc.tables import samples


class Draw(NamedTuple):
    """Which random set of constraints, and of which table.

    Attributes
    ----------
    table : str
        The table.
    n_pairs : int
        How many pairs are drawn.
    repeat : int
        The number of the set.
    """

    table: str
    n_pairs: int
    repeat: int

    def generator(self, *parts: str | int) -> np.random.Generator:
        """Return the source of randomness of this draw, or of a part of it."""
        return generator_of("clusilc", *self, *parts)

    @property
    def seed(self) -> int:
        """Where the starts of COP-k-means come from, the same for all its variants."""
        return int(self.generator("start").integers(2**31))

    def constraints(self, number: int = 0) -> Constraints:
        """Return the pairs on all samples; further sets where the first one will not do."""
        y = samples(self.table)[1]
        rng = self.generator("all", number)
        return Constraints.from_labels(y, n_pairs=self.n_pairs, random_state=rng)

    @property
    def n_clusters(self) -> int:
        """The number of classes, which every method is told."""
        return int(samples(self.table)[1].max()) + 1

    def method(self, name: str) -> Any:
        """Return a clusterer for the table."""
        return METHODS[name](self.n_clusters, self.seed)


def compare(
    *, table: str, n_pairs: int, repeat: int, n_folds: int, methods: str
) -> Iterator[Record]:
    """Cluster a table by several methods under the same constraints.

    Parameters
    ----------
    table : str
        The table.
    n_pairs : int
        How many pairs are drawn, from all samples and again from all but each fold.
    repeat : int
        The number of the constraint set.
    n_folds : int
        The folds of the cross-validation; 0 leaves it out.
    methods : str
        Names in `METHODS`, joined by "+". The first one is compared with the others.

    Yields
    ------
    Record
        One for each method: how it does on all data and in cross-validation.
    """
    warm_up()
    draw = Draw(table, n_pairs, repeat)
    names = methods.split("+")
    folds = [_cross_validated(draw, draw.method(name), n_folds) for name in names]
    for name, estimates in zip(names, folds, strict=True):
        yield {"method": name, **_all_data(draw, name), **_held_out(estimates, folds[0])}


def problems(
    *, table: str, n_pairs: int, repeat: int, n_folds: int, methods: str
) -> Iterator[Problem]:
    """Yield what the methods of a comparison are given; folds and pairs are the same as theirs."""
    draw = Draw(table, n_pairs, repeat)
    X, y = samples(table)

    def score(model: Any) -> Record:
        estimates = _cross_validated(draw, clone(model), n_folds)
        held_out = {} if estimates is None else {"cv_rand": estimates.mean}
        return {"rand": _rand(y, model.labels_), **held_out}

    yield Problem(X, draw.constraints(), draw.n_clusters, draw.seed, score)


def _all_data(draw: Draw, name: str) -> dict[str, Any]:
    X, y = samples(draw.table)
    constraints, model = draw.constraints(), draw.method(name)
    start = time.process_time()
    try:
        model.fit(X, constraints=constraints)
    except NoFeasibleClusteringError:
        return {"failed": True, "fit_seconds": time.process_time() - start}
    took = time.process_time() - start
    return {
        "failed": False,
        "fit_seconds": took,
        "rand": _rand(y, model.labels_),
        "violated": _violated(constraints, model.labels_),
        **(_size(model) if isinstance(model, ClusteringTree) else {}),
    }


def _rand(y: Any, labels: Any) -> float:
    from sklearn.metrics import rand_score

    return float(rand_score(y, labels))


def _violated(constraints: Constraints, labels: Any) -> float:
    """Return the share of the given constraints that a clustering does not keep."""
    apart = labels[constraints.must_link[:, 0]] != labels[constraints.must_link[:, 1]]
    joined = labels[constraints.cannot_link[:, 0]] == labels[constraints.cannot_link[:, 1]]
    broken = np.concatenate((apart, joined))
    return float(broken.mean()) if len(broken) else 0.0


def _size(model: ClusteringTree) -> dict[str, int]:
    n_nodes = len(model.tree_.label)
    return {
        "n_nodes": n_nodes,
        "n_leaves": (n_nodes + 1) // 2,
        "n_labels": len(np.unique(model.labels_)),
    }


def _cross_validated(draw: Draw, model: Any, n_folds: int) -> CrossValidatedRand | None:
    if not n_folds:
        return None
    X, y = samples(draw.table)
    # A generator of its own for each method, so that all see the same folds and pairs.
    rng = draw.generator("folds")
    return cross_validated_rand(
        model, X, y, n_pairs=draw.n_pairs, n_folds=n_folds, random_state=rng
    )


def _held_out(
    estimates: CrossValidatedRand | None, first: CrossValidatedRand | None
) -> dict[str, Any]:
    """Return the cross-validated Rand index, and how far the first method leads in those folds."""
    if estimates is None or first is None:
        return {}
    leads = first.scores - estimates.scores
    present = leads[~np.isnan(leads)]
    return {
        "cv_rand": estimates.mean,
        "cv_failures": estimates.failures,
        "cv_lead": float(present.mean()) if len(present) else np.nan,
    }


def attempt(
    *, table: str, n_pairs: int, repeat: int, methods: str, max_sets: int
) -> Iterator[Record]:
    """Count on how many constraint sets the variants of COP-k-means end without a clustering.

    Parameters
    ----------
    table : str
        The table.
    n_pairs : int
        How many pairs are drawn, from all samples.
    repeat : int
        The number of the trial.
    methods : str
        Names in `METHODS`, joined by "+".
    max_sets : int
        How many sets "instance", the paper's variant, may draw until it finds a clustering; the
        others have the first one.

    Yields
    ------
    Record
        One for each method: whether the first set failed, how many were drawn, and whether one
        of them was clustered.
    """
    warm_up()
    draw = Draw(table, n_pairs, repeat)
    for name in methods.split("+"):
        most = max_sets if name == "instance" else 1
        (n_sets, is_found), took = timed(partial(_sets_needed, draw, name, most))
        failed = n_sets > 1 or not is_found
        yield {
            "method": name,
            "failed": failed,
            "n_sets": n_sets,
            "found": is_found,
            "seconds_per_set": took / n_sets,
        }


def _sets_needed(draw: Draw, name: str, max_sets: int) -> tuple[int, bool]:
    X = samples(draw.table)[0]
    model = draw.method(name)
    for number in range(max_sets):
        try:
            model.set_params(random_state=draw.seed + number)
            model.fit(X, constraints=draw.constraints(number))
        except NoFeasibleClusteringError:
            continue
        return number + 1, True
    return max_sets, False
