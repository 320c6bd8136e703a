"""What is known before any clustering: kinds, closure, entailment, consistency, rules, files."""

from clustraint.constraints._about import as_constraints, check_constraints
from clustraint.constraints._closure import Components
from clustraint.constraints._constraints import Constraints
from clustraint.constraints._files import is_large
from clustraint.constraints._kinds import (
    KINDS,
    PAIR_KINDS,
    RULE_KINDS,
    SAMPLE_KINDS,
    ConstraintKind,
)
from clustraint.constraints._lines import LineFormat
from clustraint.constraints._rule import Rule
from clustraint.constraints._streamed import (
    FileCheck,
    StreamedComponents,
    check_file,
    check_pairs,
    read_named,
)

__all__ = [
    "KINDS",
    "PAIR_KINDS",
    "RULE_KINDS",
    "SAMPLE_KINDS",
    "Components",
    "ConstraintKind",
    "Constraints",
    "FileCheck",
    "LineFormat",
    "Rule",
    "StreamedComponents",
    "as_constraints",
    "check_constraints",
    "check_file",
    "check_pairs",
    "is_large",
    "read_named",
]
