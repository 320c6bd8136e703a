"""A clustering on one page: picture, profiles, rules, hierarchy, and what became of the knowledge."""

from clustraint.reports._report import Report, report

__all__ = ["Report", "report"]
