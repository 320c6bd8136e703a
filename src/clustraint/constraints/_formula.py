"""Propositional formulas about columns: evaluating and writing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from clustraint.constraints._truth import CONNECTIVES, Truth, problem_of, truth_of
from clustraint.constraints.atoms import Atom
from clustraint.exceptions import RuleColumnError
from clustraint.tables import Column
from clustraint.typing import BoolArray

__all__ = ["Formula"]

_BINDING = {"|": 1, "&": 2, "~": 3}
_SPELLED = {"|": " or ", "&": " and ", "~": "not "}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as a program in postfix order: atoms, and the operators that join them.

    Parameters
    ----------
    program : tuple of Atom and str
        ``milk & ~eggs`` is ``(Atom("milk"), Atom("eggs"), "~", "&")``.

    Examples
    --------
    >>> from clustraint.constraints._formula_parser import parse
    >>> parse("((milk)) & (legs==4 | ~`has fins`)").text
    'milk and (legs is 4 or not "has fins")'
    """

    program: tuple[Atom | str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The distinct names in order of appearance."""
        names = (step.name for step in self.program if isinstance(step, Atom))
        return tuple(dict.fromkeys(names))

    @property
    def text(self) -> str:
        """The canonical text, one line with no parentheses but the needed ones."""
        return _spell(self.program)

    def evaluate(self, columns: dict[str, Column]) -> BoolArray:
        """Return where the formula is surely true.

        Parameters
        ----------
        columns : dict of str to Column
            The columns that the formula names; each is taken out when it is not needed any more,
            so that a large table is not in memory twice.

        Returns
        -------
        bool ndarray of shape (n_samples,)

        Examples
        --------
        >>> import numpy as np
        >>> legs = Column("legs", np.array([4, 2]))
        >>> Formula((Atom("legs", ">", 3),)).evaluate({"legs": legs})
        array([ True, False])
        """
        last = {step.name: at for at, step in enumerate(self.program) if isinstance(step, Atom)}
        stack: list[Truth] = []
        for at, step in enumerate(self.program):
            if isinstance(step, Atom):
                is_last = last[step.name] == at
                column = columns.pop(step.name) if is_last else columns[step.name]
                stack.append(self._truth(step, column))
            elif step == "~":
                is_true, is_false = stack.pop()
                stack.append(Truth(is_false, is_true))
            else:
                right = stack.pop()
                stack.append(CONNECTIVES[step](stack.pop(), right))
        return stack.pop().is_true

    def _truth(self, atom: Atom, column: Column) -> Truth:
        problems = (problem_of(part, column) for part in atom.parts)
        if problem := next(filter(None, problems), None):
            raise RuleColumnError(self.text, atom.name, problem)
        truths = [truth_of(part, column) for part in atom.parts]
        joined = reduce(CONNECTIVES["&" if atom.is_range else "|"], truths)
        return Truth(joined.is_false, joined.is_true) if atom.comparison == "not in" else joined


def _spell(program: Sequence[Atom | str]) -> str:
    """Write a program from right to left: read backwards, an operator precedes its operands."""
    pieces: list[str] = []
    pending: list[str | int] = [0]  # texts to write, and bindings that await an operand
    for step in reversed(program):
        outer = _write_texts(pending, pieces)
        if isinstance(step, Atom):
            pieces.append(step.text)
        elif step == "~":
            pending += [_SPELLED["~"], _BINDING["~"]]
        else:
            inner = _BINDING[step]
            if inner < outer:
                pieces.append(")")
                pending.append("(")
            pending += [inner, _SPELLED[step], inner]
    _write_texts([-1, *pending], pieces)
    return "".join(reversed(pieces))


def _write_texts(pending: list[str | int], pieces: list[str]) -> int:
    """Move texts from `pending` to `pieces` up to the next binding, and return that."""
    while isinstance(entry := pending.pop(), str):
        pieces.append(entry)
    return entry
