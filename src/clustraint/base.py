"""What every estimator does with constraints before it computes."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import _num_samples

from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, UnsupportedConstraintsError

# Which estimator to turn to for each kind of knowledge.
TAKERS = {
    "must_link": (
        "COPKMeans",
        "ConstrainedCompleteLinkage",
        "ClusteringTree",
        "ConstrainedMixture",
        "ReCon",
    ),
    "cannot_link": (
        "COPKMeans",
        "ConstrainedCompleteLinkage",
        "ClusteringTree",
        "ConstrainedMixture",
        "ReCon",
    ),
    "triplets": ("ReCon", "IHAC", "BiHAC", "RelativeMetric", "ConstrainedMixture"),
    "together": ("AttributeKMedoids", "ConstrainedMixture"),
    "exactly": ("AttributeKMedoids", "ConstrainedMixture"),
}


class ConstraintTaker:
    """An estimator whose `fit` takes constraints of the kinds that it declares."""

    constraint_kinds: ClassVar[tuple[str, ...]] = ()

    # With metadata routing on, constraints reach `fit` without being asked for.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"constraints": True}

    def _check_constraints(self, constraints: Constraints | None, X: Any) -> Constraints:
        """Return the constraints on the samples of `X`, none where None is given."""
        n_samples = _num_samples(X)
        if constraints is None:
            return Constraints(n_samples)
        if not isinstance(constraints, Constraints):
            raise ClustraintError(
                f"constraints must be a Constraints object, but is {type(constraints).__name__}."
            )
        if constraints.n_samples != n_samples:
            raise ClustraintError(
                f"constraints are about {constraints.n_samples} samples, but X has {n_samples}."
            )
        refused = [kind for kind in constraints.kinds if kind not in self.constraint_kinds]
        if refused:
            raise UnsupportedConstraintsError(
                type(self).__name__, self.constraint_kinds, refused, TAKERS
            )
        return constraints


class ConstrainedClusterer(ConstraintTaker, ClusterMixin, BaseEstimator):
    """A clusterer whose `fit` takes constraints of the kinds that it declares."""

    noise: str
    dropped_: Constraints

    def _without_contradictions(self, constraints: Constraints) -> Constraints:
        """Return consistent constraints by the parameter `noise`, and keep what was dropped."""
        if self.noise == "repair":
            kept, self.dropped_ = constraints.repair()
            return kept
        constraints.check()
        self.dropped_ = Constraints(constraints.n_samples, names=constraints.names)
        return constraints
