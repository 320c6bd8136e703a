"""`clustraint datasets`: what can be loaded, and from where."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from clustraint.cli import _options
from clustraint.cli._console import console, table, write_json


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Dataset to describe; without it, all are listed."),
    ] = None,
    as_json: _options.AsJson = False,
) -> None:
    """List the datasets, or describe one."""
    if name is not None:
        _describe(name, as_json)
    else:
        _list(as_json)


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
