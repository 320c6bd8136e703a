"""CPU time of both sides in turn, after a warm-up that is not counted."""

from __future__ import annotations

import gc
import multiprocessing
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks.rows import Call, Contest, Reference, Row


@dataclass(frozen=True)
class Result:
    """What one row came to; `peer` and `ratio` are None where there is nothing to compare with.

    Where the peer was ended at its limit, `unfinished` is true, `peer` is that limit
    and `ratio` a bound. A row that broke has no times, and misses its target.
    """

    name: str
    target: str
    ours: float | None
    peer: float | None
    peer_name: str
    ratio: float | None
    met: bool | None
    note: str = ""
    unfinished: bool = False


class PeerFailedError(Exception):
    """The peer raised instead of returning."""


class PeerTooSlowError(Exception):
    """The peer was still at work when its time was up."""


# Calls shorter than this many seconds are repeated until they add up to it.
LONG_ENOUGH = 0.05
# Where a run is to be quick, no peer that may take long gets more seconds than this.
QUICK_LIMIT = 10.0


def timed(call: Call) -> float:
    """Return the CPU seconds of one call."""
    gc.collect()
    calls = 0
    start = process_time()
    while True:
        call()
        calls += 1
        elapsed = process_time() - start
        if elapsed >= LONG_ENOUGH:
            return elapsed / calls


def growth(call: Callable[[int], Any], sizes: Sequence[int]) -> str:
    """Return in words by which power of the size the CPU time of `call` grows."""
    times = []
    for size in sizes:
        call(size)
        times.append(min(timed(partial(call, size)) for _ in range(2)))
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    return f"grows as n to the power of {exponent:.2f} (n = {', '.join(f'{n:,}' for n in sizes)})"


def measure(row: Row, *, repeats: int, quick: bool) -> Result:
    """Prepare `row` and measure it; if ours raises or disagrees, only this row is lost."""
    try:
        return _measured(row, repeats, quick)
    except Exception as error:
        traceback.print_exc()
        note = f"broken: {_sentence(error)}"
        return Result(row.name, str(row.target), None, None, row.peer_name, None, False, note)


def _measured(row: Row, repeats: int, quick: bool) -> Result:
    """Prepare `row` and measure it, both sides in turn, `repeats` times."""
    contest = row.prepare(quick)
    if quick:
        row = replace(row, target=row.quick_target or row.target)
    if quick and row.peer_limit is not None:
        row = replace(row, peer_limit=min(row.peer_limit, QUICK_LIMIT))
    if row.peer_limit is not None:
        return _against_limited_peer(row, contest, repeats)
    if contest.peer is None or isinstance(contest.peer, Reference):
        return _against_reference(row, contest, repeats)
    try:
        return _side_by_side(row, contest, _guarded(contest.peer), repeats)
    except PeerFailedError as error:
        return _peer_failed(row, contest, repeats, error)


def _side_by_side(row: Row, contest: Contest, peer: Call, repeats: int) -> Result:
    ours_result, peer_result = contest.ours(), peer()
    if contest.verify is not None:
        contest.verify(ours_result, peer_result)
    note = contest.remark(ours_result, peer_result) if contest.remark is not None else ""
    del ours_result, peer_result
    times = [(timed(contest.ours), timed(peer)) for _ in range(repeats)]
    ours, theirs = (median(side) for side in zip(*times, strict=True))
    return _result(row, ours, theirs, note)


def _guarded(peer: Call) -> Call:
    """Return `peer` so that what it raises is told apart from what we raise."""

    def call() -> Any:
        try:
            return peer()
        except Exception as error:
            raise PeerFailedError(_sentence(error)) from error

    return call


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")[:200]


def _peer_failed(row: Row, contest: Contest, repeats: int, error: PeerFailedError) -> Result:
    return _result(row, _ours_alone(contest, repeats), None, note=f"peer failed: {error}")


def _against_reference(row: Row, contest: Contest, repeats: int) -> Result:
    ours = _ours_alone(contest, repeats)
    if isinstance(contest.peer, Reference):
        return _result(row, ours, contest.peer.seconds, note=contest.peer.source)
    return _result(row, ours, None)


def _against_limited_peer(row: Row, contest: Contest, repeats: int) -> Result:
    if not callable(contest.peer) or row.peer_limit is None:
        raise TypeError(f"row {row.name!r} has a peer_limit but no peer to run")
    peer_times: list[float] = []
    ours_times: list[float] = []
    contest.ours()
    try:
        for _ in range(repeats):
            ours_times.append(timed(contest.ours))
            peer_times.append(timed_apart(contest.peer, row.peer_limit))
            if sum(peer_times) > row.peer_limit:
                break
    except PeerTooSlowError:
        return _unfinished(row, _ours_alone(contest, repeats), row.peer_limit)
    except PeerFailedError as error:
        return _peer_failed(row, contest, repeats, error)
    return _result(row, median(ours_times), median(peer_times))


def _ours_alone(contest: Contest, repeats: int) -> float:
    contest.ours()
    return median(timed(contest.ours) for _ in range(repeats))


def _result(row: Row, ours: float, peer: float | None, note: str = "") -> Result:
    ratio = None if peer is None else row.target.ratio(ours, peer)
    met = None if ratio is None else row.target.is_met(ratio)
    return Result(row.name, str(row.target), ours, peer, row.peer_name, ratio, met, note)


def _unfinished(row: Row, ours: float, limit: float) -> Result:
    """Return a result that claims no more than the limit proves.

    The peer's true time is above the limit, so a target that the limit already
    meets is met, and one that it misses is open.
    """
    ratio = row.target.ratio(ours, limit)
    met = True if row.target.is_met(ratio) else None
    note = f"peer did not finish in {limit:g} s"
    return Result(row.name, str(row.target), ours, limit, row.peer_name, ratio, met, note, True)


def timed_apart(call: Call, limit: float) -> float:
    """Return the CPU seconds of `call` in a forked process, ended after `limit` seconds."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_time, args=(call, sender))
    with warnings.catch_warnings():
        # The child runs the peer and nothing else: no lock of another thread concerns it.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    try:
        return _receive_time(receiver, limit)
    finally:
        process.kill()
        process.join()
        receiver.close()


def _receive_time(receiver: Connection, limit: float) -> float:
    if not receiver.poll(limit):
        raise PeerTooSlowError
    try:
        answer: Any = receiver.recv()
    except EOFError:
        raise PeerFailedError("its process died") from None
    if isinstance(answer, str):
        raise PeerFailedError(answer)
    return float(answer)


def _send_time(call: Call, sender: Connection) -> None:
    try:
        sender.send(timed(call))
    except BaseException as error:
        sender.send(_sentence(error))
