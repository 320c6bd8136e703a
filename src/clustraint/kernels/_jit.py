"""The two decorators of kernels: what Python calls, and what only kernels call."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.extending import register_jitable

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


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
    except (OSError, RuntimeError):
        return None
    return os.fspath(folder)


def jit(function: Kernel) -> Kernel:
    """Compile `function` at its first call, cached on disk where a folder can be written."""
    folder = cache_folder()
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder or previous
    try:
        compiled: Kernel = numba.njit(cache=folder is not None, nogil=True)(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = previous


def piece(function: Kernel) -> Kernel:
    """Make `function` a part of every kernel that calls it, and leave it as it is in Python.

    For a kernel that takes many arrays numba spends a quarter of the time on the way in from
    Python, and it compiles a kernel anew for each argument that is a number in the source. For a
    piece it does neither.
    """
    plain: Kernel = register_jitable(no_cfunc_wrapper=True)(function)
    return plain
