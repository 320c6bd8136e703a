"""Rows of dask arrays and DataFrames, on the current client or on dask's own schedulers.

Nothing is pinned to a worker, and no result is longer than what a step gives: a worker that is lost
costs the chunks that it was working on. Reading a chunk and the step on it are one task; as two
tasks, chunks that are read pile up in the workers before they are used.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from functools import cached_property
from typing import Any

import cloudpickle
import dask
import numpy as np
from dask.local import get_sync

from clustraint.exceptions import ClustraintError, LostWorkersError
from clustraint.rows._rows import Rows, Step, added
from clustraint.typing import IntArray

# Results that are added up by one task.
GROUP = 8
# Seconds without any worker after which nobody is expected to come, and between two looks.
PATIENCE, LOOK = 30.0, 1.0


class Recipe:
    """How a chunk is made: its own part of a collection's graph, which dask does not look into."""

    def __init__(self, graph: Mapping[Any, Any], key: Any) -> None:
        self.graph = graph
        self.key = key

    def made(self) -> Any:
        """Return the chunk."""
        return get_sync(self.graph, self.key)


class Call:
    """A step and its arguments but for the chunk; not a tuple, which dask would look into."""

    def __init__(self, step: Step, own: Any, shared: tuple[Any, ...]) -> None:
        self.step = step
        self.own = own
        self.shared = shared

    def __call__(self, chunk: Any) -> Any:
        return self.step(chunk, self.own, *self.shared)


class MadeAndCalled:
    """The chunk of a recipe, made and handed to a call, in one task."""

    def __init__(self, recipe: Recipe, call: Call) -> None:
        self.recipe = recipe
        self.call = call

    def __call__(self) -> Any:
        try:
            return self.call(self.recipe.made())
        finally:
            give_memory_back()


def give_memory_back() -> None:
    """Give the system what this process has freed.

    Arrow's pool and the C library's arenas, one for each of Arrow's threads, keep some 120 MB for a
    chunk of 16 MB, by which workers of little memory pause, and stay paused.
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    # Only the GNU C library has it.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def unpacked_call(content: bytes, *arguments: Any) -> Any:
    """Call what is packed with the results of other tasks."""
    import pickle

    return pickle.loads(content)(*arguments)


# The scheduler unpacks the functions of tasks. One that stands in no module travels as it is, and
# bytes stay bytes: so a scheduler never imports this package, which would keep it from answering
# for many seconds, and never unpacks centres.
unpacked_call.__module__ = "__main__"


class DaskRows(Rows):
    """The chunks of a dask array, or the partitions of a DataFrame."""

    def __init__(self, collection: Any) -> None:
        if collection.ndim != 2:
            raise ClustraintError(f"X must have 2 dimensions, but has {collection.ndim}.")
        self.is_frame = not hasattr(collection, "chunks")
        if not self.is_frame and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        self.collection = collection
        self._blocks = np.ravel(np.array(collection.to_delayed(), dtype=object)).tolist()

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, None for an array."""
        return tuple(map(str, self.collection.columns)) if self.is_frame else None

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return len(self.collection.columns) if self.is_frame else int(self.collection.shape[1])

    @property
    def n_chunks(self) -> int:
        """How many chunks there are."""
        return len(self._blocks)

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each chunk has; counted where dask does not know it."""
        sizes = () if self.is_frame else self.collection.chunks[0]
        if len(sizes) and not np.isnan(sizes).any():
            return np.array(sizes, np.int64)
        return np.array(self.map(_length), np.int64)

    @cached_property
    def _recipes(self) -> list[Recipe] | None:
        """The recipes of all chunks, None where chunks share what they are made of."""
        if _futures(self.collection):
            return None
        graphs = [dict(block.__dask_graph__().cull({block.key})) for block in self._blocks]
        distinct = set().union(*graphs)
        # Read anew for each chunk, a shared part would be computed again and again.
        if sum(map(len, graphs)) > 1.5 * len(distinct) + len(graphs):
            return None
        return [Recipe(graph, block.key) for graph, block in zip(graphs, self._blocks, strict=True)]

    def _results(self, step: Step, own: Sequence[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        client = current_client()
        if client is None:
            yield from self._without_client(step, own, shared)
            return
        futures = self._submit(client, step, own, shared)
        yield from gathered(client, futures)

    def map_add(self, step: Step, own: Any = None, *shared: Any) -> Any:
        """Return the sum of what a step gives for each chunk, most of it added by workers."""
        client = current_client()
        if client is None:
            return super().map_add(step, own, *shared)
        parts = self._submit(client, step, self._owned(own), shared)
        every = list(parts)
        packed_sum = cloudpickle.dumps(_sum)
        # The same tree as that of one process: groups of a power of two, by the chunks' numbers.
        while len(parts) > GROUP:
            parts = [
                client.submit(unpacked_call, packed_sum, *parts[start : start + GROUP], pure=False)
                for start in range(0, len(parts), GROUP)
            ]
            every += parts
        return added(gathered(client, parts, every, self._tell(every)))

    def _tell(self, every: Sequence[Any]) -> Any:
        if self.progress is None:
            return None
        progress, n_chunks = self.progress, self.n_chunks

        def tell() -> None:
            progress(sum(future.done() for future in every[:n_chunks]), n_chunks)

        return tell

    def _submit(
        self, client: Any, step: Step, own: Sequence[Any], shared: tuple[Any, ...]
    ) -> list[Any]:
        calls = [Call(step, mine, shared) for mine in own]
        if self._recipes is not None:
            made = map(MadeAndCalled, self._recipes, calls)
            return list(client.map(unpacked_call, [*map(cloudpickle.dumps, made)], pure=False))
        chunks = _persisted(self.collection, self._blocks) or client.compute(self._blocks)
        packed = [*map(cloudpickle.dumps, calls)]
        return list(client.map(unpacked_call, packed, chunks, pure=False))

    def _without_client(
        self, step: Step, own: Sequence[Any], shared: tuple[Any, ...]
    ) -> Iterator[Any]:
        called = dask.delayed(_called, pure=False)
        pairs = zip(self._blocks, own, strict=True)
        yield from dask.compute(*(called(block, Call(step, mine, shared)) for block, mine in pairs))

    @property
    def has_ids(self) -> bool:
        """Whether rows have names: the index of a DataFrame."""
        return self.is_frame

    def ids_by_chunk(self) -> Iterator[Any]:
        """Yield the index of each partition, one after the other."""
        for number in range(self.n_chunks):
            yield np.asarray(self.collection.get_partition(number).index.compute())

    def _places(self, names: frozenset[str]) -> list[tuple[str, int]]:
        places = self.map(_named_rows, None, names)
        return [
            (name, int(row + start))
            for start, part in zip(self.starts[:-1], places, strict=True)
            for name, row in part
        ]

    def labels(self, step: Step, own: Any = None, *shared: Any, dtype: Any = np.int32) -> Any:
        """Return a dask array of what a step gives for the rows, with the chunks of the input."""
        import dask.array

        called = dask.delayed(_called, pure=False)
        parts = [
            dask.array.from_delayed(
                called(block, Call(step, mine, shared)), (int(length),), dtype=dtype
            )
            for block, mine, length in zip(
                self._blocks, self._owned(own), self.lengths, strict=True
            )
        ]
        return dask.array.concatenate(parts)


def current_client() -> Any:
    """Return the client that dask users expect their work on, None if there is none."""
    if "distributed" not in sys.modules:
        return None
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        return None


def gathered(
    client: Any, futures: Sequence[Any], every: Sequence[Any] | None = None, tell: Any = None
) -> list[Any]:
    """Return the results of tasks; end all of them if somebody interrupts or nobody works."""
    from distributed import KilledWorker
    from distributed import wait as wait_for

    try:
        alone_since = None
        while True:
            try:
                wait_for(futures, timeout=LOOK)
                break
            except TimeoutError:
                if tell is not None:
                    tell()
                problem = _why_nobody_works(client)
                if problem is None:
                    alone_since = None
                    continue
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > PATIENCE:
                    raise LostWorkersError(problem) from None
        if tell is not None:
            tell()
        return list(client.gather(list(futures)))
    except KilledWorker as error:
        _cancel(client, every or futures)
        raise LostWorkersError(
            "workers died again and again, probably for lack of memory"
        ) from error
    except CancelledError as error:
        raise LostWorkersError("the cluster gave up its tasks, or is no longer there") from error
    except BaseException:
        _cancel(client, every or futures)
        raise


def _why_nobody_works(client: Any) -> str | None:
    if client.status != "running":
        return "no worker is left"
    info = client.scheduler_info()
    workers = info.get("workers", {})
    if not workers:
        return "no worker is left"
    paused = {name for name, worker in workers.items() if worker.get("status") == "paused"}
    if not paused:
        return None
    # A task that waits at a paused worker stays there, also where others have nothing to do. Of
    # many workers only some are shown, and others may be at work.
    busy = {name for name, tasks in client.processing().items() if tasks}
    if busy <= paused and (busy or len(paused) == info.get("n_workers", len(workers))):
        who = "all workers" if paused == set(workers) else "workers that had tasks"
        return f"{who} have paused for lack of memory"
    return None


def _cancel(client: Any, futures: Sequence[Any]) -> None:
    if client.status == "running":
        client.cancel(list(futures), force=True)


def computed_blocks(step: Any, collection: Any) -> list[Any]:
    """Return what a function gives for each chunk of a collection of one dimension."""
    blocks = np.ravel(np.array(collection.to_delayed(), dtype=object)).tolist()
    called = dask.delayed(step, pure=False)
    return list(dask.compute(*(called(block) for block in blocks)))


def mapped_blocks(step: Any, arrays: Sequence[Any]) -> list[Any]:
    """Return what a function gives for the chunks that belong together of several arrays."""
    chunks = arrays[0].chunks
    called = dask.delayed(step, pure=False)
    blocks = [np.ravel(np.array(each.rechunk(chunks).to_delayed(), object)) for each in arrays]
    return list(dask.compute(*(called(*parts) for parts in zip(*blocks, strict=True))))


def _futures(collection: Any) -> list[Any]:
    """Return what of a collection is held, or being computed, by a cluster."""
    if "distributed" not in sys.modules:
        return []
    from distributed import futures_of

    return list(futures_of(collection))


def _persisted(collection: Any, blocks: Sequence[Any]) -> list[Any] | None:
    """Return the future of each chunk, None where some chunk has none yet."""
    futures = {future.key: future for future in _futures(collection)}
    held = [futures.get(block.key) for block in blocks]
    return None if any(future is None for future in held) else held


def _called(chunk: Any, call: Call) -> Any:
    return call(chunk)


def _sum(*parts: Any) -> Any:
    return added(parts)


def _length(chunk: Any, own: None) -> int:
    return len(chunk)


def _named_rows(chunk: Any, own: None, names: frozenset[str]) -> list[tuple[str, int]]:
    return [(str(name), row) for row, name in enumerate(chunk.index) if str(name) in names]
