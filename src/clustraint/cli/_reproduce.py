"""`clustraint reproduce`: a paper's experiments, figures and the verdicts on its claims."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli._console import complain, console, table, write_json
from clustraint.cli._progress import Progress

if TYPE_CHECKING:
    from clustraint.papers import Reproduction

COLOURS = {"holds": "green", "does not hold": "red", "not testable here": "dim"}
FAILED = 1


def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(help="attribute, bihac, ccl, clusilc, recon; all five without it."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few minutes for each paper.")] = False,
    only: Annotated[str | None, typer.Option(help="Run this one experiment.")] = None,
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
    from clustraint.papers import PAPERS
    from clustraint.papers import reproduce as run

    with Progress(quiet=quiet or as_json) as progress:
        done = run(
            papers or PAPERS,
            size="quick" if quick else "full",
            folder=output,
            results=results,
            only=only,
            cells=cells,
            n_jobs=jobs,
            fresh=fresh,
            pages_only=pages_only,
            watch=progress.watch,
        )
    if as_json:
        write_json([_as_json(each) for each in done])
    else:
        for each in done:
            _print(each, quiet)
    _tell_troubles(done)


def _print(done: Reproduction, quiet: bool) -> None:
    out = console()
    if not quiet:
        listing = table("claim", "verdict", "found", title=done.page.paper.title)
        for judged in done.page.judged:
            verdict = judged.finding.verdict.value
            name = judged.claim.name.replace("-", " ")
            found = escape(judged.finding.explanation)
            listing.add_row(name, f"[{COLOURS[verdict]}]{verdict}[/]", found)
        out.print(listing)
        out.print()
    print(done.path)


def _as_json(done: Reproduction) -> dict[str, Any]:
    return {
        "paper": done.run.paper,
        "page": str(done.path),
        "cells": {"kept": done.run.kept, "run": done.run.done, "lost": len(done.run.troubles)},
        "claims": [
            {
                "claim": judged.claim.name,
                "verdict": judged.finding.verdict.value,
                "explanation": judged.finding.explanation,
                "measured": [vars(estimate) for estimate in judged.finding.estimates],
            }
            for judged in done.page.judged
        ],
    }


def _tell_troubles(done: list[Reproduction]) -> None:
    """Say which cells gave nothing, each reason once; fail if any is a fault."""
    troubles = [trouble for each in done for trouble in each.run.troubles]
    for reason, count in Counter(trouble.reason for trouble in troubles).items():
        complain(f"{count} {'cell' if count == 1 else 'cells'} not run: {reason}")
    if any(not trouble.missing_data for trouble in troubles):
        raise typer.Exit(FAILED)
