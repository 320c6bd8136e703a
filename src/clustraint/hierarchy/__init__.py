"""Rooted trees over samples, and what follows from constraints about them."""

from clustraint.hierarchy._entailed import entailed_triplets
from clustraint.hierarchy._files import read_hierarchy
from clustraint.hierarchy._hierarchy import Hierarchy

__all__ = ["Hierarchy", "entailed_triplets", "read_hierarchy"]
