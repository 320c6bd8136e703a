"""`python -m papers`: a paper's experiments, figures and the verdicts on its claims."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import papers
from clustraint.exceptions import ClustraintError
from clustraint.wording import counted
from papers._data import inventory
from papers._progress import PaperProgress

COLOURS = {
    "holds": "green",
    "checked": "green",
    "holds in direction": "cyan",
    "does not hold": "red",
}
DATA = "data"
FAILED = 1
BAD_INPUT = 2


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER]...",
            help="attribute, bihac, ccl, clusilc, recon, and beyond, what these left for later; "
            "all without it. The word data lists the tables instead, and fetches what is not here.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few minutes for each paper.")] = False,
    only: Annotated[str | None, typer.Option(help="Run this one experiment.")] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Also run this registered method, beside the paper's own; may be repeated."
        ),
    ] = None,
    cells: Annotated[
        int | None, typer.Option(min=0, help="Run at most this many cells of each experiment.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Cells at once; -1 is one for each core.")] = -1,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder of pages, figures and tables.")
    ] = Path("clustraint-papers"),
    results: Annotated[
        Path | None,
        typer.Option(help="The SQLite file of results; by default in the output folder."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what has results.")] = False,
    pages_only: Annotated[
        bool, typer.Option("--pages-only", help="Leave out PNG and CSV files.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the pages only.")] = False,
) -> None:
    """Run a paper's experiments and tell which of its claims hold.

    Results are kept cell by cell: a run that was stopped goes on where it was, and cells that
    have results are not run again.
    """
    if names == [DATA]:
        _print_data(as_json)
        return
    with PaperProgress(quiet=quiet or as_json) as progress:
        done = papers.reproduce(
            names or papers.PAPERS,
            size="quick" if quick else "full",
            folder=output,
            results=results,
            only=only,
            methods=method or (),
            cells=cells,
            n_jobs=jobs,
            fresh=fresh,
            pages_only=pages_only,
            watch=progress.watch,
        )
    if as_json:
        print(json.dumps([_as_json(each) for each in done], indent=2, ensure_ascii=False))
    else:
        for each in done:
            _print(each, quiet)
    _tell_troubles(done)


def _print_data(as_json: bool) -> None:
    """List the tables: whether each is here, from where, under which licence, with which sum."""
    rows = list(inventory())
    if as_json:
        print(json.dumps([each._asdict() for each in rows], indent=2, ensure_ascii=False))
        return
    listing = Table("table", "size", "state", "origin", "licence", "SHA-256", box=None)
    for each in rows:
        listing.add_row(*map(escape, each[:-1]), each.checksum[:12])
    Console(highlight=False).print(listing)


def _print(done: papers.Reproduction, quiet: bool) -> None:
    if not quiet:
        listing = Table(
            "claim", "verdict", "found", title=done.page.paper.title, title_justify="left", box=None
        )
        for judged in done.page.judged:
            verdict = judged.finding.words
            colour = COLOURS.get(judged.finding.outcome or judged.finding.verdict, "dim")
            explanation = escape(judged.finding.explanation)
            listing.add_row(judged.claim.title, f"[{colour}]{verdict}[/]", explanation)
        Console(highlight=False).print(listing, "")
    print(done.path)


def _as_json(done: papers.Reproduction) -> dict[str, Any]:
    return {
        "paper": done.run.paper,
        "page": str(done.path),
        "cells": {"kept": done.run.kept, "run": done.run.done, "lost": len(done.run.troubles)},
        "claims": [
            {
                "claim": judged.claim.name,
                "verdict": judged.finding.verdict.value,
                "outcome": judged.finding.outcome,
                "explanation": judged.finding.explanation,
                "read_otherwise": [vars(reading) for reading in judged.finding.beside],
                "measured": [vars(estimate) for estimate in judged.finding.estimates],
            }
            for judged in done.page.judged
        ],
    }


def _tell_troubles(done: list[papers.Reproduction]) -> None:
    """Say which cells gave nothing, each reason once; fail if any is a fault."""
    troubles = [trouble for each in done for trouble in each.run.troubles]
    for reason, count in Counter(trouble.reason for trouble in troubles).items():
        _complain(f"{counted(count, 'cell')} not run: {reason}")
    if any(not trouble.missing_data for trouble in troubles):
        raise typer.Exit(FAILED)


def _complain(sentence: str) -> None:
    print(f"papers: {' '.join(sentence.split())}", file=sys.stderr)


def main() -> None:
    """Run the command; what cannot be run is one sentence on stderr and the exit code 2."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(reproduce)
    try:
        app(prog_name="python -m papers")
    except ClustraintError as error:
        _complain(str(error))
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
