"""Rules: knowledge about attributes instead of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from clustraint.constraints._formula import Formula
from clustraint.constraints._formula_parser import parse
from clustraint.exceptions import ClustraintError, RuleColumnError, UnknownAttributeError
from clustraint.tables import Columns, read_columns
from clustraint.typing import BoolArray

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    r"""Samples for which a formula is true belong together.

    Parameters
    ----------
    text : str
        A formula about the columns of the data, see Notes.
    exactly : bool, default=False
        False: the samples in scope are in one cluster, perhaps with others (*together*).
        True: they are one whole cluster, with nobody else in it (*exactly*).

    Attributes
    ----------
    text : str
        The formula in canonical form: a single line without needless parentheses. Two rules
        are equal if their canonical formulas and `exactly` are.
    exactly : bool
        As given.

    Notes
    -----
    A formula is made of

    - names of columns that are true or false, or hold 0 and 1: ``milk``; a name that is no
      identifier stands in backquotes, and a backquote inside it is doubled: ```has fins```;
    - comparisons ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` of a name with a number,
      ``legs == 4``, or by ``==`` and ``!=`` with a quoted text, ``color == "red"``, in which a
      backslash escapes as in JSON;
    - ``legs == ?``, true where the value is missing and false elsewhere, and ``legs != ?``;
    - ``~`` (not), ``&`` (and), ``|`` (or), binding in this order, and parentheses.

    It is parsed by a grammar and never run as code.

    Missing values (None, nan, NA, null) make any other test unknown, and logic has three values
    (Kleene's): ``a | b`` is true where `a` is true whatever `b` is, ``~a`` and ``a | ~a`` are
    unknown where `a` is. A sample is in scope only where the formula is surely true.

    Integers are compared exactly. A decimal is compared at the precision of the column, so that
    ``x == 0.1`` finds the value 0.1 in a column of single precision too.

    Examples
    --------
    >>> rule = Rule("(milk) & ~(eggs)")
    >>> rule
    Rule('milk & ~eggs')
    >>> rule == Rule("milk&~eggs")
    True
    >>> print(Rule("feathers", exactly=True))
    exactly: feathers
    """

    text: str
    exactly: bool = False
    _formula: Formula = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.exactly, bool | np.bool_):
            raise ClustraintError(f"exactly must be True or False, but is {self.exactly!r}.")
        formula = parse(self.text)
        object.__setattr__(self, "_formula", formula)
        object.__setattr__(self, "text", formula.text)
        object.__setattr__(self, "exactly", bool(self.exactly))

    @property
    def kind(self) -> Literal["together", "exactly"]:
        """``"together"`` or ``"exactly"``.

        Examples
        --------
        >>> Rule("milk").kind
        'together'
        """
        return "exactly" if self.exactly else "together"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The distinct names in the formula, in order of appearance.

        Examples
        --------
        >>> Rule("milk & (legs == 4 | ~milk & eggs)").attributes
        ('milk', 'legs', 'eggs')
        """
        return self._formula.attributes

    def scope(self, X: Any, feature_names: Sequence[str] | None = None) -> BoolArray:
        """Return which samples the formula is surely true for.

        Parameters
        ----------
        X : SampleTable, DataFrame, array or sparse matrix of shape (n_samples, n_features)
            Any table that `clustraint.tables.read_columns` takes. Of a sparse matrix, only the
            columns used are made dense; of a `SampleTable`, those left out can be named too.
        feature_names : sequence of str, optional
            Names of the columns of an array; ``x0``, ``x1``, … where none are given. A frame
            has names of its own.

        Returns
        -------
        scope : bool ndarray of shape (n_samples,)
            False where missing values leave the formula unknown.

        Raises
        ------
        UnknownAttributeError
            If the formula names no column of `X`.
        RuleColumnError
            If a column does not hold what the formula asks of it.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[1, 4], [1, 2], [0, 4]])
        >>> Rule("milk & legs == 4").scope(X, feature_names=["milk", "legs"])
        array([ True, False, False])
        """
        columns = read_columns(X, feature_names)
        places = [self._place(columns, name) for name in self.attributes]
        return self._formula.evaluate(dict(zip(self.attributes, columns.pick(places), strict=True)))

    def _place(self, columns: Columns, name: str) -> int:
        places = columns.places(name)
        if not places:
            raise UnknownAttributeError(name, self.text, (*columns.names, *columns.aside))
        if len(places) > 1:
            problem = f"occurs {len(places)} times in X; give each of them a name of its own"
            raise RuleColumnError(self.text, name, problem)
        return places[0]

    def __repr__(self) -> str:
        return f"Rule({self.text!r}{', exactly=True' if self.exactly else ''})"

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.exactly)
