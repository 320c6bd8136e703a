"""CPU seconds and memory at the limits, for docs/limits.rst: ``python -m benchmarks.limits``.

Each case runs in a process of its own, twice: the second time counts, as for the first one kernels
are compiled. ``--docs`` writes the table that the page shows, ``--quick`` takes smaller inputs,
``--only TEXT`` cases whose name holds a text.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.memory import resident

TABLE = Path(__file__).parent.parent / "docs" / "limits-table.inc"


class LimitCase(NamedTuple):
    """What is measured: `prepare` makes the call, given how many times smaller inputs are."""

    name: str
    prepare: Callable[[int], Callable[[], Any]]


def _deep_rule(smaller: int) -> Callable[[], Any]:
    from clustraint import Rule

    depth = 40_000 // smaller
    text = "(" * depth + "x0 > 4" + ")" * depth
    return lambda: Rule(text).scope(np.arange(1000.0)[:, np.newaxis])


def _long_rule(smaller: int) -> Callable[[], Any]:
    from clustraint import Rule

    text = " | ".join(f"x0 == {number}" for number in range(7000 // smaller))
    return lambda: Rule(text).scope(np.arange(1000.0)[:, np.newaxis])


def _clique(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints
    from clustraint.exceptions import TooFewClustersError

    size = 3000 // smaller
    pairs = np.stack(np.triu_indices(size, 1), axis=1)

    def call() -> None:
        with suppress(TooFewClustersError):
            Constraints(size, cannot_link=pairs).check(size - 1)

    return call


def _huge_clique(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints
    from clustraint.exceptions import NotEnoughMemoryError

    def call() -> None:
        with suppress(NotEnoughMemoryError):
            Constraints.from_labels(np.arange(100_000), n_pairs="all")

    return call


def _star(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints

    rest = np.arange(1, 100_000 // smaller)
    pairs = np.stack((np.zeros_like(rest), rest), axis=1)

    def call() -> None:
        star = Constraints(len(pairs) + 1, cannot_link=pairs)
        star.check(2)
        star.closure()

    return call


def _chain(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints

    count = 1_000_000 // smaller
    pairs = np.stack((np.arange(count - 1), np.arange(1, count)), axis=1)

    def call() -> None:
        chain = Constraints(count, must_link=pairs)
        chain.check()
        chain.entails(must_link=(0, count - 1))

    return call


def _many_pairs(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints

    count = 10_000_000 // smaller
    rng = np.random.default_rng(0)
    y = rng.integers(20, size=count // 10)
    pairs = rng.integers(len(y), size=(count, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return lambda: Constraints(len(y), must_link=pairs[same], cannot_link=pairs[~same]).check()


def _blobs(n_samples: int, n_features: int = 10) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(8, size=n_samples)
    return rng.normal(size=(n_samples, n_features)) + 3 * rng.normal(size=(8, n_features))[y], y


def _report(smaller: int) -> Callable[[], Any]:
    from clustraint import Constraints
    from clustraint.report import Report

    X, y = _blobs(1_000_000 // smaller)
    constraints = Constraints.from_labels(y, n_pairs=1000, random_state=0)
    return lambda: str(Report(X, y, constraints=constraints)._repr_html_())


def _explanation(smaller: int) -> Callable[[], Any]:
    from clustraint.workflow import explain

    X, y = _blobs(1_000_000 // smaller)
    return lambda: explain(X, y)


def _question(smaller: int) -> Callable[[], Any]:
    from clustraint import ConstrainedMixture
    from clustraint.active import Session

    X, _ = _blobs(1_000_000 // smaller)
    mixture = ConstrainedMixture(8, random_state=0)
    return lambda: Session("expected-change", X, n_clusters=8, estimator=mixture).question


def _fit(name: str, n_samples: int) -> Callable[[int], Callable[[], Any]]:
    def prepare(smaller: int) -> Callable[[], Any]:
        import clustraint

        X, y = _blobs(n_samples // smaller)
        pairs = clustraint.Constraints.from_labels(y, n_pairs=1000, random_state=0)
        return lambda: getattr(clustraint, name)(8).fit(X, constraints=pairs)

    return prepare


CASES = (
    LimitCase("a rule of 40,000 brackets in each other", _deep_rule),
    LimitCase("a rule of 7,000 comparisons", _long_rule),
    LimitCase("3,000 samples all apart, as 4,498,500 cannot-links, in 2,999 clusters", _clique),
    LimitCase("100,000 samples all apart, as 4,999,950,000 cannot-links: refused", _huge_clique),
    LimitCase("a star of 99,999 cannot-links: check and closure", _star),
    LimitCase("a chain of 999,999 must-links: check and entailment of its ends", _chain),
    LimitCase("10,000,000 pairs on 1,000,000 samples: check", _many_pairs),
    LimitCase("a report on 1,000,000 rows of 10 columns", _report),
    LimitCase("rules that explain 8 clusters of 1,000,000 rows", _explanation),
    LimitCase("the first question about 1,000,000 rows", _question),
    LimitCase("COPKMeans, 1,000,000 rows, 1,000 pairs", _fit("COPKMeans", 1_000_000)),
    LimitCase(
        "ConstrainedMixture, 1,000,000 rows, 1,000 pairs", _fit("ConstrainedMixture", 1_000_000)
    ),
    LimitCase("ClusteringTree, 1,000,000 rows, 1,000 pairs", _fit("ClusteringTree", 1_000_000)),
    LimitCase(
        "ConstrainedCompleteLinkage, 10,000 rows, 1,000 pairs",
        _fit("ConstrainedCompleteLinkage", 10_000),
    ),
)


def measure(number: int, smaller: int) -> dict[str, float]:
    """Return CPU seconds and bytes at the peak of a case, in this process."""
    import warnings

    warnings.simplefilter("ignore")
    CASES[number].prepare(100 * smaller)()
    call = CASES[number].prepare(smaller)
    # Sets the peak back to what is resident now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before, start = resident("VmRSS"), time.process_time()
    call()
    return {
        "seconds": time.process_time() - start,
        "bytes": resident("VmHWM") - before,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="inputs a tenth as large")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--docs", action="store_true", help="write the table of docs/limits.rst")
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    smaller = 10 if options.quick else 1
    if options.case is not None:
        print(json.dumps(measure(options.case, smaller)))
        return
    rows = []
    for number, case in enumerate(CASES):
        if options.only in case.name:
            result = _in_a_process(number, quick=options.quick)
            rows.append((case.name, f"{result['seconds']:.2g} s", _megabytes(result["bytes"])))
            print(" | ".join(rows[-1]), flush=True)
    if options.docs:
        TABLE.write_text(_list_table(rows), encoding="utf-8")


def _in_a_process(number: int, *, quick: bool) -> dict[str, float]:
    arguments = ["--case", str(number), *["--quick"] * quick]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.limits", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"


def _list_table(rows: list[tuple[str, str, str]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 70 15 15", ""]
    for row in [("what", "CPU time", "memory at the peak"), *rows]:
        lines += [f"   {'*' if place == 0 else ' '} - {cell}" for place, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
