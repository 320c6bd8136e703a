"""Clusterers with scikit-learn's interface."""

from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._bihac import BiHAC
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._ihac import IHAC

__all__ = ["IHAC", "AttributeKMedoids", "BiHAC", "COPKMeans"]
