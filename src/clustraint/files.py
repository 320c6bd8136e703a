"""How clustraint writes files: whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from clustraint.exceptions import OutputFileError


def write_whole(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file all at once: whoever reads it sees the old one or the new one.

    Parameters
    ----------
    path : str or PathLike
        The file; a device or pipe is written to as it is.
    content : bytes
        All that is to be in it.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputFileError
        If it cannot be written; nothing is left behind then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/labels.csv", b"dog,0").read_bytes()
    b'dog,0'
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise OutputFileError(path, "it is a folder; name a file in it")
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            replace(target, content)
    except OSError as error:
        raise OutputFileError(path, error.strerror or str(error)) from error
    return target


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Put a file in the place of another all at once; a link stays a link."""
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".clustraint-{secrets.token_hex(8)}.tmp")
    try:
        draft.write_bytes(content)
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        # Where the folder itself cannot be used, there is no draft to take away.
        with contextlib.suppress(OSError):
            draft.unlink()


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Do something to a file while no other process that asks for the same does.

    The lock is on the folder, since a file that is replaced is another one, and ends with the
    process. Where the system has no such locks, there is none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(f"{folder}/answers.txt"):
    ...     pass
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            folder = os.open(Path(os.path.realpath(path)).parent, os.O_RDONLY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
