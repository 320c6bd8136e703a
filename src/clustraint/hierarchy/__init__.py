"""Rooted trees over samples."""

from clustraint.hierarchy._hierarchy import Hierarchy

__all__ = ["Hierarchy"]
