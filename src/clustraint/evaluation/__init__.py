"""How well a clustering fits what is known."""

from clustraint.evaluation._h_correlation import h_correlation
from clustraint.evaluation._satisfaction import (
    ConstraintReport,
    KindReport,
    constraint_satisfaction,
)

__all__ = ["ConstraintReport", "KindReport", "constraint_satisfaction", "h_correlation"]
