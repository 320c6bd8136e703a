"""`clustraint explain`: rules for clusters from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli import _options, _shown
from clustraint.cli._command import Input
from clustraint.cli._console import working, write_json
from clustraint.exceptions import ClustraintError, UnknownColumnError

if TYPE_CHECKING:
    from clustraint.tables import SampleTable


def explain(
    data: _options.TableOptions,
    labels: Annotated[
        str,
        typer.Argument(
            metavar="LABELS",
            help="File with the cluster of each sample, as cluster -o writes it, or a column of "
            "DATA.",
        ),
        Input(),
    ],
    fidelity: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, metavar="SHARE", help="Share of samples to describe correctly."
        ),
    ] = 0.95,
    max_leaves: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Maximum number of rules; 3 for each cluster by default."
        ),
    ] = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Describe clusters by a few rules about columns, and say how well the rules fit."""
    from clustraint import workflow

    with working("reading", quiet or as_json):
        table = data.read()
        clusters = _labels(table, labels)
    with working("describing the clusters", quiet or as_json):
        explanation = workflow.explain(table, clusters, fidelity=fidelity, max_leaves=max_leaves)
    if as_json:
        write_json(_shown.explanation_as_json(explanation))
    else:
        _shown.print_explanation(explanation)


def _labels(table: SampleTable, labels: str) -> Any:
    """Return the labels that a file holds, or the column that holds them."""
    import numpy as np

    from clustraint.tables import read_labels

    if Path(labels).is_file():
        clusters = np.empty(table.n_samples, object)
        clusters[:] = read_labels(labels, table)
        return clusters
    try:
        table.column(labels)
    except UnknownColumnError as error:
        raise ClustraintError(f"there is no file {labels!r:.60}, and {error}") from None
    return labels
