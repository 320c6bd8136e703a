"""Clusterers with scikit-learn's interface."""

from clustraint.cluster._active_linkage import ActiveCompleteLinkage
from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._questions import Answer, Query
from clustraint.cluster._recon import ReCon

__all__ = [
    "ActiveCompleteLinkage",
    "Answer",
    "AttributeKMedoids",
    "COPKMeans",
    "ConstrainedCompleteLinkage",
    "Query",
    "ReCon",
]
