"""Constraint files: reading, writing, and whom a name or number in them means."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clustraint.checks import check_count, check_names
from clustraint.constraints._csv_format import format_csv, parse_csv
from clustraint.constraints._json_format import format_json, parse_json
from clustraint.constraints._kinds import KINDS
from clustraint.constraints._rule import Rule
from clustraint.constraints._statement import (
    PARTS,
    ContentError,
    Document,
    Member,
    Statement,
    is_surely_row,
    plain_name,
    row_number,
)
from clustraint.constraints._text_format import format_text, parse_text
from clustraint.exceptions import (
    ClustraintError,
    ConstraintFileError,
    DroppedConstraintWarning,
    UnknownNameError,
)
from clustraint.files import replace
from clustraint.wording import counted, excerpt

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# So many samples are believed only if somebody says that there are so many.
MOST_SAMPLES = 10**8
ROW_AMONG_NAMES = "{!r} is a row number, but samples are called by name here."
# Bytes from which on a .txt file is read by blocks.
LARGE = 2**24


class Format(NamedTuple):
    """How files of one format are read and written."""

    parse: Callable[[str], Document]
    format: Callable[[Constraints], str]


FORMATS = {
    ".txt": Format(parse_text, format_text),
    ".csv": Format(parse_csv, format_csv),
    ".json": Format(parse_json, format_json),
}


def read(path: Path, n_samples: int | None, names: Sequence[str] | None) -> dict[str, Any]:
    """Return what a file says, as arguments of Constraints."""
    if n_samples is not None:
        n_samples = check_count("n_samples", n_samples)
    if names is not None:
        names = check_names(names, len(names) if n_samples is None else n_samples)
    elif is_large(path):
        from clustraint.constraints._pair_file import large_arguments

        arguments = large_arguments(path, n_samples)
        if arguments is not None:
            return arguments
    try:
        document = _format_of(path).parse(decoded(path.read_bytes()))
        return arguments_of(path, document, n_samples, names)
    except ContentError as error:
        raise ConstraintFileError(path, error.line, str(error)) from None
    except OSError as error:
        raise inaccessible(path, "read", error) from error


def read_named(path: Path) -> dict[str, Any]:
    """Return what a file says of samples that are all called by name, as `read` does."""
    if is_large(path):
        from clustraint.constraints._pair_file import large_arguments

        arguments = large_arguments(path, None, is_named=True)
        if arguments is not None:
            return arguments
    try:
        document = _format_of(path).parse(decoded(path.read_bytes()))
        names = None if document.names is not None else _names_of_all(document)
        return arguments_of(path, document, None, names)
    except ContentError as error:
        raise ConstraintFileError(path, error.line, str(error)) from None
    except OSError as error:
        raise inaccessible(path, "read", error) from error


def _names_of_all(document: Document) -> tuple[str, ...] | None:
    """Return the names in order of appearance, also those that look like numbers."""
    names: dict[str, None] = {}
    for statement, member in _members(document):
        if is_surely_row(member):
            raise statement.wrong(ROW_AMONG_NAMES.format(str(member)))
        name = plain_name(member)
        if name is not None:
            names[_check_name(statement, name)] = None
    return tuple(names) or None


def is_large(path: Path) -> bool:
    """Say whether a constraint file is so large that its pairs are read by blocks.

    A .csv or .json file is always read as a whole.

    Examples
    --------
    >>> is_large(Path("nothing.txt"))
    False
    """
    return path.suffix.lower() == ".txt" and path.is_file() and path.stat().st_size > LARGE


def arguments_of(
    source: Path | str, document: Document, n_samples: int | None, names: tuple[str, ...] | None
) -> dict[str, Any]:
    """Return what a document states, as arguments of Constraints; `source` is for messages."""
    samples = _samples(document, n_samples, names)
    parts = _parts(source, document, samples)
    return {"n_samples": samples.n_samples, "names": samples.names, **parts}


def write(constraints: Constraints, path: Path) -> None:
    """Write a file all at once or not at all."""
    try:
        replace(path, _format_of(path).format(constraints).encode())
    except ContentError as error:
        raise ConstraintFileError(path, error.line, str(error)) from None
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        problem = f"cannot be written: {character!r} in a rule is half a surrogate pair."
        raise ConstraintFileError(path, 0, problem) from None
    except OSError as error:
        raise inaccessible(path, "written", error) from error


def inaccessible(path: Path, done: str, error: OSError) -> ConstraintFileError:
    """Return the error for a file that cannot be read or written."""
    return ConstraintFileError(path, 0, f"cannot be {done}: {error.strerror or error}.")


def _format_of(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ContentError(0, f"a constraint file ends in {', '.join(FORMATS)}, not in {suffix!r}.")
    return FORMATS[suffix]


def decoded(content: bytes) -> str:
    """Return text as UTF-8 has it, without a mark at its beginning."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    # No format lets a file begin with a null, but UTF-16 may.
    place = content[:2].find(b"\0")
    if place < 0:
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            place = error.start
    line = len(re.split(rb"\r\n|\n|\r", content[:place]))
    problem = f"is not UTF-8 text (byte {content[place]:#04x}); save the file as UTF-8."
    raise ContentError(line, problem)


class Samples(NamedTuple):
    """Who the samples are: how many, and the number of each name if they have names."""

    n_samples: int
    names: tuple[str, ...] | None
    numbers: dict[Member | None, int]

    def number(self, member: Member) -> int:
        """Return the number of the sample that is meant."""
        for name in (member, plain_name(member)):
            if name in self.numbers:
                return self.numbers[name]
        row = row_number(member)
        if row is None or (self.names is not None and not is_surely_row(member)):
            raise self._unknown(plain_name(member), row)
        if not 0 <= row < self.n_samples:
            raise self._outside(row)
        return row

    def _outside(self, row: int) -> ClustraintError:
        rows = f"rows are numbered 0 to {self.n_samples - 1}"
        rows = rows if self.n_samples else "there are no samples"
        return ClustraintError(f"there is no row {excerpt(str(row))}; {rows}")

    def _unknown(self, name: str | None, row: int | None) -> ClustraintError:
        if name is None:
            return ClustraintError("a sample is missing")
        if row is not None:
            row_text = excerpt(f"row {name} is written #{name}")
            return ClustraintError(f"no sample is called {excerpt(name)!r}; {row_text}")
        if self.names is not None:
            return UnknownNameError(name, self.names)
        return ClustraintError(
            f"{excerpt(name)!r} is a name, but elsewhere there are row numbers; give the names of "
            "all samples (names=) or, in .txt and .json, put numbers that are names in quotes"
        )


def _samples(document: Document, n_samples: int | None, names: tuple[str, ...] | None) -> Samples:
    """Find out who the samples are, from the arguments and the file."""
    count = n_samples if names is None else len(names)
    _check_agreement(document.n_samples, count)
    count = document.n_samples if count is None else count
    if names is None:
        names = _names_used(document) if document.names is None else document.names
    if names is not None:
        _check_agreement(len(names), count)
        return Samples(len(names), names, {name: number for number, name in enumerate(names)})
    return Samples(_count_rows(document) if count is None else count, None, {})


def _check_agreement(stated: int | None, expected: int | None) -> None:
    if stated is not None and expected is not None and stated != expected:
        problem = f"it is about {stated:,} samples, but {expected:,} are expected; if it names only"
        raise ContentError(0, f"{problem} some, give the names of all (names=).")


def _members(document: Document) -> Iterator[tuple[Statement, Member]]:
    for statement in document.statements:
        if not KINDS[statement.kind].is_rule:
            for member in statement.members:
                yield statement, member


def _names_used(document: Document) -> tuple[str, ...] | None:
    """Return the names in order of appearance, or None where there are row numbers or nobody."""
    names: dict[str, None] = {}
    for statement, member in _members(document):
        if row_number(member) is not None:
            return None
        name = plain_name(member)
        if name is not None:
            names[_check_name(statement, name)] = None
    return tuple(names) or None


def _check_name(statement: Statement, name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise statement.wrong(f"{excerpt(name)!r} holds half a surrogate pair.") from None
    return name


def _count_rows(document: Document) -> int:
    """Return how many samples there must be for all row numbers."""
    largest = -1
    for statement, member in _members(document):
        largest = max(largest, row_number(member) or 0)
        check_believable(statement, member)
    return largest + 1


def check_believable(statement: Statement, member: Member) -> None:
    """Raise where so many samples would have to be believed in that somebody has to say it."""
    if (row_number(member) or 0) >= MOST_SAMPLES:
        problem = f"the row number {excerpt(str(member))} is very large; give n_samples if"
        raise statement.wrong(f"{problem} there are so many samples.")


def _parts(path: Path | str, document: Document, samples: Samples) -> dict[str, list[Any]]:
    parts: dict[str, list[Any]] = {part: [] for part in PARTS}
    dropped = []
    for statement in document.statements:
        if KINDS[statement.kind].is_rule:
            parts["rules"].append(_rule(statement))
            continue
        row, weight = row_and_weight(statement, samples)
        if len(set(row)) < len(row):
            dropped.append(statement)
        else:
            parts[statement.kind].append(row)
            parts[KINDS[statement.kind].weights].append(weight)
    if dropped:
        warn_of_dropped(path, dropped[0], len(dropped))
    return parts


def row_and_weight(statement: Statement, samples: Samples) -> tuple[tuple[int, ...], float]:
    """Return the samples that a pair or triplet is about, and its weight."""
    return _row(statement, samples), _weight(statement)


def _row(statement: Statement, samples: Samples) -> tuple[int, ...]:
    try:
        row = tuple(samples.number(member) for member in statement.members)
    except ClustraintError as error:
        end = "" if str(error).endswith("?") else "."
        raise statement.wrong(f"{error}{end}") from None
    reason = KINDS[statement.kind].why_distinct
    if reason and len(set(row)) < len(row):
        raise statement.wrong(f"{_repeated(statement, row)} occurs twice: {reason}.")
    return row


def _repeated(statement: Statement, row: tuple[int, ...]) -> str:
    twice = next(place for place, sample in enumerate(row) if sample in row[:place])
    return excerpt(repr(statement.members[twice]))


def _weight(statement: Statement) -> float:
    try:
        weight = float(statement.weight)
    except (ValueError, OverflowError):
        weight = math.nan
    if not 0 < weight < math.inf:
        shown = excerpt(repr(statement.weight))
        raise statement.wrong(f"a weight must be a finite number above 0, not {shown}.")
    return weight


def _rule(statement: Statement) -> Rule:
    try:
        return Rule(str(statement.members[0]), exactly=statement.kind == "exactly")
    except ClustraintError as error:
        raise statement.wrong(error) from None


def warn_of_dropped(path: Path | str, first: Statement, n_dropped: int) -> None:
    """Warn that samples are linked to themselves."""
    problem = first.wrong("a sample is linked to itself; that says nothing and is left out")
    message = str(ConstraintFileError(path, problem.line, str(problem)))
    rows = counted(n_dropped, "such row")
    # The one to tell is whoever called Constraints.read.
    warnings.warn(f"{message} ({rows}).", DroppedConstraintWarning, stacklevel=6)
