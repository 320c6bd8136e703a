"""Progress on a terminal, with the time left; nothing elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

if TYPE_CHECKING:
    from papers._runner import Run


class PaperProgress:
    """A bar for each paper.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, *, quiet: bool) -> None:
        out = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=out,
            disable=quiet or not out.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> PaperProgress:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def watch(self, run: Run, total: int) -> None:
        """Show how far a run is; cells with results from before count as no time."""
        done = run.kept + run.done + len(run.troubles)
        if run.paper not in self._tasks:
            self._tasks[run.paper] = self._bars.add_task(run.paper, total=total, completed=done)
        self._bars.update(self._tasks[run.paper], completed=done)
