"""Clustering with attribute level constraints: Schmidt, Brändle and Kramer, 2011."""

from papers.attribute._paper import PAPER

__all__ = ["PAPER"]
