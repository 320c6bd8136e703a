"""Constraints on the samples that they come with, whatever form they are given in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clustraint.checks import is_whole
from clustraint.constraints._alignment import aligned, index_of
from clustraint.constraints._constraints import Constraints
from clustraint.constraints._csv_format import COLUMNS, FILLED, check_kind, grouped, is_group_header
from clustraint.constraints._files import FORMATS, arguments_of
from clustraint.constraints._kinds import KINDS, SAMPLE_KINDS
from clustraint.constraints._rule import Rule
from clustraint.constraints._statement import Bare, ContentError, Document, Member, Statement
from clustraint.constraints._text_format import parse_text
from clustraint.exceptions import (
    ClustraintError,
    ConstraintFormError,
    ConstraintSizeError,
)


def check_constraints(constraints: Any, n_samples: int, whose: str = "X") -> Constraints:
    """Return `constraints`, if that is what they are, and on so many samples.

    Parameters
    ----------
    constraints : Constraints
        What is to be checked.
    n_samples : int
        How many samples there are.
    whose : str, default="X"
        The argument that says so, for the message.

    Raises
    ------
    ConstraintSizeError
        If they are about another number of samples.

    Examples
    --------
    >>> from clustraint.constraints import Constraints, check_constraints
    >>> check_constraints(Constraints(3, must_link=[(0, 1)]), 3)
    Constraints(3 samples: 1 must-link)
    """
    if not isinstance(constraints, Constraints):
        raise ClustraintError(
            f"constraints must be a Constraints object, but is {type(constraints).__name__}."
        )
    if constraints.n_samples != n_samples:
        raise ConstraintSizeError(constraints.n_samples, n_samples, whose)
    return constraints


def as_constraints(knowledge: Any, X: Any) -> Constraints:
    """Return constraints on the rows of `X`, in their order.

    Parameters
    ----------
    knowledge : Constraints, list, dict, DataFrame, str, path or None
        What is known: `Constraints`; a list of rows (a, b, kind) or (a, b, kind, weight), of lines
        as in a text file, and of `Rule` objects; a dict with the parts of `Constraints`; a
        DataFrame with the columns a, b, kind and perhaps c and weight, or with two columns of
        which the second is called group; the path of a file, or what is in a text file. A kind is
        ``"must_link"``, ``"same"`` or True, ``"cannot_link"``, ``"different"`` or False.
    X : DataFrame, array-like or int
        The samples, or how many there are.

    Returns
    -------
    Constraints
        Of a DataFrame whose index has the names of the samples, the row of each sample is found by
        name.

    Raises
    ------
    MisalignedNamesError
        If names do not say which row of a DataFrame each sample is.
    ConstraintFormError, ConstraintFileError
        If something else is given, or cannot be read.

    Warns
    -----
    DroppedConstraintWarning
        If constraints are about named samples that are not in the DataFrame.

    Examples
    --------
    >>> from clustraint.constraints import as_constraints
    >>> c = as_constraints([(0, 1, "same"), (0, 2, "different"), "1 != 2"], X=3)
    >>> c.must_link.tolist(), c.cannot_link.tolist()
    ([[0, 1]], [[0, 2], [1, 2]])
    >>> import pandas as pd
    >>> X = pd.DataFrame({"legs": [4, 0, 4]}, index=["dog", "trout", "wolf"])
    >>> as_constraints([("dog", "wolf", "same")], X).must_link
    array([[0, 2]])
    """
    n_samples = X if is_whole(X) else _n_rows(X)
    if knowledge is None:
        return Constraints(n_samples)
    labels = index_of(X)
    if isinstance(knowledge, Constraints):
        if knowledge.names is None or labels is None:
            return check_constraints(knowledge, n_samples)
        return aligned(knowledge, labels)
    names = None if labels is None else tuple(map(str, labels))
    if isinstance(knowledge, os.PathLike) or _is_path(knowledge):
        return Constraints.read(Path(knowledge), None if names else n_samples, names)
    try:
        document = _document(knowledge, by_label=labels is not None)
        return Constraints(**arguments_of("constraints", document, n_samples, names))
    except ContentError as error:
        raise ConstraintFormError(str(error)) from None


def _n_rows(X: Any) -> int:
    if hasattr(X, "shape"):
        return int(X.shape[0])
    return len(X) if hasattr(X, "__len__") else len(np.asarray(X))


def _is_path(knowledge: Any) -> bool:
    return (
        isinstance(knowledge, str)
        and "\n" not in knowledge
        and Path(knowledge).suffix.lower() in FORMATS
    )


def _document(knowledge: Any, *, by_label: bool) -> Document:
    """Return what people state in Python; numbers are rows or, `by_label`, labels of rows."""
    if isinstance(knowledge, str):
        return parse_text(knowledge)
    if isinstance(knowledge, Mapping):
        statements = list(_parts(knowledge, by_label))
    elif hasattr(knowledge, "columns"):
        statements = _table(knowledge, by_label)
    elif isinstance(knowledge, Iterable):
        statements = [
            each for place, row in enumerate(knowledge) for each in _listed(place, row, by_label)
        ]
    else:
        raise ContentError(0, f"there is {knowledge!r:.60}")
    return Document(statements)


def _member(value: Any, by_label: bool) -> Member:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # beside missing values pandas makes decimals of whole numbers
    if is_whole(value):
        return str(value) if by_label else int(value)
    return Bare(value) if isinstance(value, str) else str(value)


def _listed(place: int, row: Any, by_label: bool) -> list[Statement]:
    where = f"row {place}: "
    if isinstance(row, Rule):
        return [Statement(row.kind, (row.text,), where=where)]
    if isinstance(row, str):
        try:
            return [each._replace(line=0, where=where) for each in parse_text(row).statements]
        except ContentError as error:
            raise ContentError(0, f"{where}{error}") from None
    if isinstance(row, Mapping):
        return [_cells(place, row, by_label)]
    if not isinstance(row, Sequence | np.ndarray) or not 3 <= len(row) <= 4:
        raise ContentError(0, f"{where}there is {row!r:.60}")
    first, second, kind, *weight = row
    if KINDS[check_kind(0, kind)].width != 2:
        raise ContentError(0, f"{where}{kind!r:.60} is not a kind of pair")
    members = _member(first, by_label), _member(second, by_label)
    return [Statement(check_kind(0, kind), members, weight[0] if weight else 1.0, 0, where)]


def _parts(parts: Mapping[Any, Any], by_label: bool) -> Iterable[Statement]:
    for key, rows in parts.items():
        kind = next((kind for kind in SAMPLE_KINDS if key in (kind, KINDS[kind].weights)), None)
        if key == "rules":
            rules = [rule if isinstance(rule, Rule) else Rule(rule) for rule in rows]
            yield from (Statement(rule.kind, (rule.text,)) for rule in rules)
        elif kind is None:
            raise ContentError(0, f"there is a part {key!r:.60}")
        elif key == kind:
            weights = parts.get(KINDS[kind].weights)
            weights = [1.0] * len(rows) if weights is None else weights
            for place, (row, weight) in enumerate(zip(rows, weights, strict=True)):
                members = tuple(_member(value, by_label) for value in row)
                where = f"{kind} row {place}: "
                if len(members) != KINDS[kind].width:
                    raise ContentError(0, f"{where}there is {row!r:.60}")
                yield Statement(kind, members, weight, 0, where)


def _table(frame: Any, by_label: bool) -> list[Statement]:
    names = [str(name) for name in frame.columns]
    columns = {str(name).strip().lower(): list(frame[name]) for name in frame.columns}
    if is_group_header(names):
        samples, groups = columns.values()
        rows = [
            (0, _member(sample, by_label), [] if _is_empty(group) else [group])
            for sample, group in zip(samples, groups, strict=True)
        ]
        return grouped(rows)
    if not {"a", "b", "kind"} <= set(columns) <= set(COLUMNS):
        raise ContentError(0, f"the columns of the table are {', '.join(names)[:60]}")
    rows_of_cells = zip(*columns.values(), strict=True)
    return [
        _cells(place, dict(zip(columns, cells, strict=True)), by_label)
        for place, cells in enumerate(rows_of_cells)
    ]


def _cells(place: int, cells: Mapping[str, Any], by_label: bool) -> Statement:
    where = f"row {place}: "
    kind = check_kind(0, cells.get("kind"))
    if KINDS[kind].is_rule:
        return Statement(kind, (str(cells.get("a", "")),), where=where)
    weight = cells.get("weight")
    members = [cells.get(column) for column in "abc"[: FILLED[kind]]]
    return Statement(
        kind,
        tuple(Bare("") if _is_empty(each) else _member(each, by_label) for each in members),
        1.0 if _is_empty(weight) else weight,  # type: ignore[arg-type]
        0,
        where,
    )


def _is_empty(cell: Any) -> bool:
    return cell is None or cell == "" or bool(cell != cell)
