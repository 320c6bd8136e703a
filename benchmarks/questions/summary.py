"""A run as tables and a picture: curves, by table, targets, calibration, latency."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.accuracy.summary import TOLERANCE, Section, number
from benchmarks.questions.grid import ASKED, BUDGETS, OURS, STEP

Record = Mapping[str, Any]
DEFAULT = "balanced"
# Shares of samples, at which forecasts of change are put together.
BINS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 1.0)


class Curves:
    """Records by strategy, share wrong and number of answers, and then by table."""

    def __init__(self, results: Iterable[tuple[Record, Sequence[Record]]]) -> None:
        self._records: dict[tuple[str, float, int], dict[str, list[Record]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for cell, records in results:
            for record in records:
                key = cell["strategy"], cell["wrong"], record["answers"]
                self._records[key][cell["table"]].append(record)

    @property
    def strategies(self) -> list[str]:
        return [name for name in ASKED if any(name == key[0] for key in self._records)]

    @property
    def shares(self) -> list[float]:
        return sorted({wrong for _, wrong, _ in self._records})

    @property
    def tables(self) -> list[str]:
        return sorted({name for tables in self._records.values() for name in tables}, key=str.lower)

    def budgets(self, strategy: str) -> list[int]:
        return sorted({key[2] for key in self._records if key[0] == strategy})

    def by_table(self, strategy: str, wrong: float, n_answers: int) -> dict[str, float]:
        """Return the mean over seeds for each table."""
        tables = self._records.get((strategy, wrong, n_answers), {})
        by_name = {
            name: [r["ari"] for r in records if r["ari"] is not None]
            for name, records in tables.items()
        }
        return {name: fmean(values) for name, values in by_name.items() if values}

    def mean(
        self, strategy: str, wrong: float, n_answers: int, tables: Iterable[str] | None = None
    ) -> float | None:
        """Return the mean over tables, or over some of them."""
        wanted = None if tables is None else set(tables)
        values = [
            value
            for name, value in self.by_table(strategy, wrong, n_answers).items()
            if wanted is None or name in wanted
        ]
        return fmean(values) if values else None

    def records(self, strategy: str) -> Iterator[Record]:
        for (name, _, _), tables in self._records.items():
            if name == strategy:
                for records in tables.values():
                    yield from records


def sections(curves: Curves) -> list[Section]:
    """Return all tables that the results allow."""
    parts = [*_means(curves), _by_table(curves), *_targets(curves)]
    parts += [_calibration(curves), _latency(curves)]
    return [part for part in parts if part.rows]


def _means(curves: Curves) -> Iterator[Section]:
    for wrong in curves.shares:
        rows = []
        for name in curves.strategies:
            remark = _remark(curves, name)
            package = "" if ASKED[name].package == OURS else f" ({ASKED[name].package})"
            values = [curves.mean(name, wrong, n) for n in (0, *BUDGETS)]
            rows.append((f"{name}{package}{remark}", *map(number, values)))
        yield Section(
            f"Answers, {wrong:.0%} of them wrong",
            "Mean adjusted Rand index over tables, by the number of answers.",
            ("strategy", *map(str, (0, *BUDGETS))),
            rows,
        )


def _remark(curves: Curves, strategy: str) -> str:
    """Return on how many tables a strategy was run, where these are not all."""
    n_tables = len(curves.by_table(strategy, curves.shares[0], BUDGETS[0]))
    return f", {n_tables} tables" if n_tables < len(curves.tables) else ""


def _by_table(curves: Curves) -> Section:
    ours = [name for name in curves.strategies if ASKED[name].package == OURS]
    rows = []
    for name in curves.tables:
        values = [curves.by_table(each, 0.0, 50).get(name) for each in ours]
        plain = curves.by_table(DEFAULT, 0.0, 0).get(name)
        rows.append((name, number(plain), *map(number, values)))
    return Section(
        "By table", "After 50 answers, none of them wrong.", ("table", "no answers", *ours), rows
    )


def _targets(curves: Curves) -> Iterator[Section]:
    if DEFAULT not in curves.strategies:
        return
    rows = []
    for peer in curves.strategies:
        if ASKED[peer].package == OURS:
            continue
        tables = curves.by_table(peer, 0.0, 100)
        ours, theirs = curves.mean(DEFAULT, 0.0, 50, tables), curves.mean(peer, 0.0, 100)
        if ours is not None and theirs is not None:
            verdict = "met" if ours >= theirs else "not met"
            target = f"50 answers of {DEFAULT} ≥ 100 of {peer}, {len(tables)} tables"
            rows.append((target, number(ours), number(theirs), verdict))
    losses = {
        (name, n): plain - curves.by_table(DEFAULT, 0.1, n).get(name, plain)
        for name, plain in curves.by_table(DEFAULT, 0.1, 0).items()
        for n in BUDGETS
    }
    if losses:
        (name, n), loss = max(losses.items(), key=lambda item: item[1])
        verdict = "met" if loss <= TOLERANCE else "not met"
        n_worse = len({table for (table, _), each in losses.items() if each > TOLERANCE})
        target = f"10 % wrong: no table more than {number(TOLERANCE)} below no answers"
        worst = f"{name} at {n}: {number(loss)}; {n_worse} tables"
        rows.append((target, worst, number(TOLERANCE), verdict))
    header = ("target", "measured", "to reach", "")
    yield Section("Targets", f"For the default strategy, {DEFAULT}.", header, rows)


def _calibration(curves: Curves) -> Section:
    """Compare what a session says another ten answers will change with what they changed."""
    pairs = [
        (record["expected"], record["changed"])
        for record in curves.records(DEFAULT)
        if record.get("expected") is not None
    ]
    rows = []
    for low, high in pairwise(BINS):
        inside = [pair for pair in pairs if low <= pair[0] < high]
        if inside:
            means = [fmean(values) for values in zip(*inside, strict=True)]
            rows.append(
                (f"{low:.1%} to {high:.1%}", *(f"{m:.1%}" for m in means), str(len(inside)))
            )
    return Section(
        f"What another {STEP} answers change",
        "The share of samples whose cluster changes: as a session foretells it, and as it came.",
        ("foretold", "mean foretold", "mean that came", "forecasts"),
        rows,
    )


def _latency(curves: Curves) -> Section:
    rows = []
    for name in curves.strategies:
        records = [r for r in curves.records(name) if r.get("next") is not None]
        if records:
            first, following = (median(r[key] for r in records) for key in ("first", "next"))
            rows.append((name, f"{1000 * first:.0f}", f"{1000 * following:.1f}"))
    words = "Median CPU milliseconds over all tables."
    return Section("Waiting", words, ("strategy", "first question", "next question"), rows)


def draw(curves: Curves, path: Path) -> None:
    """Write a picture of the curves, one panel for each share of wrong answers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # The same run gives the same file.
    style = {"svg.hashsalt": "questions", "svg.fonttype": "none", "font.size": 9}
    with pyplot.rc_context(style):
        size = (4 * len(curves.shares), 3.6)
        figure, panels = pyplot.subplots(
            1, len(curves.shares), figsize=size, sharey=True, squeeze=False, layout="tight"
        )
        for axes, wrong in zip(panels[0], curves.shares, strict=True):
            for place, name in enumerate(curves.strategies):
                points = [(n, curves.mean(name, wrong, n)) for n in curves.budgets(name)]
                measured = [(n, value) for n, value in points if value is not None]
                line = "-" if ASKED[name].package == OURS else "--"
                # Means over other tables are not to be compared with each other.
                label = name + _remark(curves, name)
                axes.plot(*zip(*measured, strict=True), line, color=f"C{place}", label=label)
            axes.set(title=f"{wrong:.0%} of answers wrong", xlabel="answers", xlim=(0, 200))
            axes.grid(alpha=0.3)
        panels[0][0].set_ylabel("mean ARI")
        panels[0][-1].legend(fontsize=6.5, frameon=False, loc="lower right")
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)
