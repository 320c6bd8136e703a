"""The k-means of active-semi-supervised-clustering, imported without what it does to numpy."""

from __future__ import annotations

from typing import Any

import numpy as np


def peer_class(name: str) -> Any:
    """Return a class of the peer; importing it would make numpy raise on every rounding to 0."""
    with np.errstate():
        from active_semi_clustering.semi_supervised import pairwise_constraints

        return getattr(pairwise_constraints, name)
