"""What the cells of the experiments do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clustraint import IHAC, Constraints, Hierarchy, ReCon
from clustraint.evaluation import coherence, informativeness, pairwise_f_score
from clustraint.exceptions import NoAllowedMergeError
from clustraint.typing import IntArray
from papers._experiment import Record, generator_of
from papers._guests import Problem
from papers.recon.schemes import (
    KMEANS_SVM,
    RECON,
    Fields,
    Points,
    five_schemes,
    recon_fields,
    seed_of,
    warm_up,
    with_metric,
)
from papers.recon.tables import informative_triplets, random_triplets, samples_of

# So many triplets of a hierarchy are put to the question whether the informative ones imply them.
N_ASKED = 200

# The paper's a, b, c, d (section 4.2), on a line such that b and d are closest: ab|c and cd|a.
EXAMPLE = "the paper's example"
EXAMPLE_POINTS = ((0.0,), (10.0,), (21.0,), (11.0,))
EXAMPLE_TRIPLETS = ((0, 1, 2), (2, 3, 0))


def run_random(*, table: str, share: float, repeat: int) -> list[Fields]:
    """Compare the five schemes on triplets drawn at random, a share of the number of samples."""
    n_triplets = round(share * len(samples_of(table, repeat).y))
    records = five_schemes(table, repeat, random_triplets(table, repeat, n_triplets))
    return [{"triplets": n_triplets, **record} for record in records]


def run_informative(*, table: str, share: float, repeat: int) -> list[Fields]:
    """Compare the schemes on a share of the informative triplets, and on as many random ones."""
    samples = samples_of(table, repeat)
    constraints = informative_triplets(table, repeat, share)
    n_triplets = len(constraints.triplets)
    others = random_triplets(table, repeat, n_triplets)
    matched = [
        {"scheme": RECON, **recon_fields(samples, samples.X, others)},
        *with_metric(table, repeat, others, (KMEANS_SVM,)),
    ]
    of_source = {"informative": five_schemes(table, repeat, constraints), "random": matched}
    return [
        {"source": source, "triplets": n_triplets, **record}
        for source, records in of_source.items()
        for record in records
    ]


def random_problems(*, table: str, share: float, repeat: int) -> Iterator[Problem]:
    """Yield what the schemes of figures 2 and 5 are given."""
    n_triplets = round(share * len(samples_of(table, repeat).y))
    yield _problem(table, repeat, random_triplets(table, repeat, n_triplets), "random")


def informative_problems(*, table: str, share: float, repeat: int) -> Iterator[Problem]:
    """Yield what the schemes of figure 4 are given: informative triplets, and random ones."""
    constraints = informative_triplets(table, repeat, share)
    others = random_triplets(table, repeat, len(constraints.triplets))
    yield _problem(table, repeat, constraints, "informative")
    yield _problem(table, repeat, others, "random")


def _problem(table: str, repeat: int, constraints: Constraints, source: str) -> Problem:
    samples = samples_of(table, repeat)

    def score(model: Any) -> Record:
        return {"f": pairwise_f_score(samples.y, model.labels_)}

    fields: Fields = {"source": source, "triplets": len(constraints.triplets)}
    seed = seed_of(table, repeat)
    return Problem(samples.X, constraints, samples.n_classes, seed, score, fields)


def run_utility(*, table: str, share: float, repeat: int) -> list[Fields]:
    """Measure the two utilities of a random set of triplets, and what ReCon gains by it."""
    samples = samples_of(table, repeat)
    constraints = random_triplets(table, repeat, round(share * len(samples.y)))
    model = ReCon(samples.n_classes)
    without = pairwise_f_score(samples.y, model.fit(samples.X).labels_)
    explanation = pairwise_f_score(samples.y, model.fit(samples.X, constraints=constraints).labels_)
    return [
        {
            "triplets": len(constraints.triplets),
            "informativeness": informativeness(model, samples.X, constraints),
            "coherence": coherence(samples.X, constraints),
            "gain": explanation - without,
        }
    ]


def run_dead_end(*, table: str, share: float, repeat: int) -> list[Fields]:
    """Tell whether ReCon, and iHAC that violates no triplet, come to the end of their merges."""
    if table == EXAMPLE:
        X = np.array(EXAMPLE_POINTS)
        constraints = Constraints(len(X), triplets=EXAMPLE_TRIPLETS)
    else:
        X = samples_of(table, repeat).X
        constraints = random_triplets(table, repeat, round(share * len(X)))
    warm_up()
    return [
        {"method": "ReCon", "triplets": len(constraints.triplets), **_recon_end(X, constraints)},
        {"method": "iHAC", "triplets": len(constraints.triplets), **_ihac_end(X, constraints)},
    ]


def _recon_end(X: Points, constraints: Constraints) -> Fields:
    model = ReCon(2).fit(X, constraints=constraints)
    return {"left": 1, "displayed": float(model.hierarchy_.displays(constraints.triplets).mean())}


def _ihac_end(X: Points, constraints: Constraints) -> Fields:
    """Return how many clusters were left when each merge would have violated a triplet."""
    model = IHAC(metric="euclidean", dead_end="raise")
    try:
        model.fit(X, constraints=constraints)
    except NoAllowedMergeError as error:
        return {"left": error.n_clusters, "displayed": None}
    return {"left": 1, "displayed": float(model.hierarchy_.displays(constraints.triplets).mean())}


def run_inference(*, tree: str, n_samples: int, n_classes: int, repeat: int) -> list[Fields]:
    """Ask whether the informative triplets of a random hierarchy imply all, and need each other."""
    rng = generator_of("inference", tree, n_samples, n_classes, repeat)
    hierarchy = _drawn_hierarchy(tree, n_samples, n_classes, rng)
    constraints = hierarchy.informative_triplets()
    asked = hierarchy.triplets()
    asked = asked[rng.permutation(len(asked))[:N_ASKED]]
    return [
        {
            "given": len(constraints),
            "expected": n_samples - 2 if tree == "binary" else _expected(n_samples, n_classes),
            "asked": len(asked),
            "implied": _implied(Constraints(n_samples, triplets=constraints), asked),
            "needed": _needed(n_samples, constraints),
        }
    ]


def _expected(n_samples: int, n_classes: int) -> int:
    return (n_classes - 1) * (n_samples - n_classes)


def _drawn_hierarchy(
    tree: str, n_samples: int, n_classes: int, rng: np.random.Generator
) -> Hierarchy:
    """Return a hierarchy of random merges, or that of random classes of two samples or more."""
    if tree == "binary":
        return Hierarchy(_random_merges(n_samples, rng))
    classes = np.concatenate(
        (
            np.repeat(np.arange(n_classes), 2),
            rng.integers(n_classes, size=n_samples - 2 * n_classes),
        )
    )
    return Hierarchy.from_labels(rng.permutation(classes))


def _random_merges(n_samples: int, rng: np.random.Generator) -> list[int]:
    """Return the parents of the nodes of a tree whose merges were drawn one by one."""
    parents = [-1] * (2 * n_samples - 1)
    roots = list(range(n_samples))
    for node in range(n_samples, 2 * n_samples - 1):
        for _ in range(2):
            parents[roots.pop(int(rng.integers(len(roots))))] = node
        roots.append(node)
    return parents


def _implied(constraints: Constraints, triplets: Any) -> float:
    return float(np.mean([constraints.entails(tuple(map(int, row))) for row in triplets]))


def _needed(n_samples: int, triplets: IntArray) -> float:
    """Return the share of triplets that the others do not imply."""
    needed = [
        not Constraints(n_samples, triplets=np.delete(triplets, place, axis=0)).entails(
            tuple(map(int, row))
        )
        for place, row in enumerate(triplets)
    ]
    return float(np.mean(needed))
