"""The format for people: one constraint per line, ``dog = wolf`` or ``dog, wolf | trout``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clustraint.constraints._kinds import KINDS, RULE_KINDS, SAMPLE_KINDS
from clustraint.constraints._statement import Bare, ContentError, Document, Statement
from clustraint.constraints.atoms import spell_value
from clustraint.wording import excerpt, listed, near_matches

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

LONGEST_LINE = 200_000

# Possessive throughout, so that no line takes more than linear time.
RULE = re.compile(
    rf'(?P<weight>[^"#:*]*+\*)?+\s*+(?P<kind>{"|".join(RULE_KINDS)})\s*+:(?P<rest>.*+)', re.S
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
# A line with "_" for each name: "_!=_" is a cannot-link.
SHAPES = {KINDS[kind].describe("___").replace(" ", ""): kind for kind in SAMPLE_KINDS}
EXAMPLES = [KINDS[kind].describe("abc") for kind in SAMPLE_KINDS]
EXAMPLES += [KINDS[kind].describe(["formula"]) for kind in RULE_KINDS]
# Names that need no quotes: they hold no sign of the format and are not row numbers.
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
        raise ContentError(number, f"a rule has no weight: {excerpt(rule[0])!r}.")
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
        problem = f"{excerpt(quoted)!r} is not a text in double quotes as in JSON ({error.msg})."
        raise ContentError(number, problem) from None


def _misshapen(line: str, shape: str, members: list[str]) -> str:
    if shape.startswith("_:") and isinstance(members[0], Bare):
        hint = near_matches(members[0], RULE_KINDS)
        if hint:
            return f"there is no kind of rule {excerpt(members[0])!r}{hint}"
    return (
        f"a line reads {listed(map(repr, EXAMPLES), 'or')}, with names in double quotes where they "
        f"contain other signs, not {excerpt(line)!r}."
    )


def format_text(constraints: Constraints) -> str:
    """Return the file that states these constraints."""
    names = constraints.names
    lines = []
    for kind, links in constraints.links.items():
        for row, weight in zip(links.rows.tolist(), links.weights.tolist(), strict=True):
            members = row if names is None else [spell_name(names[sample]) for sample in row]
            line = KINDS[kind].describe(members)
            lines.append(line if weight == 1 else f"{weight!r} * {line}")
    lines += [str(rule) for rule in constraints.rules]
    if max(map(len, lines), default=0) > LONGEST_LINE:
        raise ContentError(0, "names are too long for a line of text; write a .json file.")
    return "".join(f"{line}\n" for line in lines)


def spell_name(name: str) -> str:
    """Return a name as a line of text has it, in quotes where it needs them."""
    return name if PLAIN_NAME.fullmatch(name) else spell_value(name)
