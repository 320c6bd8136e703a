"""What `clustraint demo` runs: every kind of constraint on one small table."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from clustraint import (
    ActiveCompleteLinkage,
    BiHAC,
    ConstrainedCompleteLinkage,
    Constraints,
    COPKMeans,
    ReCon,
    Rule,
)
from clustraint.datasets import Dataset, load_animals
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import InconsistentConstraintsError
from clustraint.tables import SampleTable, read_table
from clustraint.workflow import Clustering, cluster_table, explain

N_CLUSTERS = 7
N_CONSTRAINTS = 100
N_QUERIES = 40
RULES = (Rule("milk"), Rule("feathers", exactly=True), Rule("fins & ~breathes"))
# Columns that are neither yes nor no.
MEASURES = ("legs", "mass_kg", "length_cm", "lifespan_years")


@dataclass(frozen=True)
class Outcome:
    """How well one method found people's groups.

    Attributes
    ----------
    knowledge : str
        How many constraints it was given, and of which kind.
    method : str
        The estimator.
    before, after : float
        The adjusted Rand index without constraints and with them.
    satisfied, total : int
        Constraints satisfied, of how many.
    seconds : float
        One fit, once all is compiled.
    """

    knowledge: str
    method: str
    before: float
    after: float
    satisfied: int
    total: int
    seconds: float


@dataclass(frozen=True)
class Findings:
    """What clustraint finds out besides clusters.

    Attributes
    ----------
    must_links, cannot_links : int
        How many follow from the pairs.
    contradiction : str
        Why three statements contradict each other.
    dropped : str
        Which of them to drop.
    explanation : str
        What the clusters of the tree are.
    """

    must_links: int
    cannot_links: int
    contradiction: str
    dropped: str
    explanation: str


class System(NamedTuple):
    """A method and constraints for it; `fit` takes them, or None."""

    knowledge: str
    method: str
    fit: Callable[[Constraints | None], tuple[NDArray[Any], Constraints | None]]
    constraints: Callable[[], Constraints]


@cache
def animals() -> Dataset:
    """Return the table."""
    return load_animals()


@cache
def pairs() -> Constraints:
    """Return must-links and cannot-links of animals drawn at random."""
    data = animals()
    drawn = Constraints.from_labels(data.y, n_pairs=N_CONSTRAINTS, random_state=0)
    return named(must_link=drawn.must_link, cannot_link=drawn.cannot_link)


@cache
def triplets() -> Constraints:
    """Return triplets: two animals of one group, and one of another."""
    drawn = Constraints.from_labels(animals().y, n_triplets=N_CONSTRAINTS, random_state=0)
    return named(triplets=drawn.triplets)


@cache
def rules() -> Constraints:
    """Return what a person may state about columns."""
    return named(rules=RULES)


def named(**constraints: Any) -> Constraints:
    """Return constraints on the animals by their names."""
    return Constraints(len(animals().y), names=animals().names, **constraints)


@cache
def measured() -> NDArray[np.float64]:
    """Return all columns in standard units, sizes and ages by their logarithm."""
    data = animals()
    skewed = np.isin(data.feature_names, MEASURES[1:])
    values: NDArray[np.float64] = scale(np.where(skewed, np.log1p(data.X), data.X))
    return values


@cache
def yes_or_no() -> SampleTable:
    """Return the table with the columns that are yes or no, as the command line reads it."""
    path = files("clustraint.datasets").joinpath("animals.csv")
    return read_table(str(path), id_column="name", ignore=("class", "path", *MEASURES))


def by_estimator(estimator: Any) -> Callable[[Constraints | None], Any]:
    """Return how an estimator clusters the measured animals."""
    return lambda constraints: (
        estimator.fit(measured(), constraints=constraints).labels_,
        constraints,
    )


def by_command(method: str) -> Callable[[Constraints | None], Any]:
    """Return how a method of the command line clusters the columns that are yes or no."""
    return lambda constraints: (clustered(method, constraints).labels, constraints)


def clustered(method: str, constraints: Constraints | None) -> Clustering:
    """Cluster the columns that are yes or no."""
    return cluster_table(yes_or_no(), constraints, N_CLUSTERS, method=method, random_state=0)


def by_questions(constraints: Constraints | None) -> tuple[NDArray[Any], Constraints | None]:
    """Ask the taxonomy; without `constraints`, ask nothing."""
    if constraints is None:
        return ConstrainedCompleteLinkage(N_CLUSTERS).fit(measured()).labels_, None
    groups = animals().y
    model = ActiveCompleteLinkage(N_CLUSTERS, n_queries=N_QUERIES)
    model.fit(measured(), oracle=lambda first, second: bool(groups[first] == groups[second]))
    return model.labels_, model.constraints_


PAIRS = f"{N_CONSTRAINTS} pairs"
TRIPLETS = f"{N_CONSTRAINTS} triplets"
SYSTEMS = {
    system.method: system
    for system in (
        System(PAIRS, "COPKMeans", by_estimator(COPKMeans(N_CLUSTERS, random_state=0)), pairs),
        System(
            PAIRS,
            "ConstrainedCompleteLinkage",
            by_estimator(ConstrainedCompleteLinkage(N_CLUSTERS)),
            pairs,
        ),
        System(PAIRS, "ClusteringTree", by_command("tree"), pairs),
        System(TRIPLETS, "ReCon", by_estimator(ReCon(N_CLUSTERS)), triplets),
        System(TRIPLETS, "BiHAC", by_estimator(BiHAC(N_CLUSTERS, enforce=True)), triplets),
        System(f"{len(RULES)} rules", "AttributeKMedoids", by_command("attribute-kmedoids"), rules),
        System(f"{N_QUERIES} questions", "ActiveCompleteLinkage", by_questions, pairs),
    )
}
# What takes longest to compile comes first, so that no core waits for it at the end.
ORDER = ("ReCon", "findings", "ConstrainedCompleteLinkage", "ClusteringTree", "BiHAC")


def outcome(method: str) -> Outcome:
    """Run one system without constraints and with them."""
    system = SYSTEMS[method]
    before, _ = system.fit(None)
    constraints = system.constraints()
    system.fit(constraints)
    start = time.perf_counter()
    after, used = system.fit(constraints)
    seconds = time.perf_counter() - start
    counts = satisfied(used or constraints, after)
    return Outcome(system.knowledge, method, score(before), score(after), *counts, seconds)


def score(labels: NDArray[Any]) -> float:
    """Return how well clusters agree with people's groups."""
    return float(adjusted_rand_score(animals().y, labels))


def satisfied(constraints: Constraints, labels: NDArray[Any]) -> tuple[int, int]:
    """Return how many constraints the clusters satisfy, and of how many."""
    X = yes_or_no() if constraints.rules else None
    kinds = constraint_satisfaction(constraints, labels, X=X).values()
    return sum(kind.satisfied for kind in kinds), sum(kind.total for kind in kinds)


def findings() -> Findings:
    """Find what follows from the pairs, what contradicts what, and what the tree's clusters are."""
    sizes = pairs().components.closure_sizes
    explanation = str(explain(clustered("tree", pairs())))
    return Findings(sizes["must_link"], sizes["cannot_link"], *contradiction(), explanation)


def work(task: str) -> Outcome | Findings:
    """Do one part of the demo."""
    return outcome(task) if task in SYSTEMS else findings()


def results(jobs: int) -> Iterator[Outcome | Findings]:
    """Yield the outcome of each system and the findings, each as soon as it is there.

    Most of the time of a first run goes into compiling, so that several processes pay.
    """
    tasks = [*ORDER, *(method for method in SYSTEMS if method not in ORDER)]
    n_jobs = min(len(tasks), (os.cpu_count() or 1) if jobs < 0 else jobs)
    if n_jobs <= 1:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(n_jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from pool.imap_unordered(work, tasks)


def in_order(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes in the order of the systems."""
    return sorted(outcomes, key=lambda each: list(SYSTEMS).index(each.method))


def examples() -> dict[str, str]:
    """Return one line of each kind of constraint, as a file has it."""
    return {
        "must-link": first_of(pairs(), "must_link"),
        "cannot-link": first_of(pairs(), "cannot_link"),
        "triplet": first_of(triplets(), "triplets"),
        "rule": str(RULES[1]),
    }


def first_of(constraints: Constraints, kind: str) -> str:
    """Return the first constraint of a kind."""
    return next(constraints.restrict(kinds=(kind,)).describe())


def contradiction() -> tuple[str, str]:
    """Return why three statements contradict each other, and which one to drop."""
    names = animals().names or ()
    first, second, third = (names.index(name) for name in ("wolf", "bottlenose dolphin", "cod"))
    constraints = named(
        must_link=[(first, second), (second, third)],
        must_link_weights=[1.0, 0.5],
        cannot_link=[(first, third)],
    )
    try:
        constraints.check()
    except InconsistentConstraintsError as error:
        _, dropped = constraints.repair()
        return str(error), "; ".join(dropped.describe())
    raise AssertionError("these statements do contradict each other")


def write_report(path: Path) -> None:
    """Write the report on the clusters of the tree."""
    from clustraint import Report

    clustering = clustered("tree", pairs())
    Report(
        clustering.pipeline["encode"].transform(clustering.table),
        clustering.estimator,
        constraints=clustering.constraints,
        names=clustering.table.names,
        explanation=explain(clustering),
        title="Animals, by a tree under 100 pairs",
        how="clustraint demo --report demo.html",
    ).save(path)
