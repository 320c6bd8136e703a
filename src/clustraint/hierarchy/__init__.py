"""Rooted trees over samples."""

from clustraint.hierarchy._entailed import entailed_triplets
from clustraint.hierarchy._hierarchy import Hierarchy

__all__ = ["Hierarchy", "entailed_triplets"]
