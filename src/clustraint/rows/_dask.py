"""Rows of dask arrays and DataFrames, on the current client or on dask's own schedulers.

Nothing is pinned to a worker, and no result is longer than what a step gives: a worker that is lost
costs the chunks that it was working on. Reading a chunk and the step on it are one task; as two
tasks, chunks that are read pile up in the workers before they are used.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

# Results that are added up by one task, and chunks of what is as long as rows that are fetched
# together.
GROUP, AT_ONCE = 8, 16
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


class OwnStep:
    """A step and what it needs for one chunk; what it needs for all of them comes packed."""

    def __init__(self, step: Step, own: Any) -> None:
        self.step = step
        self.own = own

    def __call__(self, chunk: Any, shared: bytes) -> Any:
        return self.step(chunk, self.own, *pickle.loads(shared))


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


def packed_task(function: Any, *arguments: Any) -> Any:
    """Return a delayed call of a function that the scheduler does not unpack."""
    return dask.delayed(unpacked_call, pure=False)(cloudpickle.dumps(function), *arguments)


class DaskRows(Rows):
    """The chunks of a dask array, or the partitions of a DataFrame."""

    def __init__(self, collection: Any) -> None:
        if collection.ndim != 2:
            raise ClustraintError(f"X must have 2 dimensions, but has {collection.ndim}.")
        self.is_frame = not hasattr(collection, "chunks")
        if not self.is_frame and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        self.collection = collection
        self._blocks = _blocks_of(collection)

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
        yield from gathered(client, lambda: [self._submit(client, step, own, shared)])

    def map_add(self, step: Step, own: Any = None, *shared: Any) -> Any:
        """Return the sum of what a step gives for each chunk, most of it added by workers."""
        client = current_client()
        if client is None:
            return super().map_add(step, own, *shared)
        packed_sum = cloudpickle.dumps(_sum)

        def submit() -> Iterator[list[Any]]:
            parts = self._submit(client, step, self._owned(own), shared)
            yield parts
            # The same tree as that of one process: groups of a power of two, by chunk numbers.
            while len(parts) > GROUP:
                parts = [
                    client.submit(unpacked_call, packed_sum, *parts[start:][:GROUP], pure=False)
                    for start in range(0, len(parts), GROUP)
                ]
                yield parts

        return added(gathered(client, submit, self._tell))

    def _tell(self, tasks: Sequence[Any]) -> None:
        if self.progress is not None:
            n_done = sum(future.done() for future in tasks[: self.n_chunks])
            self.progress(n_done, self.n_chunks)

    def _submit(
        self, client: Any, step: Step, own: Sequence[Any], shared: tuple[Any, ...]
    ) -> list[Any]:
        calls = [Call(step, mine, shared) for mine in own]
        if self._recipes is not None:
            made = map(MadeAndCalled, self._recipes, calls)
            return list(client.map(unpacked_call, [*map(cloudpickle.dumps, made)], pure=False))
        chunks = _persisted(self.collection, self._blocks)
        if chunks is not None:
            packed = [*map(cloudpickle.dumps, calls)]
            return list(client.map(unpacked_call, packed, chunks, pure=False))
        # Nobody asks for the chunks themselves, so that each goes as soon as it was used.
        return list(client.compute([*map(packed_task, calls, self._blocks)]))

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
        return computed_in_turn(self.collection.index)

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

        # What all chunks need is in the graph once, however large.
        common = dask.delayed(cloudpickle.dumps(shared))
        parts = [
            dask.array.from_delayed(
                packed_task(OwnStep(step, mine), block, common), (int(length),), dtype=dtype
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
    client: Any,
    submit: Callable[[], Iterable[Sequence[Any]]],
    tell: Callable[[Sequence[Any]], None] | None = None,
) -> list[Any]:
    """Return results of tasks; end all of them if somebody interrupts or nobody works.

    Parameters
    ----------
    client : distributed.Client
        Whom tasks are submitted to.
    submit : callable
        Submits tasks and gives their futures, in groups; results of the last group are wanted.
    tell : callable, optional
        Called with all futures, now and then.
    """
    from distributed import KilledWorker

    every: list[Any] = []
    try:
        # Interrupted in the midst of it, nobody would know what to cancel, and a notebook keeps
        # the traceback, and by it the tasks.
        with interrupts_held():
            for wanted in submit():
                every += wanted
        wait_for(client, wanted, (lambda: None) if tell is None else (lambda: tell(every)))
        results = list(client.gather(list(wanted)))
        # A look in vain leaves an exception behind that knows them, until garbage is collected.
        for future in every:
            future.release()
        return results
    except KilledWorker as error:
        _cancel(client, every)
        raise LostWorkersError(
            "workers died again and again, probably for lack of memory"
        ) from error
    except CancelledError as error:
        raise LostWorkersError("the cluster gave up its tasks, or is no longer there") from error
    except BaseException:
        _cancel(client, every)
        raise


def wait_for(client: Any, futures: Sequence[Any], tell: Callable[[], None]) -> None:
    """Wait until tasks are done, or nobody has been at work for too long."""
    from distributed import wait

    alone_since = None
    while True:
        try:
            wait(list(futures), timeout=LOOK)
            break
        except TimeoutError:
            tell()
            problem = _why_nobody_works(client)
            if problem is None:
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                raise LostWorkersError(problem) from None
    tell()


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until a block is done, in the thread that it reaches."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    arrived: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if arrived:
            handler(*arrived[0])


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


def computed(tasks: Sequence[Any]) -> list[Any]:
    """Return the results of delayed tasks, on the current client or by dask's own threads.

    Where a cluster has nobody left to work, dask itself would wait for ever.
    """
    client = current_client()
    if client is None:
        return list(dask.compute(*tasks))
    return gathered(client, lambda: [client.compute(list(tasks))])


def computed_in_turn(collection: Any) -> Iterator[Any]:
    """Yield the chunks of a collection of one dimension as arrays, some computed at a time."""
    blocks = _blocks_of(collection)
    for start in range(0, len(blocks), AT_ONCE):
        yield from map(np.asarray, computed(blocks[start : start + AT_ONCE]))


def computed_blocks(step: Any, collection: Any) -> list[Any]:
    """Return what a function gives for each chunk of a collection of one dimension."""
    return computed([packed_task(step, block) for block in _blocks_of(collection)])


def mapped_blocks(step: Any, arrays: Sequence[Any]) -> list[Any]:
    """Return what a function gives for the chunks that belong together of several arrays."""
    chunks = arrays[0].chunks
    blocks = [_blocks_of(each.rechunk(chunks)) for each in arrays]
    return computed([packed_task(step, *parts) for parts in zip(*blocks, strict=True)])


def _blocks_of(collection: Any) -> list[Any]:
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)).tolist())


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
