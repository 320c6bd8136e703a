"""Whether constraints are about the samples that they come with."""

from __future__ import annotations

from typing import Any

from clustraint.constraints._constraints import Constraints
from clustraint.exceptions import ClustraintError, ConstraintSizeError


def check_constraints(constraints: Any, n_samples: int, whose: str = "X") -> Constraints:
    """Return `constraints`, if that is what they are, and on so many samples.

    Parameters
    ----------
    constraints : Constraints
        What is to be checked.
    n_samples : int
        How many samples there are.
    whose : str, default="X"
        The argument that says so, for the message.

    Raises
    ------
    ConstraintSizeError
        If they are about another number of samples.

    Examples
    --------
    >>> from clustraint.constraints import Constraints, check_constraints
    >>> check_constraints(Constraints(3, must_link=[(0, 1)]), 3)
    Constraints(3 samples: 1 must-link)
    """
    if not isinstance(constraints, Constraints):
        raise ClustraintError(
            f"constraints must be a Constraints object, but is {type(constraints).__name__}."
        )
    if constraints.n_samples != n_samples:
        raise ConstraintSizeError(constraints.n_samples, n_samples, whose)
    return constraints
