"""Options that several commands share, and what they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clustraint.cli._command import Input, Output
from clustraint.exceptions import ClustraintError, OutputFileError

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

COLUMNS = "Columns"
FILES = "Reading DATA"
STDOUT = Path("-")
CONSTRAINT_ENDINGS = (".txt", ".csv", ".json")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a table is read."""

    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="Column that names the samples.", rich_help_panel=COLUMNS
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Column to leave out; may be repeated.", rich_help_panel=COLUMNS
        ),
    ] = None
    numeric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column to read as numbers; may be repeated.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    nominal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column to read as categories; may be repeated.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column to read as free text; may be repeated.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="File format, if the name of DATA does not tell it: csv, tsv, parquet, jsonl or "
            "arff.",
            rich_help_panel=FILES,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="Character between values.", rich_help_panel=FILES),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Text encoding, if not UTF-8.", rich_help_panel=FILES),
    ] = None

    def read_file(self, data: str) -> SampleTable:
        """Read a table by these options."""
        from clustraint.tables import read_table

        chosen: Any = self.format
        delimiter = self.delimiter or ""
        return read_table(
            data,
            id_column=self.id_column,
            drop=self.drop or (),
            numeric=self.numeric or (),
            nominal=self.nominal or (),
            text=self.text or (),
            delimiter={"\\t": "\t", "tab": "\t"}.get(delimiter, self.delimiter),
            encoding=self.encoding,
            format=chosen,
        )


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReadOptions):
    """A table, and how it is read."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table to read: a CSV, TSV, Parquet, JSONL or ARFF file, or - for standard input.",
        ),
        Input(),
    ]

    def read(self) -> SampleTable:
        """Read the table."""
        return self.read_file(self.data)


@dataclass(frozen=True, kw_only=True)
class OptionalTableOptions(ReadOptions):
    """A table that may be left out, and how it is read."""

    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", help="Table of the samples; rules need it."),
        Input(),
    ] = None

    def read(self) -> SampleTable | None:
        """Read the table, if there is one."""
        return None if self.data is None else self.read_file(self.data)


ConstraintFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "-c",
        "--constraints",
        metavar="FILE",
        help="Constraint file (.txt, .csv or .json); may be repeated.",
    ),
    Input(),
]
NClusters = Annotated[
    int | None, typer.Option("-k", "--clusters", min=1, metavar="K", help="Number of clusters.")
]
RequiredClusters = Annotated[
    int, typer.Option("-k", "--clusters", min=1, metavar="K", help="Number of clusters.")
]
Scale = Annotated[
    str, typer.Option(metavar="SCALE", help="Scale numeric columns: standard, minmax or none.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Random seed.")]
LabelsOutput = Output("a table of labels", (".csv", ".txt"))
ReportOutput = Output("a report", (".html", ".htm"))
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only the names of files written.")
]


def read_constraints(files: Sequence[Path] | None, table: SampleTable) -> Constraints:
    """Read constraints on the samples of a table, from all files together."""
    from clustraint.constraints import Constraints

    constraints = Constraints(table.n_samples, names=table.names)
    for path in files or ():
        constraints |= Constraints.read(path, n_samples=table.n_samples, names=table.names)
    return constraints


def write_constraints(constraints: Constraints, path: Path) -> None:
    """Write a constraint file, but not over a file that holds something else, as a table does."""
    from clustraint.constraints import Constraints

    if path.is_file():
        try:
            Constraints.read(path)
        except ClustraintError:
            problem = "it is there and holds something other than constraints; name another file"
            raise OutputFileError(path, problem) from None
    constraints.write(path)
