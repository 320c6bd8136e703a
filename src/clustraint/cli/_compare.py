"""`clustraint compare`: which method satisfies held-out constraints best."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options, _shown
from clustraint.cli._command import Output
from clustraint.cli._console import console, say, steps, working, write_json
from clustraint.cli._console import table as new_table
from clustraint.wording import counted, listed

if TYPE_CHECKING:
    from clustraint.workflow import Comparison

WIDTH = 40


def compare(
    data: _options.TableOptions,
    n_clusters: _options.RequiredNumbers,
    constraint_files: _options.ConstraintFiles = None,
    labels_known: _options.LabelsKnown = None,
    n_splits: Annotated[
        int, typer.Option("--splits", min=1, metavar="N", help="Number of random splits.")
    ] = 10,
    holdout: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of constraints to hold out.")
    ] = 0.3,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--method",
            metavar="METHOD",
            help="Method to compare; may be repeated. All suitable methods by default.",
        ),
    ] = None,
    scale: _options.Scale = "standard",
    random_state: _options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the table to this CSV file; - is standard output.",
        ),
        Output("a table", (".csv", ".txt")),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the scores to this SVG file."),
        Output("a picture", (".svg",)),
    ] = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Compare methods by held-out constraints.

    Constraints are split at random several times: each method is fitted with most of them and
    scored by how many of the others hold in its clusters. Constraints that follow from those that a
    method is fitted with are not held out. The score is the mean over the kinds of constraints and
    over the splits.
    """
    from clustraint import workflow

    numbers: Any = _options.numbers_of(n_clusters)
    silent = quiet or as_json or output == _options.STDOUT
    with working("reading", silent):
        table, constraints = _options.read_knowledge(constraint_files, labels_known, data.read())
    chosen: Any = scale
    with steps("comparing", silent) as step:
        comparison = workflow.compare(
            table,
            constraints,
            numbers,
            methods=methods or (),
            n_splits=n_splits,
            holdout=holdout,
            scale=chosen,
            random_state=random_state,
            step=step,
        )
    if not silent:
        _print(comparison)
    written = _write(comparison, output, picture)
    if as_json:
        write_json(_as_json(comparison, written))
    else:
        _shown.print_written(written, quiet or output == _options.STDOUT)


def _print(comparison: Comparison) -> None:
    kinds = comparison.n_held_out
    out = console()
    held_out = listed(_counted(kind, count) for kind, count in kinds.items())
    say(f"Held out in {counted(len(comparison.splits), 'split')} altogether: {held_out}.")
    if implied := comparison.n_implied:
        verb = (
            "was not held out, as it follows"
            if implied == 1
            else ("were not held out, as they follow")
        )
        say(f"{implied:,} more {verb} from the others.")
    out.print()
    from clustraint.constraints import KINDS

    listing = new_table(
        "method",
        ">score",
        ">95 %",
        *(f">{KINDS[kind].plural}" for kind in kinds),
        ">without",
        ">CPU s",
    )
    for row in comparison.table():
        span = f"{row['low']:.2f}–{row['high']:.2f}"
        shares = (f"{row[kind]:.2f}" for kind in kinds)
        without = "–" if row["without"] is None else f"{row['without']:.2f}"
        cpu = f"{row['cpu_seconds']:.3g}"
        listing.add_row(row["label"], f"{row['score']:.2f}", span, *shares, without, cpu)
    out.print(listing)
    out.print()
    _print_bars(comparison)
    _print_problems(comparison)


def _counted(kind: str, count: int) -> str:
    from clustraint.constraints import KINDS

    return counted(count, KINDS[kind].noun)


def _print_bars(comparison: Comparison) -> None:
    """Print the scores as bars, those without constraints below."""
    listing = new_table("", "with constraints █, without ░", "")
    for row in comparison.table():
        listing.add_row(row["label"], _bar("█", row["score"]), f"{row['score']:.2f}")
        if row["without"] is not None:
            listing.add_row("", f"[dim]{_bar('░', row['without'])}[/]", f"{row['without']:.2f}")
    console().print(listing)


def _bar(sign: str, share: float) -> str:
    return sign * round(WIDTH * share)


def _print_problems(comparison: Comparison) -> None:
    splits = counted(len(comparison.splits), "split")
    for score in comparison.scores:
        if not score.problems:
            continue
        problem, _ = Counter(score.problems).most_common(1)[0]
        say(
            f"\n{score.method.name} found no clusters in {len(score.problems):,} of {splits}, "
            f"which count as 0: {escape(problem)}"
        )


def _write(comparison: Comparison, output: Path | None, picture: Path | None) -> dict[str, str]:
    """Write the files asked for, and return which they are."""
    from clustraint import plot
    from clustraint.files import write_whole

    written = {}
    if picture is not None:
        write_whole(picture, plot.svg(plot.bars_view(comparison)).encode())
        written["picture"] = str(picture)
    if output == _options.STDOUT:
        sys.stdout.write(_csv(comparison))
    elif output is not None:
        write_whole(output, _csv(comparison).encode())
        written["table"] = str(output)
    return written


def _csv(comparison: Comparison) -> str:
    rows = comparison.table()
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _rounded(value) for key, value in row.items()})
    return buffer.getvalue()


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _as_json(comparison: Comparison, written: dict[str, str]) -> dict[str, Any]:
    problems = {
        score.method.name: list(dict.fromkeys(score.problems))
        for score in comparison.scores
        if score.problems
    }
    return {
        "splits": len(comparison.splits),
        "held_out": comparison.n_held_out,
        "implied": comparison.n_implied,
        "methods": comparison.table(),
        "problems": problems,
        "written": written,
    }
