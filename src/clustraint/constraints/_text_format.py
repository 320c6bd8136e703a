"""The format for people: one constraint per line, ``dog = wolf`` or ``dog, wolf | trout``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from clustraint.constraints._kinds import KINDS, RULE_KINDS, SAMPLE_KINDS
from clustraint.constraints._statement import Bare, ContentError, Document, Statement
from clustraint.constraints.atoms import quoted
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
        | (?P<sign>!=|==|[=,|*:])
        | (?P<bare>[^\s"=!,|*:\#\0][^"=!,|*:\#\0]*+)
    )""",
    re.S | re.X,
)
# Where a name is expected, #31 is the row of that number, and not a comment.
ROW = re.compile(r"\s*+(?P<bare>#[0-9]++(?=\s*+(?:!=|[=,|*:#]|\Z)))")
# A line with "_" for each name: "_!=_" is a cannot-link, and "_=_=_" two must-links.
TRIPLET = KINDS["triplets"].describe("___").replace(" ", "")
CHAIN = re.compile(r"_(?:(?:!=|==?)_)++")
GROUP = re.compile(r"_:_(?:,_)*+")
GROUPS = {"same": "must_link", "group": "must_link", "different": "cannot_link"}
EXAMPLES = [KINDS[kind].describe("abc") for kind in SAMPLE_KINDS]
EXAMPLES += [f"{word}: a, b, c" for word in ("same", "different")]
EXAMPLES += [KINDS[kind].describe(["formula"]) for kind in RULE_KINDS]
# Names that need no quotes: they hold no sign of the format and are not row numbers.
PLAIN_NAME = re.compile(r"(?!(?:sample +)?[0-9]+\Z)\w(?:[\w .'/()-]*[\w.')])?")


def parse_text(text: str) -> Document:
    """Return what the lines of a file state."""
    lines = enumerate(re.split(r"\r\n|\n|\r", text), start=1)
    return Document([each for number, line in lines for each in _parse_line(number, line.strip())])


def _parse_line(number: int, line: str) -> list[Statement]:
    if len(line) > LONGEST_LINE:
        problem = f"a line may have {LONGEST_LINE:,} characters, but this one has {len(line):,}."
        raise ContentError(number, problem)
    if rule := RULE.match(line):
        return [_parse_rule(number, rule)]
    shape, members = "", []
    for kind, text in _tokens(number, line):
        if kind == "sign":
            shape += text
        elif kind != "comment":
            shape += "_"
            members.append(_unquoted(number, text) if kind == "quoted" else Bare(text.rstrip()))
    if not shape:
        return []
    weight: str | float = 1.0
    if shape.startswith("_*") and isinstance(members[0], Bare):
        weight, shape = members.pop(0), shape[2:]
    rows = _rows(shape, members)
    if not rows:
        raise ContentError(number, _misshapen(line, shape, members))
    return [Statement(kind, row, weight, number) for kind, row in rows]


def _rows(shape: str, members: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds and members that a line of some shape states, none if it makes no sense."""
    if shape == TRIPLET:
        return [("triplets", tuple(members))]
    if CHAIN.fullmatch(shape):
        signs = shape.split("_")[1:-1]
        kinds = ["cannot_link" if sign == "!=" else "must_link" for sign in signs]
        return list(zip(kinds, pairwise(members), strict=True))
    if not GROUP.fullmatch(shape) or len(members) < 3 or not isinstance(members[0], Bare):
        return []
    kind = GROUPS.get(members[0].lower())
    if kind is None:
        return []
    pairs = pairwise if kind == "must_link" else partial(combinations, r=2)
    return [(kind, row) for row in pairs(members[1:])]


def _parse_rule(number: int, rule: re.Match[str]) -> Statement:
    if rule["weight"] is not None:
        raise ContentError(number, f"a rule has no weight: {excerpt(rule[0])!r}.")
    formula = FORMULA.match(rule["rest"])
    # A quote that never ends is for the rule to complain of.
    text = formula[0] if formula else rule["rest"]
    return Statement(rule["kind"], (text.strip(),), line=number)


def _tokens(number: int, line: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of names, signs and comments."""
    position, awaits_name = 0, True
    while position < len(line):
        match = (awaits_name and ROW.match(line, position)) or TOKEN.match(line, position)
        if match is None or match.lastgroup is None:
            rest = line[position:].lstrip()
            fault = f"{rest[0]!r} is out of place (a name that holds it stands in double quotes)"
            fault = "a quoted name never ends" if rest[0] == '"' else fault
            raise ContentError(number, f"{fault}: {excerpt(rest)!r}.")
        position, awaits_name = match.end(), match.lastgroup == "sign"
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
    return name if PLAIN_NAME.fullmatch(name) else quoted(name)
