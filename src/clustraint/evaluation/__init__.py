"""How well a clustering fits what is known."""

from clustraint.evaluation._coherence import coherence
from clustraint.evaluation._constrained_rand import constrained_rand_score
from clustraint.evaluation._cross_validated_rand import CrossValidatedRand, cross_validated_rand
from clustraint.evaluation._h_correlation import h_correlation
from clustraint.evaluation._hierarchy_f import ClassFScore, HierarchyFScore, hierarchy_f_score
from clustraint.evaluation._informativeness import informativeness
from clustraint.evaluation._pairwise_f import pairwise_f_score
from clustraint.evaluation._satisfaction import (
    ConstraintReport,
    KindReport,
    constraint_satisfaction,
    satisfaction_score,
)

__all__ = [
    "ClassFScore",
    "ConstraintReport",
    "CrossValidatedRand",
    "HierarchyFScore",
    "KindReport",
    "coherence",
    "constrained_rand_score",
    "constraint_satisfaction",
    "cross_validated_rand",
    "h_correlation",
    "hierarchy_f_score",
    "informativeness",
    "pairwise_f_score",
    "satisfaction_score",
]
