"""What is known before any clustering: kinds, closure, consistency, rules, files, sampling."""

from clustraint.constraints._constraints import Components, Constraints
from clustraint.constraints._describe import describe_row
from clustraint.constraints._lines import LineFormat
from clustraint.constraints._rule import Rule

__all__ = ["Components", "Constraints", "LineFormat", "Rule", "describe_row"]
