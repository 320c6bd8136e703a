"""Options that several commands share, and what they read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from clustraint.cli._command import Input, Output
from clustraint.exceptions import ClustraintError, InvalidParameterError, OutputFileError

if TYPE_CHECKING:
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

COLUMNS = "Columns"
FILES = "Reading DATA"
STDOUT = Path("-")
CONSTRAINT_ENDINGS = (".txt", ".csv", ".json")
DELIMITERS = {"\\t": "\t", "tab": "\t"}


def _columns(words: str) -> Any:
    """Return an option that takes columns: repeated, or several after one another."""
    return typer.Option(metavar="COLUMNS", help=words, rich_help_panel=COLUMNS)


def reading(words: str, metavar: str) -> Any:
    """Return an option about the file itself."""
    return typer.Option(metavar=metavar, help=words, rich_help_panel=FILES)


Names: TypeAlias = list[str] | None


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How a file is read, whatever its columns are."""

    format: Annotated[
        str | None,
        reading(
            "File format, if it cannot be told from DATA: csv, tsv, json, jsonl, arff, parquet, "
            "arrow, excel, sqlite or numpy.",
            "FORMAT",
        ),
    ] = None
    sheet: Annotated[
        str | None, reading("Sheet of a spreadsheet, by name or number from 1.", "SHEET")
    ] = None
    table: Annotated[str | None, reading("Table of a database, or a query: SELECT …", "TABLE")] = (
        None
    )
    delimiter: Annotated[str | None, reading("Character between values.", "CHARACTER")] = None
    encoding: Annotated[str | None, reading("Text encoding, if not UTF-8.", "NAME")] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `read_table` that these options stand for."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        del values["data"]
        values["delimiter"] = DELIMITERS.get(self.delimiter or "", self.delimiter)
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ReadOptions(FileOptions):
    """How a table is read."""

    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", help="Column that names the samples.", rich_help_panel=COLUMNS
        ),
    ] = None
    only: Annotated[Names, _columns("Columns to cluster by, leaving out all others: a,b.")] = None
    ignore: Annotated[Names, _columns("Columns to leave out.")] = None
    show: Annotated[
        Names, _columns("Columns to leave out of clustering, but show when people compare samples.")
    ] = None
    numeric: Annotated[Names, _columns("Columns to read as numbers.")] = None
    date: Annotated[Names, _columns("Columns to read as dates.")] = None
    binary: Annotated[Names, _columns("Columns to read as yes or no.")] = None
    nominal: Annotated[Names, _columns("Columns to read as categories.")] = None
    text: Annotated[Names, _columns("Columns to read as free text.")] = None
    missing: Annotated[
        Names,
        reading("Another spelling of a missing value, such as -999; may be repeated.", "TEXT"),
    ] = None
    impute: Annotated[
        str,
        reading(
            "What to use for missing values: auto (median; more frequent of two; a category of "
            "its own), frequent (most frequent category), level (also note which numbers were "
            "missing) or none (refuse them).",
            "HOW",
        ),
    ] = "auto"
    duplicates: Annotated[
        str,
        reading(
            "Where rows share an identifier: number them, keep the first, or keep all without "
            "names.",
            "HOW",
        ),
    ] = "number"
    decimal: Annotated[str | None, reading("Decimal sign: . or ,", "SIGN")] = None
    day_first: Annotated[
        bool | None,
        typer.Option(
            "--day-first/--month-first",
            help="Whether 3/4/2021 is in April or in March, if the dates do not show it.",
            rich_help_panel=FILES,
        ),
    ] = None

    def read_file(self, data: str) -> SampleTable:
        """Read a table by these options: a file or, if there is none, a dataset of that name."""
        from clustraint.tables import read_table

        if data != "-" and not Path(data).exists():
            from clustraint.datasets import list_datasets, load

            if data in {info.name for info in list_datasets() if info.available}:
                return load(data).table(**self.arguments)
        return read_table(data, **self.arguments)


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReadOptions):
    """A table, and how it is read."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table to read: a CSV, Excel, Parquet, JSON, SQLite or other file, the name of a "
            "dataset such as animals, or - for standard input.",
        ),
        Input(),
    ]

    def read(self) -> SampleTable:
        """Read the table."""
        return self.read_file(self.data)


@dataclass(frozen=True, kw_only=True)
class AskedTableOptions(TableOptions):
    """A table to ask about; standard input is for the answers."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table to ask about: a CSV, Excel, Parquet, JSON, SQLite or other file, or the "
            "name of a dataset such as animals.",
        ),
        Input(),
    ]


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
Numbers = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--clusters",
        metavar="K",
        help="Number of clusters; a range such as 2-8, or auto, to have one chosen.",
    ),
]
RequiredNumbers = Annotated[
    str,
    typer.Option(
        "-k",
        "--clusters",
        metavar="K",
        help="Number of clusters; a range such as 2-8, or auto, to compare several.",
    ),
]
LabelsKnown = Annotated[
    str | None,
    typer.Option(
        "--labels-known",
        metavar="COLUMN",
        help="Column with the clusters of some samples, empty for the others: used as constraints, "
        "and left out of the data.",
        rich_help_panel=COLUMNS,
    ),
]
Scale = Annotated[
    str, typer.Option(metavar="SCALE", help="Scale numeric columns: standard, minmax or none.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Random seed.")]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        min=0,
        metavar="SECONDS",
        help="CPU time for comparing methods by held-out constraints, as estimated beforehand; "
        "methods that would take longer are left out.",
    ),
]
TableOutput = Output("a table", (".csv", ".tsv", ".xlsx", ".parquet"))
ClusteredTable = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the table with the cluster of each sample to this file (.csv, .tsv, .xlsx or "
        ".parquet); - is standard output.",
    ),
    TableOutput,
]
LabelsOnly = Annotated[
    bool,
    typer.Option("--labels-only", help="Write only the id and cluster of each sample with -o."),
]
Raw = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Write texts as they are with -o, even if a spreadsheet runs them as formulas.",
    ),
]
ReportOutput = Output("a report", (".html", ".htm"))
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Read Parquet files by chunks, on the workers of this dask scheduler, such as "
        "tcp://10.0.0.1:8786; -o then writes a folder of Parquet parts.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only the names of files written.")
]


# Options that are not called as their fields are, by field and whether it is switched off.
SPELLED = {("id_column", False): "--id", ("day_first", True): "--month-first"}


def as_words(options: ReadOptions) -> list[str]:
    """Return how a table was said to be read, as options of any command."""
    words = []
    for each in fields(options):
        value = getattr(options, each.name)
        if each.name == "data" or value == each.default or value == []:
            continue
        name = SPELLED.get((each.name, value is False), f"--{each.name.replace('_', '-')}")
        for item in value if isinstance(value, list) else [value]:
            words += [name] if isinstance(item, bool) else [name, str(item)]
    return words


def numbers_of(text: str | None) -> int | str | range | None:
    """Return the numbers of clusters that an option stands for: 3, 2-8 or auto.

    Examples
    --------
    >>> numbers_of("3"), numbers_of("2-8"), numbers_of("auto")
    (3, range(2, 9), 'auto')
    """
    if text is None or text == "auto":
        return text
    bounds = re.fullmatch(r"([0-9]{1,9})(?:(?:-|–|\.\.)([0-9]{1,9}))?", text.strip())
    least = int(bounds[1]) if bounds else 0
    most = int(bounds[2] or least) if bounds else 0
    if not 1 <= least <= most:
        wanted = "a whole number from 1 up, a range such as 2-8, or auto"
        raise InvalidParameterError("n_clusters", text, wanted)
    return least if bounds and bounds[2] is None else range(least, most + 1)


def read_knowledge(
    files: Sequence[Path] | None, labels: str | None, table: SampleTable
) -> tuple[SampleTable, Constraints]:
    """Read constraints from files and from a column of labels, which is then left out."""
    constraints = read_constraints(files, table)
    if labels is None:
        return table, constraints
    from clustraint.workflow import with_known_labels

    table, stated = with_known_labels(table, labels)
    return table, constraints | stated


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
