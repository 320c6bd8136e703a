"""How well each class of a hierarchy is found again as one cluster of another."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from clustraint.evaluation._same_samples import made_comparable
from clustraint.exceptions import NothingToMeasureError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.correlation import best_matches


class ClassFScore(NamedTuple):
    """The cluster that fits a class best.

    Attributes
    ----------
    name : str
        The class, as the true hierarchy calls it; '' where it has no name.
    node : int
        The class's node in the true hierarchy.
    level : {"leaf", "higher"}
        Whether the class has no classes below it.
    f : float
        The F-score of the best cluster.
    cluster : int
        Its node in the hierarchy that was found.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> true = Hierarchy.from_labels(["cat", "cat", "dog", "dog"])
    >>> hierarchy = Hierarchy.from_newick("(((0, 1), 2), 3);")
    >>> hierarchy_f_score(true, hierarchy).per_class[0]
    ClassFScore(name='dog', node=4, level='leaf', f=0.6666666666666666, cluster=2)
    """

    name: str
    node: int
    level: Literal["leaf", "higher"]
    f: float
    cluster: int


class HierarchyFScore(NamedTuple):
    """Mean F-scores of the best clusters, and those of each class.

    Attributes
    ----------
    leaf : float
        The mean over classes without classes below them; nan if there are none.
    higher : float
        The mean over the other classes; nan if there are none.
    per_class : tuple of ClassFScore
        The classes, in the order of their nodes.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> true = Hierarchy.from_paths(["a/b", "a/b", "a/c", "a/c", "d", "d"])
    >>> score = hierarchy_f_score(true, Hierarchy.from_newick("((0,1,2,3),(4,5));"))
    >>> round(score.leaf, 3), score.higher
    (0.778, 1.0)
    """

    leaf: float
    higher: float
    per_class: tuple[ClassFScore, ...]


def hierarchy_f_score(
    true_hierarchy: Hierarchy, hierarchy: Hierarchy, labelled: ArrayLike | None = None
) -> HierarchyFScore:
    """Return, for leaf and higher classes apart, the mean F-score of the best cluster of a class.

    Parameters
    ----------
    true_hierarchy : Hierarchy
        Its inner nodes but the root are the classes. A sample belongs to every class that it is
        below of.
    hierarchy : Hierarchy
        What was found, over the same samples: those of the same names where both have names,
        of the same numbers otherwise. All of its nodes are clusters, single samples and the
        root included.
    labelled : array-like of bool of shape (n_samples,) or of sample numbers, optional
        Samples, by their numbers in `true_hierarchy`, that are left out of classes and clusters:
        those whose places were given away as constraints.

    Returns
    -------
    HierarchyFScore
        The two means, and the score of each class that has samples left.

    Raises
    ------
    DifferentSamplesError
        If the samples differ.
    NothingToMeasureError
        If no class has samples left.

    Notes
    -----
    Bade and Nürnberger, Learning a metric during hierarchical clustering based on constraints
    (2009), section 5.2. The F-score of a cluster on a class is the harmonic mean of precision and
    recall: twice the samples in both over the sum of their sizes. As in the paper one cluster
    may serve several classes, and clusters need not lie in each other as the classes do. The
    root, which any hierarchy finds, is not counted as a class. Of equally good clusters
    the first merged is named. The time is that of adding up the samples' depths in the true
    hierarchy, the memory linear.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> from clustraint.evaluation import hierarchy_f_score
    >>> true = Hierarchy.from_paths(["rec/autos"] * 3 + ["rec/bikes"] * 2 + ["sci"] * 3)
    >>> hierarchy = Hierarchy.from_newick("(((0, 1), (2, (3, 4))), (5, (6, 7)));")
    >>> score = hierarchy_f_score(true, hierarchy)
    >>> round(score.leaf, 3), score.higher
    (0.933, 1.0)
    >>> hierarchy_f_score(true, hierarchy, labelled=[2]).leaf
    1.0
    """
    groups, target = made_comparable(true_hierarchy, hierarchy, labelled)
    scores, clusters = best_matches(groups, target)
    first = true_hierarchy.n_samples
    names = true_hierarchy.node_names or ("",) * (len(scores) + 1)
    higher = set(true_hierarchy.parents[first:].tolist())
    per_class = tuple(
        ClassFScore(
            names[place],
            first + place,
            "higher" if first + place in higher else "leaf",
            float(scores[place]),
            int(clusters[place]),
        )
        for place in np.flatnonzero(clusters >= 0).tolist()
    )
    if not per_class:
        raise NothingToMeasureError(
            "true_hierarchy has no inner node but the root with samples below it (labelled ones "
            "left out), so there is no class to find"
        )
    return HierarchyFScore(_mean(per_class, "leaf"), _mean(per_class, "higher"), per_class)


def _mean(per_class: tuple[ClassFScore, ...], level: str) -> float:
    scores = [score.f for score in per_class if score.level == level]
    return math.fsum(scores) / len(scores) if scores else math.nan
