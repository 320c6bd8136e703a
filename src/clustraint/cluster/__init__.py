"""Clusterers with scikit-learn's interface."""

from clustraint.cluster._active_linkage import ActiveCompleteLinkage
from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._best_clusterer import BestClusterer, CandidateScore, ClusteringChoice
from clustraint.cluster._bihac import BiHAC
from clustraint.cluster._bihac_runs import BiHACRun
from clustraint.cluster._candidates import CANDIDATES, Candidate, ClusteringProblem
from clustraint.cluster._clustering_tree import ClusteringTree
from clustraint.cluster._coarse import Coarse
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._constrained_mixture import ConstrainedMixture
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._ihac import IHAC
from clustraint.cluster._mpc_kmeans import MPCKMeans
from clustraint.cluster._pc_kmeans import PCKMeans
from clustraint.cluster._propagation import ConstraintPropagation
from clustraint.cluster._recon import ReCon
from clustraint.cluster._tree.arrays import Tree
from clustraint.cluster._tree.captions import NodeCaption
from clustraint.cluster._tree.conditions import NominalCondition, NumericCondition
from clustraint.cluster._tree.history import Refinement
from clustraint.cluster._tree.rules import ClusterDescription, Conjunction
from clustraint.cluster._viewed_mixture import ViewedMixture

__all__ = [
    "CANDIDATES",
    "IHAC",
    "ActiveCompleteLinkage",
    "AttributeKMedoids",
    "BestClusterer",
    "BiHAC",
    "BiHACRun",
    "COPKMeans",
    "Candidate",
    "CandidateScore",
    "ClusterDescription",
    "ClusteringChoice",
    "ClusteringProblem",
    "ClusteringTree",
    "Coarse",
    "Conjunction",
    "ConstrainedCompleteLinkage",
    "ConstrainedMixture",
    "ConstraintPropagation",
    "MPCKMeans",
    "NodeCaption",
    "NominalCondition",
    "NumericCondition",
    "PCKMeans",
    "ReCon",
    "Refinement",
    "Tree",
    "ViewedMixture",
]
