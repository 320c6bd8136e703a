"""`clustraint studio`: cluster a table with a person, in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from clustraint.cli import _options
from clustraint.cli._command import Input, Output
from clustraint.exceptions import ClustraintError


@dataclass(frozen=True, kw_only=True)
class DroppableTableOptions(_options.ReadOptions):
    """A table that may be dropped on the page instead, and how it is read."""

    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Table to read: a file, or the name of a dataset such as animals. Without it, "
            "drop a file on the page.",
        ),
        Input(),
    ] = None


def _session_file(values: dict[str, Any]) -> Path | None:
    data = values["data"]
    return None if data is None else Path(f"{Path(data).stem}.studio")


def studio(
    data: DroppableTableOptions,
    n_clusters: _options.NClusters = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File for everything said (default: the name of DATA with .studio, in this "
            "folder).",
        ),
        Output("a studio file", (".studio",), _session_file),
    ] = None,
    constraint_files: _options.ConstraintFiles = None,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 is any that is free.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link, and open no browser.")
    ] = False,
) -> None:
    """Open a page in the browser: see the clusters, say what you know, see what it changes.

    The page is served on this machine only. Everything said is saved at once; run the same command
    again to go on.
    """
    from clustraint.studio import serve

    if data.data == "-":
        raise ClustraintError("the studio may read its table again: give DATA as a file.")
    if data.data is None and (output is not None or constraint_files):
        raise ClustraintError("-o and -c are about a table: name it as DATA.")
    constraints = None
    if constraint_files and data.data is not None:
        constraints = _options.read_constraints(constraint_files, data.read_file(data.data))
    serve(
        data.data,
        output,
        n_clusters=n_clusters,
        constraints=constraints,
        port=port,
        open_browser=not no_browser,
        announce=lambda link: print(link, flush=True),
        **data.arguments,
    )
