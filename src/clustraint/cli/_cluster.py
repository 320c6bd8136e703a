"""`clustraint cluster`: clusters of a table under what is known, and what they are."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli import _options, _shown
from clustraint.cli._console import say, working, write_json
from clustraint.cli._labels import ids_of, labels_csv

if TYPE_CHECKING:
    from clustraint.workflow._clustering import Clustering, Explanation

STDOUT = Path("-")


def cluster(
    data: _options.Data,
    constraints: _options.Knowledge = None,
    k: _options.NClusters = None,
    method: Annotated[
        str,
        typer.Option(
            "-m",
            "--method",
            help="auto, cop-kmeans, complete-linkage, recon, tree, attribute-kmedoids, ihac, "
            "bihac.",
        ),
    ] = "auto",
    scale: _options.Scale = "standard",
    seed: _options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write id,cluster there; - is standard output."
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the fitted pipeline there, for joblib.load."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report in HTML there.")
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
    """Cluster the samples of a table under what is known about them.

    The method is chosen by the kinds of knowledge, the kinds of columns and the size, unless it is
    named. Constraints name samples by the id column or by row number, from 0.
    """
    from clustraint.workflow._clustering import cluster_table, explain_clustering

    silent = quiet or as_json or output == STDOUT
    with working("reading", silent):
        table = _options.read_data(
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
        known = _options.read_knowledge(constraints, table)
    if not silent:
        _shown.print_columns(table)
    with working("clustering", silent):
        chosen: Any = scale
        found = cluster_table(table, known, k, method=method, scale=chosen, random_state=seed)
    if not silent:
        _shown.print_sizes(found)
        _print_satisfaction(found)
    wants_rules = not silent or as_json or report is not None
    with working("describing the clusters", silent):
        explanation = explain_clustering(found) if wants_rules else None
    if explanation and not silent:
        _shown.print_explanation(explanation)
    with working("writing", silent):
        written = _write(found, explanation, output, save, report)
    if as_json:
        write_json(_as_json(found, explanation, written))
    else:
        _tell(written, quiet or output == STDOUT)


def _print_satisfaction(found: Clustering) -> None:
    _shown.print_satisfaction(found.report)
    if found.displayed is not None:
        given = len(found.constraints.triplets)
        say(f"The hierarchy displays {found.displayed:,} of {given:,} triplets.\n")


def _write(
    found: Clustering,
    explanation: Explanation | None,
    output: Path | None,
    save: Path | None,
    report: Path | None,
) -> dict[str, str]:
    """Write the files asked for, and return which they are."""
    from clustraint.files import write_whole

    written = {}
    if report is not None:
        _write_report(found, explanation, report)
        written["report"] = str(report)
    if save is not None:
        write_whole(save, _pickled(found))
        written["model"] = str(save)
    if output == STDOUT:
        sys.stdout.write(labels_csv(found.table, found.labels.tolist()).decode())
    elif output is not None:
        write_whole(output, labels_csv(found.table, found.labels.tolist()))
        written["labels"] = str(output)
    return written


def _pickled(found: Clustering) -> bytes:
    import joblib

    buffer = io.BytesIO()
    joblib.dump(found.pipeline, buffer)
    return buffer.getvalue()


def _write_report(found: Clustering, explanation: Explanation | None, path: Path) -> None:
    from clustraint import Report

    X, options = _report_data(found)
    Report(
        X,
        found.estimator,
        constraints=found.constraints,
        names=found.table.names,
        explanation=explanation,
        how=shlex.join(["clustraint", *sys.argv[1:]]),
        **options,
    ).save(path)


def _report_data(found: Clustering) -> tuple[Any, dict[str, Any]]:
    """Return the columns by name or, where there are only texts, the weights of words."""
    if set(found.table.kinds) > {"text"} or "text" not in found.table.kinds:
        return found.table, {}
    encoder = found.pipeline["encode"]
    return encoder.transform(found.table), {"feature_names": encoder.feature_names_}


def _tell(written: dict[str, str], quiet: bool) -> None:
    for what, path in written.items():
        print(path if quiet else f"{what}: {path}")


def _as_json(
    found: Clustering, explanation: Explanation | None, written: dict[str, str]
) -> dict[str, Any]:
    labels = [str(label) for label in found.labels.tolist()]
    told: dict[str, Any] = {
        "data": found.table.source,
        "samples": found.table.n_samples,
        "columns": _shown.columns_as_json(found.table),
        "method": found.choice.method.name,
        "reason": found.choice.reason,
        "notes": [*found.table.notes, *found.pipeline["encode"].notes_],
        "sizes": {str(cluster): size for cluster, size in found.sizes.items()},
        "constraints": _shown.satisfaction_as_json(found.report),
        "triplets_displayed": found.displayed,
    }
    if explanation is not None:
        told |= _shown.explanation_as_json(explanation)
    return told | {
        "written": written,
        "labels": dict(zip(ids_of(found.table), map(int, labels), strict=True)),
    }
