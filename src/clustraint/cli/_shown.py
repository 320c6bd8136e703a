"""Tables, constraints and clusters as commands print them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from clustraint.cli._console import console, say, table
from clustraint.wording import counted, share_text

if TYPE_CHECKING:
    from clustraint.evaluation import ConstraintReport
    from clustraint.tables import SampleTable
    from clustraint.workflow import Clustering, Explanation, NumberCurve

MOST_COLUMNS = 40
WIDTH = 40
MOST_VIOLATED = 10
# What columns are called by people who are not statisticians.
PLAIN_KINDS = {"binary": "binary (yes/no)", "nominal": "nominal (category)"}
# In notes on a table, the argument of read_table that would change what was decided.
ARGUMENT = re.compile(r"\((\w+)=\)")


def print_columns(data: SampleTable) -> None:
    """Print the columns of a table, what they are read as, and which are left out."""
    listing = table("column", "kind", ">values", ">missing", "")
    everything = (*data.columns, *data.left_out)
    for column in everything[:MOST_COLUMNS]:
        note = column.note if column in data.columns else f"left out: {column.note}"
        note = column.note if column.name == data.id_column else note
        missing = f"{column.n_missing:,}" if column.n_missing else ""
        kind = PLAIN_KINDS.get(column.kind, column.kind)
        words = in_options("; ".join(filter(None, (column.reason, note))))
        cells = (column.name, kind, f"{column.n_distinct:,}", missing, words)
        listing.add_row(*map(escape, cells))
    out = console()
    say(f"{escape(data.source)}: {counted(data.n_samples, 'sample')}")
    for note in data.notes:
        say(escape(in_options(note)))
    out.print(listing)
    if len(everything) > MOST_COLUMNS:
        say(f"… and {counted(len(everything) - MOST_COLUMNS, 'more column')}")
    out.print()


def in_options(note: str) -> str:
    """Return a note on a table with arguments of `read_table` called by their options."""
    names = {"id_column": "id"}
    return ARGUMENT.sub(lambda m: f"(--{names.get(m[1], m[1]).replace('_', '-')})", note)


def columns_as_json(data: SampleTable) -> list[dict[str, Any]]:
    """Return the columns of a table for programs."""
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "values": column.n_distinct,
            "missing": column.n_missing,
            "used": used,
            "reason": column.reason,
            "note": column.note,
        }
        for used, columns in ((True, data.columns), (False, data.left_out))
        for column in columns
    ]


def print_satisfaction(report: ConstraintReport) -> None:
    """Print how many constraints of each kind are satisfied, and the first violated ones."""
    from clustraint.constraints import KINDS

    if not len(report):
        return
    listing = table("constraints", ">all", ">satisfied", ">violated")
    for kind, outcome in report.items():
        violated = f"[red]{outcome.violated:,}[/]" if outcome.violated else "0"
        listing.add_row(
            KINDS[kind].plural, f"{outcome.total:,}", f"{outcome.satisfied:,}", violated
        )
    out = console()
    out.print(listing)
    lines = list(report.violated.describe())
    for line in lines[:MOST_VIOLATED]:
        say(f"  violated: {escape(line)}")
    if len(lines) > MOST_VIOLATED:
        say(f"  … and {len(lines) - MOST_VIOLATED:,} more")
    out.print()


def satisfaction_as_json(report: ConstraintReport) -> dict[str, Any]:
    """Return what is satisfied and violated, for programs."""
    counts = {
        kind: {"given": each.total, "satisfied": each.satisfied, "violated": each.violated}
        for kind, each in report.items()
    }
    return {"kinds": counts, "violated": list(report.violated.describe())}


def print_clustering(clustering: Clustering, names: Mapping[Any, str]) -> None:
    """Print the method and why, the sizes and names of the clusters, and what they satisfy."""
    choice = clustering.choice
    say(f"[bold]{escape(choice.method.name)}[/], {escape(in_options(choice.reason))}.")
    if clustering.plan is not None:
        say(escape(in_options(clustering.plan.note)))
    if clustering.details:
        say(f"{escape(clustering.details)}.")
    for note in clustering.pipeline["encode"].notes_:
        say(escape(note))
    if clustering.numbers is not None:
        print_numbers(clustering.numbers)
    console().print()
    print_bars(clustering.sizes, names)
    print_satisfaction(clustering.report)
    print_doubts(clustering.doubtful())
    if clustering.n_displayed is not None:
        triplets = counted(len(clustering.constraints.triplets), "triplet")
        say(f"The hierarchy satisfies {clustering.n_displayed:,} of {triplets}.\n")


def print_numbers(curve: NumberCurve) -> None:
    """Print how numbers of clusters did, and which was chosen."""
    by_index = curve.by == "silhouette"
    score = "silhouette" if by_index else "held-out constraints that hold"
    listing = table(">clusters", score, "", *([">stability"] if by_index else []), "")
    for row in curve.table():
        value = row["score"]
        bar = "█" * round(WIDTH * max(value, 0)) if not row["problem"] else ""
        text = f"{value:.2f}" if not row["problem"] else "–"
        stability = [f"{row['stability']:.2f}"] if by_index else []
        note = "chosen" if row["chosen"] else escape(row["problem"][:60])
        listing.add_row(f"{row['n_clusters']:,}", bar, text, *stability, note)
    say(f"[bold]{counted(curve.n_clusters, 'cluster')}[/]: {escape(curve.reason)}.")
    console().print(listing)


def print_doubts(doubtful: Iterable[tuple[str, float]]) -> None:
    """Print the constraints that are worth checking."""
    lines = [f"  {share_text(doubt)}: {statement}" for statement, doubt in doubtful]
    if lines:
        say("Worth checking, as they fit neither data nor other constraints (with the doubt):")
        for line in lines:
            say(escape(line))
        console().print()


def print_bars(sizes: Mapping[int, int], names: Mapping[Any, str] | None = None) -> None:
    """Print how many samples each cluster has."""
    listing = table("cluster", ">samples", "", "" if names is None else "name")
    largest = max(sizes.values())
    for cluster, size in sizes.items():
        bar = "█" * max(1, round(24 * size / largest)) if size else ""
        name = "" if names is None else escape(names[cluster])
        listing.add_row(str(cluster), f"{size:,}", bar, name)
    out = console()
    out.print(listing)
    out.print()


def print_explanation(explanation: Explanation) -> None:
    """Print the rules of each cluster, and how well they describe it."""
    say(escape(str(explanation)))


def print_written(written: Mapping[str, str], quiet: bool) -> None:
    """Print which files were written."""
    for what, path in written.items():
        print(path if quiet else f"{what}: {path}")


def indented(lines: list[str], most: int) -> Iterable[str]:
    """Yield the first lines, and how many more there are."""
    for line in lines[:most]:
        yield f"  {line}"
    if len(lines) > most:
        yield f"  … and {len(lines) - most:,} more (--json lists all)"


def explanation_as_json(explanation: Explanation) -> dict[str, Any]:
    """Return the rules of each cluster for programs."""
    rules = [
        {
            "cluster": each.cluster,
            "samples": each.n_samples,
            "rules": [str(conjunction) for conjunction in each.conjunctions],
            "formula": each.formula,
            "precision": _share(each.precision),
            "recall": _share(each.recall),
        }
        for each in explanation.descriptions
    ]
    result: dict[str, Any] = {"rules": rules}
    if rules:
        result["fidelity"] = explanation.fidelity
    if explanation.words:
        result["words"] = {str(cluster): words for cluster, words in explanation.words.items()}
    if explanation.examples:
        result["typical"] = {str(cluster): each for cluster, each in explanation.examples.items()}
    return result


def _share(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
