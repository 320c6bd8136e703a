"""How much of one hierarchy another one has found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import ClustraintError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.correlation import displayed_shares


def h_correlation(true_hierarchy: Hierarchy, hierarchy: Hierarchy) -> float:
    """Return the share of the true triplets that a hierarchy displays, all nodes weighing equally.

    A triplet ab|c belongs to the node where a and b meet in the true hierarchy, and the triplets
    of each node share the weight 1.

    Parameters
    ----------
    true_hierarchy : Hierarchy
        What is to be found. Samples on inner nodes count.
    hierarchy : Hierarchy
        What was found, over the same samples: those of the same names where both have names,
        of the same numbers otherwise.

    Returns
    -------
    float
        From 0 to 1. It is asymmetric: 1 also where `hierarchy` displays more than is true.

    Raises
    ------
    ClustraintError
        If the samples differ, or if the true hierarchy displays no triplets.

    Notes
    -----
    Bade and Nürnberger, Learning a metric during hierarchical clustering based on constraints
    (2009), equation 8, with the weights of Bade and Benz, Evaluation strategies for learning
    algorithms of hierarchies (2009). Triplets are counted, not listed: the time is the number of
    samples times the number of nodes, the memory linear.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> from clustraint.evaluation import h_correlation
    >>> true = Hierarchy.from_newick("(((a, b), c), (d, e));")
    >>> h_correlation(true, Hierarchy.from_newick("(((a, b), c), (d, e));"))
    1.0
    >>> round(h_correlation(true, Hierarchy.from_newick("((a, b), (c, (d, e)));")), 3)
    0.667
    """
    places = _places(true_hierarchy, hierarchy)
    shares = displayed_shares(
        true_hierarchy._layout, places, hierarchy._parents, hierarchy._layout.sizes
    )
    if not len(shares):
        raise ClustraintError(
            "true_hierarchy displays no triplets, so that there is nothing to find: no two of its "
            "samples join before a third."
        )
    return float(shares.mean())


def _places(true_hierarchy: Hierarchy, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the number that each sample of the true hierarchy has in the other."""
    theirs, ours = true_hierarchy.names, hierarchy.names
    if theirs is None or ours is None:
        if true_hierarchy.n_samples != hierarchy.n_samples:
            raise ClustraintError(
                f"the hierarchies must be over the same samples, but true_hierarchy has "
                f"{true_hierarchy.n_samples} and hierarchy has {hierarchy.n_samples}."
            )
        return np.arange(hierarchy.n_samples)
    number = {name: sample for sample, name in enumerate(ours)}
    if number.keys() != set(theirs):
        odd = min(number.keys() ^ set(theirs))
        raise ClustraintError(
            f"the hierarchies must be over the same samples, but only one has {odd!r:.60}."
        )
    return np.array([number[name] for name in theirs], np.int64)
