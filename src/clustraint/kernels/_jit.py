"""The one decorator that compiles a kernel."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

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
