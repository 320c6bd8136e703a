"""Which sample is in which cluster, and what both are called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustraint.checks import check_names, encode_labels
from clustraint.exceptions import InvalidLabelsError, NotClusteredError
from clustraint.typing import IntArray
from clustraint.wording import short_text


@dataclass(frozen=True, eq=False)
class Membership:
    """The clusters of samples.

    Attributes
    ----------
    labels : int64 ndarray of shape (n_samples,)
        The place of each sample's cluster in `clusters`, -1 for none.
    clusters : tuple
        What the clusters are called, in order where they have one.
    names : tuple of str, or None
        What the samples are called.
    titles : tuple of str, or None
        What the clusters are called beside their labels.

    Examples
    --------
    >>> from clustraint.plot import Membership
    >>> members = Membership.of(["b", "a", None], ["ant", "bee", "cow"])
    >>> members.labels, members.cluster_name(0), members.name_of(2)
    (array([ 1,  0, -1]), 'cluster a', 'cow')
    """

    labels: IntArray
    clusters: tuple[Hashable, ...]
    names: tuple[str, ...] | None
    titles: tuple[str, ...] | None = None

    @classmethod
    def of(cls, labels: Any, names: Sequence[str] | None = None) -> Membership:
        """Return the clusters of samples.

        Parameters
        ----------
        labels : array-like of shape (n_samples,), or a fitted estimator
            The cluster of each sample; -1, None and nan are no cluster.
        names : sequence of str, optional
            What the samples are called.

        Raises
        ------
        InvalidLabelsError
            If no sample is in a cluster.
        NotClusteredError
            If the estimator has no `labels_`.

        Examples
        --------
        >>> from clustraint.plot import Membership
        >>> Membership.of([3, 3, 7]).sizes
        array([2, 1])
        """
        codes, values = encode_labels(labels_of(labels), "labels")
        if not values:
            raise InvalidLabelsError("labels must name a cluster for at least one sample.")
        try:
            order = sorted(range(len(values)), key=values.__getitem__)  # type: ignore[arg-type]
        except TypeError:
            order = list(range(len(values)))
        place = np.empty(len(values) + 1, np.int64)
        place[order], place[-1] = np.arange(len(values)), -1
        clusters = tuple(values[code] for code in order)
        return cls(place[codes], clusters, check_names(names, len(codes)))

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return len(self.labels)

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.clusters)

    @property
    def sizes(self) -> IntArray:
        """How many samples each cluster has."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.n_clusters)

    def name_of(self, sample: int) -> str:
        """Return what a sample is called, on one line.

        Examples
        --------
        >>> from clustraint.plot import Membership
        >>> Membership.of([0, 1]).name_of(1)
        'sample 1'
        """
        return f"sample {sample}" if self.names is None else short_text(self.names[sample])

    def cluster_name(self, cluster: int) -> str:
        """Return what a cluster is called, on one line.

        Examples
        --------
        >>> from clustraint.plot import Membership
        >>> Membership.of(["cats", "dogs"]).cluster_name(1)
        'cluster dogs'
        """
        name = self.cluster_label(cluster)
        title = "" if self.titles is None or cluster < 0 else self.titles[cluster]
        return name if title in ("", name) else f"{name}: {title}"

    def cluster_label(self, cluster: int) -> str:
        """Return what a cluster is called where there is little room: by its label alone.

        Examples
        --------
        >>> from clustraint.plot import Membership
        >>> Membership.of([3, 7]).cluster_label(1)
        'cluster 7'
        """
        return f"cluster {short_text(self.clusters[cluster], 40)}" if cluster >= 0 else "no cluster"


def labels_of(clusters: Any) -> Any:
    """Return labels as they are, or those of a fitted estimator."""
    if not hasattr(clusters, "fit"):
        return clusters
    labels = getattr(clusters, "labels_", None)
    if labels is None:
        raise NotClusteredError(type(clusters).__name__)
    return labels
