"""`clustraint predict`: new samples placed into clusters that were found before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from clustraint.cli import _options, _shown
from clustraint.cli._chunks import ChunkedInput, predict_in_chunks
from clustraint.cli._command import Input
from clustraint.cli._console import say, working, write_json
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.tables import SampleTable
    from clustraint.workflow import ClusterModel


@dataclass(frozen=True, kw_only=True)
class NewTableOptions(_options.FileOptions):
    """A table whose columns the model knows, and how its file is read."""

    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="Table of new samples; - is standard input."),
        Input(),
    ]

    def read(self, model: ClusterModel) -> SampleTable:
        """Read the table as the model wants it."""
        return model.read(self.data, **self.arguments)


def predict(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="Model that cluster --save wrote (.skops)."),
        Input(),
    ],
    data: NewTableOptions,
    output: _options.ClusteredTable = None,
    labels_only: _options.LabelsOnly = False,
    raw: _options.Raw = False,
    trusted: Annotated[
        list[str] | None,
        typer.Option(
            "--trust",
            metavar="CLASS",
            help="Class of another package that the model may hold; may be repeated.",
        ),
    ] = None,
    pickles: Annotated[
        bool,
        typer.Option(
            "--trust-pickle",
            help="Load MODEL even if it is a pickle, which can run any code.",
        ),
    ] = False,
    scheduler: _options.Scheduler = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Place the samples of a new table into the clusters of a saved model.

    The table needs the columns that the model was made with; other columns are ignored. A file
    larger than half of the free memory is read by chunks, and -o writes a folder of Parquet parts.
    """
    from clustraint.tables import write_table
    from clustraint.workflow import ClusterModel, needs_chunks

    if scheduler is not None or needs_chunks(data.data):
        source = ChunkedInput.of(data, scheduler, as_json=as_json, quiet=quiet)
        fitted = ClusterModel.load(model, trusted=trusted or (), pickles=pickles)
        predict_in_chunks(source, fitted, output)
        return
    silent = quiet or as_json or output == _options.STDOUT
    with working("reading", silent):
        fitted = ClusterModel.load(model, trusted=trusted or (), pickles=pickles)
        table = data.read(fitted)
    with working("placing the samples", silent):
        labels = fitted.predict(table).tolist()
    written: dict[str, str] = {}
    if output is not None:
        write_table(output, table, labels, names=fitted.names, labels_only=labels_only, raw=raw)
        written |= {"table": str(output)} if output != _options.STDOUT else {}
    sizes = {cluster: labels.count(cluster) for cluster in fitted.names}
    if as_json:
        write_json(
            {
                "data": table.source,
                "samples": table.n_samples,
                "method": fitted.method,
                "sizes": {str(cluster): size for cluster, size in sizes.items()},
                "names": {str(cluster): name for cluster, name in fitted.names.items()},
                "written": written,
                "labels": dict(zip(table.ids, labels, strict=True)),
            }
        )
        return
    if not silent:
        samples = counted(table.n_samples, "sample")
        say(f"{escape(table.source)}: {samples} placed by {escape(fitted.method)}.\n")
        _shown.print_bars(sizes, fitted.names)
    _shown.print_written(written, quiet or output == _options.STDOUT)
