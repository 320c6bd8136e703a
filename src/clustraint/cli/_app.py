"""The command `clustraint`: its sub-commands, and what becomes of errors.

Nothing heavy is imported before a command is known: numpy and the rest are imported inside the
commands.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import clustraint
from clustraint.cli import _datasets, _reproduce
from clustraint.cli._console import complain
from clustraint.exceptions import ClustraintError

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    help="Cluster data under what people already know about it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("reproduce")(_reproduce.reproduce)
app.command("datasets")(_datasets.datasets)


@app.command("version")
def version() -> None:
    """Print the version of clustraint."""
    print(clustraint.__version__)


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Cluster data under what people already know about it."""
    context.obj = {"debug": debug}


def main() -> None:
    """Run the command line: errors are one sentence on stderr and the exit code 2.

    Examples
    --------
    >>> from clustraint.cli import main
    >>> main()  # doctest: +SKIP
    """
    try:
        app()
    except BrokenPipeError:
        # The reader, `head` perhaps, has seen enough; nothing may be written at exit, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except (ClustraintError, OSError) as error:
        if "--debug" in sys.argv:
            raise
        complain(str(error))
        sys.exit(BAD_INPUT)
