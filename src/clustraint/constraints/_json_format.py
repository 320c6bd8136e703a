"""The format for programs: all parts of the object by their names."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.checks import check_names
from clustraint.constraints._kinds import KINDS, RULE_KINDS, SAMPLE_KINDS
from clustraint.constraints._statement import (
    MOST_DIGITS,
    PARTS,
    ContentError,
    Document,
    Member,
    Statement,
)
from clustraint.exceptions import ClustraintError
from clustraint.wording import counted, excerpt, near_matches

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

KEYS = ("n_samples", "names", *PARTS)


def parse_json(text: str) -> Document:
    """Return what an object states."""
    try:
        content = json.loads(
            text,
            parse_int=lambda digits: int(digits[:MOST_DIGITS]),
            object_pairs_hook=_object,
        )
        return _document(content)
    except json.JSONDecodeError as error:
        raise ContentError(error.lineno, f"is not JSON ({error.msg}).") from None
    except RecursionError:
        raise ContentError(0, "is nested too deeply.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ContentError(0, f"{excerpt(key)!r} occurs twice in one object.")
        content[key] = value
    return content


def _document(content: Any) -> Document:
    if not isinstance(content, dict):
        raise ContentError(0, "an object in braces is expected.")
    for key in content:
        if key not in KEYS:
            hint = near_matches(key, KEYS) or f"; parts are {', '.join(KEYS)}."
            raise ContentError(0, f"there is no part {excerpt(key)!r}{hint}")
    n_samples = _n_samples(content)
    names = _names(content, n_samples)
    statements = [s for kind in SAMPLE_KINDS for s in _linked(content, kind, names)]
    statements += [_rule(place, rule) for place, rule in enumerate(_list(content, "rules"))]
    return Document(statements, None if names is not None else n_samples, names)


def _n_samples(content: dict[str, Any]) -> int | None:
    n_samples = content.get("n_samples")
    if n_samples is None or (type(n_samples) is int and 0 <= n_samples <= sys.maxsize):
        return n_samples
    problem = f"n_samples must be a whole number from 0, not {n_samples!r:.60}."
    raise ContentError(0, problem)


def _names(content: dict[str, Any], n_samples: int | None) -> tuple[str, ...] | None:
    if content.get("names") is None:
        return None
    names = _list(content, "names")
    try:
        return check_names(names, len(names) if n_samples is None else n_samples)
    except ClustraintError as error:
        raise ContentError(0, str(error)) from None


def _list(content: dict[str, Any], key: str) -> list[Any]:
    value = content.get(key, [])
    if not isinstance(value, list):
        raise ContentError(0, f"{key} must be a list.")
    return value


def _linked(content: dict[str, Any], kind: str, names: tuple[str, ...] | None) -> list[Statement]:
    rows = _list(content, kind)
    key = KINDS[kind].weights
    weights = _list(content, key) if key in content else [1.0] * len(rows)
    if len(weights) != len(rows):
        raise ContentError(0, f"there are {len(weights):,} {key} for {counted(len(rows), 'row')}.")
    return [
        _statement(Statement(kind, (), where=f"{kind}[{place}]: "), row, weight, names)
        for place, (row, weight) in enumerate(zip(rows, weights, strict=True))
    ]


def _statement(blank: Statement, row: Any, weight: Any, names: tuple[str, ...] | None) -> Statement:
    width = KINDS[blank.kind].width
    if not isinstance(row, list) or len(row) != width:
        raise blank.wrong(f"a list of {width} names or row numbers is expected, not {row!r:.60}.")
    if type(weight) not in (int, float):
        raise blank.wrong(f"a weight must be a finite number above 0, not {weight!r:.60}.")
    return blank._replace(members=tuple(_member(blank, m, names) for m in row), weight=weight)


def _member(blank: Statement, member: Any, names: tuple[str, ...] | None) -> Member:
    if type(member) is str:
        return member
    if type(member) is not int:
        raise blank.wrong(f"{member!r:.60} is neither a name nor a row number.")
    if names is None:
        return member
    if not 0 <= member < len(names):
        raise blank.wrong(f"there is no row {member!r:.60} among {len(names)} names.")
    return names[member]


def _rule(place: int, rule: Any) -> Statement:
    if isinstance(rule, dict) and len(rule) == 1:
        ((kind, text),) = rule.items()
        if kind in RULE_KINDS and isinstance(text, str):
            return Statement(kind, (text,), where=f"rules[{place}]: ")
    wanted = " or ".join(f'{{"{kind}": formula}}' for kind in RULE_KINDS)
    raise ContentError(0, f"rules[{place}]: {wanted} is expected, not {rule!r:.60}.")


def format_json(constraints: Constraints) -> str:
    """Return the object that states these constraints, one row per line."""
    names = constraints.names
    parts: dict[str, Any] = {"n_samples": constraints.n_samples, "names": names}
    for kind, links in constraints.links.items():
        rows = links.rows.tolist()
        parts[kind] = rows if names is None else [[names[i] for i in row] for row in rows]
        if not np.all(links.weights == 1):
            parts[KINDS[kind].weights] = links.weights.tolist()
    parts["rules"] = [{rule.kind: rule.text} for rule in constraints.rules]
    lines = [f"{_spell(key)}: {_indented(value)}" for key, value in parts.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def _indented(value: Any) -> str:
    if not isinstance(value, list | tuple) or not value:
        return _spell(value)
    return "[\n    " + ",\n    ".join(map(_spell, value)) + "\n  ]"


def _spell(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
