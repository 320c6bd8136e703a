"""A run as tables: means by budget and share wrong, by halves, by table, and the targets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.accuracy.grid import NOTHING_SAID, Condition
from benchmarks.accuracy.methods import METHODS, OURS, PLAIN
from benchmarks.accuracy.results import Outcomes
from benchmarks.accuracy.tables import NAMES, TUNED
from benchmarks.machine import described
from benchmarks.table import seconds

MAIN = tuple(Condition("pairs", budget, wrong) for wrong in (0.0, 0.1) for budget in (60, 120))
# The methods that may be what the page is about, the first that has been run.
LEADS = ("BestClusterer", "ConstrainedMixture", "PCKMeans")
TOLERANCE = 0.02
GOOD = 0.6


@dataclass(frozen=True)
class Section:
    """A table with a title and a few words."""

    title: str
    words: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def markdown(self) -> str:
        lines = [
            f"## {self.title}",
            "",
            self.words,
            "",
            _line(self.header),
            _line(["---", *["---:"] * (len(self.header) - 1)]),
            *map(_line, self.rows),
        ]
        return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def number(value: float | None) -> str:
    """Return a score with two digits, a dash where there is none."""
    return "–" if value is None else f"{value:.2f}".replace("0.", ".", 1)


def title_of(condition: Condition) -> str:
    """Return a condition in few words."""
    nouns = {"labels": "per class", "mixture": "statements"}
    budget = f"{condition.budget} {nouns.get(condition.kind, '')}".strip()
    return f"{budget}, {condition.wrong:.0%} wrong" if condition.wrong else budget


def label_of(method: str) -> str:
    """Return a method with its package, where that is not ours."""
    package = METHODS[method].package
    return method if package == OURS else f"{method} ({package})"


def sections(outcomes: Outcomes) -> list[Section]:
    """Return all tables that the results allow."""
    makers: tuple[Callable[[Outcomes], Iterator[Section]], ...] = (
        _pairs,
        _halves,
        _other_kinds,
        _free_samples,
        _tables,
        _doubts,
        _costs,
        _targets,
    )
    return [section for make in makers for section in make(outcomes) if section.rows]


def _grid(
    outcomes: Outcomes, conditions: Sequence[Condition], field: str = "ari"
) -> list[tuple[str, ...]]:
    rows = []
    for method in outcomes.methods:
        values = [outcomes.mean(method, each, field) for each in conditions]
        if any(value is not None for value in values):
            rows.append((label_of(method) + _fewer(outcomes, method), *map(number, values)))
    return rows


def _fewer(outcomes: Outcomes, method: str) -> str:
    """Return a remark where a method was not run on all tables."""
    counts = {len(outcomes.by_table(method, each)) for each in outcomes.conditions} - {0}
    every = max(len(outcomes.by_table(PLAIN, NOTHING_SAID)), 1)
    if METHODS[method].limit is None or not counts or max(counts) >= every:
        return ""
    return f", {max(counts)} tables"


def _of_kind(outcomes: Outcomes, kind: str) -> list[Condition]:
    return [each for each in outcomes.conditions if each.kind == kind]


def _pairs(outcomes: Outcomes) -> Iterator[Section]:
    conditions = sorted(_of_kind(outcomes, "pairs"), key=lambda each: each.wrong)
    yield Section(
        "Pairs",
        "Mean adjusted Rand index over tables, by the number of random pairs and the share of them "
        "that is wrong. A run that failed counts as 0.",
        ("method", *map(title_of, conditions)),
        _grid(outcomes, conditions),
    )


def _halves(outcomes: Outcomes) -> Iterator[Section]:
    conditions = [each for each in MAIN if each in outcomes.conditions]
    rest = [name for name in NAMES if name not in TUNED]
    halves = {"first": TUNED, "second": rest}
    rows: list[tuple[str, ...]] = []
    for method in outcomes.methods:
        values = [
            outcomes.mean(method, each, tables=half)
            for each in conditions
            for half in halves.values()
        ]
        if values and None not in values:
            rows.append((label_of(method), METHODS[method].tuned_on, *map(number, values)))
    columns = (f"{title_of(each)}: {half}" for each in conditions for half in halves)
    yield Section(
        "Tables for tuning, and tables for checking",
        f"The first half in alphabetical order ({'; '.join(TUNED)}) is for tuning, the second "
        f"({'; '.join(rest)}) for checking. What carries over is seen only where the defaults of a "
        "method were chosen without a look at the second half.",
        ("method", "tables that defaults were chosen on", *columns),
        rows,
    )


WORDS = {
    "triplets": "Random triplets; a wrong one names another of the three as the odd one.",
    "labels": "Labels of each class; methods that take pairs get all pairs of labelled samples.",
    "rules": "Rules that hold for part of a class or for a whole one, on the tables that have "
    "columns of yes and no; methods that take pairs get the pairs that rules mean.",
    "mixture": "Half pairs and half triplets, one label of each class, and two rules where a table "
    "allows them. A method sees what it takes.",
}


def _other_kinds(outcomes: Outcomes) -> Iterator[Section]:
    for kind, words in WORDS.items():
        conditions = _of_kind(outcomes, kind)
        names = set(outcomes.by_table(PLAIN, NOTHING_SAID))
        for method in outcomes.methods:
            for each in conditions:
                names &= set(outcomes.by_table(method, each)) or names
        rows = []
        for method in outcomes.methods:
            if not (METHODS[method].is_plain or METHODS[method].takes_part(kind)):
                continue
            if METHODS[method].limit is not None:
                continue
            tables = sorted(names) if kind == "rules" else None
            values = [outcomes.mean(method, each, tables=tables) for each in conditions]
            if any(value is not None for value in values):
                rows.append((label_of(method), *map(number, values)))
        title = {"mixture": "All kinds at once"}.get(kind, kind.capitalize())
        if conditions:
            yield Section(title, words, ("method", *map(title_of, conditions)), rows)


def _free_samples(outcomes: Outcomes) -> Iterator[Section]:
    conditions = [each for each in MAIN if each in outcomes.conditions]
    yield Section(
        "Samples that nobody spoke of",
        "The same index over the samples that are in no pair: what statements do for others.",
        ("method", *map(title_of, conditions)),
        _grid(outcomes, conditions, "free") if conditions else [],
    )


def lead_of(outcomes: Outcomes) -> str | None:
    """Return the method that the table by table comparison is about."""
    return next((name for name in LEADS if name in outcomes.methods), None)


def _tables(outcomes: Outcomes) -> Iterator[Section]:
    lead = lead_of(outcomes)
    conditions = [
        each for each in _of_kind(outcomes, "pairs") if each != NOTHING_SAID and each.wrong <= 0.1
    ]
    if lead is None or not conditions:
        return
    plain = outcomes.by_table(PLAIN, NOTHING_SAID)
    columns = [outcomes.by_table(lead, each) for each in conditions]
    rows = []
    for name in sorted(plain, key=str.lower):
        values = [column.get(name) for column in columns]
        gains = [value - plain[name] for value in values if value is not None]
        least = f"{min(gains):+.2f}" if gains else "–"
        rows.append((name, number(plain[name]), *map(number, values), least))
    yield Section(
        f"Table by table: {lead} beside k-means",
        "Means over seeds; the last column is the least gain over k-means at any budget.",
        ("table", PLAIN, *map(title_of, conditions), "least gain"),
        rows,
    )


def _doubts(outcomes: Outcomes) -> Iterator[Section]:
    rows = []
    conditions = [each for each in _of_kind(outcomes, "pairs") if each.wrong]
    for method in outcomes.methods:
        for each in conditions:
            precision = outcomes.by_table(method, each, "precision")
            good = [
                value
                for name, value in precision.items()
                if outcomes.by_table(method, each).get(name, 0) >= GOOD
            ]
            if precision:
                everywhere = sum(precision.values()) / len(precision)
                mean = sum(good) / len(good) if good else None
                rows.append(
                    (method, title_of(each), number(everywhere), number(mean), str(len(good)))
                )
    yield Section(
        "Which pairs are wrong",
        "Average precision of ``doubt_`` in finding the wrong pairs: 1 if all of them are doubted "
        "more than any right one.",
        ("method", "pairs", "all tables", f"tables with an index of {GOOD} or more", "tables"),
        rows,
    )


def _costs(outcomes: Outcomes) -> Iterator[Section]:
    rows = [
        (
            label_of(method),
            seconds(outcomes.seconds(method)),
            f"{outcomes.failures(method):.1%}",
        )
        for method in outcomes.methods
    ]
    yield Section(
        "Time and failures",
        "Median CPU time of a run over all tables, and the share of runs that raised an error.",
        ("method", "CPU time", "failed"),
        rows,
    )


class AccuracyTarget(NamedTuple):
    """What was to be reached, fixed before anything was measured."""

    words: str
    method: str
    condition: Condition
    bound: float
    tables: tuple[str, ...] | None = None


def _target(method: str, budget: int, wrong: float, bound: float, *tables: str) -> AccuracyTarget:
    where = f", {tables[0]}" if tables else ", mean over tables"
    share = f"{wrong:.0%} wrong" if wrong else "none wrong"
    words = f"{method}, {budget} pairs, {share}{where}"
    return AccuracyTarget(words, method, Condition("pairs", budget, wrong), bound, tables or None)


TARGETS = (
    _target("BestClusterer", 60, 0.0, 0.62),
    _target("BestClusterer", 120, 0.0, 0.66),
    _target("BestClusterer", 60, 0.1, 0.60),
    _target("BestClusterer", 120, 0.1, 0.62),
    _target("ConstrainedMixture", 60, 0.0, 0.95, "iris"),
    _target("ConstrainedMixture", 60, 0.0, 0.96, "wine"),
    _target("ConstrainedMixture", 60, 0.1, 0.93, "iris"),
    _target("ConstrainedMixture", 60, 0.1, 0.94, "wine"),
)


def _targets(outcomes: Outcomes) -> Iterator[Section]:
    rows: list[tuple[str, ...]] = []
    for target in TARGETS:
        value = outcomes.mean(target.method, target.condition, tables=target.tables)
        if value is not None:
            n_tables = len(outcomes.by_table(target.method, target.condition))
            met = value >= target.bound
            verdict = _verdict(met, len(NAMES) if target.tables else n_tables)
            rows.append((target.words, f"≥ {number(target.bound)}", number(value), verdict))
    rows += list(_harm(outcomes)) + list(_doubt_precision(outcomes))
    yield Section("Targets", "Fixed beforehand.", ("what", "target", "reached", ""), rows)


def _verdict(met: bool, n_tables: int) -> str:
    """Return whether a target is met; one about all tables is open where some were left out."""
    if n_tables < len(NAMES):
        return f"open: {n_tables} of {len(NAMES)} tables"
    return "met" if met else "**missed**"


def _harm(outcomes: Outcomes) -> Iterator[tuple[str, ...]]:
    """Yield whether knowledge ever does harm."""
    lead = "BestClusterer"
    plain = outcomes.by_table(PLAIN, NOTHING_SAID)
    gains = {
        (value - plain[name], name, title_of(each))
        for each in _of_kind(outcomes, "pairs")
        if each.wrong <= 0.1 and each != NOTHING_SAID
        for name, value in outcomes.by_table(lead, each).items()
        if name in plain
    }
    if gains:
        least, name, budget = min(gains)
        verdict = _verdict(least >= -TOLERANCE, len({name for _, name, _ in gains}))
        words = f"{lead} beside k-means, every table and budget, at most 10% wrong"
        yield words, f"≥ -{number(TOLERANCE)}", f"{least:+.2f} ({name}, {budget})", verdict


def _doubt_precision(outcomes: Outcomes) -> Iterator[tuple[str, ...]]:
    """Yield whether wrong pairs are found."""
    condition = Condition("pairs", 120, 0.1)
    method = "ConstrainedMixture"
    good = [
        value
        for name, value in outcomes.by_table(method, condition, "precision").items()
        if outcomes.by_table(method, condition)[name] >= GOOD
    ]
    if good:
        words = f"doubts of {method}, {title_of(condition)}, average precision"
        mean = sum(good) / len(good)
        n_tables = len(outcomes.by_table(method, condition))
        yield words, "≥ .70", number(mean), _verdict(mean >= 0.7, n_tables)


@dataclass(frozen=True)
class AccuracyPage:
    """What is shown of a run."""

    about: dict[str, Any]
    sections: list[Section]

    def markdown(self) -> str:
        """Return all tables, and what the run was measured on."""
        parts = [section.markdown() for section in self.sections]
        return "\n".join([*parts, self.words()]) + "\n"

    def words(self) -> str:
        grid, seeds = self.about["grid"], self.about["seeds"]
        skipped = self.about["skipped"]
        lines = [f"The {grid} grid, {seeds} {'seed' if seeds == 1 else 'seeds'}."]
        if skipped:
            lines.append(f"Not found on this machine, and left out: {', '.join(skipped)}.")
        return " ".join([*lines, described(self.about)])

    def write_json(self, path: Path) -> None:
        record = {
            **self.about,
            "words": self.words(),
            "sections": [asdict(section) for section in self.sections],
        }
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> AccuracyPage:
        """Return the page that `write_json` has written."""
        about = json.loads(path.read_text(encoding="utf-8"))
        parts = [
            Section(
                each["title"],
                each["words"],
                tuple(each["header"]),
                [tuple(r) for r in each["rows"]],
            )
            for each in about.pop("sections")
        ]
        return cls(about, parts)
