"""Which row of a DataFrame each named sample is."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from clustraint.checks import is_whole
from clustraint.exceptions import DroppedConstraintWarning, MisalignedNamesError
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

C = TypeVar("C", bound="Constraints")


def index_of(X: Any) -> list[Any] | None:
    """Return the index of a pandas object, None where there is none but the numbers of rows."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return None
    labels = list(index)
    return None if all(map(is_whole, labels)) and labels == list(range(len(labels))) else labels


def aligned(constraints: C, labels: Sequence[Any]) -> C:
    """Return the constraints on rows with these labels, found by name."""
    texts, names = [str(label) for label in labels], constraints.names or ()
    if tuple(texts) == names:
        return constraints
    places = {name: place for place, name in enumerate(names)}
    missing = [text for text in texts if text not in places]
    if not missing and len(set(texts)) == len(texts):
        return _only(constraints, [places[text] for text in texts])
    are_numbers = all(map(is_whole, labels))
    # A part of a frame that was numbered has gaps; if it has none, somebody shuffled the rows.
    if are_numbers and len(missing) == len(texts) == len(names):
        if sorted(labels) != list(range(len(labels))):
            return constraints
        raise MisalignedNamesError("are numbered, but not in order", names[0], texts[0])
    if len(set(texts)) < len(texts):
        twice = next(text for place, text in enumerate(texts) if text in texts[:place])
        raise MisalignedNamesError("are not unique", names[0] if names else "", twice)
    raise MisalignedNamesError("are others", names[0] if names else "", missing[0])


def _only(constraints: C, rows: list[int]) -> C:
    chosen = constraints[rows]
    n_lost = constraints.n_constraints - chosen.n_constraints
    if n_lost:
        samples = counted(constraints.n_samples - len(rows), "sample")
        warnings.warn(
            f"{counted(n_lost, 'constraint')} about {samples} that X does not have "
            f"{'is' if n_lost == 1 else 'are'} left out.",
            DroppedConstraintWarning,
            stacklevel=4,
        )
    return chosen
