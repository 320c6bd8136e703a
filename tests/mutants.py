"""Do the tests notice when the code is wrong? ``python -m tests.mutants`` makes it wrong, and asks.

One thing at a time is changed in a copy of the package: a comparison, a sign, a number, a
condition. The tests that mention what the changed module defines, or what is built on it, run on
that copy; a change that none of them notices survives and is printed, with its place. A changed
kernel runs as plain Python, as all others then do. Survivors that nobody could notice are listed in
tests/equivalent-mutants.txt.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "clustraint"
EQUIVALENT = ROOT / "tests" / "equivalent-mutants.txt"
PACKAGES = ("cluster", "constraints", "evaluation", "hierarchy", "kernels")
# Of processor time: a file of tests that takes longer on code without a change is left out.
MOST_SECONDS = 40
# Files of tests that a mutant is run against at most, those first that mention most of it.
MOST_FILES = 8
# Tests that are about size, not about sense, and take minutes without compiled kernels.
LARGE = (
    "caterpillar or many or large or deep or huge or memory or slow or linear "
    "or scikit_learns_checks or every_seed or long"
)
# How many times as many examples a profile of hypothesis tries, at most.
EXAMPLES = {"quick": 1, "default": 5}
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the number of the place among all places, and what is done."""

    module: str
    place: int
    line: int
    change: str
    code: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.change}"

    @property
    def lasting_name(self) -> str:
        """A name that lines above do not change: the code of its own line."""
        return f"{self.module}  {self.code}  {self.change}"


class Mutator(ast.NodeTransformer):
    """Walk a module, count the places that can be changed, and change the one that is wanted."""

    def __init__(self, wanted: int = -1) -> None:
        self.wanted = wanted
        self.places: list[tuple[int, str]] = []

    def _met(self, node: ast.AST, change: str) -> bool:
        self.places.append((getattr(node, "lineno", 0), change))
        return len(self.places) - 1 == self.wanted

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for place, operator in enumerate(node.ops):
            other = COMPARISONS[type(operator)]
            if self._met(node, f"{type(operator).__name__} -> {other.__name__}"):
                node.ops[place] = other()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        other = OPERATORS.get(type(node.op))
        # Sums of texts and unions of types are left alone: to break these shows nothing.
        if other and self._met(node, f"{type(node.op).__name__} -> {other.__name__}"):
            node.op = other()
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        other = OPERATORS.get(type(node.op))
        if other and self._met(node, f"{type(node.op).__name__}= -> {other.__name__}="):
            node.op = other()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        if self._met(node, f"{type(node.op).__name__} -> {other.__name__}"):
            node.op = other()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert) and self._met(
            node, f"{type(node.op).__name__} left out"
        ):
            return node.operand
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        # What only type checkers see is no code.
        if "TYPE_CHECKING" not in ast.unparse(node.test) and self._met(node, "if -> if not"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        if is_number and self._met(node, f"{node.value} -> {node.value + 1}"):
            return ast.Constant(node.value + 1)
        if isinstance(node.value, bool) and self._met(node, f"{node.value} -> {not node.value}"):
            return ast.Constant(not node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # Neither decorators nor annotations, and no text that is only printed.
        node.body = [self.visit(each) for each in node.body]
        node.args = self.visit(node.args)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a module."""
    mutator = Mutator()
    mutator.visit(ast.parse(path.read_text()))
    name = path.relative_to(SOURCES).as_posix()
    lines = path.read_text().splitlines()
    for place, (line, change) in enumerate(mutator.places):
        yield Mutant(name, place, line, change, lines[line - 1].strip())


def mutated(mutant: Mutant) -> str:
    """Return the source of a module with its change."""
    tree = ast.parse((SOURCES / mutant.module).read_text())
    return ast.unparse(ast.fix_missing_locations(Mutator(mutant.place).visit(tree)))


def defined_names(path: Path) -> set[str]:
    """Return what a module defines that others may mention."""
    tree = ast.parse(path.read_text())
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return {name for name in names if len(name) > 3}


def concerned_tests(module: str) -> list[str]:
    """Return the files of tests that mention most of a module, or of the modules built on it."""
    path = SOURCES / module
    dotted = "clustraint." + module.removesuffix(".py").replace("/", ".")
    importers = [
        other
        for other in SOURCES.rglob("*.py")
        if re.search(rf"\b{re.escape(dotted)}\b|\bimport .*\b{path.stem}\b", other.read_text())
    ]
    own = defined_names(path)
    built_on = set().union(*(defined_names(other) for other in importers), set())
    scores: Counter[str] = Counter()
    package = module.split("/")[0]
    for test in (ROOT / "tests").rglob("test_*.py"):
        folder = test.parent.name
        if folder not in (*PACKAGES, "metric", "active"):
            continue
        words = Counter(re.findall(r"\w+", test.read_text()))
        score = sum(5 * min(words[name], 9) for name in own)
        score += sum(min(words[name], 5) for name in built_on)
        scores[str(test)] = score + (2 * score if folder == package else 0)
        stem = path.stem.strip("_")
        scores[str(test)] += 200 * (stem in test.stem)
    return [test for test, score in scores.most_common(MOST_FILES) if score]


class Outcome(Enum):
    """How tests on a copy of the package ended."""

    CAUGHT = "caught"
    OUT_OF_TIME = "out of time"
    SURVIVED = "survived"
    UNTESTED = "untested"


@dataclass(frozen=True)
class Run:
    """How a file of tests ended, and the processor time that it took."""

    outcome: Outcome
    seconds: float


def run(package: Path, test: str, limit: float, *, compiled: bool, profile: str = "quick") -> Run:
    """Run a file of tests on a copy of the package, in a process of its own."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        # A change may make a loop endless, or wait for what never comes.
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        signal.alarm(20 * int(limit))
        _choose_kernels(package, compiled)
        code = 99
        try:
            code = _run_tests(package, test, profile)
        finally:
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    return Run(_outcome(os.waitstatus_to_exitcode(status)), usage.ru_utime + usage.ru_stime)


def _outcome(code: int) -> Outcome:
    if -code in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL):
        return Outcome.OUT_OF_TIME
    # pytest's way to say that there is no test that is not left out.
    if code == 5:
        return Outcome.UNTESTED
    return Outcome.CAUGHT if code else Outcome.SURVIVED


def _choose_kernels(package: Path, compiled: bool) -> None:
    import numba

    # Compiled ones are kept beside the copy, for all runs on it.
    os.environ["XDG_CACHE_HOME"] = str(package / "cache")
    os.environ["CLUSTRAINT_COMPILE"] = "always" if compiled else "never"
    numba.config.DISABLE_JIT = not compiled


def _run_tests(package: Path, test: str, profile: str) -> int:
    import pytest

    sys.path[:0] = [str(package), str(ROOT)]
    # Some tests start processes of their own.
    os.environ["PYTHONPATH"] = str(package)
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    arguments += [f"--hypothesis-profile={profile}", "-k", f"not ({LARGE})"]
    sink = io.StringIO()
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
        return int(pytest.main([*arguments, test]))


def equivalent() -> set[str]:
    """Return the lasting names of the mutants that nobody could notice, as they are listed."""
    lines = EQUIVALENT.read_text().splitlines()
    return {line.rsplit("  #", 1)[0].strip() for line in lines if line and line[0] != "#"}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--only", default="", help="modules whose path holds this text")
    parser.add_argument("--minutes", type=float, default=120, help="stop after so long")
    parser.add_argument("--results", type=Path, help="keep results there, and go on from them")
    return parser.parse_args()


def main() -> int:
    """Try a sample of mutants, spread evenly over the packages."""
    options = parse()
    # Imported once: children share what is not under test.
    for module in ("numba", "pandas", "polars", "pytest", "scipy.cluster.hierarchy"):
        importlib.import_module(module)
    for module in ("cluster", "mixture", "utils.estimator_checks"):
        importlib.import_module(f"sklearn.{module}")

    paths = [p for p in SOURCES.rglob("*.py") if p.relative_to(SOURCES).parts[0] in PACKAGES]
    every = [m for p in sorted(paths) if options.only in str(p) for m in mutants_of(p)]
    skipped = equivalent()
    for name in sorted(skipped - {mutant.lasting_name for mutant in every if not options.only}):
        print(f"no longer there, though listed as equivalent: {name}", file=sys.stderr)
    sample = list(itertools.islice(_spread(every, random.Random(options.seed)), options.sample))
    chosen = [mutant for mutant in sample if mutant.lasting_name not in skipped]
    print(
        f"{len(sample)} mutants of {len(every)}, {len(sample) - len(chosen)} listed as equivalent"
    )
    results = dict(_tried(chosen, time.monotonic() + 60 * options.minutes, options.results))
    for mutant in sorted(results, key=str):
        if results[mutant] is not Outcome.CAUGHT:
            print(f"{results[mutant].value}: {mutant}")
    for package in PACKAGES:
        _print_share(package, [results[m] for m in results if m.module.startswith(f"{package}/")])
    _print_share("all", list(results.values()))
    return 0


def _print_share(name: str, outcomes: list[Outcome]) -> None:
    if outcomes:
        numbers = Counter(outcomes)
        share = numbers[Outcome.CAUGHT] / len(outcomes)
        others = [f"{numbers[each]} {each.value}" for each in list(Outcome)[1:] if numbers[each]]
        print(
            f"{name}: {numbers[Outcome.CAUGHT]} of {len(outcomes)} mutants caught ({share:.1%})",
            *others,
            sep=", ",
        )


def _spread(every: list[Mutant], rng: random.Random) -> Iterator[Mutant]:
    """Yield mutants of each package in turn, each package in a random order."""
    by_package: dict[str, list[Mutant]] = {}
    for mutant in every:
        by_package.setdefault(mutant.module.split("/")[0], []).append(mutant)
    for mutants in by_package.values():
        rng.shuffle(mutants)
    while any(by_package.values()):
        for mutants in by_package.values():
            if mutants:
                yield mutants.pop()


class Trial:
    """A copy of the package in which one thing at a time is wrong, and the tests that notice."""

    def __init__(self, package: Path) -> None:
        self.package = package
        shutil.copytree(
            SOURCES, package / "clustraint", ignore=shutil.ignore_patterns("__pycache__")
        )
        self._unchanged: dict[tuple[str, bool], Run] = {}
        self._tests: dict[str, list[str]] = {}

    def outcome(self, mutant: Mutant) -> Outcome:
        """Run the tests that concern a mutant, with all examples if it survives a few."""
        for profile in EXAMPLES:
            outcome = self._outcome(mutant, profile)
            if outcome is not Outcome.SURVIVED:
                break
        return outcome

    def _outcome(self, mutant: Mutant, profile: str) -> Outcome:
        tests = self._tests.setdefault(mutant.module, concerned_tests(mutant.module))
        target = self.package / "clustraint" / mutant.module
        compiled = not mutant.module.startswith("kernels/")
        outcomes = {Outcome.UNTESTED}
        for test in list(tests):
            unchanged = self._run_unchanged(test, compiled)
            # Tests that fail without a change say nothing about one.
            if unchanged.outcome is not Outcome.SURVIVED:
                continue
            target.write_text(mutated(mutant))
            limit = EXAMPLES[profile] * (20 + 2 * min(unchanged.seconds, MOST_SECONDS))
            outcome = run(self.package, test, limit, compiled=compiled, profile=profile).outcome
            shutil.copy(SOURCES / mutant.module, target)
            if outcome is Outcome.CAUGHT:
                # It may well catch the next one there, too.
                tests.remove(test)
                tests.insert(0, test)
                return outcome
            outcomes.add(outcome)
        return next(each for each in Outcome if each in outcomes)

    def _run_unchanged(self, test: str, compiled: bool) -> Run:
        key = test, compiled
        if key not in self._unchanged:
            # What has to be compiled first takes longer than that.
            limit = 10 * MOST_SECONDS if compiled else MOST_SECONDS
            self._unchanged[key] = run(self.package, test, limit, compiled=compiled)
            if self._unchanged[key].outcome in (Outcome.CAUGHT, Outcome.OUT_OF_TIME):
                name = Path(test).relative_to(ROOT)
                print(f"left out: {name} fails, or takes too long, unchanged", file=sys.stderr)
        return self._unchanged[key]


def _tried(
    chosen: list[Mutant], deadline: float, results: Path | None
) -> Iterator[tuple[Mutant, Outcome]]:
    lines = results.read_text().splitlines() if results and results.exists() else []
    kept = {(row["name"], row["place"]): Outcome(row["outcome"]) for row in map(json.loads, lines)}
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        for mutant in chosen:
            key = mutant.lasting_name, mutant.place
            if key not in kept:
                if time.monotonic() > deadline:
                    return
                kept[key] = trial.outcome(mutant)
                print(f"{kept[key].value:12}{mutant}", file=sys.stderr, flush=True)
                if results:
                    row = {"name": key[0], "place": key[1], "outcome": kept[key].value}
                    with results.open("a") as file:
                        print(json.dumps(row), file=file)
            yield mutant, kept[key]


if __name__ == "__main__":
    raise SystemExit(main())
