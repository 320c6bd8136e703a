"""Constraints that are to be about the samples at hand."""

from __future__ import annotations

from typing import Any

from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, DifferentSamplesError


def check_about(constraints: Any, n_samples: int, whose: str = "X") -> None:
    """Raise unless these are constraints on so many samples."""
    if not isinstance(constraints, Constraints):
        raise ClustraintError(
            f"constraints must be a Constraints object, but is {type(constraints).__name__}."
        )
    if constraints.n_samples != n_samples:
        raise DifferentSamplesError(
            f"constraints are about {constraints.n_samples} and {whose} has {n_samples}"
        )
