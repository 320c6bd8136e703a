"""`clustraint datasets`: what can be loaded, and from where."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clustraint.cli import _options
from clustraint.cli._command import Output
from clustraint.cli._console import console, table, write_json
from clustraint.exceptions import ClustraintError, OutputFileError
from clustraint.wording import counted

EXPORT = "export"


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Dataset to describe; without it, all are listed. The word export writes the one "
            "that follows to a file.",
        ),
    ] = None,
    exported: Annotated[
        str | None, typer.Argument(metavar="EXPORTED", help="After export: dataset to write.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="CSV file to export to (default: NAME.csv)."
        ),
        Output("a table", (".csv",)),
    ] = None,
    as_json: _options.AsJson = False,
) -> None:
    """List the datasets, describe one, or export one as a CSV file.

    clustraint datasets export animals writes animals.csv, a table to try other commands on.
    """
    if name == EXPORT and exported is not None:
        _export(exported, output or Path(f"{exported}.csv"), as_json)
    elif exported is not None or output is not None or name == EXPORT:
        raise ClustraintError("to write a dataset to a file: clustraint datasets export NAME.")
    elif name is not None:
        _describe(name, as_json)
    else:
        _list(as_json)


def _export(name: str, path: Path, as_json: bool) -> None:
    from clustraint.datasets import load

    if path.exists():
        raise OutputFileError(path, "it is there already; name another file (-o)")
    dataset = load(name)
    dataset.write(path)
    if as_json:
        write_json({"name": name, "n_samples": len(dataset.y), "written": str(path)})
    else:
        print(f"{path}: {counted(len(dataset.y), 'sample')}")


def _describe(name: str, as_json: bool) -> None:
    from clustraint.datasets import load

    dataset = load(name)
    if as_json:
        write_json(
            {
                "name": dataset.name,
                "n_samples": len(dataset.y),
                "feature_names": list(dataset.feature_names),
                "description": dataset.description,
            }
        )
    else:
        console().print(dataset.description, markup=False)


def _list(as_json: bool) -> None:
    from clustraint.datasets import list_datasets

    listed = list_datasets()
    if as_json:
        write_json([asdict(info) for info in listed])
        return
    listing = table("name", ">samples", ">features", ">classes", "kind", "available")
    for info in listed:
        available = "yes" if info.available else "no"
        sizes = (info.n_samples, info.n_features, info.n_classes)
        listing.add_row(info.name, *map(_size, sizes), info.kind, available)
    console().print(listing)


def _size(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"
