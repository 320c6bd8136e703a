"""Two hierarchies over the same samples, made ready for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustraint.checks import check_index
from clustraint.exceptions import ClustraintError, DifferentSamplesError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.induced import Groups, Target, group
from clustraint.typing import BoolArray, IntArray


def made_comparable(
    true_hierarchy: Hierarchy, hierarchy: Hierarchy, labelled: Any
) -> tuple[Groups, Target]:
    """Return the samples that are not labelled, grouped by one hierarchy, and the other one."""
    for name, value in {"true_hierarchy": true_hierarchy, "hierarchy": hierarchy}.items():
        if not isinstance(value, Hierarchy):
            raise ClustraintError(f"{name} must be a Hierarchy, but is a {type(value).__name__}.")
    kept = _not_labelled(labelled, true_hierarchy.n_samples)
    numbers = _numbers(true_hierarchy, hierarchy)
    layout = hierarchy.layout
    is_kept = np.empty_like(kept)
    is_kept[numbers] = kept
    before = np.concatenate(([0], np.cumsum(is_kept[layout.order])))
    sizes = before[layout.first + layout.sizes] - before[layout.first]
    groups = group(true_hierarchy.layout, kept, layout.first[numbers])
    target = Target(
        layout.order, sizes, layout.parents, layout.first, layout.sizes, hierarchy.ancestry
    )
    return groups, target


def _not_labelled(labelled: Any, n_samples: int) -> BoolArray:
    kept = np.ones(n_samples, bool)
    if labelled is not None:
        kept[check_index("labelled samples", labelled, n_samples)] = False
    return kept


def _numbers(true_hierarchy: Hierarchy, hierarchy: Hierarchy) -> IntArray:
    """Return the number that each sample of the true hierarchy has in the other."""
    theirs, ours = true_hierarchy.names, hierarchy.names
    if theirs is None or ours is None:
        if true_hierarchy.n_samples != hierarchy.n_samples:
            raise DifferentSamplesError(
                f"true_hierarchy has {true_hierarchy.n_samples} and hierarchy has "
                f"{hierarchy.n_samples}"
            )
        return np.arange(hierarchy.n_samples)
    number = {name: sample for sample, name in enumerate(ours)}
    if number.keys() != set(theirs):
        odd = min(number.keys() ^ set(theirs))
        raise DifferentSamplesError(f"only one has {odd!r:.60}")
    return np.array([number[name] for name in theirs], np.int64)
