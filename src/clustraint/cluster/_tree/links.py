"""The closure of must-links and cannot-links by groups of samples, never listed pair by pair."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from clustraint.constraints import Constraints
from clustraint.typing import FloatArray, IntArray


class GroupLinks(NamedTuple):
    """Groups of samples: must-links within them, cannot-links between them.

    Sample i is in the groups `member_group[member_start[i] : member_start[i + 1]]`. Each two of the
    `size[g]` members of group g are linked with `weight[g]`; its cannot-links go to the groups
    `edge_group[edge_start[g] : edge_start[g + 1]]`. What links two samples weighs is the sum over
    the groups that hold them.
    """

    member_start: IntArray
    member_group: IntArray
    size: IntArray
    weight: FloatArray
    edge_start: IntArray
    edge_group: IntArray
    edge_weight: FloatArray
    total: float

    @classmethod
    def from_constraints(cls, constraints: Constraints) -> Self:
        """Return the closure of consistent pairs; of closed ones, with the weights they have."""
        groups = _Groups(constraints)
        if constraints.is_closed:
            groups.add_listed_pairs()
        else:
            groups.add_must_chains()
            groups.add_cannot_links()
        return cls(**groups.packed())

    @property
    def has_pairs(self) -> bool:
        """Whether anything is linked."""
        return len(self.size) > 0

    @property
    def members(self) -> tuple[IntArray, IntArray]:
        """The groups of each sample, as kernels take them."""
        return self.member_start, self.member_group

    @property
    def edges(self) -> tuple[IntArray, IntArray, FloatArray]:
        """The cannot-links of each group, as kernels take them."""
        return self.edge_start, self.edge_group, self.edge_weight

    def shares(self, gamma: float) -> tuple[float, float]:
        """Return what the variance and a violated link count in H."""
        return 1 - gamma, gamma / self.total if self.has_pairs else 0.0

    def violated(self, counts: IntArray, cannot: FloatArray) -> float:
        """Return the violated weight where counts[g, c] members of group g have label c.

        Each of them has cannot-links of the weight cannot[g, c] to samples of label c.
        """
        kept = np.einsum("gc,gc->g", counts, counts - 1)
        # Every link is met from both ends.
        must = self.weight @ (self.size * (self.size - 1) - kept)
        return float(must + np.vdot(counts, cannot)) / 2

    def cannot_weights(self, members: IntArray) -> FloatArray:
        """Return the weight of a sample's cannot-links to so many members of each group."""
        groups = np.repeat(np.arange(len(self.size)), np.diff(self.edge_start))
        weights = self.edge_weight * members[self.edge_group]
        return np.asarray(np.bincount(groups, weights, len(self.size)), np.float64)


class _Groups:
    """Groups in the making: the components that pairs touch come first."""

    def __init__(self, constraints: Constraints) -> None:
        self._components = constraints.components
        self._must = constraints.must_link, constraints.must_link_weights
        self._cannot = constraints.cannot_link, constraints.cannot_link_weights
        touched = np.zeros(self._components.n_components, dtype=np.bool_)
        for rows, _ in (self._must, self._cannot):
            touched[self._components.labels[rows]] = True
        self._number = np.cumsum(touched) - 1
        samples = np.flatnonzero(touched[self._components.labels])
        self._base = self._number[self._components.labels]
        self._n_groups = int(touched.sum())
        self._members = [np.stack([samples, self._base[samples]], axis=1)]
        self._weights = [np.zeros(self._n_groups)]
        self._edges: list[tuple[IntArray, FloatArray]] = []

    def add_listed_pairs(self) -> None:
        """Take every pair as it is weighted: the least weight by component, the rest by pair."""
        self._add_listed(*self._must, must=True)
        self._add_listed(*self._cannot, must=False)

    def _add_listed(self, rows: IntArray, weights: FloatArray, *, must: bool) -> None:
        rows, weights = _heaviest(np.sort(rows, axis=1), weights)
        ends, which = np.unique(np.sort(self._base[rows], axis=1), axis=0, return_inverse=True)
        which = which.reshape(-1)
        least = np.full(len(ends), np.inf)
        np.minimum.at(least, which, weights)
        more = weights - least[which]
        extra = more > 0
        if must:
            self._weights[0][ends[:, 0]] = least
            self._add_groups(rows[extra].ravel(), np.repeat(np.arange(extra.sum()), 2), more[extra])
            return
        self._edges.append((ends, least))
        single, place = np.unique(rows[extra], return_inverse=True)
        first = self._n_groups
        self._add_groups(single, np.arange(len(single)), np.zeros(len(single)))
        self._edges.append((first + place.reshape(-1, 2), more[extra]))

    def add_must_chains(self) -> None:
        """Link two samples as strongly as the weakest link of their strongest chain.

        The samples that links of at least some weight hold together are a group. Of all groups
        that hold a pair the innermost has its weight, so each gets what it has more than the next
        one around it.
        """
        rows, weights = self._must
        if not len(rows):
            return
        if weights.min() == weights.max():
            self._weights[0][self._base[rows[:, 0]]] = weights[0]
            return
        for members, weight in _nested_groups(rows, weights):
            self._add_groups(np.array(members), np.zeros(len(members), np.int64), [weight])

    def add_cannot_links(self) -> None:
        """Keep components apart, as strongly as the heaviest cannot-link between them does."""
        rows, weights = self._cannot
        self._edges.append(_heaviest(np.sort(self._base[rows], axis=1), weights))

    def _add_groups(
        self, samples: IntArray, groups: IntArray, weights: FloatArray | list[float]
    ) -> None:
        self._members.append(np.stack([samples, groups + self._n_groups], axis=1))
        self._weights.append(np.asarray(weights, dtype=np.float64))
        self._n_groups += len(weights)

    def packed(self) -> dict[str, Any]:
        """Return the fields of GroupLinks."""
        members = np.concatenate(self._members)
        members = members[np.argsort(members[:, 0], kind="stable")]
        weight = np.concatenate(self._weights)
        ends = np.concatenate([ends for ends, _ in self._edges] or [np.empty((0, 2), np.int64)])
        strength = np.concatenate([weights for _, weights in self._edges] or [np.empty(0)])
        both = np.concatenate([ends, ends[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        size = np.bincount(members[:, 1], minlength=len(weight))
        total = weight @ (size * (size - 1) // 2) + strength @ (size[ends[:, 0]] * size[ends[:, 1]])
        return {
            "member_start": _starts(members[:, 0], len(self._base)),
            "member_group": np.ascontiguousarray(members[:, 1]),
            "size": size,
            "weight": weight,
            "edge_start": _starts(both[:, 0], len(weight)),
            "edge_group": np.ascontiguousarray(both[order, 1]),
            "edge_weight": np.tile(strength, 2)[order],
            "total": float(total),
        }


def _starts(keys: IntArray, n_keys: int) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n_keys))]).astype(np.int64)


def _heaviest(rows: IntArray, weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each row once, with its largest weight."""
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    most = np.zeros(len(distinct))
    np.maximum.at(most, which.reshape(-1), weights)
    return distinct.reshape(-1, 2), most


def _nested_groups(rows: IntArray, weights: FloatArray) -> list[tuple[list[int], float]]:
    """Return the samples that links of at least some weight join, and what each group adds.

    Links join groups from the heaviest to the lightest (Kruskal). A group is complete when a
    lighter link makes it part of another.
    """
    members: dict[int, list[int]] = {}
    home: dict[int, int] = {}
    formed: dict[int, float] = {}
    nested: list[tuple[list[int], float]] = []

    def close(group: int, weight: float) -> None:
        if group in formed and formed[group] > weight:
            nested.append((list(members[group]), formed[group] - weight))

    for place in np.argsort(-weights, kind="stable"):
        weight = float(weights[place])
        for sample in rows[place].tolist():
            members.setdefault(home.setdefault(sample, sample), [sample])
        large, small = sorted(
            (home[sample] for sample in rows[place].tolist()), key=lambda g: -len(members[g])
        )
        if large == small:
            continue
        close(large, weight)
        close(small, weight)
        for sample in members[small]:
            home[sample] = large
        members[large] += members.pop(small)
        formed[large] = weight
    for group in members:
        close(group, 0.0)
    return nested
