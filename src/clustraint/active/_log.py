"""The log of answers: in memory, or as lines of a constraint file in which people may write too."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from clustraint.active._protocol import KINDS, Answer, Pair, Word
from clustraint.constraints import Constraints, LineFormat
from clustraint.exceptions import ClustraintError, ConstraintFileError
from clustraint.files import write_whole
from clustraint.wording import counted

SUFFIX = ".txt"
LINE_END = re.compile(r"\r\n|\n|\r")
HEADER = re.compile(r"# clustraint ask: ([0-9]+) samples? of ")
# To others a comment, since it is no constraint.
UNKNOWN = "# don't know: "
UNKNOWN_LINE = re.compile(r"#\s*don't know:(.*)", re.S)
WORDS: dict[str, Word] = {kind: word for word, kind in KINDS.items()}


class AnswerLog:
    """What people answered, one answer for each pair of samples.

    A later answer replaces an earlier one, but "don't know" replaces neither "yes" nor "no".

    Parameters
    ----------
    answers : iterable of Answer, or of rows (first, second, answer), default=()
        The answers so far.

    Examples
    --------
    >>> log = AnswerLog([(0, 1, "yes")])
    >>> log.add(Answer(1, 0, "don't know"))
    >>> list(log)
    [Answer(first=0, second=1, answer='yes')]
    """

    def __init__(self, answers: Iterable[Any] = ()) -> None:
        self._answers: dict[Pair, Answer] = {}
        for row in answers:
            self._keep(Answer.parse(row))

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._answers.values())

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, pair: Pair) -> Answer | None:
        """Return the answer about two samples, None if there is none.

        Examples
        --------
        >>> AnswerLog([(0, 1, "yes")]).get(frozenset((1, 0)))
        Answer(first=0, second=1, answer='yes')
        """
        return self._answers.get(pair)

    def add(self, answer: Answer) -> None:
        """Add an answer.

        Examples
        --------
        >>> log = AnswerLog()
        >>> log.add(Answer(0, 1, "yes"))
        >>> len(log)
        1
        """
        self._keep(answer)

    def remove(self, answer: Answer) -> None:
        """Remove what was answered about the two samples of an answer.

        Examples
        --------
        >>> log = AnswerLog([(0, 1, "yes")])
        >>> log.remove(Answer(0, 1, "yes"))
        >>> len(log)
        0
        """
        self._answers.pop(answer.pair, None)

    def constraints(self, n_samples: int) -> Constraints:
        """Return the answers as must-links and cannot-links of some samples.

        Examples
        --------
        >>> log = AnswerLog([(0, 1, "yes"), (0, 2, "no"), (1, 2, "don't know")])
        >>> log.constraints(3)
        Constraints(3 samples: 1 must-link, 1 cannot-link)
        """
        pairs = {
            word: [(answer.first, answer.second) for answer in self if answer.answer == word]
            for word in KINDS
        }
        return Constraints(n_samples, must_link=pairs["yes"], cannot_link=pairs["no"])

    def _keep(self, answer: Answer) -> None:
        if answer.pair not in self._answers or answer.answer in KINDS:
            self._answers[answer.pair] = answer


class AnswerFile(AnswerLog):
    """A log in a constraint file, every answer on disk when it has been added.

    Lines that are there stay as they are, comments too: answers are added and taken away. The file
    is replaced as a whole, so that it is never half written.

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
        self._lines: list[tuple[str, Answer | None]] = []
        if self.path.exists():
            self._read()
        else:
            noun = "sample" if n_samples == 1 else "samples"
            header = f"# clustraint ask: {n_samples} {noun} of {' '.join(source.split())}"
            self._lines = [(header, None)]

    def add(self, answer: Answer) -> None:
        """Add an answer, on disk.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = AnswerFile(f"{folder}/a.txt", 3)
        ...     file.add(Answer(0, 1, "no"))
        ...     print(file.path.read_text().splitlines()[1])
        0 != 1
        """
        prefix = "" if answer.answer in KINDS else UNKNOWN
        kind = KINDS.get(answer.answer, "must_link")
        line = prefix + self._format.format(kind, (answer.first, answer.second))
        self._rewrite([*self._lines, (line, answer)])
        super().add(answer)

    def remove(self, answer: Answer) -> None:
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
            (line, other)
            for line, other in self._lines
            if other is None or other.pair != answer.pair
        ]
        self._rewrite(others)
        super().remove(answer)

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

    def _rewrite(self, lines: list[tuple[str, Answer | None]]) -> None:
        write_whole(self.path, "".join(f"{line}\n" for line, _ in lines).encode())
        # What could not be written is not in the log either.
        self._lines = lines

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
                answer = self._parse(line.strip())
            except ClustraintError as error:
                raise ConstraintFileError(self.path, number, str(error)) from None
            self._lines.append((line, answer))
            if answer is not None:
                self._keep(answer)

    def _parse(self, line: str) -> Answer | None:
        """Return the answer in a line, if there is one."""
        self._check_header(line)
        unknown = UNKNOWN_LINE.match(line)
        parsed = self._format.parse(unknown[1] if unknown else line)
        # A sample that is linked to itself says nothing.
        if parsed is None or len({*parsed[1]}) != 2:
            return None
        kind, (first, second, *_) = parsed
        return Answer(first, second, "don't know" if unknown else WORDS[kind])

    def _check_header(self, line: str) -> None:
        """Refuse row numbers of another table."""
        header, n_samples = HEADER.match(line), self._format.n_samples
        if header and self._format.names is None and int(header[1]) != n_samples:
            raise ClustraintError(
                f"the answers are about {counted(int(header[1]), 'sample')}, but there are "
                f"{n_samples:,}, and without names nobody knows who is meant; take another file."
            )
