"""What follows from pairs, kept up to date as answers come."""

from __future__ import annotations

from clustraint.active._protocol import Answer, Word
from clustraint.constraints import Constraints


class PairClosure:
    """The must-link components of samples, and which of them are kept apart.

    Examples
    --------
    >>> closure = PairClosure(Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)]))
    >>> closure.answer_to(0, 2)
    'no'
    >>> closure.add(Answer(2, 3, "yes"))
    >>> closure.answer_to(3, 0)
    'no'
    >>> print(PairClosure(Constraints(2)).answer_to(0, 1))
    None
    """

    def __init__(self, constraints: Constraints) -> None:
        components = constraints.components
        self._labels = components.labels.copy()
        self._apart: dict[int, set[int]] = {}
        for first, second in components.cannot_link.tolist():
            self._keep_apart(first, second)

    def answer_to(self, first: int, second: int) -> Word | None:
        """Return the answer that follows about two samples, None if none does."""
        one, other = int(self._labels[first]), int(self._labels[second])
        if one == other:
            return "yes"
        return "no" if other in self._apart.get(one, ()) else None

    def add(self, answer: Answer) -> None:
        """Take in an answer that did not follow, nor its opposite."""
        one, other = int(self._labels[answer.first]), int(self._labels[answer.second])
        if answer.answer == "no":
            self._keep_apart(one, other)
        elif answer.answer == "yes":
            self._labels[self._labels == other] = one
            for third in self._apart.pop(other, set()):
                self._apart[third].discard(other)
                self._keep_apart(one, third)

    def _keep_apart(self, one: int, other: int) -> None:
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)
