"""Files of very many pairs, read by blocks: as arrays, without an object for each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clustraint.constraints._files import (
    MOST_SAMPLES,
    ROW_AMONG_NAMES,
    Samples,
    check_believable,
    decoded,
    inaccessible,
    row_and_weight,
    warn_of_dropped,
)
from clustraint.constraints._kinds import PAIR_KINDS
from clustraint.constraints._statement import (
    ContentError,
    Statement,
    is_surely_row,
    plain_name,
    row_number,
)
from clustraint.constraints._text_format import parse_text
from clustraint.exceptions import ConstraintFileError
from clustraint.kernels.pair_lines import read_pair_lines
from clustraint.typing import BoolArray, IntArray

# Bytes that are read at a time.
BLOCK = 2**22
# Lines that are read without looking further: two names in which no sign of the format occurs and,
# where nobody said that all are names, that do not look like numbers.
PAIR = r"[ \t]*({0}[\w.-]*+)[ \t]*(==?|!=)[ \t]*({0}[\w.-]*+)[ \t]*\r?"
ANY_NAMES = re.compile(PAIR.format(r"\w"), re.ASCII)
SURE_NAMES = re.compile(PAIR.format("[A-Za-z_]"), re.ASCII)


class PairBlock(NamedTuple):
    """Some pairs of a file."""

    pairs: IntArray
    are_apart: BoolArray
    weights: Any = None  # None where each is 1

    def of(self, kind: str) -> IntArray:
        """Return the pairs of a kind."""
        return np.asarray(self.pairs[self.are_apart == (kind == "cannot_link")])


class NotPairsError(Exception):
    """A file that states more than pairs, and is read as a whole."""


class PairFile:
    r"""A .txt file of pairs alone, walked as often as somebody asks.

    Parameters
    ----------
    path : path
        The file.
    n_samples : int, optional
        How many samples there are; larger row numbers are errors.
    is_named : bool, optional
        Whether samples are meant by name, also where a name looks like a number. By default the
        first line decides.

    Attributes
    ----------
    numbers : dict
        The number of each name that was met so far, in order of appearance.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
    >>> _ = path.write_text("0 = 4\n1 != 2  # surely\n")
    >>> file = PairFile(path)
    >>> np.concatenate([*file.of("must_link").chunks()]).tolist()
    [[0, 4]]
    >>> file.count_samples(), file.counts
    (5, {'must_link': 1, 'cannot_link': 1})
    """

    _first_dropped: Statement | None

    def __init__(
        self, path: Path, n_samples: int | None = None, *, is_named: bool | None = None
    ) -> None:
        self.path = path
        self.n_samples = n_samples
        self.numbers: dict[str, int] = {}
        self.counts = dict.fromkeys(PAIR_KINDS, 0)
        self._samples = Samples(MOST_SAMPLES if n_samples is None else n_samples, None, {})
        self._pattern = SURE_NAMES if is_named is None else ANY_NAMES
        self._has_warned = False
        self._largest = -1
        self.is_named = self._is_named() if is_named is None else is_named

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names that were met so far, None where samples are numbers."""
        return tuple(self.numbers) if self.is_named else None

    @property
    def n_met(self) -> int:
        """How many samples there must be for all that was met so far."""
        return self._largest + 1

    def count_samples(self) -> int:
        """Count the samples, and the pairs of each kind, in a walk of its own.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
        >>> _ = path.write_text("dog = wolf")
        >>> PairFile(path).count_samples()
        2
        """
        self.counts = dict.fromkeys(PAIR_KINDS, 0)
        for block in self.blocks():
            for kind in PAIR_KINDS:
                self.counts[kind] += len(block.of(kind))
        return self.n_met

    def of(self, kind: str) -> PairsOfKind:
        """Return the pairs of a kind, for `check_pairs`.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
        >>> _ = path.write_text("0 = 4")
        >>> list(PairFile(path).of("cannot_link").chunks())[0].shape
        (0, 2)
        """
        return PairsOfKind(self, kind)

    def blocks(self) -> Iterator[PairBlock]:
        """Yield the pairs in their order, some at a time.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
        >>> _ = path.write_text("0.5 * 0 = 4")
        >>> [block.weights for block in PairFile(path).blocks()]
        [None, array([0.5])]
        """
        self._first_dropped, self._n_dropped = None, 0
        try:
            line = 1
            for text in self._texts():
                for block in (self._named if self.is_named else self._numbered)(text, line):
                    self._largest = max(self._largest, int(block.pairs.max(initial=-1)))
                    yield block
                line += text.count(b"\n")
            self._warn()
        except ContentError as error:
            raise ConstraintFileError(self.path, error.line, str(error)) from None
        except OSError as error:
            raise inaccessible(self.path, "read", error) from error

    def _texts(self) -> Iterator[bytes]:
        """Yield whole lines of the file, some at a time."""
        rest = b""
        with self.path.open("rb") as file:
            is_first = True
            while content := file.read(BLOCK):
                content = rest + (content.removeprefix(b"\xef\xbb\xbf") if is_first else content)
                is_first = False
                end = content.rfind(b"\n") + 1
                whole, rest = content[:end], content[end:]
                if b"\r" in whole.replace(b"\r\n", b""):
                    # Lines of old files, which end in a return alone.
                    raise NotPairsError
                yield whole
        yield rest + b"\n" if rest else b""

    def _is_named(self) -> bool:
        """Say whether the first statement is about names."""
        for text in self._texts():
            for line in decoded(text).splitlines():
                for statement in parse_text(line).statements:
                    return row_number(statement.members[0]) is None
        return False

    def _numbered(self, text: bytes, line: int) -> Iterator[PairBlock]:
        content = np.frombuffer(bytearray(text), np.uint8)
        place, n_samples = 0, self._samples.n_samples
        # The shortest pair is 0=1 with its newline.
        pairs = np.empty((len(content) // 4 + 1, 2), np.int64)
        are_apart = np.empty(len(pairs), np.bool_)
        while place < len(content):
            place, count, n_lines = read_pair_lines(content, place, n_samples, pairs, are_apart)
            yield PairBlock(pairs[:count].copy(), are_apart[:count].copy())
            line += n_lines
            if place < len(content):
                end = text.index(b"\n", place)
                yield self._parsed(text[place:end], line)
                place, line = end + 1, line + 1

    def _named(self, text: bytes, line: int) -> Iterator[PairBlock]:
        numbers = self.numbers
        pairs: list[Any] = []
        signs: list[bool] = []
        for place, each in enumerate(decoded(text).split("\n")):
            plain = self._pattern.fullmatch(each)
            if plain is None or plain[1] == plain[3]:
                yield _block(pairs, signs)
                yield self._parsed(each.encode(), line + place)
                pairs, signs = [], []
                continue
            pairs.append([numbers.setdefault(plain[i], len(numbers)) for i in (1, 3)])
            signs.append(plain[2] == "!=")
        yield _block(pairs, signs)

    def _parsed(self, text: bytes, line: int) -> PairBlock:
        """Read a line that is not as most are: a comment, a chain, a weight, or a mistake."""
        try:
            statements = parse_text(decoded(text)).statements
        except ContentError as error:
            raise ContentError(line, str(error)) from None
        rows, signs, weights = [], [], []
        for statement in statements:
            placed = statement._replace(line=line)
            if placed.kind not in PAIR_KINDS:
                raise NotPairsError
            row, weight = row_and_weight(placed, self._whom(placed))
            if row[0] == row[1]:
                # It says nothing, but that there is such a sample.
                self._largest = max(self._largest, row[0])
                self._first_dropped = self._first_dropped or placed
                self._n_dropped += 1
                continue
            rows.append(row)
            signs.append(placed.kind == "cannot_link")
            weights.append(weight)
        return _block(rows, signs)._replace(weights=np.array(weights))

    def _warn(self) -> None:
        """Warn of pairs that say nothing, once, and after a walk: it may yet be given up."""
        if self._first_dropped is not None and not self._has_warned:
            self._has_warned = True
            warn_of_dropped(self.path, self._first_dropped, self._n_dropped)

    def _whom(self, statement: Statement) -> Samples:
        """Return whom the members of a statement mean."""
        if not self.is_named:
            for member in statement.members if self.n_samples is None else ():
                check_believable(statement, member)
            return self._samples
        for member in statement.members:
            is_row = row_number(member) is not None and self._pattern is SURE_NAMES
            if is_row or is_surely_row(member):
                raise statement.wrong(ROW_AMONG_NAMES.format(str(member)))
            name = plain_name(member)
            if name is not None:
                self.numbers.setdefault(name, len(self.numbers))
        return Samples(len(self.numbers), (), self.numbers)  # type: ignore[arg-type]


def _block(pairs: list[Any], signs: list[bool]) -> PairBlock:
    return PairBlock(np.array(pairs, np.int64).reshape(-1, 2), np.array(signs, np.bool_))


class PairsOfKind(NamedTuple):
    """The pairs of one kind in a file."""

    file: PairFile
    kind: str

    def chunks(self) -> Iterator[IntArray]:
        """Yield them, some at a time.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
        >>> _ = path.write_text("0 = 4")
        >>> [part.tolist() for part in PairFile(path).of("must_link").chunks()]
        [[[0, 4]]]
        """
        for block in self.file.blocks():
            yield block.of(self.kind)


def large_arguments(
    path: Path, n_samples: int | None, *, is_named: bool | None = None
) -> dict[str, Any] | None:
    """Return what a file of pairs states, as arguments of Constraints; None if it is none."""
    parts: dict[str, list[Any]] = {kind: [] for kind in PAIR_KINDS}
    weights: dict[str, list[Any]] = {kind: [] for kind in PAIR_KINDS}
    try:
        file = PairFile(path, n_samples, is_named=is_named)
        for block in file.blocks():
            for kind in PAIR_KINDS:
                is_kind = block.are_apart == (kind == "cannot_link")
                parts[kind].append(block.pairs[is_kind])
                own = np.ones(len(is_kind)) if block.weights is None else block.weights
                weights[kind].append(own[is_kind])
    except NotPairsError:
        return None
    arguments: dict[str, Any] = {}
    for kind in PAIR_KINDS:
        arguments[kind] = np.concatenate([*parts.pop(kind), np.empty((0, 2), np.int64)])
        arguments[f"{kind}_weights"] = np.concatenate([*weights.pop(kind), np.empty(0)])
    if file.is_named:
        return {"n_samples": len(file.numbers), "names": file.names, **arguments}
    return {"n_samples": file.n_met if n_samples is None else n_samples, **arguments}
