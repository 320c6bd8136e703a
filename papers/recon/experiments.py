"""What is run: cells, grids and the experiments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from clustraint import IHAC, Constraints, Hierarchy, ReCon
from clustraint.evaluation import coherence, informativeness, pairwise_f_score
from clustraint.exceptions import NoAllowedMergeError
from clustraint.typing import IntArray
from papers._experiment import Experiment, Record, Size, generator_of
from papers._guests import Challenge, Problem
from papers.recon import figures
from papers.recon.data import (
    EXAMPLE,
    LARGE_TABLES,
    RAW,
    TABLES,
    UNIT,
    informative_triplets,
    random_triplets,
    samples_of,
)
from papers.recon.methods import (
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

# So many triplets of a hierarchy are put to the question whether the informative ones imply them.
N_ASKED = 200

# The paper's a, b, c, d (section 4.2), on a line such that b and d are closest: ab|c and cd|a.
EXAMPLE_POINTS = ((0.0,), (10.0,), (21.0,), (11.0,))
EXAMPLE_TRIPLETS = ((0, 1, 2), (2, 3, 0))
REPEATS = {"quick": 5, "full": 50}

# Shares of |D| (figures 2, 3 and 5), and of all informative triplets (figure 4).
RANDOM_SHARES = {
    "quick": (0.0, 0.1, 0.4, 1.0),
    "full": (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
}
INFORMATIVE_SHARES = {"quick": (0.0, 0.1, 0.5, 1.0), "full": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)}
LARGE_SHARES = {"quick": (0.1, 1.0), "full": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)}
UTILITY_SHARES = (0.1, 0.4)
DEAD_END_SHARES = (0.1, 1.0)
LABEL_TREES = ((12, 2), (20, 3), (40, 4))
BINARY_TREES = (8, 20, 40)


def run_random(*, table: str, share: float, repeat: int, scale: str = UNIT) -> list[Fields]:
    """Compare the five schemes on triplets drawn at random, a share of the number of samples."""
    n_triplets = round(share * len(samples_of(table, repeat).y))
    constraints = random_triplets(table, repeat, n_triplets)
    records = five_schemes(table, repeat, scale, constraints)
    return [{"triplets": n_triplets, **record} for record in records]


def run_informative(*, table: str, share: float, repeat: int, scale: str = UNIT) -> list[Fields]:
    """Compare the schemes on a share of the informative triplets, and on as many random ones."""
    samples = samples_of(table, repeat, scale)
    constraints = informative_triplets(table, repeat, share)
    n_triplets = len(constraints.triplets)
    others = random_triplets(table, repeat, n_triplets)
    matched = [
        {"scheme": RECON, **recon_fields(samples, samples.X, others)},
        *with_metric(table, repeat, scale, others, (KMEANS_SVM,)),
    ]
    of_source = {"informative": five_schemes(table, repeat, scale, constraints), "random": matched}
    return [
        {"source": source, "triplets": n_triplets, **record}
        for source, records in of_source.items()
        for record in records
    ]


def random_problems(
    *, table: str, share: float, repeat: int, scale: str = UNIT
) -> Iterator[Problem]:
    """Yield what the schemes of figures 2 and 5 are given."""
    n_triplets = round(share * len(samples_of(table, repeat).y))
    constraints = random_triplets(table, repeat, n_triplets)
    yield _problem(table, repeat, scale, constraints, "random")


def informative_problems(
    *, table: str, share: float, repeat: int, scale: str = UNIT
) -> Iterator[Problem]:
    """Yield what the schemes of figure 4 are given: informative triplets, and random ones."""
    constraints = informative_triplets(table, repeat, share)
    others = random_triplets(table, repeat, len(constraints.triplets))
    yield _problem(table, repeat, scale, constraints, "informative")
    yield _problem(table, repeat, scale, others, "random")


def _problem(table: str, repeat: int, scale: str, constraints: Constraints, source: str) -> Problem:
    samples = samples_of(table, repeat, scale)

    def score(model: Any) -> Record:
        return {"f": pairwise_f_score(samples.y, model.labels_)}

    fields: Fields = {"source": source, "triplets": len(constraints.triplets)}
    seed = seed_of(table, repeat)
    return Problem(samples.X, constraints, samples.n_classes, seed, score, fields)


def run_utility(*, table: str, share: float, repeat: int) -> list[Fields]:
    """Measure the two utilities of a random set of triplets, and what ReCon gains by it."""
    samples = samples_of(table, repeat)
    constraints = random_triplets(table, repeat, round(share * len(samples.y)))
    model = ReCon(samples.n_classes, cut="levels")
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


def random_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figures 2 and 3."""
    return _scaled(RANDOM_SHARES[size], REPEATS[size])


def informative_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 4."""
    return _scaled(INFORMATIVE_SHARES[size], REPEATS[size])


def large_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 5 that are not those of figure 2."""
    return _by_table(LARGE_TABLES, LARGE_SHARES[size], REPEATS[size])


def utility_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of the two utilities; their triplets are those of figure 2."""
    return _by_table(TABLES, UTILITY_SHARES, REPEATS[size])


def dead_end_grid(size: Size) -> Iterator[Record]:
    """Yield the paper's example, then the tables."""
    yield {"table": EXAMPLE, "share": 0.5, "repeat": 0}
    tables = TABLES[:4] if size == "quick" else TABLES
    yield from _by_table(tables, DEAD_END_SHARES, REPEATS[size])


def inference_grid(size: Size) -> Iterator[Record]:
    """Yield random hierarchies: binary ones, and those of classes."""
    for repeat in range(REPEATS[size]):
        for n_samples in BINARY_TREES:
            yield {"tree": "binary", "n_samples": n_samples, "n_classes": 0, "repeat": repeat}
        for n_samples, n_classes in LABEL_TREES:
            yield {
                "tree": "classes",
                "n_samples": n_samples,
                "n_classes": n_classes,
                "repeat": repeat,
            }


def _scaled(shares: tuple[float, ...], repeats: int) -> Iterator[Record]:
    for repeat, scale, table, share in product(range(repeats), (UNIT, RAW), TABLES, shares):
        yield {"table": table, "share": share, "repeat": repeat, "scale": scale}


def _by_table(tables: tuple[str, ...], shares: tuple[float, ...], repeats: int) -> Iterator[Record]:
    for repeat, table, share in product(range(repeats), tables, shares):
        yield {"table": table, "share": share, "repeat": repeat}


# The records of figures 2 and 5 have random triplets only; those of figure 4 have both.
RANDOM = Challenge(
    random_problems,
    ("triplets",),
    {"f": "F"},
    panels=("table",),
    x="triplets",
    method="scheme",
)
INFORMATIVE = Challenge(
    informative_problems,
    ("triplets",),
    {"f": "F"},
    panels=("table", "source"),
    x="triplets",
    method="scheme",
)
EXPERIMENTS = (
    Experiment(
        "figure-2",
        "How accurate are the five schemes with random triplets, and how much do runs differ?",
        "50 runs with different random triplets a, b of one class and c of another, from 0 to |D| "
        "of them; pairwise F. All schemes see the same triplets, and fewer are part of more. "
        "Features are scaled to [0, 1], and beside that as they are.",
        run_random,
        random_grid,
        figures.show_random,
        RANDOM,
    ),
    Experiment(
        "figure-4",
        "How accurate are the five schemes with informative triplets?",
        "50 runs with random subsets of the (k − 1)(|D| − k) informative triplets of the classes, "
        "and with all of them. Beside them, ReCon + Euclidean and K-Means + SVM-Metric get as many "
        "random triplets.",
        run_informative,
        informative_grid,
        figures.show_informative,
        INFORMATIVE,
    ),
    Experiment(
        "figure-5",
        "How long does ReCon take, also with many classes?",
        "50 runs with 0 to 3,000 random triplets on 3,000 rows drawn once from all 26 letters and "
        "all 10 digits; CPU seconds of one core. Letters-IJLT and Digits-389 are those of figure "
        "2.",
        run_random,
        large_grid,
        figures.show_large,
        RANDOM,
    ),
    Experiment(
        "utility",
        "Do informativeness and coherence tell which triplets will help?",
        "The paper only says that they do not suffice. Here: the random triplets of figure 2, "
        "|D|/10 and 4|D|/10 of them, 50 sets of each, and what ReCon + Euclidean gains by each.",
        run_utility,
        utility_grid,
        figures.show_utility,
    ),
    Experiment(
        "dead-ends",
        "Does merging that violates no triplet come to a complete hierarchy?",
        "The paper gives one example of four samples. Here also the random triplets of figure 2, "
        "|D|/10 and |D| of them: iHAC (average linkage, Euclidean) that violates none, and ReCon.",
        run_dead_end,
        dead_end_grid,
        figures.show_dead_ends,
    ),
    Experiment(
        "inference",
        "Do the informative triplets imply all others?",
        "The paper states it. Here: random binary hierarchies and random classes; up to 200 "
        "triplets of each are asked about, and each informative one is left out once.",
        run_inference,
        inference_grid,
        figures.show_inference,
    ),
)
