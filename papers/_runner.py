"""Running cells in parallel, each result on disk as soon as it is there."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from clustraint.exceptions import DatasetNotFoundError
from papers._experiment import Cell, Record, Size, plain
from papers._paper import Paper
from papers._store import CellResult, Store


@dataclass(frozen=True)
class Trouble:
    """A cell without a result.

    Attributes
    ----------
    cell : Cell
        Which.
    reason : str
        Why, in a sentence.
    missing_data : bool
        Whether its data are not here, which is no fault of the experiment.
    """

    cell: Cell
    reason: str
    missing_data: bool


@dataclass
class Run:
    """What a run did.

    Attributes
    ----------
    paper : str
        Which paper.
    kept : int
        Cells that had results before.
    done : int
        Cells that were run.
    troubles : list of Trouble
        Cells that gave no result.
    """

    paper: str
    kept: int = 0
    done: int = 0
    troubles: list[Trouble] = field(default_factory=list)


Watch: TypeAlias = Callable[[Run, int], None]


def run_paper(
    paper: Paper,
    store: Store,
    *,
    size: Size,
    only: str | None = None,
    cells: int | None = None,
    n_jobs: int | None = None,
    watch: Watch = lambda run, total: None,
) -> Run:
    """Run the cells of a paper that have no results yet.

    Parameters
    ----------
    paper : Paper
        Which paper.
    store : Store
        Where results go.
    size : {"quick", "full"}
        Which grid.
    only : str, optional
        The one experiment to run.
    cells : int, optional
        How many cells of each experiment to run at most, from the first.
    n_jobs : int, optional
        As joblib takes it; its context managers choose another backend.
    watch : callable
        Called before the first cell and after each with the `Run` so far and the number of cells.

    Returns
    -------
    Run
        What was done.
    """
    wanted = ordered(paper, size, only=only, cells=cells)
    present = {each.name: store.keys(paper.name, each.name) for each in paper.experiments}
    pending = [cell for cell in wanted if cell.key not in present[cell.experiment]]
    run = Run(paper.name, kept=len(wanted) - len(pending))
    watch(run, len(wanted))
    for outcome in outcomes(paper, pending, n_jobs):
        if isinstance(outcome, CellResult):
            store.add(paper.name, outcome)
            run.done += 1
        else:
            run.troubles.append(outcome)
            if outcome.missing_data:
                store.add_missing(paper.name, outcome.cell)
        watch(run, len(wanted))
    return run


def ordered(
    paper: Paper, size: Size, *, only: str | None = None, cells: int | None = None
) -> list[Cell]:
    """Return the cells to run, all experiments going on at the same pace."""
    grids = [list(experiment.cells(size))[:cells] for experiment in paper.chosen(only)]
    paced = [(place / len(grid), cell) for grid in grids for place, cell in enumerate(grid)]
    return [cell for _, cell in sorted(paced, key=lambda pair: pair[0])]


def outcomes(
    paper: Paper, cells: Iterable[Cell], n_jobs: int | None
) -> Iterator[CellResult | Trouble]:
    """Yield what becomes of each cell, as soon as it is known."""
    # One by one: the times of cells differ far too much to run them in batches.
    parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    yield from parallel(
        delayed(run_cell)(paper.experiment(cell.experiment).run, cell) for cell in cells
    )


def run_cell(run: Callable[..., Iterable[Record]], cell: Cell) -> CellResult | Trouble:
    """Run a cell on one thread, so that times can be compared; never raise."""
    # Of this thread alone, so that neighbours and waiting do not count, whatever the backend.
    start = time.thread_time()
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            records = tuple(_plain(record) for record in run(**cell.parameters))
    except DatasetNotFoundError as error:
        return Trouble(cell, str(error), missing_data=True)
    except Exception as error:  # one cell that fails must not end hours of work
        return Trouble(cell, f"{type(error).__name__}: {error}", missing_data=False)
    return CellResult(cell, records, time.thread_time() - start)


def _plain(record: Record) -> Record:
    return {name: plain(value) for name, value in record.items()}
