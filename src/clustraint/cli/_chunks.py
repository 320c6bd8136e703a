"""Commands on files that are read chunk by chunk, here or by the workers of dask."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from clustraint.cli import _options
from clustraint.cli._console import console, say, steps, write_json
from clustraint.cli._console import table as empty_table
from clustraint.cli._shown import print_written
from clustraint.exceptions import ClustraintError, MissingPackageError, UnknownColumnError
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints import Constraints, FileCheck
    from clustraint.rows import Rows
    from clustraint.workflow import ClusterModel, FewSamples

# Options about reading that chunks have no use for, by field: they are refused, not ignored.
NOT_OF_CHUNKS = (
    *("show", "numeric", "date", "binary", "nominal", "text", "missing"),
    *("format", "sheet", "table", "delimiter", "decimal", "encoding"),
)


@dataclass(frozen=True, kw_only=True)
class ChunkedInput:
    """Files that are read by chunks, by whom, and how loudly."""

    data: str
    id_column: str | None = None
    only: Sequence[str] = ()
    ignore: Sequence[str] = ()
    scheduler: str | None = None
    as_json: bool = False
    quiet: bool = False

    @classmethod
    def of(cls, options: Any, scheduler: str | None, *, as_json: bool, quiet: bool) -> ChunkedInput:
        """Return the input that options of a command stand for."""
        for name in NOT_OF_CHUNKS:
            if getattr(options, name, None):
                raise ClustraintError(
                    f"--{name.replace('_', '-')} is not available for a file read by chunks."
                )
        return cls(
            data=str(options.data),
            id_column=getattr(options, "id_column", None),
            only=getattr(options, "only", None) or (),
            ignore=getattr(options, "ignore", None) or (),
            scheduler=scheduler,
            as_json=as_json,
            quiet=quiet,
        )

    @property
    def has_ids(self) -> bool:
        """Whether the column of names is there."""
        from clustraint.rows import Rows

        return self.id_column in (Rows.read(self.data).names or ())

    @contextlib.contextmanager
    def opened(self, what: str) -> Iterator[OpenedRows]:
        """Give what opens columns, on the cluster if there is one, and show progress by chunks."""
        with contextlib.ExitStack() as stack:
            if self.scheduler is not None:
                stack.enter_context(_client(self.scheduler))
            step = stack.enter_context(steps(f"{what}, chunk", self.quiet or self.as_json))

            def tell(done: int, total: int) -> None:
                step(f"{done} of {total}", total=total)

            yield OpenedRows(self, tell)


class OpenedRows:
    """The columns of files, as rows in chunks."""

    def __init__(self, source: ChunkedInput, progress: Any) -> None:
        from clustraint.rows import Rows

        self.source = source
        self.progress = progress
        self._all = Rows.read(source.data, id_column=source.id_column)
        self.names: tuple[str, ...] = self._all.names or ()

    def rows(self, columns: Sequence[str] | None = None, *, without: Iterable[str] = ()) -> Rows:
        """Return some columns, or those that are to be clustered."""
        from clustraint.rows import Rows

        source = self.source
        if columns is None:
            for name in (*source.only, *source.ignore, *without):
                if name not in self.names:
                    raise UnknownColumnError(name, self.names, source.data)
            left_out = {*source.ignore, *without}
            columns = [name for name in source.only or self.names if name not in left_out]
        rows = self._all
        if columns and tuple(columns) != self.names:
            rows = Rows.read(source.data, columns=columns, id_column=source.id_column)
        # Footers are read here, also for workers: what is wrong with a part is said at once.
        if not len(rows):
            raise ClustraintError(f"{source.data} holds no rows.")
        if source.scheduler is not None:
            rows = _on_workers(source.data, columns, source.id_column)
        rows.progress = self.progress
        return rows

    def ids(self, rows: Rows) -> Iterator[dict[str, Any]]:
        """Yield what names the rows of each chunk: their names, or their numbers."""
        import numpy as np

        if self.source.id_column is not None:
            source: Any = rows
            yield from ({"id": ids} for ids in source.ids_by_chunk())
            return
        for start, length in zip(rows.starts[:-1], rows.lengths, strict=True):
            yield {"row": np.arange(start, start + length)}


@contextlib.contextmanager
def _client(address: str) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingPackageError("--scheduler", "dask", "dask") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise ClustraintError(f"there is no dask scheduler at {address} ({error}).") from None
    with client:
        yield


def _on_workers(data: str, columns: Sequence[str], id_column: str | None) -> Rows:
    import dask.dataframe as frames

    from clustraint.rows import as_rows

    index = id_column if id_column is not None else False
    return as_rows(frames.read_parquet(data, columns=list(columns), index=index))


def cluster_in_chunks(
    source: ChunkedInput,
    constraint_files: Sequence[Path] | None,
    n_clusters: int | None,
    labels_known: str | None,
    method: str,
    scale: str,
    random_state: int,
    output: Path | None,
    save: Path | None,
) -> None:
    """Cluster a file without reading it into memory, and write the clusters as Parquet parts."""
    from clustraint.rows import KnownLabels
    from clustraint.workflow import cluster_rows

    if n_clusters is None:
        raise ClustraintError(
            "the number of clusters is needed for a file read by chunks; give -k."
        )
    if scale not in ("standard", "none"):
        raise ClustraintError(
            f"--scale {scale} is not available for a file read by chunks: take standard or none."
        )
    _check_output(output)
    written: dict[str, str] = {}
    with source.opened("clustering") as opened:
        labels = None
        if labels_known is not None:
            labels = KnownLabels.of_column(opened.rows([labels_known]))
        rows = opened.rows(without=[] if labels_known is None else [labels_known])
        constraints = read_constraints(constraint_files, rows, source.id_column)
        chosen: Any = scale
        clustering = cluster_rows(
            rows,
            constraints,
            n_clusters,
            method=method,
            scale=chosen,
            labels=labels,
            random_state=random_state,
        )
        if output is not None:
            written |= _write(output, opened.ids(rows), clustering.parts())
        if save is not None:
            clustering.to_model(rows, source.id_column).save(save)
            written["model"] = str(save)
    _show(source, clustering, rows.n_chunks, written)


def _show(source: ChunkedInput, clustering: Any, n_chunks: int, written: dict[str, str]) -> None:
    """Print what came of it, as the options want it."""
    report = clustering.model.constraint_report_
    sizes = dict(enumerate(clustering.sizes.tolist()))
    if source.as_json:
        kept = {kind: [each.satisfied, each.total] for kind, each in report.items()}
        write_json(
            {
                "method": clustering.method,
                "sizes": [*sizes.values()],
                "constraints": kept,
                "written": written,
            }
        )
        return
    if not source.quiet:
        say(f"{escape(clustering.method)}, by {counted(n_chunks, 'chunk')}")
        _print_sizes(sizes)
        for kind, each in report.items():
            say(f"{kind}: {each.satisfied:,} of {each.total:,} satisfied")
    print_written(written, source.quiet)


def predict_in_chunks(source: ChunkedInput, model: ClusterModel, output: Path | None) -> None:
    """Place the rows of a file without reading it into memory."""
    import numpy as np

    from clustraint.rows import chunks_of
    from clustraint.workflow import predict_rows

    _check_output(output)
    sizes = dict.fromkeys(model.names, 0)
    written: dict[str, str] = {}

    def counted_parts(parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            for cluster, count in zip(*np.unique(part, return_counts=True), strict=True):
                sizes[int(cluster)] = sizes.get(int(cluster), 0) + int(count)
            yield part

    # Samples are named as those of the model were, where that column is there.
    named = replace(source, id_column=model.pipeline["encode"].arguments_.get("id_column"))
    with (named if named.has_ids else source).opened("placing") as opened:
        rows = opened.rows([name for name, _ in model.columns])
        parts = counted_parts(chunks_of(predict_rows(model, rows)))
        if output is None:
            for _ in parts:
                pass
        else:
            written |= _write(output, opened.ids(rows), parts)
    if source.as_json:
        write_json(
            {
                "data": source.data,
                "samples": sum(sizes.values()),
                "method": model.method,
                "sizes": {str(cluster): size for cluster, size in sizes.items()},
                "names": {str(cluster): name for cluster, name in model.names.items()},
                "written": written,
            }
        )
        return
    if not source.quiet:
        samples, chunks = counted(sum(sizes.values()), "sample"), counted(rows.n_chunks, "chunk")
        say(f"{escape(source.data)}: {samples} placed by {escape(model.method)}, by {chunks}.")
        _print_sizes(sizes)
    print_written(written, source.quiet)


def check_in_chunks(source: ChunkedInput, constraint_files: Sequence[Path]) -> FewSamples:
    """Return the samples that a check of constraints has to look at, of a file that is large."""
    from clustraint.workflow import few_samples

    with source.opened("reading") as opened:
        rows = opened.rows()
        constraints = read_constraints(constraint_files, rows, source.id_column)
        if constraints is None:
            raise ClustraintError("there is nothing to check: name a constraint file (-c FILE).")
        return few_samples(constraints, rows)


def check_file_in_chunks(source: ChunkedInput, path: Path) -> FileCheck | None:
    """Check a large constraint file on rows of a large file; None if it states more than pairs."""
    from clustraint.constraints import check_file

    with source.opened("reading") as opened:
        rows = opened.rows()
        is_named = source.id_column is not None
        checked = check_file(path, None if is_named else len(rows), is_named=is_named)
        if checked is not None and checked.names is not None:
            rows.find(checked.names)
        return None if checked is None else checked._replace(n_samples=len(rows))


def read_constraints(
    files: Sequence[Path] | None, rows: Rows, id_column: str | None
) -> Constraints | None:
    """Read constraints on rows, from all files together."""
    from clustraint.base import about_rows
    from clustraint.constraints import Constraints, read_named

    if not files:
        return None
    if id_column is not None and len(files) == 1:
        # Its names are kept, for messages.
        return read_named(files[0])
    if len(files) == 1:
        return Constraints.read(files[0], n_samples=len(rows))
    whole = Constraints(len(rows))
    for path in files:
        is_named = id_column is not None
        own = read_named(path) if is_named else Constraints.read(path, n_samples=len(rows))
        whole |= about_rows(own, rows)
    return whole


def _check_output(output: Path | None) -> None:
    """Raise where parts cannot be written, before the work rather than after it."""
    from clustraint.rows import check_folder

    if output == _options.STDOUT:
        raise ClustraintError(
            "clusters of a file read by chunks are written to a folder of Parquet files; name one."
        )
    if output is not None:
        check_folder(output)


def _write(output: Path, ids: Iterable[dict[str, Any]], parts: Iterable[Any]) -> dict[str, str]:
    from clustraint.rows import write_parts

    each = zip(ids, parts, strict=True)
    write_parts(output, ({**names, "cluster": labels} for names, labels in each))
    return {"parts": str(output)}


def _print_sizes(sizes: dict[int, int]) -> None:
    shown = empty_table("cluster", ">rows")
    for cluster, size in sizes.items():
        shown.add_row(str(cluster), f"{size:,}")
    console().print(shown)
