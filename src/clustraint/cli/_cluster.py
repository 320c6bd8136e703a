"""`clustraint cluster`: clusters of a table under constraints, and what they are."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli import _options, _shown
from clustraint.cli._command import Output
from clustraint.cli._console import working, write_json

if TYPE_CHECKING:
    from clustraint.workflow import Clustering, Explanation


def cluster(
    data: _options.TableOptions,
    constraint_files: _options.ConstraintFiles = None,
    n_clusters: _options.NClusters = None,
    method: Annotated[
        str,
        typer.Option(
            "-m",
            "--method",
            metavar="METHOD",
            help="Method to use: auto to choose one automatically, or best, mixture, propagation, "
            "pc-kmeans, mpc-kmeans, cop-kmeans, complete-linkage, recon, tree, attribute-kmedoids, "
            "ihac, bihac, or one from another package.",
        ),
    ] = "auto",
    scale: _options.Scale = "standard",
    random_state: _options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the id and cluster of each sample to this CSV file; - is standard output.",
        ),
        _options.LabelsOutput,
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the fitted model to this file, for joblib.load."),
        Output("a saved model", (".joblib", ".pkl", ".pickle")),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a report to this HTML file."),
        _options.ReportOutput,
    ] = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Cluster the samples of a table, respecting constraints.

    Each row is a sample. The method is chosen by the kinds of constraints and columns and by the
    number of samples, unless -m names one. Constraint files refer to samples by the --id column or
    by row number, starting at 0.
    """
    from clustraint.workflow import cluster_table, explain

    silent = quiet or as_json or output == _options.STDOUT
    with working("reading", silent):
        table = data.read()
        constraints = _options.read_constraints(constraint_files, table)
    if not silent:
        _shown.print_columns(table)
    with working("clustering", silent):
        chosen: Any = scale
        clustering = cluster_table(
            table, constraints, n_clusters, method=method, scale=chosen, random_state=random_state
        )
    if not silent:
        _shown.print_clustering(clustering)
    with working("describing the clusters", silent):
        wanted = not silent or as_json or report
        explanation = explain(clustering) if wanted else None
    if explanation and not silent:
        _shown.print_explanation(explanation)
    with working("writing", silent):
        written = _write(clustering, explanation, output, save, report)
    if as_json:
        write_json(_as_json(clustering, explanation, written))
    else:
        _shown.print_written(written, quiet or output == _options.STDOUT)


def _write(
    clustering: Clustering,
    explanation: Explanation | None,
    output: Path | None,
    save: Path | None,
    report: Path | None,
) -> dict[str, str]:
    """Write the files asked for, and return which they are."""
    from clustraint.files import write_whole
    from clustraint.tables import write_labels

    written = {}
    if report is not None:
        _write_report(clustering, explanation, report)
        written["report"] = str(report)
    if save is not None:
        write_whole(save, _pickled(clustering))
        written["model"] = str(save)
    if output is not None:
        write_labels(output, clustering.table, clustering.labels.tolist())
        written |= {"labels": str(output)} if output != _options.STDOUT else {}
    return written


def _pickled(clustering: Clustering) -> bytes:
    import joblib

    buffer = io.BytesIO()
    joblib.dump(clustering.pipeline, buffer)
    return buffer.getvalue()


def _write_report(clustering: Clustering, explanation: Explanation | None, path: Path) -> None:
    from clustraint import Report

    X, options = _report_data(clustering)
    Report(
        X,
        clustering.estimator,
        constraints=clustering.constraints,
        names=clustering.table.names,
        explanation=explanation,
        how=shlex.join(["clustraint", *sys.argv[1:]]),
        **options,
    ).save(path)


def _report_data(clustering: Clustering) -> tuple[Any, dict[str, Any]]:
    """Return the columns by name or, where there are only texts, the weights of words."""
    if set(clustering.table.kinds) != {"text"}:
        return clustering.table, {}
    encoder = clustering.pipeline["encode"]
    return encoder.transform(clustering.table), {"feature_names": encoder.feature_names_}


def _as_json(
    clustering: Clustering, explanation: Explanation | None, written: dict[str, str]
) -> dict[str, Any]:
    table = clustering.table
    result: dict[str, Any] = {
        "data": table.source,
        "samples": table.n_samples,
        "columns": _shown.columns_as_json(table),
        "method": clustering.choice.method.name,
        "reason": clustering.choice.reason,
        "details": clustering.details,
        "doubtful": dict(clustering.doubtful()),
        "notes": [*table.notes, *clustering.pipeline["encode"].notes_],
        "sizes": {str(cluster): size for cluster, size in clustering.sizes.items()},
        "constraints": _shown.satisfaction_as_json(clustering.report),
        "triplets_displayed": clustering.n_displayed,
    }
    if explanation is not None:
        result |= _shown.explanation_as_json(explanation)
    labels = dict(zip(table.ids, map(int, clustering.labels.tolist()), strict=True))
    return result | {"written": written, "labels": labels}
