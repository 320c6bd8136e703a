"""`clustraint compare`: which method keeps best what it was not told."""

from __future__ import annotations

import csv
import io
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options
from clustraint.cli._bar_chart import Bar, bar_chart
from clustraint.cli._console import console, say, steps, table, working, write_json
from clustraint.cli._shown import WORDS
from clustraint.exceptions import ClustraintError
from clustraint.wording import counted, listed

if TYPE_CHECKING:
    from clustraint.workflow._comparison import Comparison, Interval, MethodScore

STDOUT = Path("-")
WIDTH = 40


def compare(
    data: _options.Data,
    k: _options.RequiredClusters,
    constraints: _options.Knowledge = None,
    n_splits: Annotated[
        int, typer.Option("--splits", min=1, metavar="N", help="How often to split at random.")
    ] = 10,
    holdout: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of constraints to hold out.")
    ] = 0.3,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--method", metavar="METHOD", help="Only this one; all that do by default."
        ),
    ] = None,
    scale: _options.Scale = "standard",
    seed: _options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the table there, as CSV; - is stdout."
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture there, as SVG.")
    ] = None,
    id_column: _options.IdColumn = None,
    drop: _options.Drop = None,
    numeric: _options.Numeric = None,
    nominal: _options.Nominal = None,
    text: _options.Text = None,
    format: _options.Format = None,
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Compare methods by the constraints that they were not told of.

    Constraints are split at random, again and again: methods are told most of them and scored by
    how many of the others hold in their clusters. What follows from those that were told is not
    held out. The score is the mean over the kinds of constraints and over the splits.
    """
    from clustraint.workflow._comparison import compare_methods

    silent = quiet or as_json or output == STDOUT
    if not constraints:
        raise ClustraintError("to compare methods takes constraints to hold out: give them by -c.")
    with working("reading", silent):
        samples = _options.read_data(
            data,
            id_column=id_column,
            drop=drop,
            numeric=numeric,
            nominal=nominal,
            text=text,
            format=format,
            delimiter=delimiter,
            encoding=encoding,
        )
        known = _options.read_knowledge(constraints, samples)
    chosen: Any = scale
    with steps("comparing", silent) as step:
        found = compare_methods(
            samples,
            known,
            k,
            methods=methods or (),
            n_splits=n_splits,
            holdout=holdout,
            scale=chosen,
            random_state=seed,
            step=step,
        )
    if not silent:
        _print(found)
    written = _write(found, output, picture)
    if as_json:
        write_json(_as_json(found, written))
    else:
        for what, path in written.items():
            print(path if quiet or output == STDOUT else f"{what}: {path}")


def _rows(found: Comparison) -> list[dict[str, Any]]:
    """Return the table, a row for each method."""
    return [_row(found, score) for score in found.scores]


def _row(found: Comparison, score: MethodScore) -> dict[str, Any]:
    mean, low, high = found.score(score.kept)
    gain = found.gain(score)
    row: dict[str, Any] = {"method": score.method.name, "score": mean, "low": low, "high": high}
    for kind in found.n_held_out:
        row[kind] = found.share(score.kept, kind)
    row["without"] = found.score(score.without).mean if score.without else None
    row |= {"gain": None, "gain_low": None, "gain_high": None}
    if gain is not None:
        row |= {"gain": gain.mean, "gain_low": gain.low, "gain_high": gain.high}
    seconds = statistics.median(score.seconds)
    return row | {
        "cpu_seconds": seconds,
        "failed": len(score.problems),
        "splits": len(found.splits),
    }


def _print(found: Comparison) -> None:
    kinds = found.n_held_out
    out = console()
    held = ", ".join(f"{count:,} {WORDS[kind]}" for kind, count in kinds.items())
    say(f"Held out in {counted(len(found.splits), 'split')}: {held}, in all.")
    implied = sum(split.n_implied for split in found.splits)
    if implied:
        say(f"{implied:,} more were not held out, as they follow from what was told.")
    out.print()
    listing = table(
        "method", ">score", ">95 %", *(f">{WORDS[kind]}" for kind in kinds), ">without", ">CPU s"
    )
    for row in _rows(found):
        span = f"{row['low']:.2f}–{row['high']:.2f}"
        shares = (f"{row[kind]:.2f}" for kind in kinds)
        without = "–" if row["without"] is None else f"{row['without']:.2f}"
        cpu = f"{row['cpu_seconds']:.3g}"
        listing.add_row(row["method"], f"{row['score']:.2f}", span, *shares, without, cpu)
    out.print(listing)
    out.print()
    _print_bars(found)
    _print_problems(found)


def _print_bars(found: Comparison) -> None:
    """Print the scores as bars, those without constraints below."""
    listing = table("", "with constraints █, without ░", "")
    for row in _rows(found):
        listing.add_row(row["method"], _bar("█", row["score"]), f"{row['score']:.2f}")
        if row["without"] is not None:
            listing.add_row("", f"[dim]{_bar('░', row['without'])}[/]", f"{row['without']:.2f}")
    console().print(listing)


def _bar(sign: str, share: float) -> str:
    return sign * round(WIDTH * share)


def _print_problems(found: Comparison) -> None:
    for score in found.scores:
        if not score.problems:
            continue
        problem, _ = Counter(score.problems).most_common(1)[0]
        say(
            f"\n{score.method.name} found no clusters in {len(score.problems):,} of "
            f"{counted(len(found.splits), 'split')}, which count 0: {escape(problem)}"
        )


def _write(found: Comparison, output: Path | None, picture: Path | None) -> dict[str, str]:
    """Write the files asked for, and return which they are."""
    from clustraint.files import write_whole

    written = {}
    if picture is not None:
        write_whole(picture, _svg(found).encode())
        written["picture"] = str(picture)
    if output == STDOUT:
        sys.stdout.write(_csv(found))
    elif output is not None:
        write_whole(output, _csv(found).encode())
        written["table"] = str(output)
    return written


def _csv(found: Comparison) -> str:
    rows = _rows(found)
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _rounded(value) for key, value in row.items()})
    return buffer.getvalue()


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _svg(found: Comparison) -> str:
    bars = []
    for score in found.scores:
        without: Interval | None = found.score(score.without) if score.without else None
        bars.append(
            Bar(
                score.method.name,
                *found.score(score.kept),
                without.mean if without else None,
                len(score.problems),
            )
        )
    told = listed(WORDS[kind] for kind in found.n_held_out)
    return bar_chart(bars, f"Share of held-out {told} that hold", len(found.splits))


def _as_json(found: Comparison, written: dict[str, str]) -> dict[str, Any]:
    problems = {
        score.method.name: list(dict.fromkeys(score.problems))
        for score in found.scores
        if score.problems
    }
    return {
        "splits": len(found.splits),
        "held_out": found.n_held_out,
        "implied": sum(split.n_implied for split in found.splits),
        "methods": _rows(found),
        "problems": problems,
        "written": written,
    }
