"""What numpy does to arrays too, in a form that is quick to compile.

For ``row[start:stop] = values`` and ``rows[k] = first, second`` numba compiles the text of an error
too, should the lengths differ: four seconds in each process. So kernels assign number by number.
"""

import numpy as np

from clustraint.kernels._jit import piece


@piece
def copy(source, target):
    """Copy an array, which may overlap with a target that begins before it."""
    for k in range(len(source)):
        target[k] = source[k]


@piece
def sort_by(keys, n_keys, places):
    """Return `places` by their keys, which are below `n_keys`, and where each key begins.

    Places of one key stay in their order. numba's own stable sort compiles ten times as long.
    """
    border = np.zeros(n_keys + 1, np.int64)
    for place in places:
        border[keys[place] + 1] += 1
    for key in range(n_keys):
        border[key + 1] += border[key]
    free = border.copy()
    ordered = np.empty(len(places), np.int64)
    for place in places:
        ordered[free[keys[place]]] = place
        free[keys[place]] += 1
    return ordered, border
