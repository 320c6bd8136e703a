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

PATIENCE = "the first run also compiles"


def demo(
    report: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Write a report to this HTML file."),
        _options.ReportOutput,
    ] = Path("clustraint-demo.html"),
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(metavar="N", help="Number of methods run at once; -1 is one for each core."),
    ] = -1,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Show what clustraint does, on a table of animals that comes with it."""
    silent = quiet or as_json
    if not silent:
        _introduce()
    start = time.perf_counter()
    outcomes, findings = _run(jobs, silent)
    with working("writing the report", silent):
        from clustraint.cli import _showcase

        _showcase.write_report(report)
    if as_json:
        write_json({"report": str(report), "systems": [asdict(each) for each in outcomes]})
    elif quiet:
        print(report)
    else:
        _print(outcomes, findings)
        seconds = time.perf_counter() - start
        say(f"\nDone in {seconds:.0f} s. The report on the tree's clusters is in")
        print(report.resolve())
    if open_report:
        typer.launch(report.resolve().as_uri())


def _introduce() -> None:
    with working("starting"):
        from clustraint.cli import _showcase

        data, examples = _showcase.animals(), _showcase.examples()
    samples, columns = data.X.shape
    say(
        f"[bold]{samples} animals, {columns} columns[/]. People sort them into "
        f"{_showcase.N_CLUSTERS} groups; a method is given only a few constraints, such as\n"
    )
    listing = table("", "")
    listing.show_header = False
    for kind, line in examples.items():
        listing.add_row(f"  {kind}", f"[cyan]{escape(line)}[/]")
    console().print(listing)
    console().print()


def _run(jobs: int, silent: bool) -> tuple[list[Outcome], Findings]:
    """Run all systems, showing on a terminal which are done."""
    from clustraint.cli._showcase import SYSTEMS, Findings, in_order, results

    outcomes: list[Outcome] = []
    with error_console().status(f"running {len(SYSTEMS)} methods ({PATIENCE}) …") as status:
        if silent:
            status.stop()
        for each in results(jobs):
            if isinstance(each, Findings):
                findings = each
                continue
            outcomes.append(each)
            done = f"{len(outcomes)} of {len(SYSTEMS)} methods done, {each.method} last"
            status.update(f"{done} ({PATIENCE}) …")
    return in_order(outcomes), findings


def _print(outcomes: list[Outcome], findings: Findings) -> None:
    console().print(_listing(outcomes))
    say(
        "\n[dim]without, with: agreement with people's groups without and with constraints "
        "(adjusted Rand\nindex; 1 is perfect, 0 is chance); satisfied: constraints that hold in "
        "the clusters; seconds:\none fit, once compiled[/]"
    )
    _title("What the tree's clusters are")
    say(escape(findings.explanation))
    _title("What follows from the pairs, and what contradicts what")
    say(
        f"From the 100 pairs, {findings.must_links:,} must-links and {findings.cannot_links:,} "
        "cannot-links follow."
    )
    say(escape(findings.contradiction))
    say(f"The cheapest repair is to drop [cyan]{escape(findings.dropped)}[/].")


def _title(words: str) -> None:
    say(f"\n[bold]{words}[/]\n")


def _listing(outcomes: list[Outcome]) -> Table:
    """Return a table of 80 columns, in which methods follow the constraints that they take."""
    listing = table("constraints", ">without", ">with", "", ">satisfied", ">seconds")
    for knowledge, group in groupby(outcomes, key=lambda each: each.knowledge):
        listing.add_row(knowledge)
        for each in group:
            colour = "green" if each.after > each.before else "dim"
            listing.add_row(
                f"  {each.method}",
                f"{each.before:.2f}",
                f"[bold]{each.after:.2f}[/]",
                f"[{colour}]{'█' * round(12 * max(each.after, 0))}[/]",
                f"{each.satisfied} of {each.total}",
                f"{each.seconds:.3f}",
            )
    return listing
