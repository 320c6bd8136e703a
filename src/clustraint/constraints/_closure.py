"""What pairs entail: components, and the explicit closure on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clustraint.checks import read_only
from clustraint.constraints._kinds import PAIR_KINDS
from clustraint.constraints._links import Links
from clustraint.exceptions import ClustraintError
from clustraint.kernels.closure import cannot_closure, must_closure
from clustraint.machine import announce
from clustraint.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints


class Components(NamedTuple):
    """Must-link components and the cannot-links between them: the closure without its pairs.

    Attributes
    ----------
    labels : int64 ndarray of shape (n_samples,)
        The component of each sample, numbered by first sample.
    n_components : int
        How many components there are; a sample without must-links is one of its own.
    cannot_link : int64 ndarray of shape (n_pairs, 2)
        The pairs of components that cannot-links keep apart, each once, in rising order.
    cannot_link_weights : float64 ndarray of shape (n_pairs,)
        The summed weight of the given cannot-links between two components.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> c = Constraints(5, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3), (0, 3)])
    >>> c.components.labels
    array([0, 0, 0, 1, 2])
    >>> c.components.cannot_link, c.components.cannot_link_weights
    (array([[0, 1]]), array([2.]))
    >>> c.components.closure_sizes
    {'must_link': 3, 'cannot_link': 3}
    """

    labels: IntArray
    n_components: int
    cannot_link: IntArray
    cannot_link_weights: FloatArray

    @property
    def sizes(self) -> IntArray:
        """How many samples each component has."""
        return np.bincount(self.labels, minlength=self.n_components)

    @property
    def closure_sizes(self) -> dict[str, int]:
        """How many must-links and cannot-links the closure has, by kind."""
        sizes = self.sizes
        left, right = self.cannot_link.T
        return {
            "must_link": int((sizes * (sizes - 1) // 2).sum()),
            "cannot_link": int((sizes[left] * sizes[right]).sum()),
        }


def components_of(labels: IntArray, n_components: int, cannot_link: Links) -> Components:
    """Return the component-level form of consistent pairs."""
    # Between components instead of samples: n² entailed pairs stay a handful of rows.
    rows = np.sort(labels[cannot_link.rows], axis=1)
    distinct, places = unique_rows(rows, n_components)
    weights = np.bincount(places, cannot_link.weights, len(distinct))
    shared = read_only(labels), n_components, read_only(distinct)
    return Components(*shared, read_only(weights.astype(np.float64)))


def unique_rows(rows: IntArray, n_values: int) -> tuple[IntArray, IntArray]:
    """Return the distinct pairs in rising order, and which of them each row is."""
    keys, places = np.unique(pair_keys(rows, n_values), return_inverse=True)
    return np.stack(np.divmod(keys, max(n_values, 1)), axis=1), places


def pair_keys(rows: IntArray, n_values: int) -> IntArray:
    """Return one number for each pair of values, which are below `n_values`."""
    return np.asarray(rows[:, 0] * np.int64(n_values) + rows[:, 1])


def is_closed(constraints: Constraints) -> bool:
    """Say whether the pairs are all that they entail."""
    # Pairs can only entail more, so that equal numbers mean that nothing is missing.
    distinct = {
        kind: len(unique_rows(constraints.links[kind].rows, constraints.n_samples)[0])
        for kind in PAIR_KINDS
    }
    return distinct == constraints.components.closure_sizes


def closure(constraints: Constraints, duplicates: Literal["drop", "sum"]) -> dict[str, Links]:
    """Return every entailed must-link and cannot-link once, with its weight."""
    if duplicates not in ("drop", "sum"):
        raise ClustraintError(f'duplicates must be "drop" or "sum", but is {duplicates!r}.')
    components, links = constraints.components, constraints.links
    # Before the arrays are made: a clique of 10⁵ samples has 5·10⁹ pairs.
    announce("entailed links", sum(components.closure_sizes.values()))
    return {
        "must_link": _must_closure(components, links["must_link"]),
        "cannot_link": _cannot_closure(components, links["cannot_link"], duplicates),
    }


def _must_closure(components: Components, must_link: Links) -> Links:
    # The kernel joins by the strongest links first, as a maximum spanning tree does.
    strongest_first = np.argsort(-must_link.weights, kind="stable")
    rows, weights = must_closure(
        len(components.labels),
        must_link.rows[strongest_first],
        must_link.weights[strongest_first],
        components.closure_sizes["must_link"],
    )
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    return Links(rows[order], weights[order])


def _cannot_closure(
    components: Components, cannot_link: Links, duplicates: Literal["drop", "sum"]
) -> Links:
    weights = components.cannot_link_weights
    if duplicates == "drop":
        rows = np.sort(components.labels[cannot_link.rows], axis=1)
        _, places = unique_rows(rows, components.n_components)
        weights = np.zeros(len(components.cannot_link))
        # As a set, an entailed pair is as strong as the strongest link that entails it.
        np.maximum.at(weights, places, cannot_link.weights)
    rows, row_weights = cannot_closure(
        components.labels,
        components.n_components,
        components.cannot_link,
        weights,
        components.closure_sizes["cannot_link"],
    )
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    return Links(rows[order], row_weights[order])
