"""The format for people: one constraint a line, ``dog = wolf`` or ``dog, wolf | trout``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clustraint.constraints._atom import spell_value
from clustraint.constraints._describe import FORMS
from clustraint.constraints._statement import Bare, ContentError, Document, Statement
from clustraint.wording import excerpt, near_matches

if TYPE_CHECKING:
    from clustraint.constraints._constraint_set import ConstraintSet

LONGEST_LINE = 200_000

# Possessive throughout, so that no line takes more than linear time.
RULE = re.compile(
    r'(?P<weight>[^"#:*]*+\*)?+\s*+(?P<kind>together|exactly)\s*+:(?P<rest>.*+)', re.S
)
# A formula up to a comment: # stands for itself where the formula quotes it.
FORMULA = re.compile(
    r"""(?:[^#"'`]|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`[^`]*+`)*+(?=#|\Z)""", re.S
)
TOKEN = re.compile(
    r"""\s*+(?:
        (?P<comment>\#.*+)
        | (?P<quoted>"(?:[^"\\]|\\.)*+")
        | (?P<sign>!=|[=,|*:])
        | (?P<bare>[^\s"=!,|*:\#\0][^"=!,|*:\#\0]*+)
    )""",
    re.S | re.X,
)
# A line without what its names are.
SHAPES = {"_=_": "must_link", "_!=_": "cannot_link", "_,_|_": "triplets"}
# Names that need no quotes: they hold no sign of the format and are no row number.
PLAIN_NAME = re.compile(r"(?![0-9]+\Z)\w(?:[\w .'/()-]*[\w.')])?")


def parse_text(text: str) -> Document:
    """Return what the lines of a file state."""
    lines = enumerate(re.split(r"\r\n|\n|\r", text), start=1)
    statements = (_parse_line(number, line.strip()) for number, line in lines)
    return Document([statement for statement in statements if statement])


def _parse_line(number: int, line: str) -> Statement | None:
    if len(line) > LONGEST_LINE:
        problem = f"a line may have {LONGEST_LINE:,} characters, but this one has {len(line):,}."
        raise ContentError(number, problem)
    if rule := RULE.match(line):
        return _parse_rule(number, rule)
    shape, members = "", []
    for kind, text in _tokens(number, line):
        if kind == "sign":
            shape += text
        elif kind != "comment":
            shape += "_"
            members.append(_unquoted(number, text) if kind == "quoted" else Bare(text.rstrip()))
    if not shape:
        return None
    weight: str | float = 1.0
    if shape.startswith("_*") and isinstance(members[0], Bare):
        weight, shape = members.pop(0), shape[2:]
    if shape not in SHAPES:
        raise ContentError(number, _misshapen(line, shape, members))
    return Statement(SHAPES[shape], tuple(members), weight, number)


def _parse_rule(number: int, rule: re.Match[str]) -> Statement:
    if rule["weight"] is not None:
        raise ContentError(number, f"a rule carries no weight: {excerpt(rule[0])!r}.")
    formula = FORMULA.match(rule["rest"])
    # A quote that never ends is for the rule to complain of.
    text = formula[0] if formula else rule["rest"]
    return Statement(rule["kind"], (text.strip(),), line=number)


def _tokens(number: int, line: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of names, signs and comments."""
    position = 0
    while position < len(line):
        match = TOKEN.match(line, position)
        if match is None or match.lastgroup is None:
            rest = line[position:].lstrip()
            fault = f"{rest[0]!r} is out of place (a name that holds it stands in double quotes)"
            fault = "a quoted name never ends" if rest[0] == '"' else fault
            raise ContentError(number, f"{fault}: {excerpt(rest)!r}.")
        position = match.end()
        yield match.lastgroup, match[match.lastgroup]


def _unquoted(number: int, quoted: str) -> str:
    try:
        return str(json.loads(quoted, strict=False))
    except json.JSONDecodeError as error:
        problem = f"{excerpt(quoted)!r} is no text in double quotes as JSON has it ({error.msg})."
        raise ContentError(number, problem) from None


def _misshapen(line: str, shape: str, members: list[str]) -> str:
    if shape.startswith("_:") and isinstance(members[0], Bare):
        hint = near_matches(members[0], ("together", "exactly"))
        if hint:
            return f"there is no kind of rule {excerpt(members[0])!r}{hint}"
    return (
        "a line reads 'a = b', 'a != b', 'a, b | c', 'together: formula' or 'exactly: formula', "
        f"with names in double quotes where they hold other signs, not {excerpt(line)!r}."
    )


def format_text(constraints: ConstraintSet) -> str:
    """Return the file that states these constraints."""
    names = constraints.names
    lines = []
    for kind, links in constraints.links.items():
        for row, weight in zip(links.rows.tolist(), links.weights.tolist(), strict=True):
            members = row if names is None else [spell_name(names[sample]) for sample in row]
            said = FORMS[kind].format(*members)
            lines.append(said if weight == 1 else f"{weight!r} * {said}")
    lines += [str(rule) for rule in constraints.rules]
    if max(map(len, lines), default=0) > LONGEST_LINE:
        raise ContentError(0, "names are too long for a line of text; write a .json file.")
    return "".join(f"{line}\n" for line in lines)


def spell_name(name: str) -> str:
    """Return a name as a line of text has it, in quotes where it needs them."""
    return name if PLAIN_NAME.fullmatch(name) else spell_value(name)
