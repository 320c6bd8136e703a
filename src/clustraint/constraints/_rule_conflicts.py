"""Contradictions in which rules take part, told by the rules and not by the pairs they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.constraints._describe import MOST_LISTED, descriptions
from clustraint.constraints._kinds import SAMPLE_KINDS
from clustraint.constraints._rule import Rule
from clustraint.exceptions import InconsistentConstraintsError, RuleConflictError
from clustraint.typing import BoolArray
from clustraint.wording import counted, excerpt

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints


def conflict_of(
    constraints: Constraints, error: InconsistentConstraintsError, X: Any
) -> InconsistentConstraintsError:
    """Return the contradiction among expanded rules in terms of what somebody wrote."""
    scopes = {rule: rule.scope(X) for rule in constraints.rules}
    taken: dict[str, list[int]] = {kind: [] for kind in SAMPLE_KINDS}
    rules: dict[Rule, None] = {}
    for kind in SAMPLE_KINDS:
        places = {tuple(row): at for at, row in enumerate(constraints.links[kind].rows.tolist())}
        for row in error.witness.links[kind].rows.tolist():
            if tuple(row) in places:
                taken[kind].append(places[tuple(row)])
            else:
                rules[_author(kind, row, scopes)] = None
    if not rules:
        return error
    chosen: dict[str, Any] = {kind: places or None for kind, places in taken.items()}
    witness = constraints.take(**chosen, rules=rules)
    return RuleConflictError(_sentence(witness, scopes), witness)


def _author(kind: str, row: list[int], scopes: dict[Rule, BoolArray]) -> Rule:
    """Return the rule that means a pair."""
    first, second = row
    for rule, scope in scopes.items():
        inside = bool(scope[first]) + bool(scope[second])
        if inside == 2 if kind == "must_link" else rule.exactly and inside == 1:
            return rule
    raise AssertionError("every pair of an expansion comes from a rule")


def _sentence(witness: Constraints, scopes: dict[Rule, BoolArray]) -> str:
    items = [
        f"'{excerpt(str(rule))}' ({counted(int(scopes[rule].sum()), 'sample')})"
        for rule in witness.rules
    ]
    stated = [f"'{text}'" for text in descriptions(witness.restrict(kinds=SAMPLE_KINDS))]
    more = len(stated) - MOST_LISTED
    items += stated[:MOST_LISTED] + [f"{more:,} more"] * (more > 0)
    words = f"{', '.join(items[:-1])} and {items[-1]} cannot hold at once"
    if len(witness.rules) == 2 and not stated:
        shared = int(np.logical_and(*(scopes[rule] for rule in witness.rules)).sum())
        belongs = "belongs" if shared == 1 else "belong"
        return f"{words}: {counted(shared, 'sample')} {belongs} to both."
    return f"{words}."
