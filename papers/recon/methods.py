"""The five schemes that the paper compares, and what is measured of each."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from clustraint import Constraints, ReCon
from clustraint.evaluation import constraint_satisfaction, pairwise_f_score
from clustraint.metric import RelativeMetric
from papers._experiment import generator_of, plain
from papers._timing import timed
from papers.recon.data import TableSamples, samples_of

RECON = "ReCon + Euclidean"
RECON_SVM = "ReCon + SVM-Metric"
KMEANS_SVM = "K-Means + SVM-Metric"
HIERARCHICAL = "Hierarchical + Euclidean"
KMEANS = "K-Means + Euclidean"
SCHEMES = (RECON, RECON_SVM, KMEANS_SVM, HIERARCHICAL, KMEANS)

# The paper's C.
C = 1.0
N_STARTS = 10

Fields: TypeAlias = dict[str, Any]
Points: TypeAlias = NDArray[np.float64]


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Fit everything once to tiny data, so that no measured time holds a compilation."""
    X = np.array([[0.0], [1.0], [2.5], [6.0]])
    constraints = Constraints(4, triplets=[(2, 3, 1)])
    model = ReCon(2).fit(X, constraints=constraints)
    model.recut("resolved")
    ReCon(2).fit(X)
    KMeans(2, n_init=1, random_state=0).fit(X)


def five_schemes(table: str, repeat: int, scale: str, constraints: Constraints) -> list[Fields]:
    """Return what each scheme makes of the same triplets."""
    samples = samples_of(table, repeat, scale)
    return [
        {"scheme": RECON, **recon_fields(samples, samples.X, constraints)},
        *with_metric(table, repeat, scale, constraints, (RECON_SVM, KMEANS_SVM)),
        *baselines(table, repeat, scale),
    ]


def with_metric(
    table: str, repeat: int, scale: str, constraints: Constraints, schemes: tuple[str, ...]
) -> list[Fields]:
    """Return what schemes make of the metric learned from triplets; it is learned once."""
    samples = samples_of(table, repeat, scale)
    metric, seconds = timed(lambda: learned_metric(samples.X, constraints))
    points = np.asarray(metric.transform(samples.X), np.float64)
    about = {"metric_kept": plain(metric.score(samples.X, constraints=constraints))}
    records = []
    for scheme in schemes:
        if scheme == RECON_SVM:
            fields = recon_fields(samples, points, constraints)
        else:
            fields = {**kmeans_fields(samples, points, table, repeat), **about}
            fields["weights"] = " ".join(f"{weight:.4g}" for weight in metric.feature_weights_)
        records.append({"scheme": scheme, **fields, "time": fields["time"] + seconds})
    return records


@lru_cache(maxsize=8)
def baselines(table: str, repeat: int, scale: str) -> tuple[Fields, ...]:
    """Return what the two schemes that take no triplets make of a table."""
    samples = samples_of(table, repeat, scale)
    nothing = Constraints(len(samples.y))
    one = pairwise_f_score(samples.y, np.zeros(len(samples.y), np.int64))
    return (
        {"scheme": HIERARCHICAL, **recon_fields(samples, samples.X, nothing), "one_cluster": one},
        {"scheme": KMEANS, **kmeans_fields(samples, samples.X, table, repeat)},
    )


def learned_metric(X: Points, constraints: Constraints) -> RelativeMetric:
    """Return the SVM-Metric; equal weights where nothing can be learned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RelativeMetric(C).fit(X, constraints=constraints)


def recon_fields(samples: TableSamples, points: Points, constraints: Constraints) -> Fields:
    """Return the accuracy of ReCon by its cuts, the paper's first, what they keep, and its time."""
    warm_up()
    method = ReCon(samples.n_classes, cut="levels")
    model, seconds = timed(lambda: method.fit(points, constraints=constraints))
    whole, resolved, last = (model.recut(cut) for cut in ("whole", "resolved", "last"))
    return {
        "f": pairwise_f_score(samples.y, model.labels_),
        "f_whole": pairwise_f_score(samples.y, whole),
        "f_resolved": pairwise_f_score(samples.y, resolved),
        "f_last": pairwise_f_score(samples.y, last),
        "displayed": _share(model.hierarchy_.displays(constraints.triplets)),
        "kept": _kept(constraints, model.labels_),
        "kept_whole": _kept(constraints, whole),
        "kept_resolved": _kept(constraints, resolved),
        "time": seconds,
    }


def seed_of(table: str, repeat: int) -> int:
    """Return the seed of whatever draws at random in a run."""
    return int(generator_of(table, "k-means", repeat).integers(2**31))


def kmeans_fields(samples: TableSamples, points: Points, table: str, repeat: int) -> Fields:
    """Return the accuracy of k-means, the best of ten starts, and its CPU seconds."""
    warm_up()
    model = KMeans(samples.n_classes, n_init=N_STARTS, random_state=seed_of(table, repeat))
    with warnings.catch_warnings():
        # A metric may leave fewer distinct points than clusters.
        warnings.simplefilter("ignore")
        labels, seconds = timed(lambda: model.fit_predict(points))
    return {"f": pairwise_f_score(samples.y, labels), "time": seconds}


def _share(which: NDArray[np.bool_]) -> float | None:
    return float(which.mean()) if len(which) else None


def _kept(constraints: Constraints, labels: NDArray[np.int32]) -> float | None:
    """Return the share of triplets that a partition satisfies (the paper's definition 4.2)."""
    if not len(constraints.triplets):
        return None
    report = constraint_satisfaction(constraints, labels)["triplets"]
    return report.satisfied / report.total
