"""An experiment: a grid of independent cells, and the figures and tables that show its results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from papers._guests import Challenge
    from papers._results import Results

Parameter: TypeAlias = str | int | float | bool | None
Record: TypeAlias = Mapping[str, Parameter]
Size: TypeAlias = Literal["quick", "full"]


@dataclass(frozen=True)
class Cell:
    """One unit of work: the parameters of one call, which says everything about it.

    Attributes
    ----------
    experiment : str
        The experiment it belongs to.
    parameters : mapping
        What its function is called with.

    Examples
    --------
    >>> Cell("figure-5", {"table": "iris", "repeat": 3}).key
    '{"repeat": 3, "table": "iris"}'
    """

    experiment: str
    parameters: Record

    @property
    def key(self) -> str:
        """The parameters as one line that is the same for the same cell."""
        return json.dumps(self.parameters, sort_keys=True)


@dataclass(frozen=True)
class Drawing:
    """A figure with what it shows.

    Attributes
    ----------
    name : str
        Its file's name, without the ending.
    caption : str
        What a reader sees in it, in a sentence or two.
    figure : matplotlib.figure.Figure
        The picture.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from papers import Drawing
    >>> Drawing("figure-5", "Rand over the number of pairs.", Figure()).name
    'figure-5'
    """

    name: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class ShownTable:
    """A small table with what it shows.

    Attributes
    ----------
    name : str
        Its file's name, without the ending.
    caption : str
        What a reader sees in it, in a sentence or two.
    frame : pandas.DataFrame
        Its rows, ready to read: names for people, one line each.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from papers import ShownTable
    >>> rows = DataFrame({"table": ["iris"], "rows": [150]})
    >>> len(ShownTable("sizes", "Rows of each table.", rows).frame)
    1
    """

    name: str
    caption: str
    frame: DataFrame


Show: TypeAlias = Callable[["Results"], Iterable[Drawing | ShownTable]]


@dataclass(frozen=True)
class Experiment:
    """What is measured, over which grid, and how it is shown.

    Attributes
    ----------
    name : str
        Short and unique within the paper, as in ``"figure-5"``.
    title : str
        What it asks, for people.
    protocol : str
        What the paper did, and where this differs: repetitions, folds, what is averaged.
    run : callable
        Called with the parameters of a cell; gives one record, a flat mapping, for each thing
        measured (often one for each method). A function of a module, so that it can be sent to
        another process. Its randomness comes from `generator_of` its parameters alone.
    grid : callable
        Called with ``"quick"`` or ``"full"``; gives the parameters of the cells in the order in
        which they should run. Repetitions come last in nesting and first in order: a run that
        ends early has every curve, from fewer repetitions.
    show : callable
        Called with the `Results`; gives drawings and tables.
    challenge : Challenge, optional
        How its methods are compared, where others may take part.
    repetition : str
        The parameter of the grid that tells repetitions of one setting apart.
    beside : str, optional
        The experiment whose cells this one runs with a method that is not the paper's.

    Examples
    --------
    >>> def double(*, number):
    ...     return [{"result": 2 * number}]
    >>> experiment = Experiment(
    ...     "doubles", "Is twice two four?", "Once each.", double,
    ...     grid=lambda size: ({"number": number} for number in (1, 2)), show=lambda results: ())
    >>> [cell.key for cell in experiment.cells("quick")]
    ['{"number": 1}', '{"number": 2}']
    """

    name: str
    title: str
    protocol: str
    run: Callable[..., Iterable[Record]]
    grid: Callable[[Size], Iterable[Record]]
    show: Show
    challenge: Challenge | None = None
    beside: str | None = None
    repetition: str = "repeat"

    def cells(self, size: Size) -> Iterator[Cell]:
        """Yield the cells of the grid in the order in which they should run.

        Examples
        --------
        >>> from papers import paper
        >>> cells = paper("ccl").experiments[0].cells("quick")
        >>> next(cells).experiment == paper("ccl").experiments[0].name
        True
        """
        for parameters in self.grid(size):
            yield Cell(self.name, dict(parameters))


def generator_of(*parts: Parameter) -> np.random.Generator:
    """Return the random generator that belongs to a cell, or to a part of it.

    Parameters
    ----------
    *parts : str, int, float, bool or None
        What names the draw, such as the table, the number of pairs and the repetition. Leave
        out the method: methods that are compared see the same constraints.

    Returns
    -------
    numpy.random.Generator
        The same for the same parts, on every machine.

    Examples
    --------
    >>> int(generator_of("iris", 50, 0).integers(1000)) == int(
    ...     generator_of("iris", 50, 0).integers(1000))
    True
    """
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def plain(value: Any) -> Parameter:
    """Return a measured value as JSON can hold it; nan, which is no value, as None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not np.isfinite(value) else value
