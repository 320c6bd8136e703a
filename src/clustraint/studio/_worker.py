"""One thread for everything that takes long, so that the page is answered meanwhile."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from clustraint.exceptions import ClustraintError


class StoppedError(Exception):
    """A background job was stopped, or another one took its place."""


class Worker:
    """Runs urgent calls in their order, and background jobs when none is waiting.

    A background job calls `breathe` between its steps: urgent calls run then, and the job
    ends if it was replaced.
    """

    def __init__(self, on_problem: Callable[[Exception], None]) -> None:
        self._urgent: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = (
            queue.SimpleQueue()
        )
        self._jobs: dict[str, tuple[float, Callable[[], Any]]] = {}
        self._lock = threading.Lock()
        self._on_problem = on_problem
        self._running = ""
        self._ended = False
        self._thread = threading.Thread(target=self._loop, name="studio", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def urgent(self, call: Callable[[], Any]) -> Future[Any]:
        """Run a call as soon as possible; the future has its result."""
        future: Future[Any] = Future()
        if self._ended:
            future.cancel()
            return future
        self._urgent.put((future, call))
        return future

    def later(self, name: str, call: Callable[[], Any], wait: float = 0.0) -> None:
        """Run a job when nothing is urgent; it takes the place of one of the same name."""
        with self._lock:
            self._jobs[name] = (time.monotonic() + wait, call)
            if self._running == name:
                self._running = ""
        self._urgent.put(None)

    def stop_job(self, name: str) -> None:
        """Stop a background job, at its next breath if it runs."""
        with self._lock:
            self._jobs.pop(name, None)
            if self._running == name:
                self._running = ""

    def breathe(self) -> None:
        """Run what is urgent; raise StoppedError if the running job is not wanted any more."""
        name = self._running
        while not self._urgent.empty():
            self._run_one(self._urgent.get())
        if self._ended or not name or self._running != name:
            raise StoppedError

    def end(self) -> None:
        """Take no more calls, and end after the running one."""
        self._ended = True
        with self._lock:
            self._jobs.clear()
            self._running = ""
        self._urgent.put(None)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=30)

    def _loop(self) -> None:
        while not self._ended:
            due = self._next_job()
            if due is not None and due <= 0:
                self._run_job()
                continue
            try:
                self._run_one(self._urgent.get(timeout=due))
            except queue.Empty:
                continue
        while not self._urgent.empty():
            left = self._urgent.get()
            if left is not None:
                left[0].cancel()

    def _next_job(self) -> float | None:
        """Return in how many seconds the next job is due: 0 if now, None if there is none."""
        if not self._urgent.empty():
            return None
        with self._lock:
            times = [due for due, _ in self._jobs.values()]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _run_job(self) -> None:
        with self._lock:
            if not self._jobs:
                return
            name = min(self._jobs, key=lambda each: self._jobs[each][0])
            _, call = self._jobs.pop(name)
            self._running = name
        try:
            call()
        except StoppedError:
            pass
        except ClustraintError as error:
            self._on_problem(error)
        except Exception as error:  # a background job must not end the thread
            self._on_problem(error)
        finally:
            with self._lock:
                if self._running == name:
                    self._running = ""

    def _run_one(self, item: tuple[Future[Any], Callable[[], Any]] | None) -> None:
        if item is None:
            return
        future, call = item
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)
