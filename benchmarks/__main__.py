"""Measure the rows of the registry and print them as a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Result, measure
from benchmarks.report import BenchmarkReport, write_docs
from benchmarks.rows import REGISTRY, Row
from benchmarks.table import HEADER, cells, line

DOMAINS = (
    "knowledge",
    "cop_kmeans",
    "soft_kmeans",
    "best_clusterer",
    "sessions",
    "studio",
    "constrained_mixture",
    "attribute_kmedoids",
    "clustering_tree",
    "linkage",
    "metric",
    "recon",
    "triplet_hierarchies",
    "scores",
    "tables",
    "large_data",
)
THREADS = (
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="CPU time against peers, and whether the targets are met."
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="smaller inputs, one repeat: about two minutes")
    add("--only", metavar="TEXT", default="", help="rows whose name holds TEXT")
    add("--repeats", metavar="N", type=int, default=5, help="default: 5")
    add("--load", metavar="FILE", type=Path, help="show an earlier run instead of measuring")
    add("--json", metavar="FILE", type=Path, help="write the results there, too")
    add("--markdown", metavar="FILE", type=Path, help="write a table in Markdown there, too")
    add("--docs", action="store_true", help="write what docs and README.md show; all rows only")
    add("--strict", action="store_true", help="exit with 1 where a target is missed")
    options = parser.parse_args(arguments)
    if options.docs and (options.only or options.quick):
        parser.error("--docs shows a full run: it goes with neither --only nor --quick")
    return options


def chosen(text: str) -> list[Row]:
    for domain in DOMAINS:
        import_module(f"benchmarks.{domain}")
    return [row for name, row in REGISTRY.items() if text.lower() in name.lower()]


def run(rows: Sequence[Row], *, repeats: int, quick: bool) -> list[Result]:
    """Measure `rows`, printing each as it is done."""
    width = max(len(row.name) for row in rows)
    print(line(HEADER, width))
    results = []
    for row in rows:
        result = measure(row, repeats=repeats, quick=quick)
        print(line(cells(result), width))
        if result.note:
            print(f"  {result.note}")
        sys.stdout.flush()
        results.append(result)
    return results


def measured(options: argparse.Namespace) -> BenchmarkReport | None:
    """Measure the rows that the options name; None if there are none."""
    # Before the rows import numpy and numba, which read them once: one thread on either side.
    # Kernels are compiled in the warm-up, however small the input is.
    os.environ.update(dict.fromkeys(THREADS, "1"), CLUSTRAINT_COMPILE="always")
    rows = chosen(options.only)
    if not rows:
        return None
    repeats = 1 if options.quick else options.repeats
    results = run(rows, repeats=repeats, quick=options.quick)
    return BenchmarkReport.now(results, repeats=repeats, quick=options.quick)


def loaded(path: Path) -> BenchmarkReport:
    """Print the rows of an earlier run."""
    report = BenchmarkReport.read(path)
    width = max((len(result.name) for result in report.results), default=0)
    for values in (HEADER, *map(cells, report.results)):
        print(line(values, width))
    return report


def write(report: BenchmarkReport, options: argparse.Namespace) -> None:
    """Write the files that the options name."""
    written = []
    if options.json is not None:
        report.write_json(options.json)
        written.append(options.json)
    if options.markdown is not None:
        options.markdown.write_text(report.markdown(), encoding="utf-8")
        written.append(options.markdown)
    if options.docs:
        written += write_docs(report)
    for path in written:
        print(path)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    report = measured(options) if options.load is None else loaded(options.load)
    if report is None:
        print(f"no row's name holds {options.only!r}", file=sys.stderr)
        return 2
    print(f"\n{report.summary()}")
    write(report, options)
    return int(bool(report.broken) or (options.strict and bool(report.missed)))


if __name__ == "__main__":
    raise SystemExit(main())
