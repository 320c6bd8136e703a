"""`clustraint cluster`: clusters of a table under constraints, and what they are."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli import _options, _shown
from clustraint.cli._chunks import ChunkedInput, cluster_in_chunks
from clustraint.cli._command import Output
from clustraint.cli._console import working, write_json
from clustraint.cli._options import STDOUT
from clustraint.exceptions import ClustraintError
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.workflow import Clustering, Explanation


def cluster(
    data: _options.TableOptions,
    constraint_files: _options.ConstraintFiles = None,
    n_clusters: _options.Numbers = None,
    labels_known: _options.LabelsKnown = None,
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
    time_limit: _options.TimeLimit = 60,
    output: _options.ClusteredTable = None,
    labels_only: _options.LabelsOnly = False,
    raw: _options.Raw = False,
    names: Annotated[
        Path | None,
        typer.Option(
            "--names",
            metavar="FILE",
            help="Names of the clusters, a CSV file to edit: written if it is not there, otherwise "
            "read.",
        ),
        Output("a file of cluster names", (".csv",)),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the fitted model to this .skops file, for predict."
        ),
        Output("a saved model", (".skops",)),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a report to this HTML file."),
        _options.ReportOutput,
    ] = None,
    scheduler: _options.Scheduler = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Cluster the samples of a table, respecting constraints.

    Each row is a sample. Unless -m names a method, one is chosen: with at least 10 constraints by
    held-out ones, otherwise by the kinds of constraints and columns and the number of samples.
    Unless -k sets the number of clusters, it is chosen by held-out constraints or, without these,
    by silhouette and stability. Constraint files refer to samples by the --id column or, where
    there is none, by row number, starting at 0.

    A file larger than half of the free memory is read by chunks: give -k, and -o writes a folder of
    Parquet parts.
    """
    from clustraint.workflow import ClusterModel, cluster_table, explain, needs_chunks

    numbers: Any = _options.numbers_of(n_clusters)
    if scheduler is not None or needs_chunks(data.data):
        _check_chunked({"--names": names, "--report": report, "--raw": raw or None})
        number = numbers if isinstance(numbers, int) else None
        source = ChunkedInput.of(data, scheduler, as_json=as_json, quiet=quiet)
        options = (labels_known, method, scale, random_state, output, save)
        cluster_in_chunks(source, constraint_files, number, *options)
        return
    silent = quiet or as_json or output == STDOUT
    with working("reading", silent):
        table, constraints = _options.read_knowledge(constraint_files, labels_known, data.read())
    if not silent:
        _shown.print_columns(table)
    with working("clustering", silent):
        chosen: Any = scale
        clustering = cluster_table(
            table,
            constraints,
            numbers,
            method=method,
            scale=chosen,
            random_state=random_state,
            time_limit=time_limit,
        )
    written: dict[str, str] = {}
    with working("describing the clusters", silent):
        explanation = explain(clustering)
        called = _names(clustering, explanation, names, written)
    if not silent:
        _shown.print_clustering(clustering, called)
        _shown.print_explanation(explanation)
    with working("writing", silent):
        if report is not None:
            _write_report(clustering, explanation, called, report)
        if save is not None:
            ClusterModel.of(clustering, called).save(save)
        if output is not None:
            clustering.write(output, names=called, labels_only=labels_only, raw=raw)
    files = {"report": report, "model": save, "table": output}
    written |= {what: str(path) for what, path in files.items() if path not in (None, STDOUT)}
    if as_json:
        write_json(_as_json(clustering, explanation, called, written))
    else:
        _shown.print_written(written, quiet or output == STDOUT)


def _check_chunked(files: dict[str, Any]) -> None:
    """Raise if a file is wanted that takes the whole table in memory."""
    for option, path in files.items():
        if path is not None:
            raise ClustraintError(f"{option} is not available for a file read by chunks.")


def _names(
    clustering: Clustering, explanation: Explanation, path: Path | None, written: dict[str, str]
) -> dict[Any, str]:
    """Return what the clusters are called, in a file that is written unless it is there."""
    from clustraint.workflow import cluster_names, read_cluster_names, write_cluster_names

    proposals = cluster_names(clustering, explanation)
    if path is None:
        return proposals
    if path.is_file():
        return read_cluster_names(path, clustering, proposals)
    write_cluster_names(path, clustering, proposals)
    written["names"] = str(path)
    return proposals


def _write_report(
    clustering: Clustering, explanation: Explanation, names: dict[Any, str], path: Path
) -> None:
    from clustraint import Report

    X, options = _report_data(clustering)
    source = Path(clustering.table.source).name
    clusters = counted(len(clustering.sizes), "cluster")
    Report(
        X,
        clustering.estimator,
        constraints=clustering.constraints,
        names=clustering.table.names,
        cluster_names=names,
        before=clustering.labels_without_constraints(),
        numbers=clustering.numbers,
        explanation=explanation,
        title=f"{source}: {clusters}",
        date=f"{source}, {datetime.now().astimezone():%d %B %Y, %H:%M}",
        how=shlex.join(["clustraint", *sys.argv[1:]]),
        **options,
    ).save(path)


def _report_data(clustering: Clustering) -> tuple[Any, dict[str, Any]]:
    """Return the columns by name or, where there are only texts, the weights of words."""
    table = clustering.table
    texts = [column.values for column in table.columns if column.kind == "text"]
    rows = zip(*texts, strict=True)
    options: dict[str, Any] = {}
    if texts:
        options["texts"] = [" · ".join(each or "" for each in row) for row in rows]
    if set(table.kinds) != {"text"}:
        return table, options
    encoder = clustering.pipeline["encode"]
    return encoder.transform(table), options | {"feature_names": encoder.feature_names_}


def _as_json(
    clustering: Clustering,
    explanation: Explanation,
    names: dict[Any, str],
    written: dict[str, str],
) -> dict[str, Any]:
    table = clustering.table
    result: dict[str, Any] = {
        "data": table.source,
        "samples": table.n_samples,
        "columns": _shown.columns_as_json(table),
        "method": clustering.choice.method.name,
        "reason": clustering.choice.reason,
        "compared": clustering.plan and asdict(clustering.plan),
        "details": clustering.details,
        "doubtful": dict(clustering.doubtful()),
        "notes": [*table.notes, *clustering.pipeline["encode"].notes_],
        "numbers": clustering.numbers and clustering.numbers.table(),
        "sizes": {str(cluster): size for cluster, size in clustering.sizes.items()},
        "names": {str(cluster): name for cluster, name in names.items()},
        "constraints": _shown.satisfaction_as_json(clustering.report),
        "triplets_displayed": clustering.n_displayed,
    }
    result |= _shown.explanation_as_json(explanation)
    labels = dict(zip(table.ids, map(int, clustering.labels.tolist()), strict=True))
    return result | {"written": written, "labels": labels}
