"""A clustering on one page: picture, profiles, rules, hierarchy, constraints."""

from clustraint.report._page import made_with, page_templates
from clustraint.report._report import Report

__all__ = ["Report", "made_with", "page_templates"]
