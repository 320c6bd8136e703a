"""Rows of a table as the page sends them: a list of numbers, or one bit for each sample."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from clustraint.checks import is_whole
from clustraint.exceptions import StudioRequestError
from clustraint.typing import BoolArray, IntArray

# More rows than this are kept as bits.
MOST_LISTED = 1_000


def read_rows(rows: Any, n_samples: int, what: str = "rows") -> IntArray:
    """Return row numbers in rising order, each once.

    Examples
    --------
    >>> read_rows([4, 1, 4], 5), read_rows({"bits": "Eg=="}, 5)
    (array([1, 4]), array([1, 4]))
    """
    if isinstance(rows, dict):
        return np.flatnonzero(_mask(rows.get("bits"), n_samples, what))
    if not isinstance(rows, list) or not all(is_whole(row) for row in rows):
        raise StudioRequestError(f"{what} must be a list of row numbers, or bits.")
    outside = [row for row in rows if not 0 <= row < n_samples]
    if outside:
        raise StudioRequestError(
            f"{what} names row {outside[0]}, but rows are numbered 0 to {n_samples - 1}."
        )
    return np.unique(np.array(rows, np.int64))


def _mask(bits: Any, n_samples: int, what: str) -> BoolArray:
    try:
        packed = np.frombuffer(base64.b64decode(bits, validate=True), np.uint8)
    except (binascii.Error, TypeError, ValueError):
        raise StudioRequestError(f"{what} must hold bits in base64.") from None
    if len(packed) != (n_samples + 7) // 8:
        raise StudioRequestError(f"{what} must hold one bit for each of {n_samples:,} samples.")
    return np.unpackbits(packed, count=n_samples, bitorder="little").astype(np.bool_)


def as_bits(mask: BoolArray) -> str:
    """Return a mask as base64 of its bits, the lowest first.

    Examples
    --------
    >>> as_bits(np.array([False, True, False, False, True]))
    'Eg=='
    """
    return base64.b64encode(np.packbits(mask, bitorder="little").tobytes()).decode()


def kept_rows(rows: IntArray, n_samples: int) -> Any:
    """Return rows as a log keeps them: what `read_rows` reads.

    Examples
    --------
    >>> kept_rows(np.array([1, 4]), 5)
    [1, 4]
    """
    if len(rows) <= MOST_LISTED:
        return rows.tolist()
    mask = np.zeros(n_samples, np.bool_)
    mask[rows] = True
    return {"bits": as_bits(mask)}
