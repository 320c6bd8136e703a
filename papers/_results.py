"""The results of one paper, as tables to compute with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from papers._exceptions import NotTestableError
from papers._experiment import Cell, Parameter, Record, Size
from papers._paper import Paper
from papers._store import CellResult, Store

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Progress:
    """How much of an experiment has been run.

    Attributes
    ----------
    done, total : int
        Cells of the grid that have results, and all of them.
    seconds : float
        The CPU time of the cells that were run, summed.
    slowest : CellResult or None
        The cell that took longest.
    """

    done: int
    total: int
    seconds: float
    slowest: CellResult | None

    @property
    def is_complete(self) -> bool:
        """Whether every cell has results."""
        return self.done == self.total


class Results:
    """What is known of a paper's experiments; only cells of the grid of that size count.

    Parameters
    ----------
    paper : Paper
        Whose results.
    store : Store
        Where they are.
    size : {"quick", "full"}
        Which grid.

    Examples
    --------
    >>> from papers import Results, Store, paper
    >>> results = Results(paper("ccl"), Store(":memory:"), "quick")
    >>> results.progress(paper("ccl").experiments[0].name).done
    0
    """

    def __init__(self, paper: Paper, store: Store, size: Size) -> None:
        self.paper = paper
        self.size = size
        self._grids = {each.name: _keys(each.cells(size)) for each in paper.experiments}
        self._results = {
            name: [result for result in store.results(paper.name, name) if result.cell.key in grid]
            for name, grid in self._grids.items()
        }
        self._missing = {name: store.missing(paper.name, name) for name in self._grids}
        self._frames: dict[str, DataFrame] = {}
        self._counts: dict[str, list[tuple[Record, int, int]]] = {}

    def frame(self, experiment: str) -> DataFrame:
        """Return one row for each record: the parameters of its cell, then its fields.

        The column `seconds` is the CPU time of the whole cell, unless a field has that name. The
        caller must not change the frame.

        Raises
        ------
        NotTestableError
            If no cell of the experiment has results.

        Examples
        --------
        >>> results.frame("figure-8")  # doctest: +SKIP
        """
        if experiment not in self._frames:
            self._frames[experiment] = self._table(experiment)
        return self._frames[experiment]

    def _table(self, experiment: str) -> DataFrame:
        from pandas import DataFrame

        rows: list[dict[str, Any]] = [
            {"seconds": result.seconds, **result.cell.parameters, **record}
            for result in self._results[self.paper.experiment(experiment).name]
            for record in result.records
        ]
        if not rows:
            raise NotTestableError(f"nothing of {experiment} has been run")
        return DataFrame(rows)

    def progress(self, experiment: str) -> Progress:
        """Return how much of an experiment has been run.

        Examples
        --------
        >>> results.progress("figure-8").done  # doctest: +SKIP
        """
        results = self._results[experiment]
        return Progress(
            done=len(results),
            total=len(self._grids[experiment]),
            seconds=sum(result.seconds for result in results),
            slowest=max(results, key=lambda result: result.seconds, default=None),
        )

    def runs(self, experiment: str, part: Mapping[str, Parameter]) -> tuple[int, int]:
        """Return how many repetitions the setting that has fewest has, and how many it needs.

        Parameters
        ----------
        experiment : str
            Which.
        part : mapping
            Values of parameters; a parameter that no cell has does not count. Where no cell has
            the value, or the data are not here: none of none.

        Examples
        --------
        >>> results.runs("figure-8", {"table": "circles"})  # doctest: +SKIP
        (2, 50)
        """
        if experiment not in self._counts:
            self._counts[experiment] = self._counted(experiment)
        counts = self._counts[experiment]
        names = {name for parameters, _, _ in counts for name in parameters}
        wanted = {name: value for name, value in part.items() if name in names}
        return min(
            (
                (done, total)
                for parameters, done, total in counts
                if wanted.items() <= parameters.items()
            ),
            key=lambda pair: pair[0] - pair[1],
            default=(0, 0),
        )

    def _counted(self, experiment: str) -> list[tuple[Record, int, int]]:
        """Return each setting of the full grid, with its repetitions here and in all."""
        repetition = self.paper.experiment(experiment).repetition
        present = {result.cell.key for result in self._results[experiment]}
        settings: dict[str, Record] = {}
        done, total, absent = Counter[str](), Counter[str](), set()
        for cell in self.paper.experiment(experiment).cells("full"):
            rest = {name: value for name, value in cell.parameters.items() if name != repetition}
            key = Cell(experiment, rest).key
            settings[key] = rest
            total[key] += 1
            done[key] += cell.key in present
            if cell.key in self._missing[experiment]:
                absent.add(key)
        return [(settings[key], done[key], total[key]) for key in settings if key not in absent]


def _keys(cells: Iterable[Cell]) -> set[str]:
    return {cell.key for cell in cells}
