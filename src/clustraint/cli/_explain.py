"""`clustraint explain`: rules for given clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli import _options, _shown
from clustraint.cli._console import working, write_json
from clustraint.cli._labels import read_labels

if TYPE_CHECKING:
    from clustraint.tables import SampleTable


def explain(
    data: _options.Data,
    labels: Annotated[
        str,
        typer.Argument(
            metavar="LABELS",
            help="A CSV file of id,cluster, as cluster -o writes it, or a column of DATA.",
        ),
    ],
    fidelity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of samples to describe rightly.")
    ] = 0.95,
    max_leaves: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The most rules; 3 for each cluster.")
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
    """Describe given clusters by few rules about the columns, and tell how well they do."""
    from clustraint.workflow._clustering import explain_table

    with working("reading", quiet or as_json):
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
        table, clusters = _with_labels(table, labels)
    with working("describing the clusters", quiet or as_json):
        found = explain_table(table, clusters, fidelity=fidelity, max_leaves=max_leaves)
    if as_json:
        write_json(_shown.explanation_as_json(found))
    else:
        _shown.print_explanation(found)


def _with_labels(table: SampleTable, labels: str) -> tuple[SampleTable, Any]:
    """Return the table without its column of labels, if they are one, and the labels."""
    import numpy as np

    path = Path(labels)
    if path.is_file():
        given = np.empty(table.n_samples, object)
        given[:] = read_labels(path, table)
        return table, given
    column = _column(table, labels)
    values = column.values
    if values.dtype.kind == "f":
        values = np.array([_whole(value) for value in values.tolist()], object)
    others = tuple(each for each in table.columns if each is not column)
    return replace(table, columns=others), values


def _column(table: SampleTable, name: str) -> Any:
    from clustraint.exceptions import ClustraintError, UnknownColumnError

    try:
        column = table.column(name)
    except UnknownColumnError as error:
        raise ClustraintError(f"there is no file {name!r:.60}, and {error}") from None
    if len(table.columns) == 1 and column is table.columns[0]:
        raise ClustraintError(f"{table.source}: there is no column to describe clusters by.")
    return column


def _whole(value: float) -> Any:
    if value != value:
        return None
    return int(value) if value.is_integer() else value
