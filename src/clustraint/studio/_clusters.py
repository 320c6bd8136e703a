"""From what holds to clusters that go on from the ones shown, with their numbers kept."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.pipeline import Pipeline
from threadpoolctl import ThreadpoolController

from clustraint.cluster import COPKMeans
from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, StudioRequestError
from clustraint.studio._log import KeptClustering
from clustraint.studio._rows import read_rows
from clustraint.studio._samples import StudioSamples
from clustraint.studio._state import State
from clustraint.typing import FloatArray, IntArray
from clustraint.workflow import Choice, choose, methods

# Methods that go on from centres; the others give the same clusters for the same statements.
WARM = ("cop-kmeans", "pc-kmeans")
# Methods that compare all pairs of samples: above this number, they cluster representatives.
COARSE = ("complete-linkage", "recon", "ihac", "bihac")
FEW_SAMPLES = 2_000
N_INIT = 4
AUTO = "auto"
threads = ThreadpoolController()


class FittedClusters(NamedTuple):
    """Clusters of the samples, and how they were found.

    Attributes
    ----------
    labels : int64 ndarray of shape (n_samples,)
        The number of the cluster of each sample.
    start : float64 ndarray of shape (n_clusters, n_features), or None
        The centres that the method began with.
    about : dict
        Method, reason, seconds, and the number of each of the method's own labels.
    pipeline : Pipeline
        The fitted steps.
    few : StandIns or None
        Who stood for whom, if not everybody for themselves.
    """

    labels: IntArray
    start: FloatArray | None
    about: dict[str, Any]
    pipeline: Any
    few: StandIns | None


def chosen(samples: StudioSamples, state: State, constraints: Constraints) -> Choice:
    """Return the method, and why.

    A method that changes with the first statements would move samples that nobody spoke of. So
    whatever was said, pairs act by complete linkage where it can be used.
    """
    table, settings = samples.table, state.settings
    method, kinds = settings.method, {*constraints.kinds}
    others = kinds - {"triplets"}
    if method in COARSE and table.n_samples > FEW_SAMPLES and kinds <= methods()[method].kinds:
        reason = f"as requested, on representatives of {table.n_samples:,} samples"
        return Choice(methods()[method], reason)
    if method != AUTO:
        return choose(table, constraints, settings.n_clusters, method=method)
    if "triplets" in kinds and others:
        reason = "because there are pairs and triplets, which it takes together"
        return Choice(methods()["mixture"], reason)
    if "triplets" in kinds or table.has_missing or "text" in table.kinds:
        first: dict[str, Any] = {"must_link": [(0, 1)]}
        if "triplets" in kinds:
            first = {"triplets": constraints.triplets[:1]}
        return choose(table, Constraints(table.n_samples, **first), settings.n_clusters)
    reason = "because each pair can then influence its neighbours"
    if table.n_samples > FEW_SAMPLES:
        reason = f"on representatives of {table.n_samples:,} samples, {reason}"
    return Choice(methods()["complete-linkage"], reason)


def fit(samples: StudioSamples, state: State, start: FloatArray | None) -> FittedClusters:
    """Cluster the samples by what people said, from some centres if the method takes them."""
    constraints = state.constraints(samples.table)
    choice = chosen(samples, state, constraints)
    method, n_clusters = choice.method, state.settings.n_clusters
    encoder, X = samples.encoded(method.view)
    estimator = method.make(n_clusters, 0, of_texts="text" in samples.table.kinds)
    warm = method.name in WARM
    if warm:
        start = None if start is None or start.shape != (n_clusters, X.shape[1]) else start
        estimator.set_params(
            n_init=N_INIT if start is None else 1, **({} if start is None else {"init": start})
        )
    accepted = constraints
    if constraints.rules and method.expands_rules:
        accepted = constraints.expand_rules(samples.table)
    began = time.perf_counter()
    with threads.limit(limits=1):
        if method.name in COARSE and samples.table.n_samples > FEW_SAMPLES:
            few = stand_ins(samples.representatives, accepted)
            estimator.fit(X[few.rows], constraints=few.constraints(accepted))
            labels = np.asarray(estimator.labels_, np.int64)[few.home]
        else:
            few = None
            estimator.fit(X, constraints=accepted)
            labels = np.asarray(estimator.labels_, np.int64)
    about = {
        "method": method.name,
        "reason": choice.reason,
        "n_clusters": n_clusters,
        "seconds": round(time.perf_counter() - began, 4),
        "score": float(getattr(estimator, "inertia_", np.nan)) if warm else None,
        "n_statements": len(state.statements),
        "n_representatives": None if few is None else len(few.rows),
    }
    pipeline = Pipeline([("encode", encoder), ("cluster", estimator)])
    return FittedClusters(labels, start if warm else None, about, pipeline, few)


class StandIns(NamedTuple):
    """Samples that stand for others in the same neighbourhood of which the same was said.

    Attributes
    ----------
    rows : int64 ndarray of shape (n_stand_ins,)
        The samples that stand for others.
    home : int64 ndarray of shape (n_samples,)
        For each sample, the place of the one that stands for it.
    """

    rows: IntArray
    home: IntArray

    def constraints(self, constraints: Constraints) -> Constraints:
        """Return what was said about all samples as constraints on those that stand for them."""
        parts: dict[str, Any] = {}
        for kind, links in constraints.links.items():
            rows = self.home[links.rows]
            distinct = rows[:, 0] != rows[:, 1]
            rows, first = np.unique(rows[distinct], axis=0, return_index=True)
            parts[kind] = rows
            parts[f"{kind}_weights"] = links.weights[distinct][first]
        return Constraints(len(self.rows), **parts)


def stand_ins(representatives: Any, constraints: Constraints) -> StandIns:
    """Return who stands for whom: nobody for a sample of which something else was said.

    What is said of a representative is said of its neighbourhood. Samples whose must-links make
    them one component, or that are apart from the same components, share one who stands for them
    if they are of one neighbourhood.
    """
    components = constraints.components
    codes_of = np.zeros(components.n_components, np.uint64)
    rng = np.random.default_rng(0)
    # A component has a random number by which others are apart from it, and one of its own: sums
    # of these tell sets apart.
    apart, own = rng.integers(1, 2**63, (2, components.n_components), dtype=np.uint64)
    for mine, theirs in (components.cannot_link.T, components.cannot_link.T[::-1]):
        np.add.at(codes_of, mine, apart[theirs])
    sizes = np.bincount(components.labels, minlength=components.n_components)
    codes_of[sizes > 1] = own[sizes > 1]
    in_triplets = np.unique(components.labels[constraints.triplets.ravel()])
    codes_of[in_triplets] = own[in_triplets]
    of_sample = codes_of[components.labels]
    owner = representatives.rows[representatives.home]
    # What was said of the representative is said of those of whom nothing else was.
    others = np.flatnonzero((of_sample != 0) & (of_sample != of_sample[owner]))
    keys = np.empty(len(others), [("home", np.int64), ("code", np.uint64)])
    keys["home"], keys["code"] = representatives.home[others], of_sample[others]
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    home = representatives.home.astype(np.int64)
    home[others] = len(representatives.rows) + place.ravel()
    return StandIns(np.concatenate([representatives.rows, others[first]]), home)


def continued(
    fitted: FittedClusters, shown: KeptClustering | None, names: dict[int, str]
) -> FittedClusters:
    """Return the same clusters under the numbers of those shown that they share most with."""
    own, place = np.unique(fitted.labels, return_inverse=True)
    numbers = np.full(len(own), -1)
    if shown is not None:
        before, before_place = np.unique(shown.labels, return_inverse=True)
        shared = np.zeros((len(own), len(before)), np.int64)
        np.add.at(shared, (place, before_place), 1)
        for cluster, other in zip(*linear_sum_assignment(-shared), strict=True):
            if shared[cluster, other]:
                numbers[cluster] = before[other]
    free = (number for number in range(len(own) + len(names) + 1) if number not in names)
    for cluster in np.flatnonzero(numbers < 0).tolist():
        numbers[cluster] = next(number for number in free if number not in numbers)
    by_label = dict(zip(own.tolist(), numbers.tolist(), strict=True))
    labels = numbers[place]
    moved = 0 if shown is None else int((labels != shown.labels).sum())
    sizes = dict(
        zip(*(each.tolist() for each in np.unique(labels, return_counts=True)), strict=True)
    )
    about = fitted.about | {
        "moved": moved,
        "before": None if shown is None else shown.id,
        "numbers": {str(label): number for label, number in by_label.items()},
        "sizes": {str(cluster): size for cluster, size in sizes.items()},
    }
    return fitted._replace(labels=labels, about=about)


def start_of(
    samples: StudioSamples, state: State, shown: KeptClustering | None
) -> FloatArray | None:
    """Return the centres to go on from: those of the clusters shown, merged or split as asked."""
    if shown is None:
        return None
    labels, last = shown.labels, state.moving[-1] if state.moving else None
    n_samples = samples.table.n_samples
    if last is not None and last.kind in ("merge", "split"):
        rows = read_rows(last.body["rows"], n_samples)
        n_shown = len(np.unique(labels))
        if last.kind == "merge" and n_shown > state.settings.n_clusters:
            labels = labels.copy()
            labels[rows] = last.body["clusters"][0]
        elif last.kind == "split" and n_shown < state.settings.n_clusters:
            labels = labels.copy()
            labels[rows[_nearer_to_second(samples, rows, last.body["apart"])]] = labels.max() + 1
    return samples.means(labels)


def _nearer_to_second(samples: StudioSamples, rows: IntArray, ends: list[int]) -> Any:
    X = samples.numbers[rows]
    first, second = (_squared_distances(X, samples.numbers[[end]]) for end in ends)
    return second < first


def _squared_distances(X: Any, point: Any) -> FloatArray:
    away = X - point if isinstance(X, np.ndarray) else X.toarray() - point.toarray()
    return np.asarray((away**2).sum(axis=1))


def apart_in(samples: StudioSamples, rows: IntArray, constraints: Constraints) -> tuple[int, int]:
    """Return two samples of a cluster, one in the middle of each half that it falls into."""
    X = samples.numbers[rows]
    pairs = constraints.expand_rules(samples.table)
    try:
        with threads.limit(limits=1):
            model = COPKMeans(2, n_init=N_INIT, random_state=0).fit(X, constraints=pairs[rows])
    except ClustraintError:
        raise StudioRequestError(
            "that cluster cannot be split: its samples are said to belong together."
        ) from None
    ends = []
    for label in range(2):
        half = np.flatnonzero(model.labels_ == label)
        centre = model.cluster_centers_[[label]]
        ends.append(int(rows[half[np.argmin(_squared_distances(_dense(X[half]), centre))]]))
    return ends[0], ends[1]


def _dense(X: Any) -> Any:
    return X if isinstance(X, np.ndarray) else X.toarray()
