"""Clusterers with scikit-learn's interface."""

from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._cop_kmeans import COPKMeans

__all__ = ["AttributeKMedoids", "COPKMeans", "ConstrainedCompleteLinkage"]
