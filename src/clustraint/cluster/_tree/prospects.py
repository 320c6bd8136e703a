"""What is known of the best refinements of each leaf while a tree grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from clustraint.typing import BoolArray, FloatArray

# Values of H that differ by no more count as equal.
TOLERANCE = 1e-10


class SplitCandidate(NamedTuple):
    """A refinement of a leaf: the change of H, the split and the labels."""

    change: float
    which: int
    place: int
    label_yes: int
    label_no: int


class LeafSearch(NamedTuple):
    """What a search for the best refinements of a leaf has brought.

    `floors` says per pass over the leaf what no change of H is below: in row 0 with the labels that
    may be chosen, in row 1 with any of them.
    """

    candidates: list[SplitCandidate]
    floors: FloatArray


@dataclass(frozen=True, eq=False)
class Prospects:
    """What the refinements of each leaf can bring, in the order of the leaves.

    `limits` are what no change of H is below, in rows as `LeafSearch.floors` has them. Since a leaf
    was last searched, changes may have become lower by its loss, and where it was `reached`, more
    labels may be chosen; the candidates of its search hold as long as it is `exact`.
    """

    limits: FloatArray
    losses: FloatArray
    reached: BoolArray
    exact: BoolArray
    searches: list[LeafSearch | None]

    @classmethod
    def unknown(cls, is_final: list[bool]) -> Self:
        """Return what is known of new leaves: that those that are final have no refinements."""
        final = np.array(is_final)
        limits = np.where(final, np.inf, np.full((2, len(final)), -np.inf))
        no = np.zeros(len(final), np.bool_)
        return cls(limits, np.zeros(len(final)), no, no.copy(), [None] * len(final))

    def with_split(self, place: int, sides: Prospects) -> Prospects:
        """Return the prospects where two leaves take the place of one."""

        def spliced(old: Any, new: Any) -> Any:
            return np.concatenate([old[..., :place], new, old[..., place + 1 :]], axis=-1)

        return Prospects(
            spliced(self.limits, sides.limits),
            spliced(self.losses, sides.losses),
            spliced(self.reached, sides.reached),
            spliced(self.exact, sides.exact),
            [*self.searches[:place], *sides.searches, *self.searches[place + 1 :]],
        )

    def weaken(self, losses: FloatArray, places: BoolArray, reached: BoolArray) -> None:
        """Lower the limits of leaves whose links have changed, in place.

        Where a leaf was reached, a label may be chosen that could not be before.
        """
        lowered = np.where(places, losses + 2 * TOLERANCE, 0.0)
        self.limits[:] -= lowered
        self.losses[:] += lowered
        self.limits[0, reached] = self.limits[1, reached]
        self.reached[reached] = True
        self.exact[places] = False

    def forget(self, places: BoolArray) -> None:
        """Take back all that is known of some leaves, in place, but that some are final."""
        places = places & (self.limits[1] < np.inf)
        self.limits[:, places] = -np.inf
        self.exact[places] = False
        for place in np.flatnonzero(places).tolist():
            self.searches[place] = None

    def floors(self, place: int, n_passes: int) -> FloatArray:
        """Return what no change of H is below now, in each pass over a leaf."""
        search = self.searches[place]
        if search is None:
            return np.full((2, n_passes), -np.inf)
        floors = search.floors - float(self.losses[place])
        if self.reached[place]:
            floors[0] = floors[1]
        return floors

    def keep(self, place: int, search: LeafSearch, *, exact: bool) -> None:
        """Take in what a search has brought, in place."""
        self.searches[place] = search
        self.limits[:, place] = search.floors.min(axis=1)
        if exact:
            self.limits[0, place] = search.candidates[0].change
        self.losses[place], self.reached[place], self.exact[place] = 0.0, False, exact

    def lowest(self) -> float:
        """Return the lowest change of H by a refinement that is known for sure."""
        return float(self.limits[0].min(where=self.exact, initial=np.inf))

    def open_places(self) -> list[int]:
        """Return the leaves that are not searched, the most promising first."""
        places = np.flatnonzero(~self.exact)
        order: list[int] = places[np.argsort(self.limits[0, places], kind="stable")].tolist()
        return order
