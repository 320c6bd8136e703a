"""What commands write: tables for people, JSON for programs, complaints to stderr."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table


def console() -> Console:
    """Return the console of stdout."""
    return Console(highlight=False)


def error_console() -> Console:
    """Return the console of stderr."""
    return Console(stderr=True, highlight=False)


def say(sentence: str) -> None:
    """Write a line to stdout, with markup, however long it is."""
    console().print(sentence, soft_wrap=True)


def complain(sentence: str) -> None:
    """Write one sentence to stderr."""
    print(f"clustraint: {' '.join(sentence.split())}", file=sys.stderr)


@contextlib.contextmanager
def working(what: str, silent: bool = False) -> Iterator[None]:
    """Show on a terminal that something is under way, until it is done."""
    out = error_console()
    if silent or not out.is_terminal:
        yield
        return
    with out.status(f"{what} …"):
        yield


@contextlib.contextmanager
def steps(what: str, silent: bool = False) -> Iterator[Callable[..., None]]:
    """Show a bar, and give the function that is called before each step of a known total."""
    out = error_console()
    hidden = silent or not out.is_terminal
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out, disable=hidden, transient=True) as bars:
        task = bars.add_task(what, total=None)
        done = -1

        def step(name: str, *, total: int) -> None:
            nonlocal done
            done += 1
            bars.update(task, description=f"{what} {name}", total=total, completed=done)

        yield step


def write_json(value: Any) -> None:
    """Write a value to stdout as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def table(*columns: str, title: str | None = None) -> Table:
    """Return an empty table in the house style; columns that start with ``>`` hold numbers."""
    empty = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        empty.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left")
    return empty
