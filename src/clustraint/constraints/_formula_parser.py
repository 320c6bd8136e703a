"""Reading formulas by a grammar, and saying where and why one cannot be read."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clustraint.constraints._formula import Formula
from clustraint.constraints.atoms import MISSING_WORDS, NAME, NUMBER, UNORDERED, Atom
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
        | range
atom: _name
    | _name COMPARISON _value
    | _name IS _value
    | _name IS NOT _value
    | _name IN values
    | _name NOT IN values
range: NUMBER COMPARISON _name
     | NUMBER COMPARISON _name COMPARISON NUMBER
values: "{{" _value ("," _value)* "}}"
_name: NAME | BACKQUOTED | TEXT
_value: NUMBER | TEXT | MISSING | NAME

AND.2: /&|and\b/i
OR.2: /\||or\b/i
NOT.2: /~|not\b/i
IS.2: /is\b/i
IN.2: /in\b/i
COMPARISON: /[=!<>]=|<>|[<>=]/
NAME: /{NAME}/
BACKQUOTED: /`(?:[^`\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|``)+`/
NUMBER: /{NUMBER}/
TEXT: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
MISSING: "?"
%ignore /\s+/
"""

_SYMBOLS = {"AND": "&", "OR": "|", "NOT": "~"}
_COMPARED = {"=": "==", "<>": "!="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
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
        problem = f"a rule must be a text such as 'milk and not eggs', but is {type(text).__name__}"
        raise RuleSyntaxError(excerpt(repr(text)), 1, problem)
    if len(text) > MAX_LENGTH:
        raise _too_long(text, len(text))
    if not text.strip():
        raise RuleSyntaxError(text, 1, "the rule is empty: expected a name, 'not' or '('")


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
            yield _SYMBOLS[node.type]  # type: ignore[attr-defined]
        elif node.data == "atom":
            yield from _read_atom(node.children, text)
        elif node.data == "range":
            yield _read_range(node.children, text)
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


def _read_atom(tokens: Sequence[Any], text: str) -> Iterator[Atom | str]:
    name = _READERS[tokens[0].type](tokens[0], text)
    if len(tokens) == 1:
        yield Atom(name)
        return
    negated = any(token.type == "NOT" for token in tokens[1:-1])
    if tokens[-2].type == "IN":
        values = tuple(_read_member(token, text) for token in tokens[-1].children)
        yield Atom(name, "not in" if negated else "in", values)
        return
    sign = "==" if tokens[1].type == "IS" else _COMPARED.get(tokens[1], str(tokens[1]))
    yield from _compared(name, "!=" if negated else sign, tokens, text)


def _compared(name: str, sign: str, tokens: Sequence[Any], text: str) -> Iterator[Atom | str]:
    """Yield what a name, a sign and a value say; words such as missing and true are no texts."""
    value = tokens[-1]
    word = value.lower() if value.type == "NAME" else ""
    if value.type == "MISSING" or word in MISSING_WORDS or word == "known":
        if sign not in UNORDERED:
            problem = "a missing value can be compared by is and is not only"
            raise RuleSyntaxError(text, _column_of(tokens[1]), problem)
        opposite = "!=" if sign == "==" else "=="
        yield Atom(name, opposite if word == "known" else sign)
    elif word in ("true", "false") and sign in UNORDERED:
        yield Atom(name)
        yield from ["~"] * ((word == "true") != (sign == "=="))
    else:
        yield Atom(name, sign, _READERS[value.type](value, text))


def _read_member(token: Any, text: str) -> int | float | str:
    """Return one value of a set."""
    word = token.lower() if token.type == "NAME" else ""
    if token.type == "MISSING" or word in MISSING_WORDS | {"known", "true", "false"}:
        problem = f"a set holds numbers and texts: quote {token!s:.60} if it is a text"
        raise RuleSyntaxError(text, _column_of(token), problem)
    value: int | float | str = _READERS[token.type](token, text)
    return value


def _read_range(tokens: Sequence[Any], text: str) -> Atom:
    """Return ``2 < a <= 3`` or ``2 < a``, whichever side the bounds are on."""
    name = _READERS[tokens[2].type](tokens[2], text)
    bounds = [_read_number(token, text) for token in tokens if token.type == "NUMBER"]
    signs = [_COMPARED.get(t, str(t)) for t in tokens if t.type == "COMPARISON"]
    if len(bounds) == 1:
        return Atom(name, _FLIPPED[signs[0]], bounds[0])
    if {sign[0] for sign in signs} not in ({"<"}, {">"}):
        problem = "a range has two signs of one direction, as in 2 < legs <= 4"
        raise RuleSyntaxError(text, _column_of(tokens[3]), problem)
    if signs[0][0] == ">":
        signs, bounds = [_FLIPPED[sign] for sign in signs[::-1]], bounds[::-1]
    return Atom(name, " ".join(signs), tuple(bounds))


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
_SPELLINGS = {"&&": "and", "||": "or", "!": "not"}


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
    if last in ("COMPARISON", "IS"):
        return "a number, a text or 'missing'"
    if _in_braces(stop.before):
        return "a value" if last in ("LBRACE", "COMMA") else "',' or '}'"
    if last == "IN":
        return "values in braces, as in {red, blue}"
    if _awaits_comparison(stop.before):
        return f"a comparison, 'and', 'or' or {_expected_end(stop.before)}"
    if last in (*_VALUES, "NAME", "BACKQUOTED", "RPAR", "RBRACE"):
        return f"'and', 'or' or {_expected_end(stop.before)}"
    return "a name, 'not' or '('"


def _in_braces(before: Sequence[Token]) -> bool:
    kinds = [token.type for token in before]
    return kinds.count("LBRACE") > kinds.count("RBRACE")


def _awaits_comparison(before: Sequence[Token]) -> bool:
    """Tell whether the last token is the name of a column, and not a value."""
    is_name = before and before[-1].type in ("NAME", "BACKQUOTED", "TEXT")
    asked = ("COMPARISON", "IS", "NOT", "LBRACE", "COMMA")
    if not is_name or len(before) == 1:
        return bool(is_name)
    if before[-2].type == "NOT":
        return not (len(before) > 2 and before[-3].type == "IS")
    return before[-2].type not in asked


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
    if _in_braces(stop.before) and stop.kind == "AND":
        return " (this set was printed short; its formula has all values)"
    if last in ("NAME", "TEXT") and stop.kind in ("NAME", "") and stop.rest:
        return " (a name or text with spaces or signs in it stands in quotes)"
    return ""


def _spellings(stop: _Stop) -> Iterator[str]:
    yield stop.rest.lower()
    if stop.before:
        yield stop.before[-1] + stop.rest
        yield stop.before[-1].lower()
