"""Measure the rows of the registry and print them as a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Result, measure
from benchmarks.rows import REGISTRY, Row
from benchmarks.table import HEADER, cells, line, write_json

DOMAINS = (
    "knowledge",
    "cop_kmeans",
    "attribute_kmedoids",
    "clustering_tree",
    "linkage",
    "metric",
    "recon",
    "triplet_hierarchies",
    "scores",
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
        prog="./dev bench",
        description="CPU time against peers; exits with 1 where a target is missed.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="smaller inputs, one repeat; never exits with 1"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="rows whose name holds TEXT")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there, too")
    parser.add_argument("--repeats", metavar="N", type=int, default=5, help="default: 5")
    return parser.parse_args(arguments)


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


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    # Before the rows import numpy and numba, which read them once: one thread on either side.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    rows = chosen(options.only)
    if not rows:
        print(f"no row's name holds {options.only!r}", file=sys.stderr)
        return 2
    repeats = 1 if options.quick else options.repeats
    results = run(rows, repeats=repeats, quick=options.quick)
    if options.json is not None:
        write_json(results, options.json)
    missed = any(result.met is False for result in results)
    return int(missed and not options.quick)


if __name__ == "__main__":
    raise SystemExit(main())
