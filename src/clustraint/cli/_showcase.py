"""What `clustraint demo` runs: every kind of knowledge on one small table."""

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
from clustraint.constraints._describe import descriptions
from clustraint.datasets import Dataset, load_animals
from clustraint.exceptions import InconsistentConstraintsError
from clustraint.tables import SampleTable, read_table
from clustraint.workflow._clustering import Clustering, cluster_table, explain_clustering

N_CLUSTERS = 7
N_CONSTRAINTS = 100
N_QUERIES = 40
RULES = (Rule("milk"), Rule("feathers", exactly=True), Rule("fins & ~breathes"))
# Columns that are neither yes nor no.
MEASURES = ("legs", "mass_kg", "length_cm", "lifespan_years")


@dataclass(frozen=True)
class Outcome:
    """How well one method found the groups that people know.

    Attributes
    ----------
    knowledge : str
        What it was told.
    method : str
        The estimator.
    before, after : float
        The adjusted Rand index without knowledge and with it.
    kept, given : int
        Constraints satisfied, of how many.
    seconds : float
        One fit, once all is compiled.
    """

    knowledge: str
    method: str
    before: float
    after: float
    kept: int
    given: int
    seconds: float


@dataclass(frozen=True)
class Findings:
    """What clustraint tells besides clusters.

    Attributes
    ----------
    must_links, cannot_links : int
        How many follow from the pairs.
    contradiction : str
        Why three statements contradict each other.
    dropped : str
        Which of them to drop.
    descriptions : list of str
        What each cluster of the tree is.
    """

    must_links: int
    cannot_links: int
    contradiction: str
    dropped: str
    descriptions: list[str]


class System(NamedTuple):
    """A method with the knowledge for it; `fit` takes the constraints, or None."""

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
    """Return what a person may say of columns."""
    return named(rules=RULES)


def named(**known: Any) -> Constraints:
    """Return constraints on the animals by their names."""
    return Constraints(len(animals().y), names=animals().names, **known)


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
    return read_table(str(path), id_column="name", drop=("class", "path", *MEASURES))


def by_estimator(estimator: Any) -> Callable[[Constraints | None], Any]:
    """Return how an estimator clusters the measured animals."""
    return lambda known: (estimator.fit(measured(), constraints=known).labels_, known)


def by_command(method: str) -> Callable[[Constraints | None], Any]:
    """Return how a method of the command line clusters the columns that are yes or no."""
    return lambda known: (clustered(method, known).labels, known)


def clustered(method: str, known: Constraints | None) -> Clustering:
    """Cluster the columns that are yes or no."""
    return cluster_table(yes_or_no(), known, N_CLUSTERS, method=method, random_state=0)


def by_questions(known: Constraints | None) -> tuple[NDArray[Any], Constraints | None]:
    """Ask the taxonomy; without `known`, ask nothing."""
    if known is None:
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
    """Run one system without knowledge and with it."""
    system = SYSTEMS[method]
    before, _ = system.fit(None)
    known = system.constraints()
    system.fit(known)
    start = time.perf_counter()
    after, told = system.fit(known)
    seconds = time.perf_counter() - start
    kept, given = satisfied(told or known, after)
    return Outcome(system.knowledge, method, score(before), score(after), kept, given, seconds)


def score(labels: NDArray[Any]) -> float:
    """Return how well clusters agree with the groups that people know."""
    return float(adjusted_rand_score(animals().y, labels))


def satisfied(known: Constraints, labels: NDArray[Any]) -> tuple[int, int]:
    """Return how many constraints the clusters satisfy, and of how many."""
    from clustraint.evaluation import constraint_satisfaction

    X = yes_or_no() if known.rules else None
    report = constraint_satisfaction(known, labels, X=X)
    return sum(kind.satisfied for kind in report.values()), sum(
        kind.given for kind in report.values()
    )


def findings() -> Findings:
    """Find what follows from the pairs, what contradicts what, and what the tree's clusters are."""
    closed = pairs().closure()
    told = explain_clustering(clustered("tree", pairs())).descriptions
    return Findings(
        len(closed.must_link),
        len(closed.cannot_link),
        *contradiction(),
        [line for each in told for line in str(each).splitlines()],
    )


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


def in_order(found: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes in the order of the systems."""
    return sorted(found, key=lambda each: list(SYSTEMS).index(each.method))


def examples() -> dict[str, str]:
    """Return one line of each kind of knowledge, as a file has it."""
    return {
        "must-link": first_of(pairs(), "must_link"),
        "cannot-link": first_of(pairs(), "cannot_link"),
        "triplet": first_of(triplets(), "triplets"),
        "rule": str(RULES[1]),
    }


def first_of(known: Constraints, kind: str) -> str:
    """Return the first constraint of a kind."""
    return next(iter(descriptions(known.restrict(kinds=(kind,)))))


def contradiction() -> tuple[str, str]:
    """Return why three statements contradict each other, and which one to drop."""
    names = animals().names or ()
    first, second, third = (names.index(name) for name in ("wolf", "bottlenose dolphin", "cod"))
    known = named(
        must_link=[(first, second), (second, third)],
        must_link_weights=[1.0, 0.5],
        cannot_link=[(first, third)],
    )
    try:
        known.check()
    except InconsistentConstraintsError as error:
        _, dropped = known.repair()
        return str(error), "; ".join(descriptions(dropped))
    raise AssertionError("these statements do contradict each other")


def write_report(path: Path) -> None:
    """Write the report on the clusters of the tree."""
    from clustraint import Report

    found = clustered("tree", pairs())
    Report(
        found.pipeline["encode"].transform(found.table),
        found.estimator,
        constraints=found.constraints,
        names=found.table.names,
        title="Animals, by a tree under 100 pairs",
        how="clustraint demo --report demo.html",
    ).save(path)
