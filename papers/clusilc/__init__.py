"""Clustering trees with instance level constraints (Struyf and Džeroski, 2007)."""

from papers.clusilc._paper import PAPER

__all__ = ["PAPER"]
