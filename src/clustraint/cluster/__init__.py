"""Clusterers with scikit-learn's interface."""

from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._clustering_tree import ClusteringTree
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._tree.arrays import Tree
from clustraint.cluster._tree.conditions import NominalCondition, NumericCondition
from clustraint.cluster._tree.history import Refinement
from clustraint.cluster._tree.rules import ClusterDescription, Conjunction

__all__ = [
    "AttributeKMedoids",
    "COPKMeans",
    "ClusterDescription",
    "ClusteringTree",
    "Conjunction",
    "NominalCondition",
    "NumericCondition",
    "Refinement",
    "Tree",
]
