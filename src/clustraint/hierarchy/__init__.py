"""Rooted trees over samples, and what follows from constraints about them."""

from clustraint.hierarchy._hierarchy import Hierarchy
from clustraint.hierarchy._implied import implied_triplets, redundant

__all__ = ["Hierarchy", "implied_triplets", "redundant"]
