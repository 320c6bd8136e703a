"""The kinds of constraints: one table from which widths, words, forms and tests derive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from clustraint.typing import BoolArray


@dataclass(frozen=True)
class ConstraintKind:
    """A kind of constraint: what it is called, how it is written and when it is violated.

    Attributes
    ----------
    name : str
        The name in Python and in files: ``"must_link"``.
    noun : str
        What a sentence calls one of them: ``"must-link"``.
    meaning : str
        What it says of its samples: ``"in one cluster"``.
    form : str
        How one is written, in files and messages: ``"{} = {}"``.
    width : int
        How many samples a row has; 0 for rules, which are about attributes.
    n_symmetric : int
        So many of the first samples of a row may change places.
    why_distinct : str
        Why no sample may be in a row twice; "" where such a row merely says nothing.
    denials : tuple of (str, tuple of int)
        What would hold instead if a row did not: the kind, and the places of its samples.
    violated : callable or None
        From the clusters of rows, of shape (n_rows, width), to which rows are violated.

    Examples
    --------
    >>> from clustraint.constraints import KINDS
    >>> kind = KINDS["cannot_link"]
    >>> kind.plural, kind.weights, kind.describe(["dog", "trout"])
    ('cannot-links', 'cannot_link_weights', 'dog != trout')
    >>> [name for name, kind in KINDS.items() if kind.is_rule]
    ['together', 'exactly']
    """

    name: str
    noun: str
    meaning: str
    form: str
    width: int = 0
    n_symmetric: int = 2
    why_distinct: str = ""
    denials: tuple[tuple[str, tuple[int, ...]], ...] = ()
    violated: Callable[[Any], BoolArray] | None = None

    @property
    def plural(self) -> str:
        """What a sentence calls several of them."""
        return f"{self.noun}s"

    @property
    def weights(self) -> str:
        """What the weights are called in Python and in files; rules have none."""
        return f"{self.name}_weights"

    @property
    def is_rule(self) -> bool:
        """Whether it is about attributes instead of samples."""
        return self.width == 0

    def describe(self, members: Iterable[object]) -> str:
        """Return one constraint as it is written.

        Examples
        --------
        >>> from clustraint.constraints import KINDS
        >>> KINDS["triplets"].describe(["dog", "wolf", "trout"])
        'dog, wolf | trout'
        """
        return self.form.format(*members)

    def denied(self, row: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
        """Return the kinds and rows of which one would hold if a row did not.

        Examples
        --------
        >>> from clustraint.constraints import KINDS
        >>> KINDS["triplets"].denied((0, 1, 2))
        [('triplets', (0, 2, 1)), ('triplets', (1, 2, 0))]
        """
        return [(kind, tuple(row[place] for place in places)) for kind, places in self.denials]


_TABLE = (
    ConstraintKind(
        "must_link",
        "must-link",
        meaning="in one cluster",
        form="{} = {}",
        width=2,
        denials=(("cannot_link", (0, 1)),),
        violated=lambda row: row[:, 0] != row[:, 1],
    ),
    ConstraintKind(
        "cannot_link",
        "cannot-link",
        meaning="in different clusters",
        form="{} != {}",
        width=2,
        why_distinct="no sample can be apart from itself",
        denials=(("must_link", (0, 1)),),
        violated=lambda row: row[:, 0] == row[:, 1],
    ),
    ConstraintKind(
        "triplets",
        "triplet",
        meaning="the first two join before the third",
        form="{}, {} | {}",
        width=3,
        why_distinct="a triplet compares three different samples",
        denials=(("triplets", (0, 2, 1)), ("triplets", (1, 2, 0))),
        violated=lambda row: (
            ((row[:, 0] == row[:, 2]) | (row[:, 1] == row[:, 2])) & (row[:, 0] != row[:, 1])
        ),
    ),
    ConstraintKind(
        "together",
        "together rule",
        meaning="the samples it holds for are in one cluster",
        form="together: {}",
    ),
    ConstraintKind(
        "exactly",
        "exactly rule",
        meaning="the samples it holds for are one whole cluster",
        form="exactly: {}",
    ),
)

KINDS: Mapping[str, ConstraintKind] = MappingProxyType({kind.name: kind for kind in _TABLE})
SAMPLE_KINDS = tuple(name for name, kind in KINDS.items() if not kind.is_rule)
PAIR_KINDS = tuple(name for name, kind in KINDS.items() if kind.width == 2)
RULE_KINDS = tuple(name for name, kind in KINDS.items() if kind.is_rule)

_WORDS = {
    "must_link": ("ml", "same", "=", "==", "yes", "true"),
    "cannot_link": ("cl", "different", "!=", "<>", "no", "false", "apart"),
    "triplets": ("triplet",),
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in (kind, *words)}
_KIND_OF |= {kind: kind for kind in RULE_KINDS}


def kind_of(word: object) -> str | None:
    """Return the kind that people call so, None where they call none so.

    Examples
    --------
    >>> kind_of("must-link"), kind_of("Different"), kind_of(True), kind_of("dog")
    ('must_link', 'cannot_link', 'must_link', None)
    """
    plain = str(word).strip().lower()
    return _KIND_OF.get(plain) or _KIND_OF.get(plain.replace("-", "_").replace(" ", "_"))
