"""What a person does with a table: choose a method, cluster, explain, compare.

Methods are known by name: clustraint's own, those that other packages announce as entry points of
the group ``clustraint.methods``, and those that `register` adds.
"""

from clustraint.workflow._choice import Choice, choose
from clustraint.workflow._clustering import Clustering, cluster_table, with_known_labels
from clustraint.workflow._comparison import Comparison, compare
from clustraint.workflow._explanation import Explanation, explain, telling_words, typical
from clustraint.workflow._in_chunks import (
    ChunkedClustering,
    FewSamples,
    cluster_rows,
    few_samples,
    needs_chunks,
    predict_rows,
)
from clustraint.workflow._interview import Interview
from clustraint.workflow._method import Method, methods, register, unregister
from clustraint.workflow._model import ClusterModel
from clustraint.workflow._names import cluster_names, read_cluster_names, write_cluster_names
from clustraint.workflow._number import NumberCurve, NumberScore, choose_number
from clustraint.workflow._plan import ComparisonPlan

__all__ = [
    "Choice",
    "ChunkedClustering",
    "ClusterModel",
    "Clustering",
    "Comparison",
    "ComparisonPlan",
    "Explanation",
    "FewSamples",
    "Interview",
    "Method",
    "NumberCurve",
    "NumberScore",
    "choose",
    "choose_number",
    "cluster_names",
    "cluster_rows",
    "cluster_table",
    "compare",
    "explain",
    "few_samples",
    "methods",
    "needs_chunks",
    "predict_rows",
    "read_cluster_names",
    "register",
    "telling_words",
    "typical",
    "unregister",
    "with_known_labels",
    "write_cluster_names",
]
