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

    - names of columns that are true or false, or hold 0 and 1: ``milk``;
    - ``country is FR``, ``legs is not 4``, ``color in {red, blue}``, ``color not in {red, blue}``;
    - ``legs > 4``, ``legs <= 4``, ``2 < legs <= 4``;
    - ``legs is missing``, true where there is no value and false elsewhere, and ``legs is known``;
    - ``not``, ``and``, ``or``, binding in this order, and parentheses.

    Names and texts that are more than one word, or a word of the language, stand in quotes: ``"has
    fins" and country is "New Zealand"``; so do texts that look like numbers. A backslash escapes as
    in JSON. Signs may stand for words: ``&``, ``|``, ``~``, ``==``, ``!=``, and ``?`` for a missing
    value; names may stand in backquotes. Every rule that clustraint prints is such a formula.

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
    Rule('milk and not eggs')
    >>> rule == Rule("milk and not eggs")
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
            columns used are made dense; of a `SampleTable`, those left out can be named too. `Rows`
            and dask collections are looked at chunk by chunk.
        feature_names : sequence of str, optional
            Names of the columns of an array; ``x0``, ``x1``, … where none are given. A frame
            has names of its own.

        Returns
        -------
        scope : bool ndarray of shape (n_samples,)
            False where missing values leave the formula unknown. Of rows in chunks, it is not
            computed yet, and comes in the same chunks.

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
        if hasattr(X, "map_add"):  # Rows, which this layer does not know
            return X.labels(_scope_of_chunk, None, self, feature_names, dtype=np.bool_)  # type: ignore[no-any-return]
        if hasattr(X, "map_partitions"):
            return X.map_partitions(_scope_of_frame, self, meta=(None, bool))  # type: ignore[no-any-return]
        if hasattr(X, "map_blocks"):
            whole = X.rechunk({1: -1})
            return whole.map_blocks(self.scope, feature_names, drop_axis=1, dtype=bool)  # type: ignore[no-any-return]
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


def _scope_of_chunk(
    chunk: Any, own: None, rule: Rule, feature_names: Sequence[str] | None
) -> BoolArray:
    return rule.scope(chunk, feature_names)


def _scope_of_frame(frame: Any, rule: Rule) -> Any:
    # A series of the frame's own kind, with its index.
    return frame.iloc[:, 0].isna() & False | rule.scope(frame)
