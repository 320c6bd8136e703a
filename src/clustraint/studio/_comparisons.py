"""Methods and numbers of clusters compared by held-out statements, in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from clustraint.checks import is_whole
from clustraint.exceptions import ClustraintError, StudioRequestError
from clustraint.studio._samples import StudioSamples
from clustraint.studio._state import State
from clustraint.wording import share_text
from clustraint.workflow import choose, compare, methods

MOST_NUMBERS = 30
MOST_SPLITS = 50
N_SPLITS = 5
KEYS = ("method", "score", "low", "high", "without", "gain", "failed", "splits")


class ComparisonJob:
    """A comparison that runs, or has run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget(0)

    def _forget(self, seq: int) -> None:
        self.rows: list[dict[str, Any]] = []
        self.done, self.total, self.seq = 0, 0, seq
        self.running, self.begun = False, False
        self.problem: str | None = None

    def summary(self) -> dict[str, Any] | None:
        """Return how far it is, None if there never was one."""
        if not self.begun:
            return None
        return {"running": self.running, "done": self.done, "total": self.total}

    def view(self) -> dict[str, Any]:
        """Return the rows so far, the best first."""
        with self._lock:
            rows = sorted(self.rows, key=lambda row: -row["score"])
            summary = self.summary() or {"running": False, "done": 0, "total": 0}
            return {**summary, "rows": rows, "problem": self.problem, "seq": self.seq}

    def prepare(self, samples: StudioSamples, state: State, body: Any) -> list[tuple[int, str]]:
        """Return the numbers of clusters and methods to compare, or raise one sentence."""
        numbers = body.get("n_clusters", [state.settings.n_clusters])
        names = body.get("methods")
        splits = body.get("splits", N_SPLITS)
        if not isinstance(numbers, list) or not 0 < len(numbers) <= MOST_NUMBERS:
            raise StudioRequestError(f"n_clusters must be a list of at most {MOST_NUMBERS}.")
        n_samples = samples.table.n_samples
        if not all(is_whole(each) and 1 <= each <= n_samples for each in numbers):
            raise StudioRequestError(f"n_clusters must be whole numbers from 1 to {n_samples:,}.")
        if not is_whole(splits) or not 1 <= splits <= MOST_SPLITS:
            raise StudioRequestError(f"splits must be a whole number from 1 to {MOST_SPLITS}.")
        if names is not None and not (isinstance(names, list) and {*names} <= {*methods(), "auto"}):
            raise StudioRequestError("methods must be a list of names of methods.")
        constraints = state.constraints(samples.table)
        if constraints.n_constraints < 2:
            raise StudioRequestError(
                "comparing needs at least two statements about samples: one to cluster with, and "
                "one to hold out."
            )
        chosen = list(names) if names else list(_candidates(samples, constraints, numbers[0]))
        with self._lock:
            self._forget(state.seq)
            self.begun = self.running = True
            self.total = len(chosen) * len(numbers) * (splits + 1)
            self.splits = splits
        return [(number, name) for name in chosen for number in numbers]

    def run(
        self,
        samples: StudioSamples,
        state: State,
        cells: Sequence[tuple[int, str]],
        step: Callable[[], None],
    ) -> None:
        """Compare one method and number after the other; `step` is called in between."""
        constraints = state.constraints(samples.table)
        try:
            for number, name in cells:
                row = self._row(samples, constraints, number, name, step)
                with self._lock:
                    self.rows.extend([row] if row else [])
                step()
        finally:
            self.running = False

    def _row(
        self,
        samples: StudioSamples,
        constraints: Any,
        number: int,
        name: str,
        step: Callable[[], None],
    ) -> dict[str, Any] | None:
        def count(method: str, *, total: int) -> None:
            self.done += 1
            step()

        try:
            chosen = name
            if name == "auto":
                chosen = choose(samples.table, constraints, number).method.name
            result = compare(
                samples.table,
                constraints,
                number,
                methods=[chosen],
                n_splits=self.splits,
                step=count,
            )
        except ClustraintError as error:
            self.problem = str(error)
            return None
        (row,) = result.table()
        held_out = sum(result.n_held_out.values())
        sentence = f"{share_text(row['score'])} of {held_out:,} held-out statements hold"
        seconds = round(row["cpu_seconds"], 3)
        kept = {key: row[key] for key in KEYS}
        return {**kept, "n_clusters": number, "seconds": seconds, "sentence": f"{sentence}."}


def _candidates(samples: StudioSamples, constraints: Any, number: int) -> Any:
    for name in methods():
        # It would hold out statements of those that are left, and compare the others itself.
        if name == "best":
            continue
        try:
            choose(samples.table, constraints, number, method=name)
        except ClustraintError:
            continue
        yield name
