"""What `auto` may spend on comparing methods: estimated from counted work, never by a clock.

A limit on measured time would make results depend on how busy the machine is. So the work of each
candidate is counted before anything runs, and the candidates that would take too long stay out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from scipy.sparse import issparse

from clustraint.checks import check_number
from clustraint.cluster import CANDIDATES, ClusteringProblem
from clustraint.wording import counted, listed, number_text

# Seconds of CPU time for comparing methods.
TIME_LIMIT = 60.0
# `BestClusterer` compares on at most so many samples, with so many parts held out in turn.
MOST_COMPARED = 3_000
N_FOLDS = 4
# Seconds that any fit takes.
LEAST = 0.05


class Price(NamedTuple):
    """Microseconds of one fit of n samples of d features to k clusters, by what grows with what.

    Measured with overlapping clusters on one core of a server of 2024: an order of magnitude, which
    is all that leaving out the hopeless takes.
    """

    n: float = 0.0
    nk: float = 0.0
    nd: float = 0.0
    ndk: float = 0.0
    ndd: float = 0.0
    ddd: float = 0.0
    nn: float = 0.0

    def seconds(self, n: int, d: int, k: int) -> float:
        """Return the estimate."""
        amounts = (n, n * k, n * d, n * d * k, n * d * d, d**3, n * n)
        return LEAST + sum(each * price for each, price in zip(amounts, self, strict=True)) / 1e6


IN_AXES = Price(n=100, nd=0.1)
IN_GRAPH = Price(n=30, nk=5)
PRICES = {
    "round": Price(n=10, ndk=0.02, ndd=0.002),
    "tied": Price(n=100, ndd=0.008, ddd=0.001),
    "shrunk": IN_AXES,
    "diagonal": IN_AXES,
    "full": Price(n=100, nk=6, nd=0.1),
    "directions": Price(n=50, nd=0.4),
    "tied-directions": Price(n=100, nd=0.4),
    "spectral": IN_GRAPH,
    "propagation-far": IN_GRAPH,
    "propagation": IN_GRAPH,
    "propagation-near": IN_GRAPH,
    "cop-kmeans": Price(nk=80, ndk=0.05),
    "complete-linkage": Price(nn=0.05, nd=0.4),
    "clustering-tree": Price(n=350, nd=2.5),
    "recon": Price(nn=0.2),
    "attribute-kmedoids": Price(nk=10, ndk=0.1),
}
DEFAULT = next(iter(CANDIDATES))


@dataclass(frozen=True)
class ComparisonPlan:
    """Which candidates are compared, and how long that is estimated to take.

    Attributes
    ----------
    candidates : tuple of str
        Those that are compared.
    left_out : tuple of str
        Those that would take too long.
    seconds : float
        The CPU time that it is estimated to take.
    limit : float
        The CPU time that it may take.

    Examples
    --------
    >>> ComparisonPlan(("round", "spectral"), ("tied",), 12.3, 60.0).note.partition(". ")[2]
    'Left out, as it would take longer: tied.'
    """

    candidates: tuple[str, ...]
    left_out: tuple[str, ...]
    seconds: float
    limit: float

    @property
    def is_possible(self) -> bool:
        """Whether there is time to compare the default with something else."""
        return len(self.candidates) > 1 and self.candidates[0] == DEFAULT

    @property
    def note(self) -> str:
        """What was compared, within which time, and what was left out."""
        seconds = number_text(self.seconds, 2)
        about = "less than a second" if self.seconds < 1 else f"about {seconds} s"
        limit = f"the limit is {number_text(self.limit)} s (time_limit=)"
        compared = counted(len(self.candidates), "candidate")
        note = f"{compared} compared by held-out constraints, in {about} of CPU time; {limit}."
        if self.left_out:
            who = "it" if len(self.left_out) == 1 else "they"
            note += f" Left out, as {who} would take longer: {listed(self.left_out)}."
        return note


def plan_comparison(
    X: Any, kinds: Iterable[str], n_clusters: int, limit: float = TIME_LIMIT
) -> ComparisonPlan:
    """Return as many candidates as there is time for: the default, then the cheapest.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The samples; no candidate takes sparse ones.
    kinds : iterable of str
        The kinds of constraints, which every candidate must take.
    n_clusters : int
        The number of clusters.
    limit : float, default=60
        The seconds of CPU time that it may take.

    Returns
    -------
    ComparisonPlan
        Which candidates are compared, and how long that is estimated to take.

    Examples
    --------
    >>> import numpy as np
    >>> plan_comparison(np.eye(1000, 2000), ["must_link"], 5).left_out
    ('tied', 'clustering-tree')
    """
    check_number("time_limit", limit, least=0)
    problem = ClusteringProblem(X, (n_clusters,), 1, 0)
    suitable = [] if issparse(X) else list(CANDIDATES.values())
    names = [
        each.name
        for each in suitable
        if each.takes(kinds) and (each.suits is None or each.suits(problem))
    ]
    n_compared, n_features = min(X.shape[0], MOST_COMPARED), X.shape[1]
    prices = {
        name: N_FOLDS * PRICES[name].seconds(n_compared, n_features, n_clusters) for name in names
    }
    compared: dict[str, float] = {}
    for name in sorted(prices, key=lambda each: (each != DEFAULT, prices[each])):
        if sum(compared.values()) + prices[name] <= limit:
            compared[name] = prices[name]
    return ComparisonPlan(
        tuple(name for name in prices if name in compared),
        tuple(name for name in prices if name not in compared),
        sum(compared.values()),
        limit,
    )
