"""How much constraints say that a method would not have found by itself."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from clustraint.constraints import Constraints, check_constraints
from clustraint.evaluation._satisfaction import constraint_satisfaction
from clustraint.exceptions import NothingToMeasureError


def informativeness(estimator: Any, X: Any, constraints: Constraints) -> float:
    """Return the share of the constraints that an estimator violates without being given them.

    Parameters
    ----------
    estimator : estimator
        A clusterer; a clone of it is fitted without constraints.
    X : array-like of shape (n_samples, n_features)
        The samples, handed to the estimator as they are.
    constraints : Constraints
        Each row and each rule counts once, whatever its weight.

    Returns
    -------
    float
        From 0, where the estimator finds all of it by itself, to 1.

    Raises
    ------
    NothingToMeasureError
        If there are no constraints.

    Notes
    -----
    Davidson, Wagstaff and Basu, Measuring constraint-set utility for partitional clustering
    algorithms (2006), for must-links and cannot-links: the share that the algorithm's default
    output does not satisfy. Triplets are about hierarchies, so that their natural form asks
    whether the estimator's `hierarchy_` displays them; one without a hierarchy is judged by its
    clusters, as `constraint_satisfaction` does. Rules are judged by clusters, too.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from clustraint import Constraints
    >>> from clustraint.evaluation import informativeness
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 3), (2, 3)])
    >>> informativeness(KMeans(2, n_init=1, random_state=0), X, constraints)
    0.3333333333333333
    """
    check_constraints(constraints, _num_samples(X))
    total = constraints.n_constraints
    if not total:
        raise NothingToMeasureError(
            "constraints hold no must-links, cannot-links, triplets or rules, so there is nothing "
            "to violate"
        )
    model = clone(estimator)
    labels = model.fit_predict(X)
    last = model[-1] if isinstance(model, Pipeline) else model
    violated = 0
    if hasattr(last, "hierarchy_"):
        violated += int((~last.hierarchy_.displays(constraints.triplets)).sum())
        constraints = constraints.restrict(
            kinds=[kind for kind in constraints.kinds if kind != "triplets"]
        )
    report = constraint_satisfaction(constraints, labels, X)
    return (violated + sum(kind.violated for kind in report.values())) / total
