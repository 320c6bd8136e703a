"""`clustraint convert`: constraint files from one format to another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clustraint.cli import _options
from clustraint.cli._command import Input, Output
from clustraint.cli._console import write_json
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints import Constraints


@dataclass(frozen=True, kw_only=True)
class NamingTableOptions(_options.ReadOptions):
    """A table whose names take the place of row numbers, and how it is read."""

    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Table whose names replace row numbers."),
        Input(),
    ] = None


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="Constraint file to read (.txt, .csv or .json)."),
        Input(),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="Constraint file to write; its ending sets the format."),
        Output("a constraint file", _options.CONSTRAINT_ENDINGS),
    ],
    data: NamingTableOptions,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Convert a constraint file to another format."""
    constraints = _read(source, data)
    _options.write_constraints(constraints, target)
    if as_json:
        write_json({"written": str(target), "constraints": constraints.n_constraints})
    elif quiet:
        print(target)
    else:
        print(f"{target}: {counted(constraints.n_constraints, 'constraint')}")


def _read(source: Path, data: NamingTableOptions) -> Constraints:
    from clustraint.constraints import Constraints

    if data.data is None:
        return Constraints.read(source)
    table = data.read_file(data.data)
    if Constraints.read(source).names is not None:
        return _options.read_constraints([source], table)
    named = Constraints(table.n_samples, names=table.names)
    return named | Constraints.read(source, table.n_samples)
