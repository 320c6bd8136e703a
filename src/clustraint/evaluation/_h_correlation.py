"""How much of one hierarchy another one has found."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clustraint.evaluation._same_samples import made_comparable
from clustraint.exceptions import NothingToMeasureError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.correlation import displayed_shares


def h_correlation(
    true_hierarchy: Hierarchy, hierarchy: Hierarchy, labelled: ArrayLike | None = None
) -> float:
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
    labelled : array-like of bool of shape (n_samples,) or of sample numbers, optional
        Samples, by their numbers in `true_hierarchy`, that are left out of both hierarchies:
        those whose places were given away as constraints.

    Returns
    -------
    float
        From 0 to 1. It is asymmetric: 1 also where `hierarchy` displays more than is true.

    Raises
    ------
    DifferentSamplesError
        If the samples differ.
    NothingToMeasureError
        If the true hierarchy displays no triplets of samples that are not labelled.

    Notes
    -----
    Bade and Nürnberger, Learning a metric during hierarchical clustering based on constraints
    (2009), equation 8, with the weights of Bade and Benz, Evaluation strategies for learning
    algorithms of hierarchies (2009). Triplets are counted, not listed: along the heavy paths of the
    true hierarchy samples are added one by one to sums over heavy paths of the other. The time is
    n times a power of log n, however deep the hierarchies are, the memory linear.

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
    groups, target = made_comparable(true_hierarchy, hierarchy, labelled)
    shares = displayed_shares(groups, target)
    if np.isnan(shares).all():
        raise NothingToMeasureError(
            "true_hierarchy displays no triplets, so there is nothing to find: no two of its "
            "samples (labelled ones left out) join before a third"
        )
    return float(np.nanmean(shares))
