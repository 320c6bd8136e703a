"""What is run: the paper's table I, the values of its figures and tables, and the zoo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from clustraint.constraints import RULE_KINDS
from papers._experiment import Experiment, Parameter, Record, Size, generator_of
from papers._guests import Challenge, Problem
from papers.attribute.data import (
    DEFAULTS,
    KINDS,
    RADII,
    costs_of,
    draw,
    random_pairs,
    rule_sets,
    shuffled_animals,
)
from papers.attribute.figures import show_animals, show_costs, show_study
from papers.attribute.methods import (
    WAYS,
    by_pairs,
    fit,
    problem,
    warm_up,
    with_and_without,
)

Records = list[dict[str, Parameter]]

# Those of tables II to IV; the paper gives none for figure 3, only its ends (table I).
VALUES = {
    "n_attributes": (20, 60, 100, 200, 600, 800, 1000),
    "n_rules": (1, 4, 7, 10, 14, 17, 20),
    "n_literals": (1, 2, 4, 8, 16, 30, 60),
    "n_samples": (40, 100, 400, 600, 1000, 2000, 4000),
}
DATASETS = {"quick": 3, "full": 20}
REPEATS = {"quick": 8, "full": 50}
COST_SAMPLES = (1000, 4000)
# Numbers of must-links beside all that the rules stand for: none, as many as there are rules, as
# many as there are literals, and four times that.
PAIR_COUNTS = (0, 4, 16, 64)
# What names a data set, in the order in which its starts are drawn.
SETTING = ("kind", "n_attributes", "n_rules", "n_literals", "n_samples", "dataset")


def run_generated(**cell: Any) -> Records:
    """Cluster one data set in each way, with its rules and without."""
    warm_up()
    task = draw(**cell)
    # Radii as shares stand beside the main reading, by the paper's own way alone.
    ways = WAYS if cell["radii"] == "attributes" else ("paper",)
    setting = [cell[name] for name in SETTING]
    return [record for way in ways for record in with_and_without(way, task, setting)]


def problems(**cell: Any) -> Iterator[Problem]:
    """Yield the data set of a cell with its rules, in the order of the first start."""
    task, seed = draw(**cell).started("attribute", *(cell[name] for name in SETTING), 0)
    yield problem(task, task.rules, seed, {"ruled": True, "rules": len(task.rules)})


def varied(parameter: str, size: Size) -> Iterable[Record]:
    """Yield the settings in which one parameter of the generator varies."""
    for dataset in range(DATASETS[size]):
        for radii in RADII:
            for value in VALUES[parameter]:
                for kind in KINDS:
                    setting = {**DEFAULTS, parameter: value}
                    yield {"kind": kind, "radii": radii, **setting, "dataset": dataset}


def run_costs(*, n_samples: int, dataset: int) -> Records:
    """Compare rules with must-links, which say the same of samples instead of attributes."""
    warm_up()
    setting = {**DEFAULTS, "n_samples": n_samples, "dataset": dataset}
    task = draw(kind="together", radii="attributes", **setting)
    scopes = [np.flatnonzero(rule.scope(task.X)) for rule in task.rules]
    needed = costs_of(scopes, n_samples)
    chains = np.array([pair for scope in scopes for pair in pairwise(scope)], np.int64)
    records: Records = [
        {"by": "rules", "n_constraints": len(task.rules) if record["ruled"] else 0, **record}
        for record in with_and_without("paper", task, ("costs", n_samples, dataset))
    ]
    for count in (*PAIR_COUNTS, len(chains)):
        rng = generator_of("pairs", n_samples, dataset, count)
        pairs = chains if count == len(chains) else random_pairs(scopes, count, rng)
        records.append(by_pairs(task, pairs, (n_samples, dataset)))
    return [{**record, **needed} for record in records]


def costs(size: Size) -> Iterable[Record]:
    """Yield the settings in which rules are compared with must-links."""
    for dataset in range(DATASETS[size]):
        for n_samples in COST_SAMPLES:
            yield {"n_samples": n_samples, "dataset": dataset}


def run_animals(*, table: str, kind: str, repeat: int) -> Records:
    """Cluster the animals, in a random order, with each set of rules and in each way."""
    warm_up()
    task, seed = shuffled_animals(table, kind, repeat)
    records: Records = []
    for way in WAYS:
        for chosen in rule_sets():
            fitted = fit(way, task, seed, [task.rules[int(number) - 1] for number in chosen])
            record: dict[str, Parameter] = {
                "way": way,
                "rule_set": chosen,
                "n_rules": len(chosen),
                "ari": fitted.ari,
            }
            records.append({**record, "rounds": fitted.rounds, "violated": fitted.violated})
    return records


def animal_problems(*, table: str, kind: str, repeat: int) -> Iterator[Problem]:
    """Yield the animals in the same order with each set of rules."""
    task, seed = shuffled_animals(table, kind, repeat)
    for chosen in rule_sets():
        rules = [task.rules[int(number) - 1] for number in chosen]
        yield problem(task, rules, seed, {"rule_set": chosen, "n_rules": len(chosen)})


def animals(table: str, size: Size) -> Iterable[Record]:
    """Yield the repetitions on a table of animals, each with all sets of rules."""
    for repeat in range(REPEATS[size]):
        for kind in KINDS:
            yield {"table": table, "kind": kind, "repeat": repeat}


GENERATED = (
    "As in the paper: 20 data sets for each kind of rule and each value, k = 20, each clustered "
    "ten times from random starts, by the paper's way with rules and without, on the same samples "
    "in the same random order. Intervals are over the data sets, each the mean of its starts. "
    "Samples lie up to 10 attributes from their medoid, 50 in clusters with a rule; beside that, "
    "up to 0.1 and 0.5 of all attributes, and AttributeKMedoids' defaults (the best of ten starts)."
)
ARI = {"ari": "adjusted Rand index"}
ANIMALS = Challenge(animal_problems, RULE_KINDS, ARI, panels=("kind",), x="n_rules", method="way")


def _study(name: str, parameter: str, title: str, table: str, figure: str) -> Experiment:
    challenge = Challenge(
        problems,
        RULE_KINDS,
        ARI,
        panels=("kind", "radii"),
        x=parameter,
        method="way",
        where={"ruled": True},
    )
    return Experiment(
        name,
        title,
        GENERATED,
        run_generated,
        partial(varied, parameter),
        partial(show_study, name, parameter, figure, table),
        challenge,
        repetition="dataset",
    )


EXPERIMENTS = (
    _study(
        "table-2",
        "n_attributes",
        "How do quality, rounds and time depend on the number of attributes, A?",
        "table-2",
        "attributes",
    ),
    _study(
        "figure-2",
        "n_rules",
        "How do they depend on the number of rules, C?",
        "table-3",
        "figure-2",
    ),
    _study(
        "figure-3",
        "n_literals",
        "How do they depend on the number of literals of a rule, F?",
        "literals",
        "figure-3",
    ),
    _study(
        "figure-4",
        "n_samples",
        "How do they depend on the number of samples, I?",
        "table-4",
        "figure-4",
    ),
    Experiment(
        "figure-5",
        "Which rules, and which sets of rules, help on the zoo?",
        "As in the paper: all 64 sets of its six rules, as together and as exactly rules, k = 7, "
        "50 repetitions. In a repetition all sets see the same random order and seed, so that "
        "gains are paired.",
        run_animals,
        partial(animals, "zoo-binary"),
        partial(show_animals, "figure-5", "zoo-binary"),
        ANIMALS,
    ),
    Experiment(
        "animals",
        "Do the same rules help on the animals that come with clustraint?",
        "Not the paper's: its zoo protocol with the same six rules on the truth values and legs of "
        "clustraint's own table, which needs no file.",
        run_animals,
        partial(animals, "animals"),
        partial(show_animals, "animals", "animals"),
        ANIMALS,
    ),
    Experiment(
        "costs",
        "What do rules gain beside must-links that say the same?",
        "The paper counts; here COP-k-means also clusters, from three starts, with none, 4, 16, 64 "
        "and all must-links of the rules' scopes, on the data sets for together rules with C = 4.",
        run_costs,
        costs,
        show_costs,
        repetition="dataset",
    ),
)
