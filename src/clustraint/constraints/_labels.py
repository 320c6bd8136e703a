"""Labels as class numbers."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import ArrayLike

from clustraint.constraints._links import IntArray
from clustraint.exceptions import InvalidLabelsError


def encode_labels(y: ArrayLike, name: str = "y") -> tuple[IntArray, list[Hashable]]:
    """Return the class of each sample, numbered by first sample, and the classes.

    The number is -1 where the label is -1, None, nan or NA: nobody knows it.
    """
    # A list is taken as it is: numpy would turn nan into the text "nan" beside other texts.
    table = np.asarray(y) if not isinstance(y, list | tuple) else np.empty(len(y))
    if table.ndim != 1:
        shape = table.shape or repr(y)[:60]
        raise InvalidLabelsError(f"{name} must be one label for each sample, but is {shape}.")
    labels = y if isinstance(y, list | tuple) else table.tolist()
    numbers: dict[Hashable, int] = {}
    codes = [
        -1 if _is_unknown(label, name) else numbers.setdefault(label, len(numbers))
        for label in labels
    ]
    return np.array(codes, dtype=np.int64), list(numbers)


def _is_unknown(label: object, name: str) -> bool:
    if not isinstance(label, Hashable):
        raise InvalidLabelsError(
            f"{name} must be one label for each sample, but holds {label!r:.60}."
        )
    try:
        return label is None or bool(label == -1) or bool(label != label)
    except TypeError:  # pandas' NA equals nothing, not even itself, and says so by raising
        return True
