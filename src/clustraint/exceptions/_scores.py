"""Clusterings that cannot be scored, compared or reported on."""

from __future__ import annotations

from clustraint.exceptions._base import ClustraintError


class NotClusteredError(ClustraintError):
    """An estimator that has not assigned samples to clusters."""

    def __init__(self, estimator: str) -> None:
        super().__init__(
            f"{estimator} has no labels_ to report on; call its fit first, or give labels."
        )


class DifferentSamplesError(ClustraintError):
    """Things to be compared that are not about the same samples."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"what is compared must be about the same samples, but {problem}.")


class UnclusteredSampleError(ClustraintError):
    """A sample that a clustering leaves out, and that is to be scored."""

    def __init__(self, name: str, sample: int) -> None:
        super().__init__(
            f"{name} must hold a cluster for each sample, but holds -1, None or nan at sample "
            f"{sample}; give such samples clusters of their own, or leave them out of the score."
        )


class NothingToMeasureError(ClustraintError):
    """A score for which there is nothing to count."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}.")
