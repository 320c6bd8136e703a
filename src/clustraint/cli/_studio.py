"""`clustraint studio`: cluster a table with a person, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clustraint.cli import _options
from clustraint.cli._command import Output
from clustraint.exceptions import ClustraintError


def studio(
    data: _options.TableOptions,
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
        Output(
            "a studio file",
            (".studio",),
            lambda values: Path(f"{Path(values['data']).stem}.studio"),
        ),
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
    assert output is not None  # its mark has a default
    constraints = None
    if constraint_files:
        constraints = _options.read_constraints(constraint_files, data.read())
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
