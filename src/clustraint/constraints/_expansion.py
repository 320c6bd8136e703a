"""Rules as pairs of samples, for methods that take only pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clustraint.constraints._rule import Rule
from clustraint.exceptions import ConstraintSizeError
from clustraint.typing import IntArray


def pairs_of_rule(
    rule: Rule, n_samples: int, X: Any, feature_names: Sequence[str] | None
) -> dict[str, IntArray]:
    """Return pairs that entail all that a rule says of the samples in `X`."""
    scope = rule.scope(X, feature_names)
    if len(scope) != n_samples:
        raise ConstraintSizeError(n_samples, len(scope))
    inside = np.flatnonzero(scope)
    outside = np.flatnonzero(~scope & rule.exactly & scope.any())
    return {
        "must_link": np.stack((inside[:-1], inside[1:]), axis=1),
        "cannot_link": np.stack((np.repeat(inside[:1], len(outside)), outside), axis=1),
    }
