"""What is measured: each cell compares methods on the same statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.pipeline import make_pipeline

from clustraint import (
    AttributeKMedoids,
    BiHAC,
    ClusteringTree,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    Constraints,
    MPCKMeans,
    PCKMeans,
    ReCon,
    Rule,
)
from clustraint.evaluation import constraint_satisfaction, h_correlation, pairwise_f_score
from clustraint.exceptions import NoFeasibleClusteringError
from clustraint.metric import DiscriminantMetric, RelativeMetric
from papers._experiment import Experiment, Record, Size, generator_of
from papers.beyond.data import TWELVE, animals, ontology, table, taxonomy, texts, with_noise
from papers.beyond.figures import show_methods

REPEATS = {"quick": 2, "full": 5}
FEW_REPEATS = {"quick": 1, "full": 3}
TREE_TABLES = ("iris", "wine", "glass", "heart-statlog", "ecoli")
TRIPLET_TABLES = ("iris", "wine", "glass")
N_PAIRS, N_TRIPLETS = 100, 60
NOISE = 0.2
RULES = ("milk", "feathers", "fins and scales")


def grid(tables: Iterable[str], repeats: dict[Size, int], size: Size) -> Iterator[Record]:
    """Yield the repetitions on each table."""
    names = tuple(tables)
    for repeat in range(repeats[size]):
        for name in names:
            yield {"table": name, "repeat": repeat}


def run_trees(*, table: str, repeat: int) -> Iterator[Record]:
    """Grow trees greedily, by beam search, and of a limited size, under the same pairs."""
    samples = _samples(table)
    constraints = _pairs("trees", table, repeat, N_PAIRS)
    k = samples.n_classes
    for method, model in (
        ("greedy", ClusteringTree(k)),
        ("beam of 5", ClusteringTree(k, beam_width=5)),
        ("at most 2k leaves", ClusteringTree(k, max_leaves=2 * k)),
    ):
        model.fit(samples.X, constraints=constraints)
        n_leaves = (len(model.tree_.label) + 1) // 2
        yield {"method": method, "rand": _rand(samples.y, model.labels_), "n_leaves": n_leaves}


def run_mixed(*, table: str, repeat: int) -> Iterator[Record]:
    """Grow trees on the numbers of the animals alone, and on all columns."""
    y = animals("numbers").y
    constraints = Constraints.from_labels(
        y, n_pairs=N_PAIRS, random_state=generator_of("mixed", repeat)
    )
    for method in ("numbers", "mixed"):
        samples = animals(method)
        model = ClusteringTree(samples.n_classes).fit(samples.X, constraints=constraints)
        yield {"method": method, "rand": _rand(y, model.labels_)}


def run_rivals(*, table: str, repeat: int) -> Iterator[Record]:
    """Compare the tree with what the paper wishes it compared with."""
    samples = _samples(table)
    constraints = _pairs("rivals", table, repeat, N_PAIRS)
    k = samples.n_classes
    seed = int(generator_of("rivals", table, repeat, "start").integers(2**31))
    rivals: dict[str, Any] = {
        "tree": ClusteringTree(k),
        "PCK-means": PCKMeans(k, random_state=seed),
        "MPCK-means": MPCKMeans(k, random_state=seed),
        "complete linkage": ConstrainedCompleteLinkage(k),
        "robust mixture": ConstrainedMixture(k, random_state=seed),
    }
    for method, model in rivals.items():
        try:
            labels = model.fit(samples.X, constraints=constraints).labels_
        except NoFeasibleClusteringError:
            yield {"method": method, "rand": None}
            continue
        yield {"method": method, "rand": _rand(samples.y, labels)}
    metric = DiscriminantMetric().fit(samples.X, constraints=constraints)
    learned = make_pipeline(metric, KMeans(k, n_init=10, random_state=seed))
    yield {"method": "learned metric", "rand": _rand(samples.y, learned.fit_predict(samples.X))}


def run_pairs_and_triplets(*, table: str, repeat: int) -> Iterator[Record]:
    """Give ReCon triplets, pairs, and both."""
    samples = _samples(table, scaled=True)
    rng = generator_of("pairs and triplets", table, repeat)
    triplets = Constraints.from_labels(samples.y, n_triplets=N_TRIPLETS, random_state=rng)
    pairs = Constraints.from_labels(samples.y, n_pairs=N_TRIPLETS, random_state=rng)
    for method, constraints in (
        ("triplets", triplets),
        ("pairs", pairs),
        ("both", triplets | pairs),
    ):
        model = ReCon(samples.n_classes).fit(samples.X, constraints=constraints)
        broken = constraint_satisfaction(triplets, model.labels_).violated.n_constraints
        yield {"method": method, "f": _f(samples.y, model.labels_), "broken": broken}


def run_noise(*, table: str, repeat: int) -> Iterator[Record]:
    """Give ReCon triplets of which some are wrong, with several ways to drop these."""
    samples = _samples(table, scaled=True)
    rng = generator_of("noise", table, repeat)
    right = Constraints.from_labels(samples.y, n_triplets=3 * N_TRIPLETS, random_state=rng)
    noisy, wrong = with_noise(right, NOISE, rng)
    ways = {
        "repair": (noisy, "repair"),
        "doubt": (noisy, "doubt"),
        "metric as a filter": (_filtered(samples.X, noisy), "repair"),
        "only the right ones": (noisy.take(triplets=~wrong), "raise"),
        "none": (Constraints(len(samples.y)), "raise"),
    }
    for method, (constraints, noise) in ways.items():
        way: Any = noise
        model = ReCon(samples.n_classes, noise=way).fit(samples.X, constraints=constraints)
        dropped = len(noisy.triplets) - len(constraints.triplets) + len(model.dropped_.triplets)
        yield {"method": method, "f": _f(samples.y, model.labels_), "dropped": dropped}


def _filtered(X: Any, noisy: Constraints) -> Constraints:
    """Return the triplets that the metric learned from all of them agrees with."""
    moved = RelativeMetric().fit(X, constraints=noisy).transform(X)
    a, b, c = (moved[column] for column in noisy.triplets.T)
    near = ((a - b) ** 2).sum(axis=1)
    far = np.minimum(((a - c) ** 2).sum(axis=1), ((b - c) ** 2).sum(axis=1))
    return noisy.take(triplets=near < far)


def run_rules(*, table: str, repeat: int) -> Iterator[Record]:
    """Give k-medoids rules of one kind, of both, pairs, rules with pairs, and bounds."""
    samples = animals("flags")
    n_samples, k = len(samples.y), samples.n_classes
    rng = generator_of("rules", repeat)
    pairs = Constraints.from_labels(samples.y, n_pairs=40, random_state=rng)
    together = tuple(map(Rule, RULES))
    both = (Rule(RULES[0]), *(Rule(text, exactly=True) for text in RULES[1:]))
    ruled, mixed = (Constraints(n_samples, rules=rules) for rules in (together, both))
    bound = {"max_shared": 12}
    cases: dict[str, tuple[Constraints, dict[str, int]]] = {
        "nothing": (Constraints(n_samples), {}),
        "together": (ruled, {}),
        "together and exactly": (mixed, {}),
        "pairs": (pairs, {}),
        "rules with pairs": (mixed | pairs, {}),
        "at most 12 shared": (Constraints(n_samples), bound),
        "rules, at most 12 shared": (mixed, bound),
    }
    seed = int(rng.integers(2**31))
    for method, (constraints, options) in cases.items():
        parameters: Any = options
        model = AttributeKMedoids(k, n_init=10, random_state=seed, **parameters)
        model.fit(samples.X, constraints=constraints)
        violated = model.constraint_report_.violated.n_constraints
        ari = float(adjusted_rand_score(samples.y, model.labels_))
        yield {"method": method, "ari": ari, "violated": violated, "shared": _shared(model)}


def _shared(model: AttributeKMedoids) -> int:
    """Return the most values that two medoids share."""
    rows = np.asarray(model.medoids_)
    same = (rows[:, np.newaxis] == rows).sum(axis=2)
    np.fill_diagonal(same, 0)
    return int(same.max())


def run_texts(*, table: str, repeat: int) -> Iterator[Record]:
    """Learn weights of words from some labelled texts: other distances, and a hold-out error."""
    rng = generator_of("texts", repeat)
    X, hierarchy, paths = texts(rng)
    labelled = np.sort(
        np.concatenate(
            [
                rng.choice(np.flatnonzero(paths == path), 4, replace=False)
                for path in np.unique(paths)
            ]
        )
    )
    few = type(hierarchy).from_paths(list(paths[labelled]))
    triplets = labelled[few.triplets()]
    constraints = Constraints(len(paths), triplets=triplets)
    for method, model in (
        ("no learning", BiHAC(max_iter=1)),
        ("cosine", BiHAC()),
        ("cosine, hold-out error", BiHAC(validation_fraction=0.3, random_state=repeat)),
        ("Euclidean, no learning", BiHAC(metric="euclidean", max_iter=1)),
        ("Euclidean", BiHAC(metric="euclidean", learning_rate=1)),
    ):
        model.fit(X, constraints=constraints)
        yield {"method": method, "h": float(h_correlation(hierarchy, model.hierarchy_))}


def run_ontology(*, table: str, repeat: int) -> Iterator[Record]:
    """Give ReCon what an ontology says of some animals, and look at the others."""
    samples = animals("scaled")
    order = generator_of("ontology", repeat).permutation(len(samples.y))
    others = np.sort(order[len(order) // 2 :])
    true = others[taxonomy(others).triplets()]
    for method, share in (("nothing", 0.0), ("a quarter", 0.25), ("half", 0.5)):
        chosen = np.sort(order[: round(share * len(order))])
        constraints = ontology(chosen) if share else Constraints(len(order))
        model = ReCon(samples.n_classes).fit(samples.X, constraints=constraints)
        shown = float(np.mean(model.hierarchy_.displays(true)))
        broken = int((~model.hierarchy_.displays(constraints.triplets)).sum()) if share else 0
        yield {"method": method, "shown": shown, "broken": broken}


def _samples(name: str, scaled: bool = False) -> Any:
    return table(name, scaled)


def _pairs(study: str, name: str, repeat: int, n_pairs: int) -> Constraints:
    rng = generator_of(study, name, repeat)
    return Constraints.from_labels(table(name).y, n_pairs=n_pairs, random_state=rng)


def _rand(y: Any, labels: Any) -> float:
    return float(rand_score(y, labels))


def _f(y: Any, labels: Any) -> float:
    return float(pairwise_f_score(y, labels))


def _experiment(
    name: str,
    title: str,
    protocol: str,
    run: Callable[..., Iterator[Record]],
    tables: tuple[str, ...],
    measure: str,
    repeats: dict[Size, int] = REPEATS,  # type: ignore[assignment]
) -> Experiment:
    show = partial(show_methods, name, measure)
    return Experiment(name, title, protocol, run, partial(grid, tables, repeats), show)


EXPERIMENTS = (
    _experiment(
        "trees",
        "Do beam search and limited trees help clustering trees?",
        f"{N_PAIRS} pairs drawn from the classes; the Rand index on all samples.",
        run_trees,
        TREE_TABLES,
        "rand",
    ),
    _experiment(
        "mixed",
        "Do nominal columns help beside numbers?",
        f"Animals with {N_PAIRS} pairs: a tree on the numbers, and one on all columns.",
        run_mixed,
        ("animals",),
        "rand",
    ),
    _experiment(
        "rivals",
        "How do clustering trees compare with other methods under pairs?",
        f"The paper's twelve tables, {N_PAIRS} pairs; the Rand index on all samples. No method "
        "scales columns. The learned metric is a DiscriminantMetric before k-means.",
        run_rivals,
        TWELVE,
        "rand",
        FEW_REPEATS,  # type: ignore[arg-type]
    ),
    _experiment(
        "pairs-and-triplets",
        "Do pairs help beside triplets?",
        f"ReCon on columns scaled to 0 … 1, with {N_TRIPLETS} triplets, as many pairs, or both; "
        "the pairwise F-measure.",
        run_pairs_and_triplets,
        TRIPLET_TABLES,
        "f",
    ),
    _experiment(
        "noise",
        "What is best done about wrong triplets?",
        f"ReCon on scaled columns with {3 * N_TRIPLETS} triplets, of which {NOISE:.0%} are turned "
        "round. Repair drops a small weight of contradictions; doubt first drops what a mixture "
        "takes for wrong; the filter first drops what a RelativeMetric of all triplets denies.",
        run_noise,
        TRIPLET_TABLES,
        "f",
    ),
    _experiment(
        "rules",
        "What do rules gain with other rules, with pairs, and with bounds on shared values?",
        "Truth values of the animals, 7 clusters, ten starts, three rules (milk, feathers, fins "
        "and scales), 40 pairs; the adjusted Rand index.",
        run_rules,
        ("animals",),
        "ari",
    ),
    _experiment(
        "texts",
        "Does biHAC learn by another similarity, and does a hold-out error help?",
        "96 generated texts on 8 topics in a hierarchy, 4 of each topic labelled; the "
        "H-correlation on all of them.",
        run_texts,
        ("generated",),
        "h",
    ),
    _experiment(
        "ontology",
        "Does an ontology about some samples help to cluster the others?",
        "Animals on scaled columns; ReCon is given the informative triplets of the ontology about "
        "none, a quarter or half of them. Measured on the other half: the share of the triplets of "
        "their true taxonomy that the hierarchy displays.",
        run_ontology,
        ("animals",),
        "shown",
    ),
)
