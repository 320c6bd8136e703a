"""What a strategy and whoever drives it say to each other: queries and answers."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustraint.checks import is_whole
from clustraint.exceptions import InvalidAnswerError

Word: TypeAlias = Literal["yes", "no", "don't know"]
Pair: TypeAlias = frozenset[int]

WORDS: dict[object, Word] = {True: "yes", False: "no", None: "don't know"}
# The constraint that an answer makes; "don't know" makes none.
KINDS: dict[Word, Literal["must_link", "cannot_link"]] = {"yes": "must_link", "no": "cannot_link"}


class Answer(NamedTuple):
    """A question about two samples with its answer.

    Attributes
    ----------
    first, second : int
        The samples.
    answer : {"yes", "no", "don't know"}
        Whether they belong together.

    Examples
    --------
    >>> Answer(0, 5, "yes")
    Answer(first=0, second=5, answer='yes')
    """

    first: int
    second: int
    answer: Word

    @property
    def pair(self) -> Pair:
        """The samples, whichever comes first."""
        return frozenset((self.first, self.second))

    @classmethod
    def parse(cls, row: Any) -> Answer:
        """Return an answer from a row of two samples and "yes", "no" or "don't know".

        Examples
        --------
        >>> Answer.parse([0, 5, False])
        Answer(first=0, second=5, answer='no')
        """
        try:
            first, second, answer = row
        except (TypeError, ValueError):
            raise InvalidAnswerError(row) from None
        if not (is_whole(first) and is_whole(second)):
            raise InvalidAnswerError(row)
        return cls(int(first), int(second), word(answer))


class Query(NamedTuple):
    """The question whether two samples belong together.

    Attributes
    ----------
    first, second : int
        The samples.
    distance : float or None
        How far apart the strategy takes them to be, if it has a distance.
    drawn : {"strategy", "random", "again"}
        Why it is asked: chosen by the strategy; drawn at random, so that clusterings can be
        compared by such pairs; or asked before, to see whether the answer is the same.

    Examples
    --------
    >>> Query(0, 5).answered("yes")
    Answer(first=0, second=5, answer='yes')
    """

    first: int
    second: int
    distance: float | None = None
    drawn: Literal["strategy", "random", "again"] = "strategy"

    @property
    def pair(self) -> Pair:
        """The samples, whichever comes first."""
        return frozenset((self.first, self.second))

    def answered(self, answer: Any) -> Answer:
        """Return the question with its answer: "yes", "no" or "don't know", or True, False, None.

        Examples
        --------
        >>> Query(0, 5).answered(None)
        Answer(first=0, second=5, answer="don't know")
        """
        return Answer(self.first, self.second, word(answer))


# A strategy yields queries and is sent their answers, or None when nobody answers any more; it then
# returns what it made of the answers.
Questions: TypeAlias = Generator[Query, Answer | None, Any]


def word(answer: Any) -> Word:
    """Return an answer in words.

    Examples
    --------
    >>> word(True), word("no")
    ('yes', 'no')
    """
    if isinstance(answer, bool | np.bool_) or answer is None:
        return WORDS[None if answer is None else bool(answer)]
    for each in WORDS.values():
        if isinstance(answer, str) and answer == each:
            return each
    raise InvalidAnswerError(answer)
