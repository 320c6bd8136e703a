"""Options that several commands share, and what they read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.exceptions import ClustraintError

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

COLUMNS = "Columns"
FILES = "Reading DATA"

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A CSV, TSV, Parquet, JSONL or ARFF file; - is standard input."
    ),
]
Knowledge = Annotated[
    list[Path] | None,
    typer.Option(
        "-c", "--constraints", metavar="FILE", help="What is known: a .txt, .csv or .json file."
    ),
]
NClusters = Annotated[
    int | None, typer.Option("-k", "--clusters", min=1, metavar="K", help="How many clusters.")
]
RequiredClusters = Annotated[
    int, typer.Option("-k", "--clusters", min=1, metavar="K", help="How many clusters.")
]
Scale = Annotated[str, typer.Option(help="Numeric columns: standard, minmax or none.")]
Seed = Annotated[int, typer.Option(min=0, help="Of what is drawn at random.")]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="The column that names the samples.", rich_help_panel=COLUMNS
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave a column out.", rich_help_panel=COLUMNS),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Take a column as numbers.", rich_help_panel=COLUMNS),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Take a column as values that are equal or not.",
        rich_help_panel=COLUMNS,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Take a column as texts of many words.", rich_help_panel=COLUMNS
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="csv, tsv, parquet, jsonl or arff, where the name of DATA does not say it.",
        rich_help_panel=FILES,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="SIGN", help="What separates values.", rich_help_panel=FILES),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of text that is not UTF-8.", rich_help_panel=FILES),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only what was written where.")]


def read_data(
    data: str,
    *,
    id_column: str | None = None,
    drop: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    nominal: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> SampleTable:
    """Read the table that the options tell of."""
    from clustraint.tables import read_table

    chosen: Any = format
    separator = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    return read_table(
        data,
        id_column=id_column,
        drop=drop or (),
        numeric=numeric or (),
        nominal=nominal or (),
        text=text or (),
        delimiter=separator,
        encoding=encoding,
        format=chosen,
    )


def read_knowledge(files: Sequence[Path] | None, table: SampleTable) -> Constraints:
    """Read what is known about the samples of a table, from all files together."""
    from clustraint.constraints import Constraints

    known = Constraints(table.n_samples, names=table.names)
    for path in files or ():
        with ids_as_way_out(table):
            known |= Constraints.read(path, n_samples=table.n_samples, names=table.names)
    return known


@contextlib.contextmanager
def ids_as_way_out(table: SampleTable) -> Iterator[None]:
    """Let errors about names in a file, where the samples have none, tell of the option."""
    try:
        yield
    except ClustraintError as error:
        if table.names is None and "names=" in str(error):
            told = str(error).replace("(names=)", "(--id COLUMN)")
            raise ClustraintError(told) from None
        raise
