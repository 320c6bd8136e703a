"""Rules that cannot be read, or that do not fit the data or each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clustraint.exceptions._base import ClustraintError, ClustraintWarning
from clustraint.exceptions._knowledge import InconsistentConstraintsError
from clustraint.wording import excerpt, excerpt_start, near_matches

if TYPE_CHECKING:
    from clustraint.constraints import Constraints, Rule


class RuleSyntaxError(ClustraintError):
    """A formula that cannot be read; `column` counts from 1."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text = text
        self.column = column
        offset = min(column - 1, len(text))
        start = excerpt_start(text, offset)
        shown = "".join(c if c.isprintable() else " " for c in excerpt(text, offset))
        caret = " " * (offset - start + (1 if start else 0)) + "^"
        super().__init__(f"{problem} at column {column}:\n  {shown}\n  {caret}")


class UnknownAttributeError(ClustraintError):
    """A formula names a column that the data do not have."""

    def __init__(self, name: str, rule: str, columns: Sequence[str]) -> None:
        hint = near_matches(name, columns)
        if not hint:
            hint = f"; the columns are {excerpt(', '.join(columns[:50]), width=200)}"
        super().__init__(
            f"rule {excerpt(rule)!r} names {excerpt(name)!r}, which is not a column{hint}"
        )


class RuleColumnError(ClustraintError):
    """A column that holds something else than the formula asks of it."""

    def __init__(self, rule: str, column: str, problem: str) -> None:
        super().__init__(f"rule {excerpt(rule)!r}: column {excerpt(column)!r} {problem}.")


class OverlappingRulesError(InconsistentConstraintsError):
    """Rules that want a sample in two clusters."""

    def __init__(
        self, first: Rule, second: Rule, shared: str, witness: Constraints, outside: str = ""
    ) -> None:
        rules = f"rules '{excerpt(str(first))}' and '{excerpt(str(second))}'"
        problem = (
            f"{outside} is in scope of the first only and may not join the cluster of the second"
            if outside
            else "the clusters of two exactly rules have no sample in common"
        )
        super().__init__(f"{rules} both hold for {shared}, but {problem}.", witness)


class RuleConflictError(InconsistentConstraintsError):
    """Rules that contradict each other or other constraints; the witness holds the rules."""


class LinkedLabelsError(InconsistentConstraintsError):
    """Rules that put samples of two labels into one cluster."""

    def __init__(self, first: Rule, second: Rule, witness: Constraints) -> None:
        listed = ", ".join(f"'{rule}'" for rule in witness.rules)
        super().__init__(
            f"samples with {first.text} and {second.text} (labels in y) are in different clusters, "
            f"but the rules {excerpt(listed, width=200)} link them.",
            witness,
        )


class UnrepairableRulesError(ClustraintError):
    """Rules that contradict each other, where only pairs and triplets may be dropped."""

    def __init__(self) -> None:
        super().__init__(
            "the rules contradict each other, but only pairs and triplets can be dropped; change "
            "or remove a rule."
        )


class EmptyScopeError(ClustraintError):
    """An `exactly` rule, which asks for a cluster, without a sample to put there."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(
            f"rule '{excerpt(str(rule))}' holds for no sample, so its cluster would be empty; "
            "correct it, or leave it out."
        )


class EmptyScopeWarning(ClustraintWarning):
    """A `together` rule that says nothing about any sample."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(f"rule '{excerpt(str(rule))}' holds for no sample and has no effect.")
