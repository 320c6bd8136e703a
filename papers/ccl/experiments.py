"""What is run: cells, grids and the experiments of figures 8 to 12."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.metrics.cluster import contingency_matrix

from clustraint.constraints import PAIR_KINDS, Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.typing import FloatArray, IntArray
from papers._experiment import Experiment, Record, Size, generator_of
from papers._guests import Challenge, Problem
from papers.ccl import figures
from papers.ccl.data import (
    BY_SEX,
    MIXES,
    REAL,
    SYNTHETIC,
    ClusteringTask,
    Mix,
    links,
    neighbours,
    task,
)
from papers.ccl.methods import (
    METHODS,
    MIX_METHODS,
    Fields,
    FitOutcome,
    clustered,
    free_accuracy,
    outliers,
    shape,
)

REPEATS: dict[Size, int] = {"quick": 5, "full": 50}
SYNTHETIC_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 10, 30, 100),
    "full": (0, 5, 10, 20, 30, 50, 75, 100, 150),
}
REAL_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100, 300),
    "full": (0, 10, 25, 50, 75, 100, 150, 200, 300),
}
# Fifteen classes and 562 samples: the same number of pairs says less about each.
SOYBEAN_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100, 500),
    "full": (0, 10, 25, 50, 100, 200, 300, 500, 1000),
}
MIX_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100),
    "full": (0, 10, 25, 50, 100, 200),
}
PICTURED = ("circles", "cell-walls", "storm-clouds", "xor", "iris", "crabs")
PROJECTED = ("iris", "crabs")


# The size of crabs, their first component, hides their species.
COMPONENTS = {"crabs": (1, 2)}


def accuracy(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare all methods on random pairs as they come (figures 8 and 9)."""
    records = []
    for method, outcome in _outcomes(METHODS, table, n_pairs, "pairs as drawn", repeat):
        records.append(_measured(method, outcome, table, repeat))
        if outcome.labels is not None:
            records[-1] |= _seen(outcome.labels, outcome.constraints, table, repeat)
    return records


def mixes(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare CCL and COP-k-means on constraints of each mix (figure 11)."""
    return [
        {"mix": mix, **_measured(method, outcome, table, repeat)}
        for mix in MIXES
        for method, outcome in _outcomes(MIX_METHODS, table, n_pairs, mix, repeat)
    ]


def accuracy_problems(*, table: str, n_pairs: int, repeat: int) -> Iterator[Problem]:
    """Yield what the methods of figures 8 and 9 are given."""
    yield _problem(table, n_pairs, "pairs as drawn", repeat)


def mix_problems(*, table: str, n_pairs: int, repeat: int) -> Iterator[Problem]:
    """Yield what the methods of figure 11 are given."""
    for mix in MIXES:
        yield _problem(table, n_pairs, mix, repeat)


def _problem(table: str, n_pairs: int, mix: Mix, repeat: int) -> Problem:
    problem = task(table, repeat)
    constraints = links(problem.y, n_pairs, mix, table, repeat)

    def score(model: Any) -> Record:
        return {"cri": free_accuracy(problem.y, model.labels_, constraints)}

    seed = _seed(table, n_pairs, repeat)
    return Problem(problem.vectors, constraints, problem.n_clusters, seed, score, {"mix": mix})


def _seed(table: str, n_pairs: int, repeat: int) -> int:
    return int(generator_of("ccl seed", table, n_pairs, repeat).integers(2**31))


def _outcomes(
    methods: Sequence[str], table: str, n_pairs: int, mix: Mix, repeat: int
) -> Iterator[tuple[str, FitOutcome]]:
    problem = task(table, repeat)
    constraints = links(problem.y, n_pairs, mix, table, repeat)
    for method in methods:
        seed = _seed(table, n_pairs, repeat)
        yield method, clustered(method, problem, constraints, n_pairs, seed)


def _measured(method: str, outcome: FitOutcome, table: str, repeat: int) -> Fields:
    constraints, labels = outcome.constraints, outcome.labels
    accuracy = None if labels is None else free_accuracy(task(table, repeat).y, labels, constraints)
    return {
        "method": method,
        "failed": labels is None,
        "must_links": len(constraints.must_link),
        "cannot_links": len(constraints.cannot_link),
        "cri": accuracy,
    }


def _seen(labels: Any, constraints: Constraints, table: str, repeat: int) -> Fields:
    """Return what the clusters look like: broken constraints, outliers, straight borders."""
    report = constraint_satisfaction(constraints, labels)
    fields: Fields = {"violated": sum(kind.violated for kind in report.values())}
    if table not in SYNTHETIC:
        return fields
    if not len(constraints.must_link) + len(constraints.cannot_link):
        return fields | shape(labels, task(table, repeat).vectors)
    return fields | {"outliers": outliers(labels, constraints, neighbours(table, repeat))}


def pictures(*, table: str) -> list[Fields]:
    """Return the clusters and constraints that figure 12 shows of a table, as compact texts."""
    problem = task(table, 0)
    shown: Fields = {"points": _joined(plane(table, problem).round(3))}
    records: list[Fields] = [
        {"method": figures.TARGET, "n_pairs": 0, **shown, "clusters": _joined(problem.y)}
    ]
    for method in figures.PICTURED_METHODS:
        records += [
            {"method": method, "n_pairs": n_pairs, **shown, **_pictured(method, table, n_pairs)}
            for n_pairs in figures.COUNTS
        ]
    return records


def _pictured(method: str, table: str, n_pairs: int) -> Fields:
    problem = task(table, 0)
    constraints = links(problem.y, n_pairs, "pairs as drawn", table, 0)
    seed = int(generator_of("ccl picture", table, n_pairs).integers(2**31))
    outcome = clustered(method, problem, constraints, n_pairs, seed)
    pairs, labels = outcome.constraints, outcome.labels
    if labels is None:
        return {"clusters": None, "must_link": "", "cannot_link": ""}
    return {
        "clusters": _joined(as_classes(problem.y, labels)),
        "must_link": _joined(pairs.must_link),
        "cannot_link": _joined(pairs.cannot_link),
        "cri": free_accuracy(problem.y, labels, pairs),
    }


def plane(table: str, problem: ClusteringTask) -> FloatArray:
    """Return where samples are drawn, (n_samples, 2): as they are, or on two main components."""
    if table in SYNTHETIC:
        return problem.vectors
    components = COMPONENTS.get(table, (0, 1))
    scores = PCA(n_components=3, svd_solver="full").fit_transform(problem.vectors)
    return np.asarray(scores[:, components])


def as_classes(y: IntArray, labels: Any) -> IntArray:
    """Return clusters renumbered as the classes that they match best, so that colours agree."""
    classes, clusters = linear_sum_assignment(-contingency_matrix(y, labels))
    renamed = np.empty(len(clusters), np.int64)
    renamed[clusters] = classes
    return np.asarray(renamed[np.unique(labels, return_inverse=True)[1]])


def _joined(numbers: Any) -> str:
    return " ".join(f"{number:g}" for number in np.ravel(numbers))


def projections(*, table: str) -> list[Fields]:
    """Return what the principal components of a table say, of its variance and of its classes."""
    problem = task(table, 0)
    analysis = PCA(n_components=3, svd_solver="full").fit(problem.vectors)
    scores = analysis.transform(problem.vectors)
    return [
        {
            "component": number + 1,
            "variance": float(analysis.explained_variance_ratio_[number]),
            "between_classes": between_classes(scores[:, number], problem.y),
            "same_sign": bool(len(np.unique(np.sign(analysis.components_[number]))) == 1),
        }
        for number in range(3)
    ]


def between_classes(values: FloatArray, y: IntArray) -> float:
    """Return the share of the variance of values that lies between the means of classes.

    Examples
    --------
    >>> import numpy as np
    >>> between_classes(np.array([0.0, 1.0, 4.0, 5.0]), np.array([0, 0, 1, 1])).__round__(3)
    0.941
    """
    sizes = np.bincount(y)
    means = np.bincount(y, values) / sizes
    spread = ((values - values.mean()) ** 2).sum()
    return float((sizes * (means - values.mean()) ** 2).sum() / spread)


def synthetic(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 8."""
    for repeat in range(REPEATS[size]):
        for table, n_pairs in product(SYNTHETIC, SYNTHETIC_COUNTS[size]):
            yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def real(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 9."""
    for repeat in range(REPEATS[size]):
        for table in (*REAL, BY_SEX):
            counts = SOYBEAN_COUNTS if table == "soybean-large" else REAL_COUNTS
            for n_pairs in counts[size]:
                yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def mixed(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 11."""
    for repeat in range(REPEATS[size]):
        for table, n_pairs in product((*REAL, *SYNTHETIC), MIX_COUNTS[size]):
            yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def pictured(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 12, the same for both sizes."""
    for table in PICTURED:
        yield {"table": table}


def projected(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 10, the same for both sizes."""
    for table in PROJECTED:
        yield {"table": table}


PROTOCOL = (
    "CCL and COP-k-means get the same constraints; active CCL may ask as many questions. "
    "COP-k-means is shown as a single random start that assigns sample by sample (the paper's "
    "baseline), as the best of ten such starts by inertia, and as a single random start whose dead "
    "ends are solved exactly, so that it never fails."
)
ACCURACY = {"cri": "accuracy (CRI)"}
CHALLENGE = Challenge(accuracy_problems, PAIR_KINDS, ACCURACY, panels=("table",), x="n_pairs")
REPEATED = (
    "50 repetitions (5 in the quick run; the paper names no number), each with its rows shuffled "
    "and its own random pairs, fewer of which are always among more."
)

EXPERIMENTS = (
    Experiment(
        name="figure-8",
        title="How accurate are CCL, active CCL and COP-k-means on shapes?",
        protocol=f"{PROTOCOL} {REPEATED}",
        run=accuracy,
        grid=synthetic,
        show=figures.show_synthetic,
        challenge=CHALLENGE,
    ),
    Experiment(
        name="figure-9",
        title="How accurate are they on real data?",
        protocol=f"{PROTOCOL} {REPEATED}",
        run=accuracy,
        grid=real,
        show=figures.show_real,
        challenge=CHALLENGE,
    ),
    Experiment(
        name="figure-10",
        title="What do the principal components say of the classes?",
        protocol="Of the whole data, features as they are. The paper draws the samples; here "
        "the components are measured.",
        run=projections,
        grid=projected,
        show=figures.show_projections,
    ),
    Experiment(
        name="figure-11",
        title="Does it matter whether constraints are must-links or cannot-links?",
        protocol="Pairs as drawn, must-links alone, cannot-links alone, and half of each, for "
        f"CCL and for COP-k-means. {REPEATED}",
        run=mixes,
        grid=mixed,
        show=figures.show_mixes,
        challenge=Challenge(
            mix_problems, PAIR_KINDS, ACCURACY, panels=("table", "mix"), x="n_pairs"
        ),
    ),
    Experiment(
        name="figure-12",
        title="What do the clusters look like?",
        protocol="The first repetition of figures 8 and 9, with no, 10 and 30 constraints; "
        "COP-k-means has its dead ends solved.",
        run=pictures,
        grid=pictured,
        show=figures.show_pictures,
    ),
)
