"""`clustraint check`: whether constraints hold together, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options
from clustraint.cli._console import console, say, table, working, write_json
from clustraint.cli._shown import WORDS, constraint_lines
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

CONTRADICTORY = 1
MOST_LISTED = 20
# More constraints are not tested one by one for whether the others entail them.
MOST_TESTED = 1_000


def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A constraint file: .txt, .csv or .json.")
    ],
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="The samples, which rules need.")
    ] = None,
    k: _options.NClusters = None,
    implied_triplets: Annotated[
        bool, typer.Option("--implied-triplets", help="List all triplets that follow.")
    ] = False,
    repair: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a consistent remainder there."),
    ] = None,
    id_column: _options.IdColumn = None,
    format: _options.Format = None,
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Tell whether constraints hold together, what follows, and what contradicts what.

    The exit code is 0 if they do, 1 if they contradict each other or K clusters are too few, and 2
    for bad input.
    """
    silent = quiet or as_json
    with working("checking", silent):
        known, samples = _read(file, data, id_column, format, delimiter, encoding)
        as_pairs = _as_pairs(known, samples)
        told = {"file": str(file), **_counts(known, samples)}
        problem = _contradiction(as_pairs, k)
        told["consistent"] = problem is None
        if problem is not None:
            told["problem"] = str(problem)
            told["witness"] = constraint_lines(problem.witness)
        if problem is None or as_pairs.is_consistent():
            told |= _consequences(known, as_pairs, implied_triplets)
        if repair is not None:
            told |= _repaired(known, as_pairs, repair)
    if as_json:
        write_json(told)
    elif quiet:
        print(*([repair] if repair else []), sep="", end="\n" if repair else "")
    else:
        _print(told, k)
    if problem is not None:
        raise typer.Exit(CONTRADICTORY)


def _read(
    file: Path,
    data: str | None,
    id_column: str | None,
    format: str | None,
    delimiter: str | None,
    encoding: str | None,
) -> tuple[Constraints, SampleTable | None]:
    from clustraint.constraints import Constraints

    if data is None:
        return Constraints.read(file), None
    samples = _options.read_data(
        data, id_column=id_column, format=format, delimiter=delimiter, encoding=encoding
    )
    return _options.read_knowledge([file], samples), samples


def _as_pairs(known: Constraints, samples: SampleTable | None) -> Constraints:
    """Return pairs and triplets, and rules as the pairs that they mean where there are data."""
    if samples is None or not known.rules:
        return known.restrict(kinds=("must_link", "cannot_link", "triplets"))
    return known.expand_rules(samples)


def _counts(known: Constraints, samples: SampleTable | None) -> dict[str, Any]:
    counts = {kind: len(links.rows) for kind, links in known.links.items()}
    for kind in ("together", "exactly"):
        counts[kind] = sum(rule.kind == kind for rule in known.rules)
    told: dict[str, Any] = {
        "samples": known.n_samples,
        "given": {kind: count for kind, count in counts.items() if count},
    }
    if known.rules:
        told["rules"] = [
            {
                "rule": str(rule),
                "samples": None if samples is None else int(rule.scope(samples).sum()),
            }
            for rule in known.rules
        ]
    return told


def _contradiction(as_pairs: Constraints, k: int | None) -> InconsistentConstraintsError | None:
    try:
        as_pairs.check(n_clusters=k)
    except InconsistentConstraintsError as error:
        return error
    return None


def _consequences(known: Constraints, as_pairs: Constraints, triplets: bool) -> dict[str, Any]:
    """Return what follows from constraints that hold together."""
    import numpy as np

    from clustraint.constraints._closure import closure_sizes

    found = as_pairs.components
    sizes = np.bincount(found.labels, minlength=found.n_components)
    must, cannot = closure_sizes(found)
    told: dict[str, Any] = {
        "components": {
            "linked": int((sizes > 1).sum()),
            "samples": int(sizes[sizes > 1].sum()),
            "largest": int(sizes.max(initial=0)),
        },
        "entailed": {"must_link": must, "cannot_link": cannot},
    }
    told |= _redundancy(known)
    if triplets:
        told["implied_triplets"] = _implied(as_pairs)
    return told


def _redundancy(known: Constraints) -> dict[str, Any]:
    from clustraint.hierarchy._implied import redundant

    without_rules = known.restrict(kinds=("must_link", "cannot_link", "triplets"))
    if without_rules.n_constraints > MOST_TESTED:
        return {}
    return {"redundant": constraint_lines(redundant(without_rules))}


def _implied(as_pairs: Constraints) -> list[str]:
    from clustraint.constraints import Constraints
    from clustraint.hierarchy._implied import implied_triplets

    given = {tuple(row) for row in as_pairs.triplets.tolist()}
    rows = [row for row in implied_triplets(as_pairs).tolist() if tuple(row) not in given]
    named = Constraints(as_pairs.n_samples, triplets=rows or None, names=as_pairs.names)
    return constraint_lines(named)


def _repaired(known: Constraints, as_pairs: Constraints, path: Path) -> dict[str, Any]:
    """Write what is left when what contradicts is dropped; rules are never dropped."""
    kept, dropped = _remainder(known, as_pairs)
    kept.write(path)
    return {"dropped": constraint_lines(dropped), "repaired": str(path)}


def _remainder(known: Constraints, as_pairs: Constraints) -> tuple[Constraints, Constraints]:
    import numpy as np

    if as_pairs.is_consistent():
        return known, known.take()
    # What rules mean weighs more than all that is said of pairs.
    total = 1 + sum(float(links.weights.sum()) for links in known.links.values())
    given = {kind: {*map(tuple, links.rows.tolist())} for kind, links in known.links.items()}
    weighted: dict[str, Any] = {}
    for kind, links in as_pairs.links.items():
        said = np.array([tuple(row) in given[kind] for row in links.rows.tolist()], bool)
        weighted[kind] = links.rows
        weighted[f"{kind}_weights"] = np.where(said, links.weights, total)
    _, dropped = type(known)(known.n_samples, **weighted).repair()
    lost = {kind: {*map(tuple, links.rows.tolist())} for kind, links in dropped.links.items()}
    if any(rows - given[kind] for kind, rows in lost.items()):
        raise ClustraintError(
            "the rules contradict each other, but --repair drops only pairs and triplets; "
            "change or remove a rule."
        )
    masks = {
        kind: np.array([tuple(row) in lost[kind] for row in links.rows.tolist()], bool)
        for kind, links in known.links.items()
    }
    kept = known.take(**{kind: ~mask for kind, mask in masks.items()}, rules=known.rules)
    return kept, known.take(**masks)


def _print(told: dict[str, Any], k: int | None) -> None:
    out = console()
    listing = table("constraints", ">given")
    for kind, count in told["given"].items():
        listing.add_row(WORDS[kind], f"{count:,}")
    say(f"{escape(told['file'])}: {counted(told['samples'], 'sample')}")
    if told["given"]:
        out.print(listing)
    for line in _lines(told, k):
        say(escape(line))


def _lines(told: dict[str, Any], k: int | None) -> Iterator[str]:
    """Yield what was found out, in sentences."""
    for rule in told.get("rules", ()):
        scope = rule["samples"]
        holds = (
            "give DATA to check it" if scope is None else f"holds for {counted(scope, 'sample')}"
        )
        yield f"{rule['rule']} ({holds})"
    if told["consistent"]:
        bound = f", and nothing is seen that {counted(k, 'cluster')} could not keep" if k else ""
        yield f"Consistent: the constraints can hold together{bound}."
    else:
        yield f"Contradiction: {told['problem']}"
        yield "The least that contradicts itself:"
        yield from _indented(told["witness"])
    yield from _consequence_lines(told)
    if "repaired" in told:
        dropped = told["dropped"]
        yield f"{told['repaired']}: written, {counted(len(dropped), 'constraint')} dropped."
        yield from _indented(dropped)


def _consequence_lines(told: dict[str, Any]) -> Iterator[str]:
    if "entailed" in told:
        linked, pairs = told["components"], told["entailed"]
        if linked["linked"]:
            yield (
                f"Must-links tie {counted(linked['samples'], 'sample')} into "
                f"{counted(linked['linked'], 'group')}, the largest of {linked['largest']:,}."
            )
        yield (
            f"In all, {counted(pairs['must_link'], 'must-link')} and "
            f"{counted(pairs['cannot_link'], 'cannot-link')} follow."
        )
    if told.get("redundant"):
        count = len(told["redundant"])
        yield f"{counted(count, 'constraint')} could be left out, as others say the same:"
        yield from _indented(told["redundant"])
    if "implied_triplets" in told:
        implied = told["implied_triplets"]
        verb = "follows" if len(implied) == 1 else "follow"
        yield f"{counted(len(implied), 'triplet')} that nobody stated {verb}:"
        yield from _indented(implied)


def _indented(lines: list[str]) -> Iterator[str]:
    for line in lines[:MOST_LISTED]:
        yield f"  {line}"
    if len(lines) > MOST_LISTED:
        yield f"  … and {len(lines) - MOST_LISTED:,} more (--json lists all)"
