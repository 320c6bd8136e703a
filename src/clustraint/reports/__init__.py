"""A clustering on one page: picture, profiles, rules, hierarchy, what became of constraints."""

from clustraint.reports._report import Report, report

__all__ = ["Report", "report"]
