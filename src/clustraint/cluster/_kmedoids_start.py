"""Where k-medoids under rules begins: the first medoids, and which cluster each rule owns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._kmedoids_shared import SharedValues
from clustraint.cluster._rule_scopes import Scopes, Units
from clustraint.constraints import Constraints, Rule
from clustraint.exceptions import ClustraintError, NoFeasibleClusteringError, TooFewClustersError
from clustraint.kernels.kmedoids import Table, approach, closest, draw, nth, potential
from clustraint.typing import BoolArray, IntArray
from clustraint.wording import excerpt


class Start(NamedTuple):
    """Where a run begins.

    Attributes
    ----------
    medoids : int64 ndarray of shape (n_clusters,)
        The first medoids.
    rule_clusters : int64 ndarray of shape (n_rules,)
        The cluster that each rule owns for the whole run, -1 for a rule that holds for no sample.
    """

    medoids: IntArray
    rule_clusters: IntArray


class Starter:
    """Draws starts for k-medoids under rules.

    Parameters
    ----------
    scopes : Scopes
        Which rules hold for which samples.
    units : Units
        Which rules act as one.
    constraints : Constraints
        The rules, and names for the samples in messages.
    n_clusters : int
        How many clusters there are.
    attach : {"seed", "first"}
        Whether all units, or only `exactly` units, start from a sample of their own. The others
        join the cluster of their first sample.
    init : {"d2", "random"}
        How the other medoids are drawn.
    shared : SharedValues, optional
        Bounds on what medoids share; all are then drawn uniformly.

    Raises
    ------
    ClustraintError
        If the rules leave no way to begin.
    """

    def __init__(
        self,
        scopes: Scopes,
        units: Units,
        constraints: Constraints,
        n_clusters: int,
        attach: str,
        init: str,
        shared: SharedValues | None = None,
    ) -> None:
        self.scopes = scopes
        self.units = units
        self.constraints = constraints
        self.n_clusters = n_clusters
        self.squared = init == "d2"
        self.shared = shared
        self.may_share = attach == "first"
        self.seeded = np.flatnonzero(units.exactly | (not self.may_share))
        # No medoid is in two scopes; one in the scope of an `exactly` rule would lose its cluster.
        self.is_free = (units.holds.sum(axis=1) <= self.may_share) & ~units.in_exactly
        self._check_rules()
        self._check_outsiders()
        self._check_candidates()

    def _check_rules(self) -> None:
        exactly = np.flatnonzero(self.units.exactly)
        if len(exactly) > self.n_clusters:
            raise self._too_few_clusters(exactly, "exactly rules need", "")
        if len(self.seeded) > self.n_clusters:
            way_out = ", or let rules share them with attach='first'"
            raise self._too_few_clusters(self.seeded, "rules need", way_out)

    def _too_few_clusters(self, units: IntArray, need: str, way_out: str) -> TooFewClustersError:
        rules = [self._rule_of(int(unit)) for unit in units[: self.n_clusters + 1]]
        return TooFewClustersError(
            f"{len(units)} {need} clusters of their own, but n_clusters={self.n_clusters}; ask for "
            f"more clusters{way_out}. The first are {_listed(rules)}.",
            self.constraints.take(rules=rules),
        )

    def _check_outsiders(self) -> None:
        """Raise if every cluster is closed to samples that must go somewhere."""
        outside = ~self.units.in_exactly
        if self.units.exactly.sum() < self.n_clusters or not outside.any():
            return
        sample = int(self.scopes.first[outside].min())
        owners = [self._rule_of(int(unit)) for unit in np.flatnonzero(self.units.exactly)]
        raise NoFeasibleClusteringError(
            f"all {self.n_clusters} clusters belong to exactly rules, {_listed(owners)}, but "
            f"{self.constraints.name_of(sample)} is in the scope of none; ask for more clusters.",
            sample,
            witness=self.constraints.take(rules=owners),
        )

    def _check_candidates(self) -> None:
        """Raise if a cluster has no sample to begin with."""
        without_own = self.seeded[~self.units.is_own[:, self.seeded].any(axis=0)]
        if len(without_own):
            raise ClustraintError(
                f"every sample in the scope of rule {_listed([self._rule_of(int(without_own[0]))])}"
                " is in that of another rule, too, so that its cluster has none of its own to "
                "start from; make them one with overlap='merge', or let them share a cluster with "
                "attach='first'."
            )
        n_wanted = self.n_clusters - len(self.seeded)
        n_free = int(self.scopes.sizes[self.is_free].sum())
        if n_free < n_wanted:
            raise ClustraintError(
                f"n_clusters={self.n_clusters}, but besides the {len(self.seeded)} clusters of "
                f"rules only {n_free} more can start: that many samples are left to them. Ask for "
                f"at most {len(self.seeded) + n_free} clusters."
            )

    def _rule_of(self, unit: int) -> Rule:
        """Return the first rule that makes a unit what it is."""
        places = np.flatnonzero(self.units.of_rule == unit)
        rules = [self.constraints.rules[place] for place in places]
        return next(rule for rule in rules if rule.exactly == self.units.exactly[unit])

    def draw(self, table: Table, rng: np.random.Generator) -> Start:
        """Return random first medoids, and the clusters of the rules."""
        if self.shared is not None:
            return self._draw_sharing(table, rng)
        own = self.units.is_own
        seeds = [self._draw_from(own[:, unit], rng) for unit in self.seeded]
        counted = [
            seed
            for seed, unit in zip(seeds, self.seeded, strict=True)
            if not self.units.exactly[unit]
        ]
        medoids = np.array(seeds + self._draw_free(table, counted, rng), np.int64)
        clusters = np.full(len(self.units.exactly), -1)
        clusters[self.seeded] = np.arange(len(seeds))
        self._attach(table, medoids, clusters)
        return Start(medoids, self.units.of_rules(clusters))

    def _draw_sharing(self, table: Table, rng: np.random.Generator) -> Start:
        """Return medoids within the bounds, under the same rules as others."""
        if self.shared is None:
            raise AssertionError("there are bounds")
        own = [self.units.is_own[:, unit][self.scopes.pattern] for unit in self.seeded]
        free = self.is_free[self.scopes.pattern]
        n_free = self.n_clusters - len(own)
        medoids = self.shared.start(table, own + [free] * n_free, rng)
        clusters = np.full(len(self.units.exactly), -1)
        clusters[self.seeded] = np.arange(len(own))
        self._attach(table, medoids, clusters)
        return Start(medoids, self.units.of_rules(clusters))

    def _draw_from(self, patterns: BoolArray, rng: np.random.Generator) -> int:
        place = rng.integers(self.scopes.sizes[patterns].sum())
        return int(nth(self.scopes.pattern, patterns, place))

    def _draw_free(self, table: Table, counted: list[int], rng: np.random.Generator) -> list[int]:
        """Return the medoids that no rule gives, unlike those chosen while there are such rows."""
        unlimited = np.iinfo(np.int32).max
        nearest = np.where(self.is_free, unlimited, 0).astype(np.int32)[self.scopes.pattern]
        for medoid in counted:
            approach(table, medoid, nearest)
        medoids: list[int] = []
        by_square = self.squared
        while len(medoids) < self.n_clusters - len(self.seeded):
            if not nearest.any():  # all are equal to one that is chosen
                nearest = self.is_free.astype(np.int32)[self.scopes.pattern]
                nearest[medoids] = 0
                by_square = False
            squared = by_square and bool(counted or medoids)
            medoids.append(self._draw_one(table, nearest, squared, rng))
            approach(table, medoids[-1], nearest)
        return medoids

    def _draw_one(
        self, table: Table, nearest: NDArray[np.int32], squared: bool, rng: np.random.Generator
    ) -> int:
        """Return a random sample; by squares, the best of as many as scikit-learn's k-means++."""
        if not squared:
            return int(draw(nearest, False, rng.random()))
        n_trials = 2 + int(np.log(self.n_clusters))
        trials = [int(draw(nearest, True, rng.random())) for _ in range(n_trials)]
        return min(trials, key=lambda trial: potential(table, trial, nearest))

    def _attach(self, table: Table, medoids: IntArray, clusters: IntArray) -> None:
        """Give each unit without one the cluster of its first sample, in the order of samples."""
        firsts = [
            (int(self.scopes.first[self.units.holds[:, unit]].min()), int(unit))
            for unit in np.flatnonzero(clusters < 0)
        ]
        for sample, unit in sorted(firsts):
            start, choices = self.scopes.open_clusters(
                self.units.of_rules(clusters), self.n_clusters
            )
            pattern = self.scopes.pattern[sample]
            candidates = choices[start[pattern] : start[pattern + 1]]
            clusters[unit], _ = closest(table, sample, table.words[medoids], candidates)


def _listed(rules: Iterable[Rule]) -> str:
    return excerpt(", ".join(f"'{rule}'" for rule in rules), width=200)
