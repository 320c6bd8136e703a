"""Reading formulas by a grammar, and saying where and why one cannot be read."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clustraint.constraints._formula import Formula
from clustraint.constraints.atoms import NAME, NUMBER, UNORDERED, Atom, spell_value
from clustraint.exceptions import RuleSyntaxError
from clustraint.wording import excerpt

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = ["MAX_LENGTH", "parse"]

MAX_LENGTH = 100_000

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
NAME: /{NAME}/
BACKQUOTED: /`(?:[^`\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|``)+`/
NUMBER: /{NUMBER}/
TEXT: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
MISSING: "?"
%ignore /\s+/
"""

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"} | {c: c for c in "\"'\\/"}


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
    if atom.asks_for_missing and atom.comparison not in UNORDERED:
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
    """Where reading stopped: the tokens before, and the text that could not follow them."""

    before: Sequence[Token]
    rest: str
    kind: str


def _syntax_error(text: str, position: int | None) -> RuleSyntaxError:
    """Describe the error at `position`, or at the end of the text where that is None."""
    at = len(text.rstrip()) if position is None else position
    stop = _stop(text, at)
    unclosed = _unclosed_quote(text, at) if stop.kind == "" and stop.rest else None
    rest = excerpt(repr(stop.rest)) if stop.rest else "the end of the rule"
    problem = unclosed or f"expected {_expected(stop)}, found {rest}{_hint(stop)}"
    return RuleSyntaxError(text, at + 1, problem)


def _stop(text: str, at: int) -> _Stop:
    from lark.exceptions import UnexpectedCharacters

    before = list(_parser().lex(text[:at]))
    try:
        token = next(_parser().lex(text[at:]), None)
    except UnexpectedCharacters:
        return _Stop(before, text[at], "")
    return _Stop(before, str(token or ""), token.type if token else "")


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
    if last == "NAME" and stop.kind in ("NAME", "") and stop.rest:
        return " (a name with spaces or signs in it stands in backquotes)"
    return ""


def _spellings(stop: _Stop) -> Iterator[str]:
    yield stop.rest.lower()
    if stop.before:
        yield stop.before[-1] + stop.rest
        yield stop.before[-1].lower()


def _value_hint(stop: _Stop) -> str:
    if stop.rest.lower() in ("true", "false"):
        name = excerpt(str(stop.before[-2]))
        return f" (write {name} for true and ~{name} for false)"
    if stop.rest.lower() in _NOTHINGS:
        return " (use '?' for a missing value)"
    return f" (quote a text: {excerpt(spell_value(stop.rest))})"
