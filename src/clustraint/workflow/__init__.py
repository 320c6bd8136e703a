"""What a person does with a table: choose a method, cluster, explain, compare."""

from clustraint.workflow._choice import AUTO, METHODS, Choice, Facts, Method, choose
from clustraint.workflow._clustering import (
    Clustering,
    Explanation,
    cluster_table,
    explain_clustering,
    explain_table,
)
from clustraint.workflow._comparison import Comparison, Interval, MethodScore, compare_methods

__all__ = [
    "AUTO",
    "METHODS",
    "Choice",
    "Clustering",
    "Comparison",
    "Explanation",
    "Facts",
    "Interval",
    "Method",
    "MethodScore",
    "choose",
    "cluster_table",
    "compare_methods",
    "explain_clustering",
    "explain_table",
]
