"""`clustraint check`: whether constraints are consistent, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options
from clustraint.cli._chunks import ChunkedInput, check_file_in_chunks, check_in_chunks
from clustraint.cli._command import Output
from clustraint.cli._console import console, say, table, working, write_json
from clustraint.cli._shown import indented
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from clustraint.wording import counted, share_text

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.tables import Columns, SampleTable
    from clustraint.workflow import FewSamples

CONTRADICTORY = 1
MOST_LISTED = 20
# More constraints are not tested one by one for whether the others entail them.
MOST_TESTED = 1_000


def check(
    data: _options.OptionalTableOptions,
    constraint_files: _options.ConstraintFiles = None,
    n_clusters: _options.NClusters = None,
    implied_triplets: Annotated[
        bool, typer.Option("--implied-triplets", help="List all triplets that follow.")
    ] = False,
    doubts: Annotated[
        bool,
        typer.Option(
            "--doubts",
            help="List constraints that do not fit the data; needs DATA and K.",
        ),
    ] = False,
    repair: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the consistent constraints to this file."),
        Output("a constraint file", _options.CONSTRAINT_ENDINGS),
    ] = None,
    scheduler: _options.Scheduler = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Check whether constraints are consistent, what follows from them, and what contradicts what.

    The exit code is 0 if they are consistent, 1 if they contradict each other or K clusters are too
    few, and 2 if the input is bad. A table larger than half of the free memory is read by chunks,
    of which only the samples that the constraints are about are kept. Of a .txt file over 16 MB
    that states pairs alone, none is kept, and what follows from them is not counted.
    """
    silent = quiet or as_json
    needs_all = doubts or implied_triplets or repair is not None or n_clusters is not None
    is_large = _is_large(data, scheduler)
    source = None
    if is_large:
        source = ChunkedInput.of(data, scheduler, as_json=as_json, quiet=quiet)
    is_whole = needs_all or (data.data is not None and not is_large)
    streamed = None if is_whole else _streamed(constraint_files or [], source)
    if streamed is not None:
        result, problem = streamed
    elif source is not None:
        if doubts or repair is not None:
            option = "--doubts" if doubts else "--repair"
            raise ClustraintError(f"{option} is not available for a table read by chunks.")
        few = check_in_chunks(source, constraint_files or [])
        with working("checking", silent):
            result, problem = _checked_few(few, n_clusters, implied_triplets)
    else:
        with working("checking", silent):
            constraints, samples = _read(constraint_files or [], data)
            result, problem = _checked(constraints, samples, n_clusters, implied_triplets)
            if doubts:
                result |= _doubts(constraints, samples, n_clusters)
            if repair is not None:
                result |= _repaired(constraints, samples, repair)
    file = ", ".join(map(str, constraint_files or ()))
    if as_json:
        write_json({"file": file, **result})
    elif quiet:
        print(*([repair] if repair else []), sep="", end="\n" if repair else "")
    else:
        _print({"file": file, **result}, n_clusters)
    if problem is not None:
        raise typer.Exit(CONTRADICTORY)


def _is_large(data: _options.OptionalTableOptions, scheduler: str | None) -> bool:
    if data.data is None:
        if scheduler is not None:
            raise ClustraintError("--scheduler reads a table: name DATA, too.")
        return False
    from clustraint.workflow import needs_chunks

    return scheduler is not None or needs_chunks(data.data)


def _streamed(
    files: list[Path], source: ChunkedInput | None
) -> tuple[dict[str, Any], InconsistentConstraintsError | None] | None:
    """Return what there is to say of a large file of pairs; None where it is read as a whole."""
    from clustraint.constraints import check_file, is_large

    if len(files) != 1 or not is_large(files[0]):
        return None
    checked = check_file(files[0]) if source is None else check_file_in_chunks(source, files[0])
    if checked is None:
        return None
    result: dict[str, Any] = {
        "samples": checked.n_samples,
        "given": {kind: count for kind, count in checked.counts.items() if count},
        "consistent": checked.problem is None,
    }
    if checked.problem is None:
        return {**result, "components": checked.components}, None
    witness = list(checked.problem.witness.describe())
    return {**result, "problem": str(checked.problem), "witness": witness}, checked.problem


def _read(
    files: list[Path], data: _options.OptionalTableOptions
) -> tuple[Constraints, SampleTable | None]:
    from clustraint.constraints import Constraints

    if not files:
        raise ClustraintError("there is nothing to check: name a constraint file (-c FILE).")
    samples = data.read()
    if samples is not None:
        return _options.read_constraints(files, samples), samples
    if len(files) > 1:
        raise ClustraintError("to check several files together, name the table they are about.")
    return Constraints.read(files[0]), None


def _checked_few(
    few: FewSamples, n_clusters: int | None, triplets: bool
) -> tuple[dict[str, Any], InconsistentConstraintsError | None]:
    """Return the same of samples enough to check constraints on all of a table."""
    result, problem = _checked(few.constraints, few.table, n_clusters, triplets)
    result["samples"] = few.n_samples
    for rule, size in zip(result.get("rules", ()), few.rule_sizes, strict=True):
        rule["samples"] = size
    if few.constraints.rules:
        # What rules link is more than is at hand.
        for name in ("components", "entailed"):
            result.pop(name, None)
    return result, problem


def _checked(
    constraints: Constraints,
    samples: SampleTable | Columns | None,
    n_clusters: int | None,
    triplets: bool,
) -> tuple[dict[str, Any], InconsistentConstraintsError | None]:
    """Return what there is to say of constraints, and how they contradict each other, if so."""
    from clustraint.constraints import SAMPLE_KINDS

    # Rules are taken as the pairs that they mean where there are data.
    as_links = constraints.restrict(kinds=SAMPLE_KINDS)
    if samples is not None and constraints.rules:
        as_links = constraints.expand_rules(samples)
    result = _counts(constraints, samples)
    problem = None
    try:
        if samples is not None:
            constraints.check(n_clusters, samples)
        else:
            as_links.check(n_clusters)
    except InconsistentConstraintsError as error:
        problem = error
        result |= {"problem": str(error), "witness": list(error.witness.describe())}
    result["consistent"] = problem is None
    if problem is None or as_links.is_consistent():
        result |= _consequences(constraints, as_links, triplets)
    return result, problem


def _doubts(
    constraints: Constraints, samples: SampleTable | None, n_clusters: int | None
) -> dict[str, Any]:
    """Return what a mixture that takes constraints as evidence finds improbable."""
    from clustraint.workflow import cluster_table

    if samples is None or n_clusters is None:
        raise ClustraintError("--doubts compares constraints with data: give DATA and -k as well.")
    clustering = cluster_table(samples, constraints, n_clusters, method="mixture")
    return {"doubtful": dict(clustering.doubtful(MOST_LISTED))}


def _counts(constraints: Constraints, samples: SampleTable | Columns | None) -> dict[str, Any]:
    from clustraint.constraints import RULE_KINDS

    counts = {kind: len(links.rows) for kind, links in constraints.links.items()}
    for kind in RULE_KINDS:
        counts[kind] = sum(rule.kind == kind for rule in constraints.rules)
    result: dict[str, Any] = {
        "samples": constraints.n_samples,
        "given": {kind: count for kind, count in counts.items() if count},
    }
    if constraints.rules:
        result["rules"] = [
            {
                "rule": str(rule),
                "samples": None if samples is None else int(rule.scope(samples).sum()),
            }
            for rule in constraints.rules
        ]
    return result


def _consequences(
    constraints: Constraints, as_links: Constraints, triplets: bool
) -> dict[str, Any]:
    """Return what follows from consistent constraints."""
    from clustraint.constraints import SAMPLE_KINDS

    components = as_links.components
    sizes = components.sizes
    result: dict[str, Any] = {
        "components": {
            "linked": int((sizes > 1).sum()),
            "samples": int(sizes[sizes > 1].sum()),
            "largest": int(sizes.max(initial=0)),
        },
        "entailed": components.closure_sizes,
    }
    stated = constraints.restrict(kinds=SAMPLE_KINDS)
    if stated.n_constraints <= MOST_TESTED:
        result["redundant"] = list(stated.redundant().describe())
    if triplets:
        result["implied_triplets"] = _new_triplets(as_links)
    return result


def _new_triplets(as_links: Constraints) -> list[str]:
    """Return the triplets that follow and are not stated."""
    from clustraint.constraints import Constraints
    from clustraint.hierarchy import entailed_triplets

    stated = {tuple(row) for row in as_links.triplets.tolist()}
    rows = [row for row in entailed_triplets(as_links).tolist() if tuple(row) not in stated]
    new = Constraints(as_links.n_samples, triplets=rows or None, names=as_links.names)
    return list(new.describe())


def _repaired(constraints: Constraints, samples: SampleTable | None, path: Path) -> dict[str, Any]:
    """Write the constraints that are left when a few are dropped; rules are never dropped."""
    kept, dropped = constraints.repair(samples)
    _options.write_constraints(kept, path)
    return {"dropped": list(dropped.describe()), "repaired": str(path)}


def _print(result: dict[str, Any], n_clusters: int | None) -> None:
    from clustraint.constraints import KINDS

    out = console()
    listing = table("constraints", ">number")
    for kind, count in result["given"].items():
        listing.add_row(KINDS[kind].plural, f"{count:,}")
    say(f"{escape(result['file'])}: {counted(result['samples'], 'sample')}")
    if result["given"]:
        out.print(listing)
    for line in _lines(result, n_clusters):
        say(escape(line))


def _lines(result: dict[str, Any], n_clusters: int | None) -> Iterator[str]:
    """Yield the result in sentences."""
    for rule in result.get("rules", ()):
        scope = rule["samples"]
        holds = "add DATA to check it" if scope is None else f"matches {counted(scope, 'sample')}"
        if scope == 0:
            holds = "matches no sample, so it says nothing: correct it, or leave it out"
        yield f"{rule['rule']} ({holds})"
    if result["consistent"]:
        bound = ""
        if n_clusters:
            bound = (
                f", and no reason was found why {counted(n_clusters, 'cluster')} would be too few"
            )
        yield f"Consistent: all constraints can hold at once{bound}."
    else:
        yield f"Contradiction: {result['problem']}"
        yield "These constraints contradict each other; without any one of them they would not:"
        yield from indented(result["witness"], MOST_LISTED)
    yield from _consequence_lines(result)
    if "doubtful" in result:
        doubts = result["doubtful"]
        heading = "Worth checking, as they do not fit the data (with the doubt):"
        yield heading if doubts else "The data speak against none of them."
        yield from (f"  {share_text(doubt)}: {text}" for text, doubt in doubts.items())
    if "repaired" in result:
        dropped = result["dropped"]
        yield f"{result['repaired']}: written, {counted(len(dropped), 'constraint')} dropped."
        yield from indented(dropped, MOST_LISTED)


def _consequence_lines(result: dict[str, Any]) -> Iterator[str]:
    linked = result.get("components", {"linked": 0})
    if linked["linked"]:
        yield (
            f"Must-links join {counted(linked['samples'], 'sample')} into "
            f"{counted(linked['linked'], 'group')}; the largest has "
            f"{counted(linked['largest'], 'sample')}."
        )
    if "entailed" in result:
        pairs = result["entailed"]
        follow = "follows" if sum(pairs.values()) == 1 else "follow"
        yield (
            f"In total, {counted(pairs['must_link'], 'must-link')} and "
            f"{counted(pairs['cannot_link'], 'cannot-link')} {follow}."
        )
    if result.get("redundant"):
        count = len(result["redundant"])
        verb = "follows" if count == 1 else "follow"
        yield f"{counted(count, 'constraint')} {verb} from the others and could be left out:"
        yield from indented(result["redundant"], MOST_LISTED)
    if "implied_triplets" in result:
        implied = result["implied_triplets"]
        verb = "follows" if len(implied) == 1 else "follow"
        yield f"{counted(len(implied), 'unstated triplet')} {verb}:"
        yield from indented(implied, MOST_LISTED)
