"""How clustraint writes files: whole, or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from clustraint.exceptions import OutputFileError


def write_whole(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file all at once: whoever reads it sees the old one or the new one.

    Parameters
    ----------
    path : str or PathLike
        The file.
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
    if target.is_dir():
        raise OutputFileError(target, "it is a folder; name a file in it")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(target)
    except OSError as error:
        raise OutputFileError(target, error.strerror or str(error)) from error
    finally:
        # Where the folder itself cannot be used, there is no draft to take away.
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    return target
