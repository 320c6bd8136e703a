"""Tables, constraints and clusters as commands print them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from clustraint.cli._console import console, say, table
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.evaluation import ConstraintReport
    from clustraint.tables import SampleTable
    from clustraint.workflow._clustering import Clustering, Explanation

MOST_COLUMNS = 40
MOST_VIOLATED = 10
WORDS = {
    "must_link": "must-links",
    "cannot_link": "cannot-links",
    "triplets": "triplets",
    "together": "together rules",
    "exactly": "exactly rules",
}


def print_columns(data: SampleTable) -> None:
    """Print the columns of a table, what they are taken for, and which are left out."""
    listing = table("column", "kind", ">values", ">missing", "")
    everything = (*data.columns, *data.left_out)
    for column in everything[:MOST_COLUMNS]:
        note = column.note if column in data.columns else f"left out: {column.note}"
        note = column.note if column.kind == "identifier" else note
        missing = f"{column.n_missing:,}" if column.n_missing else ""
        cells = (column.name, column.kind, f"{column.n_distinct:,}", missing, note)
        listing.add_row(*map(escape, cells))
    out = console()
    say(f"{escape(data.source)}: {counted(data.n_samples, 'sample')}")
    for note in data.notes:
        say(escape(note))
    out.print(listing)
    if len(everything) > MOST_COLUMNS:
        say(f"… and {counted(len(everything) - MOST_COLUMNS, 'more column')}")
    out.print()


def columns_as_json(data: SampleTable) -> list[dict[str, Any]]:
    """Return the columns of a table for programs."""
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "values": column.n_distinct,
            "missing": column.n_missing,
            "used": used,
            "note": column.note,
        }
        for used, columns in ((True, data.columns), (False, data.left_out))
        for column in columns
    ]


def print_satisfaction(report: ConstraintReport) -> None:
    """Print what of each kind is satisfied, and the first of what is violated."""
    if not len(report):
        return
    listing = table("constraints", ">given", ">satisfied", ">violated")
    for kind, found in report.items():
        violated = f"[red]{found.violated:,}[/]" if found.violated else "0"
        listing.add_row(WORDS[kind], f"{found.given:,}", f"{found.satisfied:,}", violated)
    out = console()
    out.print(listing)
    lines = list(constraint_lines(report.violated))
    for line in lines[:MOST_VIOLATED]:
        say(f"  violated: {escape(line)}")
    if len(lines) > MOST_VIOLATED:
        say(f"  … and {len(lines) - MOST_VIOLATED:,} more")
    out.print()


def constraint_lines(constraints: Constraints) -> list[str]:
    """Return constraints one a line, as a file has them."""
    return list(constraints.describe())


def satisfaction_as_json(report: ConstraintReport) -> dict[str, Any]:
    """Return what is satisfied and violated, for programs."""
    counts = {
        kind: {"given": each.given, "satisfied": each.satisfied, "violated": each.violated}
        for kind, each in report.items()
    }
    return {"kinds": counts, "violated": constraint_lines(report.violated)}


def print_sizes(found: Clustering) -> None:
    """Print the method, why, and the sizes of the clusters."""
    say(f"[bold]{found.choice.method.name}[/], because {escape(found.choice.reason)}.")
    for note in found.pipeline["encode"].notes_:
        say(escape(note))
    console().print()
    print_bars(found.sizes)


def print_bars(sizes: Mapping[int, int]) -> None:
    """Print how many samples each cluster has."""
    listing = table("cluster", ">samples", "")
    largest = max(sizes.values())
    for cluster, size in sizes.items():
        listing.add_row(str(cluster), f"{size:,}", "█" * max(1, round(24 * size / largest)))
    out = console()
    out.print(listing)
    out.print()


def print_explanation(explanation: Explanation) -> None:
    """Print the rules of each cluster, and how well they describe it."""
    for description in explanation.descriptions:
        say(escape(str(description)))
    if explanation.descriptions:
        share = f"{100 * explanation.fidelity:.3g} %"
        say(f"These rules put {share} of {explanation.n_samples:,} samples into their clusters.")
    for cluster, words in explanation.words.items():
        say(escape(f"cluster {cluster}, by its words: {', '.join(words) or '–'}"))


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
    told: dict[str, Any] = {"rules": rules}
    if rules:
        told["fidelity"] = explanation.fidelity
    if explanation.words:
        told["words"] = {str(cluster): words for cluster, words in explanation.words.items()}
    return told


def _share(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
