"""Precision and recall of the pairs that a clustering puts together."""

from __future__ import annotations

from numpy.typing import ArrayLike

from clustraint.evaluation._pair_counts import check_clusterings, count_pairs
from clustraint.exceptions import NothingToMeasureError
from clustraint.wording import counted


def pairwise_f_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the harmonic mean of the precision and the recall of pairs put together.

    Precision is the share of right ones among the pairs in one cluster, recall the share of
    those in one cluster among the pairs in one class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes. Samples of unknown class (-1, None or nan) are in no pair that counts.
    y_pred : array-like of shape (n_samples,)
        The clusters found; whatever has a class must have a cluster.

    Returns
    -------
    float
        From 0 to 1. Where all samples are alone in both labellings, which is then the same
        clustering twice, it is 1.

    Raises
    ------
    NothingToMeasureError
        If fewer than two samples have known classes.

    Notes
    -----
    Liu, Zhang and Wang, Clustering with relative constraints (2011), section 5. Pairs are
    counted from the sizes of classes, clusters and their intersections.

    Examples
    --------
    >>> from clustraint.evaluation import pairwise_f_score
    >>> pairwise_f_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.4
    """
    both = check_clusterings(y_true, y_pred)
    pairs = count_pairs(both.classes, both.clusters)
    if not pairs.total:
        raise NothingToMeasureError(
            f"y_true has {counted(len(both.classes), 'sample')} of known class, which make no pair"
        )
    put_together = pairs.same_class + pairs.same_cluster
    return 2 * pairs.same_both / put_together if put_together else 1.0
