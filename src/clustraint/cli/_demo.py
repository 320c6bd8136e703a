"""`clustraint demo`: what clustraint does, on a table of animals."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from clustraint.cli import _options
from clustraint.cli._console import console, error_console, say, table, working, write_json

if TYPE_CHECKING:
    from clustraint.cli._showcase import Findings, Outcome

PATIENCE = "compiling, which only the first run has to do"


def demo(
    report: Annotated[
        Path, typer.Option(metavar="FILE", help="Write a report in HTML there.")
    ] = Path("clustraint-demo.html"),
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Methods at once; -1 is one for each core.")] = -1,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Show what clustraint does, on a table of animals that comes with it."""
    silent = quiet or as_json
    if not silent:
        _introduce()
    start = time.perf_counter()
    found, also = _run(jobs, silent)
    with working("writing the report", silent):
        from clustraint.cli import _showcase

        _showcase.write_report(report)
    if as_json:
        write_json({"report": str(report), "systems": [asdict(each) for each in found]})
    elif quiet:
        print(report)
    else:
        _tell(found, also)
        say(f"\n{time.perf_counter() - start:.0f} s in all. The tree's clusters, on a page: ")
        print(report.resolve())
    if open_report:
        typer.launch(report.resolve().as_uri())


def _introduce() -> None:
    with working("starting"):
        from clustraint.cli import _showcase

        data, examples = _showcase.animals(), _showcase.examples()
    samples, columns = data.X.shape
    say(
        f"[bold]{samples} animals, {columns} columns[/]. People know {_showcase.N_CLUSTERS} groups "
        "of them; a method gets to know only a little, such as\n"
    )
    listing = table("", "")
    listing.show_header = False
    for kind, line in examples.items():
        listing.add_row(f"  {kind}", f"[cyan]{escape(line)}[/]")
    console().print(listing)
    console().print()


def _run(jobs: int, silent: bool) -> tuple[list[Outcome], Findings]:
    """Run all systems, telling on a terminal which are done."""
    from clustraint.cli._showcase import SYSTEMS, Findings, in_order, results

    found: list[Outcome] = []
    with error_console().status(f"{len(SYSTEMS)} methods run ({PATIENCE}) …") as status:
        if silent:
            status.stop()
        for each in results(jobs):
            if isinstance(each, Findings):
                also = each
                continue
            found.append(each)
            done = f"{len(found)} of {len(SYSTEMS)} methods done, {each.method} last"
            status.update(f"{done} ({PATIENCE}) …")
    return in_order(found), also


def _tell(found: list[Outcome], also: Findings) -> None:
    console().print(_listing(found))
    say(
        "\n[dim]adjusted Rand index, against the groups that people know: 1 is all right, 0 is "
        "chance;\nkept: constraints that the clusters satisfy; seconds: one fit, once compiled[/]"
    )
    _title("What each of the tree's clusters is")
    for line in also.descriptions:
        say(escape(line))
    _title("What follows, and what cannot be")
    say(
        f"From the 100 pairs follow {also.must_links:,} must-links and {also.cannot_links:,} "
        "cannot-links."
    )
    say(escape(also.contradiction))
    say(f"To mend it at the least cost, drop [cyan]{escape(also.dropped)}[/].")


def _title(words: str) -> None:
    say(f"\n[bold]{words}[/]\n")


def _listing(found: list[Outcome]) -> Table:
    """Return a table of 80 columns, in which methods follow what they were told."""
    listing = table("told", ">without", ">with", "", ">kept", ">seconds")
    for knowledge, group in groupby(found, key=lambda each: each.knowledge):
        listing.add_row(knowledge)
        for each in group:
            colour = "green" if each.after > each.before else "dim"
            listing.add_row(
                f"  {each.method}",
                f"{each.before:.2f}",
                f"[bold]{each.after:.2f}[/]",
                f"[{colour}]{'█' * round(12 * max(each.after, 0))}[/]",
                f"{each.kept} of {each.given}",
                f"{each.seconds:.3f}",
            )
    return listing
