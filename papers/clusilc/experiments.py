"""What is run: cells, grids and the experiments."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import clone

from clustraint import ClusteringTree, Constraints
from clustraint.constraints import PAIR_KINDS
from clustraint.evaluation import CrossValidatedRand, cross_validated_rand
from clustraint.exceptions import NoFeasibleClusteringError
from papers._experiment import Experiment, Record, Size
from papers._guests import Challenge, Problem
from papers.clusilc import figures
from papers.clusilc.data import LARGE, SMALL, Draw, samples
from papers.clusilc.first_round import ends_at_once
from papers.clusilc.methods import METHODS, warm_up

N_SETS = {"quick": 4, "full": 60}
# The paper gives no x values; these go from nothing to where COP-k-means knows every class.
PAIRS = dict.fromkeys(SMALL, (0, 50, 100, 200, 500, 1000)) | {
    "yeast": (0, 100, 500, 1000, 2000),
    "image-segmentation": (0, 100, 500, 2000),
    "pendigits-train": (0, 500, 2000, 5000),
}
QUICK_PAIRS = dict.fromkeys(SMALL, (0, 100, 1000)) | {
    "yeast": (0, 500, 2000),
    "image-segmentation": (0, 500, 2000),
    "pendigits-train": (0, 500, 5000),
}
# Where COP-k-means needs still more pairs to know every class: without cross-validation.
FAR_PAIRS = {
    "glass": (2000,),
    "ecoli": (2000,),
    "balance-scale": (2000,),
    "yeast": (3000,),
    "image-segmentation": (5000, 10_000),
    "pendigits-train": (10_000, 20_000),
}
# From these counts on "auto" is left out: single fits took 10 to 21 s (pendigits not timed).
SOLVED_BELOW = {"yeast": 1500, "image-segmentation": 3000, "pendigits-train": 15_000}
FAILURE_PAIRS = (50, 100, 200, 300, 500, 1000)
QUICK_FAILURE_PAIRS = (100, 300, 1000)
MAX_SETS = 100
# The paper draws up to 100,000; a tenth of that is over nine times its largest mean.
MAX_REDRAWS = 10_000
RULE_PAIRS = (50, 200, 500)
QUICK_RULE_PAIRS = (50, 500)
RULE_REPEATS_IN_FOLDS = 10
N_FOLDS = 10


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
    folds = [_cross_validated(draw, _made(draw, name), n_folds) for name in names]
    # As in the paper, all methods have the first set that its COP-k-means can cluster.
    n_sets, is_found = (
        _sets_needed(draw, "authors", MAX_REDRAWS) if "authors" in names else (1, True)
    )
    number = n_sets - 1 if is_found else 0
    for name, estimates in zip(names, folds, strict=True):
        record = {"method": name, "n_sets": n_sets, **_all_data(draw, name, number)}
        yield {**record, **_held_out(estimates, folds[0])}


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


def _made(draw: Draw, name: str) -> Any:
    return METHODS[name](draw.n_clusters, draw.seed)


def _all_data(draw: Draw, name: str, number: int) -> dict[str, Any]:
    X, y = samples(draw.table)
    constraints, model = draw.constraints(number), _made(draw, name)
    if name == "authors":
        model.set_params(random_state=draw.seed + number)
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
        How many sets "instance", Wagstaff's variant, may draw until it finds a clustering; the
        authors' own may draw `MAX_REDRAWS`, the others have the first one.

    Yields
    ------
    Record
        One for each method: whether the first set failed, how many were drawn, and whether one
        of them was clustered.
    """
    warm_up()
    draw = Draw(table, n_pairs, repeat)
    for name in methods.split("+"):
        most = {"authors": MAX_REDRAWS, "instance": max_sets}.get(name, 1)
        n_sets, is_found = _sets_needed(draw, name, most)
        failed = n_sets > 1 or not is_found
        yield {"method": name, "failed": failed, "n_sets": n_sets, "found": is_found}


# Two experiments ask the same of the same draws, one soon after the other.
@lru_cache(maxsize=1000)
def _sets_needed(draw: Draw, name: str, max_sets: int) -> tuple[int, bool]:
    X = samples(draw.table)[0]
    model, seed = _made(draw, name), draw.seed
    for number in range(max_sets):
        if name == "authors" and ends_at_once(draw, number, seed + number):
            continue
        try:
            model.set_params(random_state=seed + number)
            model.fit(X, constraints=draw.constraints(number))
        except NoFeasibleClusteringError:
            continue
        return number + 1, True
    return max_sets, False


def figure_5(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 5: all data and, but for the largest counts, ten folds."""
    pairs = QUICK_PAIRS if size == "quick" else PAIRS
    for repeat in range(N_SETS[size]):
        for table, counts in pairs.items():
            for n_pairs in counts:
                yield _comparison(table, n_pairs, repeat, N_FOLDS)
            for n_pairs in FAR_PAIRS.get(table, ()) if size == "full" else ():
                yield _comparison(table, n_pairs, repeat, 0)


def _comparison(table: str, n_pairs: int, repeat: int, n_folds: int) -> Record:
    solved = table not in LARGE or n_pairs < SOLVED_BELOW[table]
    return {
        "table": table,
        "n_pairs": n_pairs,
        "repeat": repeat,
        "n_folds": n_folds,
        "methods": "tree+authors+instance+auto" if solved else "tree+authors+instance",
    }


def failures(size: Size) -> Iterator[Record]:
    """Yield the cells that count failures of COP-k-means, on the tables below 1,000 samples."""
    pairs = QUICK_FAILURE_PAIRS if size == "quick" else FAILURE_PAIRS
    for repeat in range(N_SETS[size]):
        for table in SMALL:
            for n_pairs in pairs:
                yield {
                    "table": table,
                    "n_pairs": n_pairs,
                    "repeat": repeat,
                    "methods": "authors+instance+component+auto+exact",
                    "max_sets": MAX_SETS,
                }


def label_rules(size: Size) -> Iterator[Record]:
    """Yield the cells that compare label rules; ten sets are cross-validated, all on all data."""
    pairs = QUICK_RULE_PAIRS if size == "quick" else RULE_PAIRS
    for repeat in range(2 if size == "quick" else N_SETS[size]):
        for table in SMALL:
            for n_pairs in pairs:
                yield {
                    "table": table,
                    "n_pairs": n_pairs,
                    "repeat": repeat,
                    "n_folds": N_FOLDS if repeat < RULE_REPEATS_IN_FOLDS else 0,
                    "methods": "tree+any+counted+conjunctive",
                }


FIGURE_5 = Experiment(
    "figure-5",
    "How well do clustering trees and COP-k-means find the classes, with growing knowledge?",
    "60 random sets of pairs for each table and number of pairs; pairs become must-links or "
    "cannot-links by the classes, and both methods add what they entail. All samples are clustered "
    "with pairs from all data, and again for each of ten folds with pairs from the other nine; the "
    "Rand index is that of all samples, and the mean of those within each fold. The number of "
    "clusters is the number of declared classes; gamma = 0.5, at least 2 samples a leaf. "
    "COP-k-means is the authors' own; on all data sets are drawn until it finds a clustering, "
    "within folds those that it cannot cluster are left out. Beside it: one start of Wagstaff's, "
    "from random samples.",
    compare,
    figure_5,
    figures.show_figure_5,
    Challenge(
        problems,
        PAIR_KINDS,
        {"rand": "Rand index", "cv_rand": "Rand index, cross-validated"},
        panels=("table",),
        x="n_pairs",
    ),
)
FAILURES = Experiment(
    "failures",
    "How often does COP-k-means end without a clustering?",
    "60 trials for each table below 1,000 samples and number of pairs, pairs from all data, one "
    "start. The authors' COP-k-means draws new sets until one can be clustered, as in the paper, "
    f'{MAX_REDRAWS:,} at the most, and "instance", one sample after the other, {MAX_SETS} at the '
    "most; the other ways of assignment have the first set of each trial.",
    attempt,
    failures,
    figures.show_failures,
)
LABEL_RULES = Experiment(
    "label-rules",
    "Which labels may a new leaf take?",
    "The tree as its authors' program grows it (labels of must-linked samples), as the text says "
    "(any label), with entailed cannot-links counted as often as they are entailed (their program "
    "does), and with one leaf for each cluster; 60 sets of pairs on all data, the first ten of "
    "them cross-validated, on the tables below 1,000 samples.",
    compare,
    label_rules,
    figures.show_label_rules,
)
EXPERIMENTS = (FIGURE_5, FAILURES, LABEL_RULES)
