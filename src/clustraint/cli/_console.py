"""What commands write: tables for people, JSON for programs, complaints to stderr.

Names and cells come from data, and must not make a terminal do anything: whatever is written to one
passes through here, and control characters and marks of direction are spelled out.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from clustraint.wording import visible_text


class SafeConsole(Console):
    """A console on which only its own styles have an effect, never what is printed."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text with its styles; here, so that columns are measured as they are shown."""
        return super().render_str(visible_text(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield pieces of text; all of them, whatever they come from."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield segment._replace(text=visible_text(segment.text))


class SafeStream:
    """A terminal for whatever else writes to it, such as `print` or a traceback."""

    def __init__(self, terminal: IO[str]) -> None:
        self.terminal = terminal

    def write(self, text: str) -> int:
        """Write a text that does nothing."""
        return self.terminal.write(visible_text(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)


@contextlib.contextmanager
def safe_terminal() -> Iterator[None]:
    """Let nothing but consoles write control characters to a terminal; files get all as it is."""
    with contextlib.ExitStack() as stack:
        for stream, redirect in (
            (sys.stdout, contextlib.redirect_stdout),
            (sys.stderr, contextlib.redirect_stderr),
        ):
            if stream is not None and stream.isatty():
                safe: Any = SafeStream(stream)
                stack.enter_context(redirect(safe))
        yield


def console() -> Console:
    """Return the console of stdout."""
    return SafeConsole(highlight=False, file=getattr(sys.stdout, "terminal", None))


def error_console() -> Console:
    """Return the console of stderr."""
    return SafeConsole(stderr=True, highlight=False, file=getattr(sys.stderr, "terminal", None))


def say(sentence: str) -> None:
    """Write a line to stdout, with markup, however long it is."""
    console().print(sentence, soft_wrap=True)


def complain(sentence: str) -> None:
    """Write one sentence to stderr."""
    print(f"clustraint: {visible_text(' '.join(sentence.split()))}", file=sys.stderr)


class Compiling:
    """Whether a kernel is being compiled at this moment, which only first runs have to wait for."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_listening = False

    def __bool__(self) -> bool:
        event: Any = sys.modules.get("numba.core.event")
        if event is not None and not self.is_listening and hasattr(event, "register"):
            self.is_listening = True
            outer = self

            class Listener(event.Listener):
                def on_start(self, event: Any) -> None:
                    outer.depth += 1

                def on_end(self, event: Any) -> None:
                    # What was compiling before this listened has an end, but no start.
                    outer.depth = max(0, outer.depth - 1)

            event.register("numba:compile", Listener())
        return self.depth > 0


compiling = Compiling()


class Patience:
    """A line that says so while something is compiled; it is drawn again several times a second."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __rich__(self) -> Text:
        return Text(f"{self.what} … {'(compiling, first run only)' if compiling else ''}")


class PatienceColumn(ProgressColumn):
    """The same beside a bar."""

    def render(self, task: Task) -> Text:
        """Return what is to be said at this moment."""
        return Text("compiling, first run only" if compiling else "")


@contextlib.contextmanager
def working(what: str, silent: bool = False) -> Iterator[None]:
    """Show on a terminal that something is under way, until it is done."""
    out = error_console()
    if silent or not out.is_terminal:
        yield
        return
    with out.status(Patience(what)):
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
        PatienceColumn(),
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
    """Write a value to stdout as JSON, in which control characters are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if visible_text(text) != text:
        text = "".join(json.dumps(c)[1:-1] if visible_text(c) != c else c for c in text)
    print(text)


def table(*columns: str, title: str | None = None) -> Table:
    """Return an empty table in the house style; columns that start with ``>`` hold numbers."""
    empty = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        empty.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left")
    return empty
