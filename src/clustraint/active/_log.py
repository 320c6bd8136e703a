"""The log of answers: in memory, or as lines of a constraint file in which people may write too."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from clustraint.active._protocol import KINDS, Answer, Pair, Word
from clustraint.constraints import Constraints, LineFormat
from clustraint.exceptions import ChangedAnswersError, ClustraintError, ConstraintFileError
from clustraint.files import locked, write_whole
from clustraint.wording import counted

SUFFIX = ".txt"
LINE_END = re.compile(r"\r\n|\n|\r")
HEADER = re.compile(r"# clustraint ask: ([0-9]+) samples? of ")
# To others a comment, since it is no constraint.
UNKNOWN = "# don't know: "
UNKNOWN_LINE = re.compile(r"#\s*don't know:(.*)", re.S)
# To others the first answer counts, lest a file contradicts itself.
AGAIN = "# again: "
AGAIN_LINE = re.compile(r"#\s*again:(.*)", re.S)
WEIGHT = re.compile(r"\s*([0-9.eE+-]+)\s*\*")
SIGNED = re.compile(r"# by ([^#\"]+) at ([0-9T:+.Z-]+)$")
WORDS: dict[str, Word] = {kind: word for word, kind in KINDS.items()}
SIGNS: dict[Word, int] = {"yes": 1, "no": -1, "don't know": 0}


class LoggedAnswer(NamedTuple):
    """An answer in a log: who gave it, when, and how surely.

    Attributes
    ----------
    answer : Answer
        The samples and the answer.
    confidence : float
        How sure the person was, which is the weight of the constraint: 1 if sure.
    who : str
        The person, "" if nobody said.
    when : str
        The time, as ISO 8601 has it, "" if nobody said.
    again : bool
        Whether the question had been asked before, to see if the answer is the same.

    Examples
    --------
    >>> LoggedAnswer(Answer(0, 1, "yes"), confidence=0.5, who="Ann").confidence
    0.5
    """

    answer: Answer
    confidence: float = 1.0
    who: str = ""
    when: str = ""
    again: bool = False


class AnswerLog:
    """What people answered, one answer for each pair of samples.

    A later answer of the same person replaces an earlier one, but "don't know" replaces neither
    "yes" nor "no". Answers of several people, and those to a question that is asked again, are
    votes, each with its confidence: the majority counts, and of a tie nobody knows.

    Parameters
    ----------
    answers : iterable of LoggedAnswer, of Answer, or of rows (first, second, answer), default=()
        The answers so far.

    Examples
    --------
    >>> log = AnswerLog([(0, 1, "yes")])
    >>> log.add(Answer(1, 0, "don't know"))
    >>> list(log)
    [Answer(first=0, second=1, answer='yes')]
    >>> log.add(LoggedAnswer(Answer(0, 1, "no"), confidence=0.5, who="Ann"))
    >>> log.get(frozenset((0, 1)))
    Answer(first=0, second=1, answer='yes')
    """

    def __init__(self, answers: Iterable[Any] = ()) -> None:
        self._entries: dict[Pair, list[LoggedAnswer]] = {}
        for row in answers:
            self._keep(_entry(row))

    def __iter__(self) -> Iterator[Answer]:
        return (self._counted(entries) for entries in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> list[LoggedAnswer]:
        """All answers with who gave them, those about the same samples one after the other."""
        return [entry for entries in self._entries.values() for entry in entries]

    def get(self, pair: Pair) -> Answer | None:
        """Return the answer about two samples, None if there is none.

        Examples
        --------
        >>> AnswerLog([(0, 1, "yes")]).get(frozenset((1, 0)))
        Answer(first=0, second=1, answer='yes')
        """
        entries = self._entries.get(pair)
        return None if entries is None else self._counted(entries)

    def add(self, answer: Answer | LoggedAnswer) -> None:
        """Add an answer.

        Examples
        --------
        >>> log = AnswerLog()
        >>> log.add(Answer(0, 1, "yes"))
        >>> len(log)
        1
        """
        self._keep(_entry(answer))

    def remove(self, answer: Answer, who: str | None = None) -> None:
        """Remove what was answered about the two samples of an answer, by anybody or one person.

        Examples
        --------
        >>> log = AnswerLog([(0, 1, "yes")])
        >>> log.remove(Answer(0, 1, "yes"))
        >>> len(log)
        0
        """
        others = [
            entry
            for entry in self._entries.pop(answer.pair, [])
            if who is not None and entry.who != who
        ]
        if others:
            self._entries[answer.pair] = others

    def constraints(self, n_samples: int) -> Constraints:
        """Return the answers as must-links and cannot-links of some samples.

        Their weights are what their votes add up to.

        Examples
        --------
        >>> log = AnswerLog([(0, 1, "yes"), (0, 2, "no"), (1, 2, "don't know")])
        >>> log.constraints(3)
        Constraints(3 samples: 1 must-link, 1 cannot-link)
        """
        links: dict[str, Any] = {}
        for word, kind in KINDS.items():
            chosen = [
                (answer, abs(_votes(self._entries[answer.pair])))
                for answer in self
                if answer.answer == word
            ]
            links[kind] = [(answer.first, answer.second) for answer, _ in chosen]
            links[f"{kind}_weights"] = [weight for _, weight in chosen]
        return Constraints(n_samples, **links)

    def agreement(self) -> list[Agreement]:
        """Return how often people agree with each other, and with themselves when asked again.

        Examples
        --------
        >>> log = AnswerLog([LoggedAnswer(Answer(0, 1, "yes"), who="Ann")])
        >>> log.add(LoggedAnswer(Answer(0, 1, "no"), who="Ben"))
        >>> log.agreement()
        [Agreement(first='Ann', second='Ben', n_pairs=1, n_equal=0)]
        """
        counts: dict[tuple[str, str], list[bool]] = {}
        for entries in self._entries.values():
            definite = [entry for entry in entries if entry.answer.answer in KINDS]
            for one, other in combinations(definite, 2):
                people = tuple(sorted((one.who, other.who)))
                is_equal = one.answer.answer == other.answer.answer
                counts.setdefault((people[0], people[1]), []).append(is_equal)
        return [Agreement(*people, len(each), sum(each)) for people, each in sorted(counts.items())]

    def _keep(self, entry: LoggedAnswer) -> None:
        entries = self._entries.setdefault(entry.answer.pair, [])
        for place, other in enumerate(entries):
            if other.who == entry.who and not (entry.again or other.again):
                if entry.answer.answer in KINDS:
                    entries[place] = entry
                return
        entries.append(entry)

    @staticmethod
    def _counted(entries: list[LoggedAnswer]) -> Answer:
        """Return the answer that most votes are for."""
        if len(entries) == 1:
            return entries[0].answer
        votes = _votes(entries)
        word: Word = "yes" if votes > 0 else "no" if votes < 0 else "don't know"
        return entries[0].answer._replace(answer=word)


class Agreement(NamedTuple):
    """How often two people gave the same answer, or one person when asked again.

    Attributes
    ----------
    first, second : str
        The people, twice the same one for questions that were asked again.
    n_pairs : int
        The pairs of samples of which both said "yes" or "no".
    n_equal : int
        Those of which both said the same.

    Examples
    --------
    >>> Agreement("Ann", "Ben", n_pairs=4, n_equal=3).share
    0.75
    """

    first: str
    second: str
    n_pairs: int
    n_equal: int

    @property
    def share(self) -> float:
        """The share of pairs of which both said the same."""
        return self.n_equal / self.n_pairs


def _entry(row: Any) -> LoggedAnswer:
    return row if isinstance(row, LoggedAnswer) else LoggedAnswer(Answer.parse(row))


def _votes(entries: Iterable[LoggedAnswer]) -> float:
    """Return the confidence in "yes" less that in "no"."""
    return sum(SIGNS[entry.answer.answer] * entry.confidence for entry in entries)


class AnswerFile(AnswerLog):
    """A log in a constraint file, every answer on disk when it has been added.

    Lines that are there stay as they are, comments too: answers are added and taken away. The file
    is replaced as a whole, so that it is never half written. What somebody else has written since
    is never written over: whoever comes second gets an error.

    Parameters
    ----------
    path : str or PathLike
        A .txt file, which need not be there yet.
    n_samples : int
        How many samples there are.
    names : sequence of str, optional
        One name for each sample; without names, rows are numbered from 0.
    source : str, default="a table"
        Where the samples come from, for the first line of a new file.

    Attributes
    ----------
    path : Path
        The file.

    Raises
    ------
    ConstraintFileError
        If the file is there and is not about these samples, or holds other things than pairs.
    ChangedAnswersError
        When an answer is added or taken away and the file is no longer as it was left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = AnswerFile(f"{folder}/a.txt", 3, ["dog", "wolf", "eel"], "animals.csv")
    ...     file.add(Answer(0, 1, "yes"))
    ...     file.add(Answer(0, 2, "don't know"))
    ...     print(file.path.read_text())
    # clustraint ask: 3 samples of animals.csv
    dog = wolf
    # don't know: dog = eel
    <BLANKLINE>
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_samples: int,
        names: Sequence[str] | None = None,
        source: str = "a table",
    ) -> None:
        super().__init__()
        self.path = Path(path)
        if self.path.suffix.lower() != SUFFIX:
            problem = "answers are kept in the order in which they are given, which takes a"
            raise ConstraintFileError(self.path, 0, f"{problem} {SUFFIX} file.")
        self._format = LineFormat(n_samples, names)
        self._lines: list[tuple[str, LoggedAnswer | None]] = []
        self._content = self._on_disk()
        if self.path.exists():
            self._read()
        else:
            noun = "sample" if n_samples == 1 else "samples"
            header = f"# clustraint ask: {n_samples} {noun} of {' '.join(source.split())}"
            self._lines = [(header, None)]

    def add(self, answer: Answer | LoggedAnswer) -> None:
        """Add an answer, on disk.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = AnswerFile(f"{folder}/a.txt", 3)
        ...     file.add(Answer(0, 1, "no"))
        ...     file.add(LoggedAnswer(Answer(0, 2, "no"), 0.5, "Ann", "2026-11-17T09:30:00Z"))
        ...     print(file.path.read_text())
        # clustraint ask: 3 samples of a table
        0 != 1
        0.5 * 0 != 2   # by Ann at 2026-11-17T09:30:00Z
        <BLANKLINE>
        """
        entry = _entry(answer)
        self._rewrite([*self._lines, (self._spell(entry), entry)])
        super().add(entry)

    def _spell(self, entry: LoggedAnswer) -> str:
        """Return the line of an answer."""
        answer, others = entry.answer, self._entries.get(entry.answer.pair, [])
        kind = KINDS.get(answer.answer, "must_link")
        line = self._format.format(kind, (answer.first, answer.second))
        line = line if entry.confidence == 1 else f"{entry.confidence!r} * {line}"
        line = line if answer.answer in KINDS else f"{UNKNOWN}{line}"
        # A second line about a pair would be a second constraint, or a contradiction.
        if entry.again or any(other.who != entry.who for other in others):
            line = f"{AGAIN}{line}"
        return f"{line}   # by {entry.who} at {entry.when}" if entry.who else line

    def remove(self, answer: Answer, who: str | None = None) -> None:
        """Remove all lines about the two samples of an answer, on disk.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = AnswerFile(f"{folder}/a.txt", 3)
        ...     file.add(Answer(0, 1, "no"))
        ...     file.remove(Answer(0, 1, "no"))
        ...     print(file.path.read_text())
        # clustraint ask: 3 samples of a table
        <BLANKLINE>
        """
        others = [
            (line, entry)
            for line, entry in self._lines
            if entry is None
            or entry.answer.pair != answer.pair
            or (who is not None and entry.who != who)
        ]
        self._rewrite(others)
        super().remove(answer, who)

    def write(self) -> None:
        """Write the file, whole or not at all.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = AnswerFile(f"{folder}/a.txt", 3)
        ...     file.write()
        ...     print(file.path.exists())
        True
        """
        self._rewrite(self._lines)

    def _rewrite(self, lines: list[tuple[str, LoggedAnswer | None]]) -> None:
        content = "".join(f"{line}\n" for line, _ in lines).encode()
        # Under a lock, so that nobody writes between the look and the leap.
        with locked(self.path):
            if self._on_disk() != self._content:
                raise ChangedAnswersError(
                    self.path, [line for line, _ in lines[len(self._lines) :]]
                )
            write_whole(self.path, content)
        # What could not be written is not in the log either.
        self._lines, self._content = lines, content

    def _on_disk(self) -> bytes | None:
        """Return what the file holds now; None where there is none that can be read."""
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def _read(self) -> None:
        """Read the lines, after a check that all of them are pairs of these samples."""
        constraints = Constraints.read(self.path, self._format.n_samples, self._format.names)
        if others := [kind for kind in constraints.kinds if kind not in WORDS]:
            noun = "rules" if others[0] != "triplets" else others[0]
            problem = f"holds {noun}, but answers are must-links and cannot-links; keep {noun} in"
            raise ConstraintFileError(self.path, 0, f"{problem} another file.")
        lines = LINE_END.split(self.path.read_text(encoding="utf-8-sig").rstrip())
        for number, line in enumerate(lines, start=1):
            try:
                entry = self._parse(line.strip())
            except ClustraintError as error:
                raise ConstraintFileError(self.path, number, str(error)) from None
            self._lines.append((line, entry))
            if entry is not None:
                self._keep(entry)

    def _parse(self, line: str) -> LoggedAnswer | None:
        """Return the answer in a line, if there is one."""
        self._check_header(line)
        again = AGAIN_LINE.match(line)
        line = again[1].strip() if again else line
        unknown = UNKNOWN_LINE.match(line)
        line = unknown[1] if unknown else line
        parsed = self._format.parse(line)
        # A sample that is linked to itself says nothing.
        if parsed is None or len({*parsed[1]}) != 2:
            return None
        kind, (first, second, *_) = parsed
        answer = Answer(first, second, "don't know" if unknown else WORDS[kind])
        weight, signed = WEIGHT.match(line), SIGNED.search(line)
        who, when = signed.groups() if signed else ("", "")
        is_repeat = again is not None and any(
            entry.who == who for entry in self._entries.get(answer.pair, [])
        )
        return LoggedAnswer(answer, float(weight[1]) if weight else 1.0, who, when, is_repeat)

    def _check_header(self, line: str) -> None:
        """Refuse row numbers of another table."""
        header, n_samples = HEADER.match(line), self._format.n_samples
        if header and self._format.names is None and int(header[1]) != n_samples:
            raise ClustraintError(
                f"the answers are about {counted(int(header[1]), 'sample')}, but there are "
                f"{n_samples:,}, and without names nobody knows who is meant; take another file."
            )
