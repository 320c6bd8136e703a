"""What a person does with a table: choose a method, cluster, explain, compare.

Methods are known by name: clustraint's own, those that other packages announce as entry points of
the group ``clustraint.methods``, and those that `register` adds.
"""

from clustraint.workflow._choice import Choice, choose
from clustraint.workflow._clustering import Clustering, cluster_table
from clustraint.workflow._comparison import Comparison, compare
from clustraint.workflow._explanation import Explanation, explain
from clustraint.workflow._method import Method, methods, register, unregister

__all__ = [
    "Choice",
    "Clustering",
    "Comparison",
    "Explanation",
    "Method",
    "choose",
    "cluster_table",
    "compare",
    "explain",
    "methods",
    "register",
    "unregister",
]
