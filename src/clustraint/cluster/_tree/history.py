"""The steps of a search, as people want to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from clustraint.cluster._tree.search import Step
from clustraint.tables import Schema


class Refinement(NamedTuple):
    """One step of the search: a leaf became a test with two leaves.

    Attributes
    ----------
    path : str
        The way from the root to the leaf: "Y" where a test holds, "N" where it fails.
    feature : int
        The column of the test.
    threshold : float
        The number that a value has to exceed; nan if the column is nominal.
    levels : tuple or None
        The values of a nominal column for which the test holds.
    n_yes, n_no : int
        How many samples each side has.
    label_yes, label_no : int
        The cluster of each side.
    variance : float
        The first term of H after the step, without its factor.
    violated : float
        The weight of the constraints that are violated after the step.
    heuristic : float
        H after the step.

    Examples
    --------
    >>> from clustraint import ClusteringTree
    >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> (step,) = model.history_
    >>> step.threshold, step.n_yes, step.n_no
    (4.5, 2, 2)
    """

    path: str
    feature: int
    threshold: float
    levels: tuple[Any, ...] | None
    n_yes: int
    n_no: int
    label_yes: int
    label_no: int
    variance: float
    violated: float
    heuristic: float


def history(steps: Sequence[Step], columns: Schema) -> list[Refinement]:
    """Return the steps with the paths of their leaves, and nominal values instead of codes."""
    paths = {steps[0].leaf: ""} if steps else {}
    refinements = []
    for step in steps:
        path = paths.pop(step.leaf)
        paths[step.yes], paths[step.no] = path + "Y", path + "N"
        levels = columns.levels[step.test.feature]
        refinement = Refinement(
            path,
            step.test.feature,
            step.test.threshold,
            levels and tuple(levels[code] for code in step.test.levels or ()),
            step.n_yes,
            step.n_no,
            step.label_yes,
            step.label_no,
            step.variance,
            step.violated,
            step.heuristic,
        )
        refinements.append(refinement)
    return refinements
