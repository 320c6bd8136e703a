"""The two decorators of kernels: what Python calls, and what only kernels call.

A kernel takes seconds to compile, and a small input takes less to run as plain Python. So a kernel
that is not compiled yet runs as it is written while its inputs are small, until it has spent as
much time on that as compiling it would take; then, or for a large input, it is compiled, and the
result is kept on disk. Nor is numba imported before something is compiled or read from there. Both
ways give the same numbers: there is one source.
"""

import contextlib
import glob
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
import typing
from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import platformdirs

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# "always" compiles at the first call, "never" runs everything as it is written.
COMPILE = os.environ.get("CLUSTRAINT_COMPILE", "auto")
# Up to so many steps, which take about a second in plain Python, an input is small.
SMALL = 1_000_000
# Steps for each number among the arguments of a kernel that does not say how many it takes.
STEPS = 10
# Up to so many, one is, for which a kernel is not even read from disk.
TINY = 100_000
# Seconds that it takes to compile a larger kernel, and to import numba and read the first one.
COMPILING = 4.0
READING = 1.0
# Compiled kernels of other versions that nobody has used for so many seconds are removed.
STALE = 30 * 24 * 3600
# What numba is to know of kernels and pieces, once it is imported.
_REGISTRATIONS: list[Callable[[Any], Any]] = []
_REGISTERING = threading.Lock()


def source_hash(folder: Path) -> str:
    """Return one hash over every Python source below `folder`.

    numba watches only the file of the function that it caches, so a kernel whose
    helper changed in another file would be served stale; keying the cache folder
    by all sources at once rules that out.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> str | None:
    """Return a writable folder for compiled kernels, or None where there is none."""
    try:
        sources = source_hash(Path(__file__).parent)
        folder = Path(platformdirs.user_cache_dir("clustraint"), "kernels", sources)
        if not folder.is_absolute():  # a user without a home: "~" stayed as it is
            return None
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except (OSError, RuntimeError):
        return None
    return os.fspath(folder)


@cache
def _on_disk() -> frozenset[str]:
    """Return the kernels that the cache held when it was first asked for, as ``module.name``."""
    return frozenset(path.name.split("-")[0] for path in _files("*.nbi"))


def _files(pattern: str) -> list[Path]:
    """Return files of the cache; numba calls one ``module.name-line.version.nbi`` or ``.nbc``."""
    folder = cache_folder()
    return list(Path(folder).rglob(pattern)) if folder else []


def remove_stale(folder: Path, now: float) -> None:
    """Remove the folders beside `folder` that have been out of use for long."""
    for other in folder.parent.iterdir():
        # Another process may be removing it, too.
        with contextlib.suppress(OSError):
            if other != folder and now - other.stat().st_mtime > STALE:
                shutil.rmtree(other, ignore_errors=True)


@typing.overload
def jit(function: Kernel) -> Kernel: ...


@typing.overload
def jit(*, work: Callable[..., int] | None) -> Callable[[Kernel], Kernel]: ...


def jit(function: Any = None, *, work: Callable[..., int] | None = None) -> Any:
    """Compile `function` when that pays, cached on disk where a folder can be written.

    `work` gives the number of steps from the arguments, where it is far more than the numbers that
    they hold. What is returned has `compiled`, which gives what numba makes of it.
    """
    if function is None:
        return partial(jit, work=work)
    compiled = cache(partial(_compilable, function))
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
    plain = PlainRuns(name)
    fast: Any = None

    @wraps(function)
    def kernel(*arguments: Any) -> Any:
        nonlocal fast
        if fast is not None:
            return fast(*arguments)
        n_steps = STEPS * _size(arguments) if work is None else work(*arguments)
        if plain.may_take(n_steps):
            with plain.counted():
                return function(*arguments)
        ready = compiled()
        result = _from_disk(ready, name, arguments) if name in _on_disk() else ready(*arguments)
        fast = ready
        return result

    # Kernels that call this one have it compiled into them, whatever Python does with it.
    _REGISTRATIONS.append(lambda numba: _overload(numba, kernel, function))
    kernel.compiled = compiled  # type: ignore[attr-defined]
    return kernel


class PlainRuns:
    """How long a kernel runs as it is written before it is compiled, or read from disk.

    Reading the first one takes about a second, because numba has to be imported for it; after
    that, the others on disk are read at once.
    """

    reading = READING

    def __init__(self, name: str) -> None:
        self.name = name
        self.compiling = COMPILING

    def may_take(self, n_steps: int) -> bool:
        """Tell whether so many steps are run as they are written."""
        if COMPILE != "auto":
            return COMPILE == "never"
        if self.name not in _on_disk():
            return n_steps <= SMALL and self.compiling > 0
        return n_steps <= TINY and PlainRuns.reading > 0 and not is_loaded()

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Run what is inside as compiled code would, and remember how long it took."""
        start = time.thread_time()
        # Compiled code divides by zero and overflows without a word.
        with np.errstate(all="ignore"):
            yield
        seconds = time.thread_time() - start
        self.compiling -= seconds
        PlainRuns.reading -= seconds


def is_loaded() -> bool:
    """Tell whether somebody has imported numba already."""
    return "numba" in sys.modules


def _from_disk(compiled: Any, name: str, arguments: Any) -> Any:
    """Call a kernel that the cache holds; if its files are broken, it is compiled again."""
    try:
        return compiled(*arguments)
    except Exception:
        # What it raised itself is not for us: it was read, then.
        if compiled.signatures:
            raise
    for path in _files(f"{glob.escape(name)}-*"):
        path.unlink(missing_ok=True)
    return compiled(*arguments)


def _compilable(function: Kernel) -> Any:
    """Return a function that numba compiles when it is called, with whatever that calls."""
    numba = _numba()
    with _REGISTERING:
        while _REGISTRATIONS:
            _REGISTRATIONS.pop()(numba)
    folder = cache_folder()
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder or previous
    try:
        return numba.njit(cache=folder is not None, nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = previous


@cache
def _numba() -> Any:
    """Import numba, which takes long, and make room for what it will compile."""
    import numba
    import numba.extending

    if folder := cache_folder():
        remove_stale(Path(folder), time.time())
    return numba


def _overload(numba: Any, kernel: Any, function: Any) -> None:
    options = {"no_cfunc_wrapper": True}
    numba.extending.overload(kernel, jit_options=options, strict=False)(lambda *_: function)


def _size(value: Any) -> int:
    """Return how many numbers arrays hold, also in tuples; a whole number is a size."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return abs(value) if isinstance(value, int) else 0


def piece(function: Kernel) -> Kernel:
    """Make `function` a part of every kernel that calls it, and leave it as it is in Python.

    For a kernel that takes many arrays numba spends a quarter of the time on the way in from
    Python, and it compiles a kernel anew for each argument that is a number in the source. For a
    piece it does neither.
    """
    _REGISTRATIONS.append(
        lambda numba: numba.extending.register_jitable(no_cfunc_wrapper=True)(function)
    )
    return function
