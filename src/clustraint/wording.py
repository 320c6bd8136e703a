"""How sentences are put together: counts, lists, excerpts of texts, and names that are near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def counted(count: int, noun: str) -> str:
    """Return ``1 triplet`` or ``2 triplets``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Iterable[object], joint: str = "and", *, empty: str = "none") -> str:
    """Return names in a row, for a sentence.

    Examples
    --------
    >>> listed(["iris", "crabs", "xor"]), listed(["y", "n"], "or"), listed([])
    ('iris, crabs and xor', 'y or n', 'none')
    """
    *first, last = [str(name) for name in names] or [empty]
    return f"{', '.join(first)} {joint} {last}" if first else last


def near_matches(name: str, names: Iterable[str]) -> str:
    """Return ``"; did you mean 'dog' or 'dogs'?"``, or nothing where no name is near."""
    close = difflib.get_close_matches(name[:200], list(names)[:10_000], n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def excerpt(text: str, position: int = 0, width: int = 60) -> str:
    """Return at most `width` characters of `text` around `position`."""
    start = excerpt_start(text, position, width)
    stop = start + width
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def excerpt_start(text: str, position: int, width: int = 60) -> int:
    """Return where the excerpt around `position` begins."""
    return max(0, min(position - width // 2, len(text) - width))
