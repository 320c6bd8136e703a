"""What follows from constraints that hold together, and which of them say nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.constraints._closure import pair_keys
from clustraint.constraints._consistency import is_consistent
from clustraint.constraints._kinds import KINDS
from clustraint.constraints._links import Links
from clustraint.constraints._validation import check_distinct, check_rows
from clustraint.exceptions import ClustraintError
from clustraint.kernels import tree
from clustraint.typing import BoolArray, IntArray
from clustraint.wording import listed

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints


def entails(constraints: Constraints, asked: Mapping[str, Any]) -> Any:
    """Tell whether the row that is asked about follows, or which rows of a table do."""
    rows = {kind: table for kind, table in asked.items() if table is not None}
    if len(rows) != 1:
        raise ClustraintError(f"entails takes one of {listed(asked)}.")
    ((kind, table),) = rows.items()
    constraints.check()
    is_table = _is_table(table)
    checked = check_rows(kind, table if is_table else [table], constraints.n_samples)
    check_distinct(kind, checked)
    follows = entailed(constraints, kind, checked)
    return follows if is_table else bool(follows[0])


def _is_table(rows: Any) -> bool:
    if isinstance(rows, np.ndarray):
        return rows.ndim > 1
    return isinstance(rows, Sequence) and any(isinstance(row, Iterable) for row in rows)


def entailed(constraints: Constraints, kind: str, rows: IntArray) -> BoolArray:
    """Tell which rows of a kind follow from constraints, which are known to be consistent.

    A row follows if whatever would hold instead contradicts the constraints. Pairs that only pairs
    could entail are looked up in the closure; anything else is put to the test.
    """
    if not len(rows):
        return np.zeros(0, np.bool_)
    if KINDS[kind].width == 2 and not len(constraints.links["triplets"].rows):
        return _in_closure(constraints, kind, rows)
    samples = np.unique(np.concatenate((constraints.mentioned, rows.ravel())))
    part, own_rows = constraints[samples], np.searchsorted(samples, rows)
    follows = own_rows[:, 0] == own_rows[:, 1]
    if kind == "triplets":
        # What follows holds in every hierarchy that keeps all, hence in the one of BUILD.
        layout = tree.lay_out(part.verdict.parents, len(samples))
        open_rows = tree.displays(layout, tree.prepare_meets(layout), own_rows)
    else:
        open_rows = ~follows
    for place in np.flatnonzero(open_rows):
        follows[place] = _is_undeniable(part, kind, own_rows[place].tolist())
    return np.asarray(follows)


def _in_closure(constraints: Constraints, kind: str, rows: IntArray) -> BoolArray:
    components = constraints.components
    ends = np.sort(components.labels[rows], axis=1)
    if kind == "must_link":
        return np.asarray(ends[:, 0] == ends[:, 1])
    n_components = components.n_components
    return np.isin(pair_keys(ends, n_components), pair_keys(components.cannot_link, n_components))


def _is_undeniable(constraints: Constraints, kind: str, row: Sequence[int]) -> bool:
    return not any(
        is_consistent(_with_row(constraints, *denial)) for denial in KINDS[kind].denied(row)
    )


def _with_row(constraints: Constraints, kind: str, row: tuple[int, ...]) -> Constraints:
    links = constraints.links[kind]
    more = Links(np.concatenate((links.rows, [row])), np.append(links.weights, 1.0))
    return constraints._with(links={**constraints.links, kind: more})


def redundant(constraints: Constraints) -> Constraints:
    """Return constraints that the others entail, the later ones first; rules are not tested."""
    kept = {kind: np.ones(len(links.rows), np.bool_) for kind, links in constraints.links.items()}
    for kind, mask in kept.items():
        rows = constraints.links[kind].rows
        for place in range(len(rows) - 1, -1, -1):
            mask[place] = False
            others = constraints.take(**kept)
            mask[place] = not entailed(others, kind, rows[place : place + 1])[0]
    return constraints.take(**{kind: ~mask for kind, mask in kept.items()})
