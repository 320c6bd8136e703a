"""Cluster data under what people already know about it.

Public names are imported on first use, so ``import clustraint`` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustraint import active as active
    from clustraint.cluster import IHAC as IHAC
    from clustraint.cluster import ActiveCompleteLinkage as ActiveCompleteLinkage
    from clustraint.cluster import AttributeKMedoids as AttributeKMedoids
    from clustraint.cluster import BestClusterer as BestClusterer
    from clustraint.cluster import BiHAC as BiHAC
    from clustraint.cluster import ClusteringTree as ClusteringTree
    from clustraint.cluster import Coarse as Coarse
    from clustraint.cluster import ConstrainedCompleteLinkage as ConstrainedCompleteLinkage
    from clustraint.cluster import ConstrainedMixture as ConstrainedMixture
    from clustraint.cluster import ConstraintPropagation as ConstraintPropagation
    from clustraint.cluster import COPKMeans as COPKMeans
    from clustraint.cluster import MPCKMeans as MPCKMeans
    from clustraint.cluster import PCKMeans as PCKMeans
    from clustraint.cluster import ReCon as ReCon
    from clustraint.constraints import Constraints as Constraints
    from clustraint.constraints import Rule as Rule
    from clustraint.hierarchy import Hierarchy as Hierarchy
    from clustraint.report import Report as Report
    from clustraint.rows import Rows as Rows

__version__ = "0.1.0"

_HOMES = {
    "ActiveCompleteLinkage": "clustraint.cluster",
    "AttributeKMedoids": "clustraint.cluster",
    "BestClusterer": "clustraint.cluster",
    "BiHAC": "clustraint.cluster",
    "COPKMeans": "clustraint.cluster",
    "ClusteringTree": "clustraint.cluster",
    "Coarse": "clustraint.cluster",
    "ConstrainedCompleteLinkage": "clustraint.cluster",
    "ConstrainedMixture": "clustraint.cluster",
    "ConstraintPropagation": "clustraint.cluster",
    "Constraints": "clustraint.constraints",
    "Hierarchy": "clustraint.hierarchy",
    "IHAC": "clustraint.cluster",
    "MPCKMeans": "clustraint.cluster",
    "PCKMeans": "clustraint.cluster",
    "ReCon": "clustraint.cluster",
    "Report": "clustraint.report",
    "Rows": "clustraint.rows",
    "Rule": "clustraint.constraints",
}

_MODULES = ("active",)

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"clustraint.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'clustraint' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *__all__})
