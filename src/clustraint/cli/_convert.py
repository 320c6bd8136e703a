"""`clustraint convert`: constraint files from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clustraint.cli import _options
from clustraint.cli._console import write_json

if TYPE_CHECKING:
    from clustraint.constraints import Constraints


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A constraint file: .txt, .csv or .json.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; its ending says the format.")
    ],
    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The samples: row numbers become their names."),
    ] = None,
    id_column: _options.IdColumn = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Convert a file of constraints to another format."""
    known = _read(source, data, id_column)
    known.write(target)
    if as_json:
        write_json({"written": str(target), "constraints": known.n_constraints})
    elif quiet:
        print(target)
    else:
        print(f"{target}: {known.n_constraints:,} constraints")


def _read(source: Path, data: str | None, id_column: str | None) -> Constraints:
    from clustraint.constraints import Constraints

    if data is None:
        return Constraints.read(source)
    return _options.read_knowledge([source], _options.read_data(data, id_column=id_column))
