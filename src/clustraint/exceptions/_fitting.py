"""Parameters, distances and knowledge that a method cannot work with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clustraint.exceptions._base import ClustraintError, ClustraintWarning
from clustraint.wording import excerpt

if TYPE_CHECKING:
    from clustraint.constraints import Constraints


class InvalidParameterError(ClustraintError):
    """A parameter of an estimator that it cannot work with."""

    def __init__(self, name: str, value: object, wanted: str) -> None:
        super().__init__(f"{name} must be {wanted}, but is {value!r:.60}.")


class UnsupportedConstraintsError(ClustraintError):
    """Kinds of constraint that a method does not take."""

    def __init__(
        self,
        method: str,
        taken: Sequence[str],
        refused: Mapping[str, Sequence[str]],
    ) -> None:
        others = sorted({taker for takers in refused.values() for taker in takers})
        way_out = f"; {' or '.join(others)} would take them" if others else ""
        super().__init__(
            f"{method} takes {', '.join(taken)}, but the constraints hold {', '.join(refused)}"
            f"{way_out}."
        )


class NoFeasibleClusteringError(ClustraintError):
    """No assignment of samples to clusters keeps all hard constraints, or none was found.

    Attributes
    ----------
    sample : int or None
        A sample that could not be placed.
    blockers : tuple of int
        The samples that kept it out of every cluster.
    witness : Constraints or None
        The proof that there is no assignment: constraints that so few clusters cannot keep.
    """

    def __init__(
        self,
        message: str,
        sample: int | None = None,
        blockers: Sequence[int] = (),
        witness: Constraints | None = None,
    ) -> None:
        super().__init__(message)
        self.sample = sample
        self.blockers = tuple(blockers)
        self.witness = witness


class NoAllowedMergeError(ClustraintError):
    """Clusters of which no two may merge, as each merge would violate a triplet.

    Attributes
    ----------
    n_clusters : int
        How many clusters were left.
    violated : Constraints
        A triplet that the merge of the closest two would violate.
    """

    def __init__(self, n_clusters: int, violated: Constraints) -> None:
        self.n_clusters = n_clusters
        self.violated = violated
        a, b, c = map(violated.name_of, violated.triplets[0].tolist())
        super().__init__(
            f"{n_clusters} clusters are left and each merge of two violates a triplet: that of the "
            f"closest, {a}, {b} | {c}; use dead_end='merge' or 'stop', or ReCon, which keeps all "
            "triplets that hold together."
        )


class InvalidDistanceError(ClustraintError):
    """A distance that is not a finite number from 0 up."""

    def __init__(self, first: int, second: int, value: float, metric: object) -> None:
        if metric == "precomputed":
            source, way_out = "precomputed", "correct the matrix"
        else:
            source = f"by metric={metric!r:.60}"
            way_out = "change these samples, or choose another metric"
        super().__init__(
            f"the distance between samples {first} and {second} is {value} ({source}), but must be "
            f"a finite number from 0 up; {way_out}."
        )


class InvalidDistanceMatrixError(ClustraintError):
    """A matrix that does not hold the distances between the samples."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            'with metric="precomputed", X must be the square, symmetric matrix of the distances '
            f"between all samples, with 0 on the diagonal, but {problem}."
        )


class HugeDifferenceError(ClustraintError):
    """Samples so far apart that their squared distance is not finite."""

    def __init__(self, column: int) -> None:
        super().__init__(
            "X must hold values whose squared differences are finite, but those of column "
            f"{column} (from 0) are not; scale that column."
        )


class TinyDifferenceError(ClustraintError):
    """Samples so near to each other that their squared distances vanish."""

    def __init__(self, largest: float) -> None:
        super().__init__(
            "X must hold values whose squared differences are above 0, but the largest difference "
            f"within a column is {largest:g}; scale the columns."
        )


class SampleWeightError(ClustraintError):
    """Sample weights that are 0 or infinite in the type of the samples."""

    def __init__(self, weight: float, dtype: object) -> None:
        super().__init__(
            f"sample_weight must hold numbers that {dtype}, the type of X, can hold, but one is "
            f"{weight:g}; scale the weights, or give X as float64."
        )


class IllDefinedCovarianceError(ClustraintError):
    """A cluster so flat that its density is not finite."""

    def __init__(self) -> None:
        super().__init__(
            "a cluster has a variance of 0 in some direction: raise reg_covar or shrinkage, ask "
            'for fewer clusters, or choose covariance="diag" or "spherical".'
        )


class NoCandidateError(ClustraintError):
    """Statements that none of the clusterings to choose from takes."""

    def __init__(self, candidates: Sequence[str], kinds: Sequence[str]) -> None:
        super().__init__(
            f"none of the candidates {', '.join(candidates)} takes {', '.join(kinds)} and suits "
            "the samples; add others, or leave the choice open with candidates=None."
        )


class SparseMixtureError(ClustraintError):
    """Sparse data for a method whose covariances are dense."""

    def __init__(self, method: str) -> None:
        super().__init__(
            f"{method} does not accept sparse data, as its covariances are dense: put "
            "scikit-learn's TruncatedSVD before it in a pipeline."
        )


class TooManyClassesError(ClustraintError):
    """Labels of more classes than there are clusters."""

    def __init__(self, n_classes: int, n_clusters: int) -> None:
        super().__init__(
            f"y has {n_classes} classes, but n_clusters={n_clusters}: each class needs its own "
            "cluster; raise n_clusters, or mark labels as unknown with -1."
        )


class EmptyClusterWarning(ClustraintWarning):
    """Clusters without samples, where there are too few different ones to fill them."""

    def __init__(self, empty: Sequence[int], n_clusters: int) -> None:
        listed = excerpt(", ".join(map(str, empty)))
        super().__init__(
            f"{len(empty)} of {n_clusters} clusters stay empty ({listed}): every sample that may "
            "join them equals a medoid; ask for fewer clusters."
        )


class UnlearnableMetricWarning(ClustraintWarning):
    """Triplets under which the best metric has all weights 0."""

    def __init__(self) -> None:
        super().__init__(
            "no weights of the features satisfy the triplets better than weights of 0 do, so all "
            "are set to 1; the triplets may contradict the features or each other."
        )
