"""From a raw tree in any shape to the one numbering that each tree has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from clustraint.exceptions import InvalidHierarchyError
from clustraint.kernels import tree
from clustraint.typing import IntArray


def canonical_numbers(parents: IntArray, n_samples: int) -> IntArray:
    """Return the number that each node has in the canonical order.

    Deeper nodes come first, and at one depth those whose lowest sample is higher, so that a
    tree without merge distances is cut level by level and equal trees get equal numbers.
    """
    depths = tree.depths(parents)[n_samples:]
    lowest = tree.lowest_samples(parents, n_samples)[n_samples:]
    numbers = np.arange(parents.size)
    # No two nodes of one depth have the same lowest sample, so that the order is total. A parent is
    # less deep than its children, so that it comes after them.
    numbers[n_samples + np.lexsort((-lowest, -depths))] = np.arange(n_samples, parents.size)
    return numbers


def renumber(parents: IntArray, numbers: IntArray) -> IntArray:
    """Return `parents` with node v called ``numbers[v]``."""
    result = np.full(parents.size, -1, dtype=np.int64)
    # The root is the last node before and after, and keeps -1.
    result[numbers[:-1]] = numbers[parents[:-1]]
    return result


def canonical_parents(parents: IntArray, n_samples: int) -> IntArray:
    """Return the parents array of the same tree in the canonical order."""
    return renumber(parents, canonical_numbers(parents, n_samples))


def count_samples(parents: IntArray) -> int:
    """Return how many samples a tree has: as many as the number of its first inner node."""
    return int(parents.min(initial=parents.size, where=parents >= 0))


def identity(
    parents: IntArray, n_samples: int, names: tuple[str, ...] | None
) -> tuple[tuple[str, ...] | None, bytes]:
    """Return what equal trees have in common; samples with names are taken in their order."""
    if names is None:
        return None, canonical_parents(parents, n_samples).tobytes()
    order = sorted(range(n_samples), key=names.__getitem__)
    # Only rows of samples move: parents are inner nodes, whose numbers stay.
    by_name = np.concatenate([parents[order], parents[n_samples:]])
    return tuple(names[sample] for sample in order), canonical_parents(by_name, n_samples).tobytes()


def assemble(
    raw_parents: Sequence[int], sample_nodes: Sequence[int], name_of: Callable[[int], str]
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the parents and the node names of samples hung on a raw tree.

    Parameters
    ----------
    raw_parents : sequence of int
        The parent of each raw node, -1 for node 0, otherwise a lower number.
    sample_nodes : sequence of int of shape (n_samples,)
        The raw node that each sample sits on.
    name_of : callable
        Names a raw node; called only for the nodes that branch, as the others are left out.
    """
    if len(sample_nodes) == 0:
        raise InvalidHierarchyError("there are no samples, but a hierarchy needs at least one.")
    parents, origin = tree.collapse(
        np.array(raw_parents, dtype=np.int64), np.array(sample_nodes, dtype=np.int64)
    )
    n_samples = len(sample_nodes)
    numbers = canonical_numbers(parents, n_samples)
    raw_nodes = np.empty_like(origin)
    # Names follow their nodes into the canonical order.
    raw_nodes[numbers[n_samples:] - n_samples] = origin
    return renumber(parents, numbers), tuple(map(name_of, raw_nodes.tolist()))
