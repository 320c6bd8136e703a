"""The file of a person's answers: constraints in text, in which "don't know" is a comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from clustraint.cluster._questions import Answer, Said
from clustraint.constraints import Constraints
from clustraint.constraints._files import Samples
from clustraint.constraints._statement import ContentError, Member
from clustraint.constraints._text_format import parse_text, spell_name
from clustraint.exceptions import ClustraintError, ConstraintFileError
from clustraint.files import write_whole

SUFFIX = ".txt"
LINE_END = re.compile(r"\r\n|\n|\r")
HEADER = re.compile(r"# clustraint ask: ([0-9]+) samples? of ")
UNKNOWN = re.compile(r"#\s*don't know:(.*)", re.S)
FORMS: dict[Said, str] = {
    "yes": "{} = {}",
    "no": "{} != {}",
    "don't know": "# don't know: {} = {}",
}
SAID: dict[str, Said] = {"must_link": "yes", "cannot_link": "no"}


class AnswerFile:
    """A file of answers, in the order in which they were given.

    Lines that are there stay as they are, comments too: answers are added and taken away.

    Parameters
    ----------
    path : Path
        A .txt file, which need not be there yet.
    n_samples : int
        How many samples there are.
    names : sequence of str, optional
        What they are called; without names, rows are numbered from 0.
    source : str
        Where the samples come from, for the first line of a new file.

    Raises
    ------
    ConstraintFileError
        If the file is there and is not about these samples, or holds other things than pairs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = AnswerFile(Path(folder, "a.txt"), 3, ["dog", "wolf", "eel"], "animals.csv")
    ...     file.add(Answer(0, 1, "yes"))
    ...     file.add(Answer(0, 2, "don't know"))
    ...     print(file.path.read_text())
    # clustraint ask: 3 samples of animals.csv
    dog = wolf
    # don't know: dog = eel
    <BLANKLINE>
    """

    def __init__(
        self, path: Path, n_samples: int, names: Sequence[str] | None, source: str
    ) -> None:
        if path.suffix.lower() != SUFFIX:
            raise ClustraintError(
                f"{path}: answers are kept in the order in which they are given, which takes a "
                f"{SUFFIX} file; convert makes others of it."
            )
        self.path = path
        self.names = names
        numbers: dict[Member | None, int] = {name: row for row, name in enumerate(names or ())}
        self._samples = Samples(n_samples, None if names is None else tuple(names), numbers)
        self._lines: list[tuple[str, Answer | None]] = []
        if path.exists():
            self._read()
        else:
            noun = "sample" if n_samples == 1 else "samples"
            shown = " ".join(source.split())
            self._lines = [(f"# clustraint ask: {n_samples} {noun} of {shown}", None)]

    @property
    def answers(self) -> list[Answer]:
        """The answers in the file."""
        return [answer for _, answer in self._lines if answer is not None]

    def add(self, answer: Answer) -> None:
        """Add an answer, on disk."""
        first, second = map(self._spell, answer[:2])
        self._lines.append((FORMS[answer.answer].format(first, second), answer))
        self.write()

    def remove(self, answer: Answer) -> None:
        """Take away what was said of two samples, on disk."""
        pair = {*answer[:2]}
        self._lines = [
            (line, other) for line, other in self._lines if other is None or {*other[:2]} != pair
        ]
        self.write()

    def write(self) -> None:
        """Write the file, whole or not at all."""
        write_whole(self.path, "".join(f"{line}\n" for line, _ in self._lines).encode())

    def _spell(self, sample: int) -> str:
        return str(sample) if self.names is None else spell_name(self.names[sample])

    def _read(self) -> None:
        known = Constraints.read(self.path, self._samples.n_samples, self.names)
        if others := [kind for kind in known.kinds if kind not in SAID]:
            told = "rules" if others[0] != "triplets" else others[0]
            problem = f"holds {told}, but answers are must-links and cannot-links; give {told} "
            raise ConstraintFileError(self.path, 0, f"{problem}by -c.")
        lines = LINE_END.split(self.path.read_text(encoding="utf-8-sig").rstrip())
        for number, line in enumerate(lines, start=1):
            try:
                self._lines.append((line, self._answer(line.strip())))
            except (ContentError, ClustraintError) as error:
                raise ConstraintFileError(self.path, number, str(error)) from None

    def _answer(self, line: str) -> Answer | None:
        """Return the answer in a line, if there is one."""
        self._check_header(line)
        unknown = UNKNOWN.match(line)
        for statement in parse_text(unknown[1] if unknown else line).statements:
            first, second = map(self._samples.number, statement.members)
            if first != second:
                return Answer(first, second, "don't know" if unknown else SAID[statement.kind])
        return None

    def _check_header(self, line: str) -> None:
        """Refuse row numbers of another table."""
        header, n_samples = HEADER.match(line), self._samples.n_samples
        if header and self.names is None and int(header[1]) != n_samples:
            raise ClustraintError(
                f"the answers are about {int(header[1]):,} samples, but there are {n_samples:,}, "
                "and without names nobody knows who is meant; take another file."
            )
