"""What a constraint file states, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from clustraint.constraints._kinds import KINDS, SAMPLE_KINDS

PARTS = (*SAMPLE_KINDS, *(KINDS[kind].weights for kind in SAMPLE_KINDS), "rules")
# Python reads no integers of thousands of digits, and none that long means anything here.
MOST_DIGITS = 500
# 007 is a name: nobody numbers rows like that.
ROW_NUMBER = re.compile(r"\s*+(#|sample +)?+(0|-?[1-9][0-9]*+)\s*+")


class Bare(str):
    """A text that is a name or, where no sample has that name, perhaps a row number."""

    __slots__ = ()


# Any other text is surely a name, and a number surely a row.
Member: TypeAlias = str | int


def row_number(member: Member) -> int | None:
    """Return the row number that a member can be taken for."""
    if isinstance(member, int):
        return member
    match = ROW_NUMBER.fullmatch(member) if isinstance(member, Bare) else None
    return int(match[2][:MOST_DIGITS]) if match else None


def is_surely_row(member: Member) -> bool:
    """Tell whether a member is a row even where samples have names: ``#31`` or ``sample 31``."""
    match = ROW_NUMBER.fullmatch(member) if isinstance(member, Bare) else None
    return isinstance(member, int) or bool(match and match[1])


def plain_name(member: Member) -> str | None:
    """Return the name that a member can be taken for, without spaces around a bare one."""
    if isinstance(member, Bare):
        return member.strip() or None
    return member if isinstance(member, str) else None


class ContentError(ValueError):
    """What is wrong, and in which line: 0 for the file as a whole."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class Statement(NamedTuple):
    """One constraint; a rule has its formula as the only member."""

    kind: str
    members: tuple[Member, ...]
    weight: str | float = 1.0
    line: int = 0
    where: str = ""

    def wrong(self, problem: object) -> ContentError:
        """Return the error that says what is wrong with the statement."""
        return ContentError(self.line, f"{self.where}{problem}")


class Document(NamedTuple):
    """All that a file states; `n_samples` is None where it lists names, to which numbers refer."""

    statements: Sequence[Statement]
    n_samples: int | None = None
    names: tuple[str, ...] | None = None
