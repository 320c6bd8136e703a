"""Propositional formulas about columns: reading, writing and evaluating them."""

from __future__ import annotations

import functools
import json
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint._wording import excerpt
from clustraint.constraints._columns import BoolArray, Column
from clustraint.exceptions import RuleColumnError, RuleSyntaxError

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = ["MAX_LENGTH", "Atom", "Formula", "parse"]

MAX_LENGTH = 100_000

_NAME = r"[^\W\d]\w*"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

GRAMMAR = rf"""
?either: both | either OR both
?both: literal | both AND literal
?literal: NOT literal -> negation
        | "(" either ")"
        | atom
atom: _name | _name COMPARISON _value
_name: NAME | BACKQUOTED
_value: NUMBER | TEXT | MISSING

AND: "&"
OR: "|"
NOT: "~"
COMPARISON: /[=!<>]=|[<>]/
NAME: /{_NAME}/
BACKQUOTED: /`(?:[^`\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|``)+`/
NUMBER: /{_NUMBER}/
TEXT: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
MISSING: "?"
%ignore /\s+/
"""

_BINDING = {"|": 1, "&": 2, "~": 3}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_UNORDERED = ("==", "!=")

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"} | {c: c for c in "\"'\\/"}
# What JSON leaves bare although it would break a line or cannot be written to a file.
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Truth(NamedTuple):
    """What is known of a formula for each sample; neither is true where it is unknown."""

    is_true: BoolArray
    is_false: BoolArray


_CONNECTIVES: dict[str, Callable[[Truth, Truth], Truth]] = {
    "&": lambda a, b: Truth(a.is_true & b.is_true, a.is_false | b.is_false),
    "|": lambda a, b: Truth(a.is_true | b.is_true, a.is_false & b.is_false),
}


class Atom(NamedTuple):
    """A formula without operators: a name by itself, or compared with a value.

    A comparison with None asks whether a value is missing.
    """

    name: str
    comparison: str = ""
    value: int | float | str | None = None

    @property
    def text(self) -> str:
        """The atom as a formula."""
        if not self.comparison:
            return spell_name(self.name)
        value = "?" if self.value is None else spell_value(self.value)
        return f"{spell_name(self.name)} {self.comparison} {value}"

    @property
    def asks_for_missing(self) -> bool:
        """Whether the atom is ``name == ?`` or ``name != ?``."""
        return bool(self.comparison) and self.value is None


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as a program in postfix order: atoms, and the operators that join them.

    Parameters
    ----------
    program : tuple of Atom and str
        ``milk & ~eggs`` is ``(Atom("milk"), Atom("eggs"), "~", "&")``.

    Examples
    --------
    >>> parse("((milk)) & (legs==4 | ~`has fins`)").text
    'milk & (legs == 4 | ~`has fins`)'
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

    def evaluate(self, column_of: Callable[[str], Column]) -> BoolArray:
        """Return where the formula is surely true.

        Parameters
        ----------
        column_of : callable
            Gives the `Column` of a name.

        Returns
        -------
        bool ndarray of shape (n_samples,)

        Examples
        --------
        >>> legs = Column("number", np.array([4, 2]), np.array([False, False]))
        >>> parse("legs > 3").evaluate({"legs": legs}.__getitem__)
        array([ True, False])
        """
        stack: list[Truth] = []
        for step in self.program:
            if isinstance(step, Atom):
                stack.append(self._truth(step, column_of(step.name)))
            elif step == "~":
                is_true, is_false = stack.pop()
                stack.append(Truth(is_false, is_true))
            else:
                right = stack.pop()
                stack.append(_CONNECTIVES[step](stack.pop(), right))
        return stack.pop().is_true

    def _truth(self, atom: Atom, column: Column) -> Truth:
        if atom.asks_for_missing:
            answers = Truth(column.missing, ~column.missing)
            return answers if atom.comparison == "==" else Truth(*answers[::-1])
        problem = _problem(atom, column)
        if problem:
            raise RuleColumnError(self.text, atom.name, problem)
        present = ~column.missing
        truth = Truth(np.zeros_like(present), np.zeros_like(present))
        if column.kind != "nothing":
            holds = _holds(atom, column.values)
            truth.is_true[present] = holds
            truth.is_false[present] = ~holds
        return truth


def parse(text: str) -> Formula:
    """Read a formula.

    Parameters
    ----------
    text : str
        At most `MAX_LENGTH` characters.

    Returns
    -------
    Formula

    Raises
    ------
    RuleSyntaxError
        With the column where the text stops being a formula, and what was expected there.

    Examples
    --------
    >>> parse("milk & ~eggs").attributes
    ('milk', 'eggs')
    """
    _check_text(text)
    formula = Formula(tuple(_program(_tree(text), text)))
    if len(formula.text) > MAX_LENGTH:
        raise _too_long(text, len(formula.text), " when written with single spaces")
    return formula


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        problem = f"a rule must be a text such as 'milk & ~eggs', but is {type(text).__name__}"
        raise RuleSyntaxError(excerpt(repr(text)), 1, problem)
    if len(text) > MAX_LENGTH:
        raise _too_long(text, len(text))
    if not text.strip():
        raise RuleSyntaxError(text, 1, "the rule is empty: expected a name, '~' or '('")


def _too_long(text: str, length: int, how: str = "") -> RuleSyntaxError:
    problem = f"a rule may have {MAX_LENGTH:,} characters, but this one has {length:,}{how}"
    return RuleSyntaxError(text, min(len(text), MAX_LENGTH) + 1, problem)


@functools.cache
def _parser() -> Lark:
    # Imported here: who has no rules need not wait for lark.
    from lark import Lark

    return Lark(GRAMMAR, start="either", parser="lalr", lexer="basic")


def _tree(text: str) -> Tree[Token]:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        return _parser().parse(text)
    except UnexpectedCharacters as error:
        raise _syntax_error(text, error.pos_in_stream) from None
    except UnexpectedToken as error:
        ended = error.token.type == "$END"
        raise _syntax_error(text, None if ended else error.token.start_pos) from None


def _program(tree: Tree[Token], text: str) -> Iterator[Atom | str]:
    """Yield the steps of the program, by a stack because formulas may be nested deeply."""
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield str(node)
        elif node.data == "atom":
            yield _read_atom(node.children, text)
        elif node.data == "negation":
            stack += node.children
        else:
            left, symbol, right = _leaning_left(node)
            stack += [symbol, right, left]


def _leaning_left(tree: Tree[Token]) -> list[Any]:
    """Turn ``a | (b | c)`` into ``(a | b) | c``: one program and one text for both."""
    children: list[Any] = tree.children
    left, symbol, right = children
    while right.data == tree.data:
        left, right = type(tree)(tree.data, [left, symbol, right.children[0]]), right.children[2]
    return [left, symbol, right]


def _read_atom(tokens: Sequence[Token], text: str) -> Atom:
    name = _READERS[tokens[0].type](tokens[0], text)
    if len(tokens) == 1:
        return Atom(name)
    atom = Atom(name, str(tokens[1]), _READERS[tokens[2].type](tokens[2], text))
    if atom.asks_for_missing and atom.comparison not in _UNORDERED:
        problem = "'?', a missing value, can be compared by == and != only"
        raise RuleSyntaxError(text, _column_of(tokens[1]), problem)
    return atom


def _read_name(token: Token, text: str) -> str:
    return str(token)


def _read_backquoted(token: Token, text: str) -> str:
    return token[1:-1].replace("``", "`")


def _read_number(token: Token, text: str) -> int | float:
    number = float(token)
    if math.isinf(number):
        problem = f"the number {excerpt(token)} is too large (above about 1.8e308)"
        raise RuleSyntaxError(text, _column_of(token), problem)
    if not re.fullmatch("[+-]?[0-9]+", token):
        return number
    # Leading zeros go first: Python refuses to read integers of more than 4,300 digits.
    size = int(token.lstrip("+-0") or "0")
    return -size if token.startswith("-") else size


def _read_text(token: Token, text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        if code not in _ESCAPED:
            problem = rf"unknown escape {match[0]!r} (write \\ for a backslash)"
            raise RuleSyntaxError(text, _column_of(token) + 1 + match.start(), problem)
        return _ESCAPED[code]

    plain = _ESCAPE.sub(character, token[1:-1])
    # Two escapes may make one character: "\ud83d\ude00".
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_READERS: dict[str, Callable[[Token, str], Any]] = {
    "NAME": _read_name,
    "BACKQUOTED": _read_backquoted,
    "NUMBER": _read_number,
    "TEXT": _read_text,
    "MISSING": lambda token, text: None,
}


def _column_of(token: Token) -> int:
    return (token.start_pos or 0) + 1


def spell_name(name: str) -> str:
    """Return a name as formulas write it.

    Examples
    --------
    >>> spell_name("legs"), spell_name("no. of legs")
    ('legs', '`no. of legs`')
    """
    return name if re.fullmatch(_NAME, name) else "`" + name.replace("`", "``") + "`"


def spell_value(value: int | float | str) -> str:
    """Return a value as formulas write it.

    Examples
    --------
    >>> spell_value(4), spell_value("four")
    ('4', '"four"')
    """
    if not isinstance(value, str):
        return repr(value)
    quoted = json.dumps(str(value), ensure_ascii=False)
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _spell(program: Sequence[Atom | str]) -> str:
    """Write a program from right to left: read backwards, an operator precedes its operands."""
    pieces: list[str] = []
    pending: list[str | int] = [0]  # texts to write, and bindings that await an operand
    for step in reversed(program):
        outer = _write_texts(pending, pieces)
        if isinstance(step, Atom):
            pieces.append(step.text)
        elif step == "~":
            pending += ["~", _BINDING["~"]]
        else:
            inner = _BINDING[step]
            if inner < outer:
                pieces.append(")")
                pending.append("(")
            pending += [inner, f" {step} ", inner]
    _write_texts([-1, *pending], pieces)
    return "".join(reversed(pieces))


def _write_texts(pending: list[str | int], pieces: list[str]) -> int:
    """Move texts from `pending` to `pieces` up to the next binding, and return that."""
    while isinstance(entry := pending.pop(), str):
        pieces.append(entry)
    return entry


def _problem(atom: Atom, column: Column) -> str | None:
    """Say what keeps the atom from being answered by the column, and the way out."""
    if column.kind == "mixed":
        shown = " and ".join(_show(value) for value in _one_of_each_kind(column.values))
        return f"mixes numbers and text ({shown}); make all of its values the one or the other"
    if column.kind == "other":
        shown = _show(column.values[0])
        return f"holds {shown}; formulas know numbers, truth values and text only"
    if atom.value is None:
        return _problem_of_bare_name(atom, column)
    if isinstance(atom.value, str):
        return _problem_of_text(atom, atom.value, column)
    return _problem_of_number(atom, column)


def _problem_of_bare_name(atom: Atom, column: Column) -> str | None:
    if column.kind == "number":
        strange = column.values[~((column.values == 0) | (column.values == 1))]
    else:
        strange = column.values
    if not len(strange):
        return None
    way_out = excerpt(Atom(atom.name, "==", _plain(strange[0])).text)
    return f"holds {_show(strange[0])}, not only 0 and 1; compare it: {way_out}"


def _problem_of_text(atom: Atom, value: str, column: Column) -> str | None:
    if column.kind == "number" and isinstance(_plain(column.values[0]), bool):
        name = excerpt(spell_name(atom.name))
        return f"holds truth values; write {name} for true and ~{name} for false"
    if column.kind == "number":
        return f"holds numbers, such as {_show(column.values[0])}; {_number_hint(atom, value)}"
    if atom.comparison not in _UNORDERED:
        way_out = excerpt(atom._replace(comparison="==").text)
        return f"can be compared with a quoted value by == and != only: {way_out}"
    return None


def _number_hint(atom: Atom, value: str) -> str:
    if not re.fullmatch(_NUMBER, value):
        return "compare it with a number"
    return f"leave out the quotes: {excerpt(f'{spell_name(atom.name)} {atom.comparison} {value}')}"


def _problem_of_number(atom: Atom, column: Column) -> str | None:
    if column.kind != "text":
        return None
    quoted = atom._replace(value=str(atom.value))
    if atom.comparison in _UNORDERED:
        return f"holds text; quote the value: {excerpt(quoted.text)}"
    way_out = excerpt(quoted._replace(comparison="==").text)
    return f"holds text, which has no order; compare it with == or !=: {way_out}"


def _one_of_each_kind(values: NDArray[Any]) -> Iterator[Any]:
    yield next(value for value in values if not isinstance(value, str))
    yield next(value for value in values if isinstance(value, str))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _show(value: Any) -> str:
    return excerpt(repr(_plain(value)))


def _holds(atom: Atom, values: NDArray[Any]) -> BoolArray:
    if atom.value is None:
        answers = values == 1
    elif isinstance(atom.value, str):
        # Left to itself, numpy takes the null characters off the end of a text.
        answers = _COMPARISONS[atom.comparison](values, np.array(atom.value, dtype=object))
    else:
        answers = _COMPARISONS[atom.comparison](_order(values, atom.value), 0)
    return np.asarray(answers, dtype=np.bool_)


def _order(values: NDArray[Any], number: int | float) -> NDArray[np.int8]:
    """Return -1, 0 or 1 where a value is below, at or above the number."""
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    below, above = _BOUNDS[values.dtype.kind](values.dtype, number)
    return np.asarray(values > below, np.int8) - np.asarray(values < above, np.int8)


def _integer_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    return math.floor(number), math.ceil(number)


def _float_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    with np.errstate(over="ignore"):
        nearest = dtype.type(number)
    # A decimal means the value that the column would hold for it: 0.1 is no float32.
    if isinstance(number, float) and np.isfinite(nearest):
        return nearest, nearest
    below = nearest if float(nearest) <= number else np.nextafter(nearest, dtype.type(-np.inf))
    above = nearest if float(nearest) >= number else np.nextafter(nearest, dtype.type(np.inf))
    return below, above


def _object_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    return number, number


# The values of the type that are nearest to a number, on either side, so that comparing with
# them instead is exact: numpy would round 2**53 + 1 to a float.
_BOUNDS: dict[str, Callable[[np.dtype[Any], int | float], tuple[Any, Any]]] = {
    "i": _integer_bounds,
    "u": _integer_bounds,
    "f": _float_bounds,
    "O": _object_bounds,
}


_VALUES = ("NUMBER", "TEXT", "MISSING")
_NOTHINGS = ("missing", "na", "nan", "none", "null")
_SPELLINGS = {
    "and": "&",
    "&&": "&",
    "or": "|",
    "||": "|",
    "not": "~",
    "!": "~",
    "=": "==",
    "<>": "!=",
}


class _Stop(NamedTuple):
    """Where reading stopped: the tokens before, and what was found instead of more."""

    before: Sequence[Token]
    found: str
    kind: str


def _syntax_error(text: str, position: int | None) -> RuleSyntaxError:
    """Describe the error at `position`, or at the end of the text where that is None."""
    at = len(text.rstrip()) if position is None else position
    stop = _stop(text, at)
    unclosed = _unclosed_quote(text, at) if stop.kind == "" and stop.found else None
    found = excerpt(repr(stop.found)) if stop.found else "the end of the rule"
    problem = unclosed or f"expected {_expected(stop)}, found {found}{_hint(stop)}"
    return RuleSyntaxError(text, at + 1, problem)


def _stop(text: str, at: int) -> _Stop:
    from lark.exceptions import UnexpectedCharacters

    before = list(_parser().lex(text[:at]))
    try:
        found = next(_parser().lex(text[at:]), None)
    except UnexpectedCharacters:
        return _Stop(before, text[at], "")
    return _Stop(before, str(found or ""), found.type if found else "")


def _unclosed_quote(text: str, at: int) -> str | None:
    if text.startswith("``", at):
        return "a name in backquotes is empty"
    if text[at] == "`":
        return "a name in backquotes never ends: expected a closing '`' in the same line"
    if text[at] in "\"'":
        return f"a quoted value never ends: expected a closing {text[at]} in the same line"
    return None


def _last_type(stop: _Stop) -> str:
    return stop.before[-1].type if stop.before else ""


def _expected(stop: _Stop) -> str:
    last = _last_type(stop)
    if last == "COMPARISON":
        return "a number, a quoted value or '?'"
    if last in ("NAME", "BACKQUOTED"):
        return f"a comparison, '&', '|' or {_expected_end(stop.before)}"
    if last in (*_VALUES, "RPAR"):
        return f"'&', '|' or {_expected_end(stop.before)}"
    return "a name, '~' or '('"


def _expected_end(before: Sequence[Token]) -> str:
    opened: list[int] = []
    for token in before:
        if token.type == "LPAR":
            opened.append(_column_of(token))
        elif token.type == "RPAR":
            opened.pop()
    return f"')' for the '(' at column {opened[-1]}" if opened else "the end of the rule"


def _hint(stop: _Stop) -> str:
    """Return a hint in parentheses at the spellings of other languages, or nothing."""
    for spelling in _spellings(stop):
        if spelling in _SPELLINGS:
            return f" (use '{_SPELLINGS[spelling]}' for '{spelling}')"
    last = _last_type(stop)
    if last == "COMPARISON" and stop.kind == "NAME":
        return _value_hint(stop)
    if stop.kind in _VALUES and last not in (*_VALUES, "RPAR"):
        return " (the name comes first, as in legs == 4)"
    if last == "NAME" and stop.kind in ("NAME", "") and stop.found:
        return " (a name with spaces or signs in it stands in backquotes)"
    return ""


def _spellings(stop: _Stop) -> Iterator[str]:
    yield stop.found.lower()
    if stop.before:
        yield stop.before[-1] + stop.found
        yield stop.before[-1].lower()


def _value_hint(stop: _Stop) -> str:
    if stop.found.lower() in ("true", "false"):
        name = excerpt(str(stop.before[-2]))
        return f" (write {name} for true and ~{name} for false)"
    if stop.found.lower() in _NOTHINGS:
        return " (use '?' for a missing value)"
    return f" (quote a text: {excerpt(spell_value(stop.found))})"
