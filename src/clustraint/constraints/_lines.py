"""Constraints of the text format one line at a time, for files that grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clustraint.checks import check_count, check_names
from clustraint.constraints._files import Samples
from clustraint.constraints._kinds import KINDS
from clustraint.constraints._statement import ContentError, Member
from clustraint.constraints._text_format import parse_text, spell_name
from clustraint.exceptions import ClustraintError


class LineFormat:
    """How a line of a .txt file states a pair or triplet of some samples.

    Parameters
    ----------
    n_samples : int
        How many samples there are.
    names : sequence of str, optional
        One name for each sample; without names, lines hold row numbers.

    Examples
    --------
    >>> lines = LineFormat(3, ["dog", "wolf", "no. 7"])
    >>> lines.format("cannot_link", (0, 2))
    'dog != no. 7'
    >>> lines.parse("dog != no. 7   # surely")
    ('cannot_link', (0, 2))
    """

    def __init__(self, n_samples: int, names: Sequence[str] | None = None) -> None:
        self.n_samples = check_count("n_samples", n_samples)
        self.names = check_names(names, self.n_samples)
        numbers: dict[Member | None, int] = {name: row for row, name in enumerate(self.names or ())}
        self._samples = Samples(self.n_samples, self.names, numbers)

    def format(self, kind: str, row: Iterable[int]) -> str:
        """Return the line that states a constraint of some kind.

        Examples
        --------
        >>> LineFormat(9).format("triplets", (0, 1, 8))
        '0, 1 | 8'
        """
        return KINDS[kind].describe(map(self._spell, row))

    def parse(self, line: str) -> tuple[str, tuple[int, ...]] | None:
        """Return the kind and the samples that a line states, None where it states nothing.

        Raises
        ------
        ClustraintError
            If it states a rule or something that is not a constraint on these samples.

        Examples
        --------
        >>> LineFormat(9).parse("4 = 2"), LineFormat(9).parse("# a comment")
        (('must_link', (4, 2)), None)
        """
        try:
            statements = parse_text(line).statements
        except ContentError as error:
            raise ClustraintError(str(error)) from None
        if not statements:
            return None
        kind, members = statements[0].kind, statements[0].members
        if len(statements) > 1 or KINDS[kind].is_rule:
            raise ClustraintError(f"{line!r:.60} is not one pair or triplet.")
        return kind, tuple(map(self._samples.number, members))

    def _spell(self, sample: int) -> str:
        return str(sample) if self.names is None else spell_name(self.names[sample])
