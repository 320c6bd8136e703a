"""The command `clustraint`: its sub-commands, and what becomes of errors.

Nothing heavy is imported before a command is known: numpy and the rest are imported inside the
commands.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

import clustraint
from clustraint.cli import (
    _ask,
    _check,
    _cluster,
    _compare,
    _convert,
    _datasets,
    _demo,
    _explain,
    _options,
    _predict,
    _studio,
)
from clustraint.cli._command import prepared
from clustraint.cli._console import complain, safe_terminal, write_json
from clustraint.cli._help import PlainCommand, PlainGroup
from clustraint.exceptions import ClustraintError
from clustraint.wording import visible_text

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    cls=PlainGroup,
    help="Cluster data under what people already know about it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def version(as_json: _options.AsJson = False) -> None:
    """Print the version of clustraint."""
    if as_json:
        write_json({"version": clustraint.__version__})
    else:
        print(clustraint.__version__)


COMMANDS = (
    _cluster.cluster,
    _predict.predict,
    _check.check,
    _ask.ask,
    _studio.studio,
    _compare.compare,
    _explain.explain,
    _convert.convert,
    _datasets.datasets,
    _demo.demo,
    version,
)
for _command in COMMANDS:
    # Line by line, the docstrings would be broken twice: where they are and where the window ends.
    _paragraphs = inspect.cleandoc(_command.__doc__ or "").split("\n\n")
    _words = "\n\n".join(each.replace("\n", " ") for each in _paragraphs)
    app.command(cls=PlainCommand, help=_words)(prepared(_command))


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Cluster data under what people already know about it."""
    context.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line: errors are one sentence on stderr and the exit code 2.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those that the program was started with.

    Examples
    --------
    >>> from clustraint.cli import main
    >>> main(["version"])  # doctest: +SKIP
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    with warnings.catch_warnings(), safe_terminal():
        _print_warnings()
        if "--debug" in words:
            sys.exit(_traced([each for each in words if each != "--debug"]))
        sys.exit(_guarded(words))


def _run(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    try:
        try:
            code = app(arguments, prog_name="clustraint", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except SystemExit as stop:
        # Typer itself turns a broken pipe into an exit.
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    if code == INTERRUPTED:
        complain("interrupted")
    return code if isinstance(code, int) else 0


def _traced(arguments: list[str]) -> int:
    """Run a command and show where it fails."""
    try:
        return _run(arguments)
    except Exception:
        # Here, not at the end of the program, because messages quote what is in files.
        print(visible_text(traceback.format_exc()), end="", file=sys.stderr)
        return 1


def _guarded(arguments: list[str]) -> int:
    """Run a command and turn whatever it raises into one sentence."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except ClustraintError as error:
        complain(str(error))
    except BrokenPipeError:
        # The reader, `head` perhaps, has seen enough.
        _close_stdout()
        complain("the output was cut off, because its reader stopped reading (broken pipe)")
    except OSError as error:
        if error.filename is None:
            _close_stdout()
        where = error.filename or "the output cannot be written"
        complain(f"{where}: {error.strerror or error}")
    except MemoryError:
        complain("there is not enough memory for this")
    except Exception as error:
        if not hasattr(error, "format_message"):
            complain(f"{type(error).__name__}: {error} (--debug shows where)")
        elif error.format_message():  # help has been printed where there is no message
            complain(error.format_message())
    return BAD_INPUT


def _close_stdout() -> None:
    """Let what is still to be written at exit go nowhere."""
    own = sys.__stdout__
    if own is not None and sys.stdout is own:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), own.fileno())


def _print_warnings() -> None:
    """Make each warning meant for users one sentence on stderr."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = lambda message, *_, **__: complain(f"note: {message}")
