"""`clustraint cluster` of files that are read chunk by chunk, here or by the workers of dask."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clustraint.cli import _options
from clustraint.cli._console import console, say, steps, write_json
from clustraint.cli._console import table as empty_table
from clustraint.exceptions import ClustraintError, MissingPackageError


def cluster_in_chunks(
    data: _options.TableOptions,
    constraint_files: Sequence[Path] | None,
    n_clusters: int | None,
    method: str,
    scale: str,
    random_state: int,
    output: Path | None,
    scheduler: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster a file without reading it into memory, and write the clusters as Parquet parts."""
    from clustraint.rows import write_parts
    from clustraint.workflow import cluster_rows

    if n_clusters is None:
        raise ClustraintError(
            "the number of clusters is needed for a file read by chunks; give -k."
        )
    silent = quiet or as_json
    with _rows(data, scheduler) as rows, steps("clustering, chunk", silent) as step:
        rows.progress = lambda done, total: step(f"{done} of {total}", total=total)
        constraints = _constraints(constraint_files, data.id_column, rows)
        chosen: Any = "none" if scale == "none" else "standard"
        clustering = cluster_rows(
            rows, constraints, n_clusters, method=method, scale=chosen, random_state=random_state
        )
        written = {}
        if output is not None:
            parts = zip(_ids(rows, data.id_column), clustering.parts(), strict=True)
            write_parts(output, ({**ids, "cluster": labels} for ids, labels in parts))
            written["parts"] = str(output)
    report = clustering.model.constraint_report_
    if as_json:
        kept = {kind: [each.satisfied, each.total] for kind, each in report.items()}
        sizes = clustering.sizes.tolist()
        write_json(
            {"method": clustering.method, "sizes": sizes, "constraints": kept, "written": written}
        )
    elif not quiet:
        shown = empty_table("cluster", ">rows")
        for cluster, size in enumerate(clustering.sizes.tolist()):
            shown.add_row(str(cluster), f"{size:,}")
        say(f"{clustering.method}, by {rows.n_chunks} chunks")
        console().print(shown)
        for kind, each in report.items():
            say(f"{kind}: {each.satisfied:,} of {each.total:,} satisfied")
    if written and not as_json:
        say(f"written: {written['parts']}")


@contextlib.contextmanager
def _rows(data: _options.TableOptions, scheduler: str | None) -> Iterator[Any]:
    """Give the rows of the file, read here or by the workers of a scheduler."""
    from clustraint.rows import Rows, as_rows

    arguments = data.arguments
    rows = Rows.read(data.data, id_column=data.id_column)
    left_out = set(arguments.get("ignore") or ())
    columns = [name for name in arguments.get("only") or rows.names or () if name not in left_out]
    if scheduler is None:
        whole = not columns or tuple(columns) == rows.names
        yield rows if whole else Rows.read(data.data, columns=columns, id_column=data.id_column)
        return
    try:
        import dask.dataframe as frames
        from distributed import Client
    except ImportError:
        raise MissingPackageError("--scheduler", "dask", "dask") from None
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise ClustraintError(f"there is no dask scheduler at {scheduler} ({error}).") from None
    with client:
        index = data.id_column if data.id_column is not None else False
        yield as_rows(frames.read_parquet(data.data, columns=columns, index=index))


def _constraints(files: Sequence[Path] | None, id_column: str | None, rows: Any) -> Any:
    from clustraint.constraints import Constraints

    if not files:
        return None
    if id_column is None:
        whole = Constraints(len(rows))
        for path in files:
            whole |= Constraints.read(path, n_samples=len(rows))
        return whole
    if len(files) > 1:
        raise ClustraintError(
            "of a file that is read by chunks, named samples are in one constraint file; join them."
        )
    return Constraints.read(files[0])


def _ids(rows: Any, id_column: str | None) -> Iterator[dict[str, Any]]:
    """Yield what names the rows of each chunk: their names, or their numbers."""
    import numpy as np

    if id_column is not None:
        yield from ({"id": ids} for ids in rows.ids_by_chunk())
        return
    for start, length in zip(rows.starts[:-1], rows.lengths, strict=True):
        yield {"row": np.arange(start, start + length)}
