"""An immutable set of constraints with one place for each sample."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import EllipsisType, MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from clustraint.checks import as_generator, check_count, check_index, check_names
from clustraint.constraints._links import WIDTHS, Links, in_canonical_order, reindexed, union
from clustraint.constraints._notebook import constraints_table
from clustraint.constraints._rule import Rule
from clustraint.constraints._sampling import choose
from clustraint.constraints._validation import check_links, chosen_samples
from clustraint.exceptions import ClustraintError
from clustraint.typing import BoolArray, FloatArray, IntArray, RandomState
from clustraint.wording import counted

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


class ConstraintSet:
    """What is held of constraints and how it is selected and joined; see `Constraints`."""

    n_samples: int
    names: tuple[str, ...] | None
    rules: tuple[Rule, ...]
    links: Mapping[str, Links]

    def __init__(
        self,
        n_samples: int,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        triplets: ArrayLike | None = None,
        rules: Iterable[Rule] | None = None,
        names: Sequence[str] | None = None,
        *,
        must_link_weights: ArrayLike | None = None,
        cannot_link_weights: ArrayLike | None = None,
        triplets_weights: ArrayLike | None = None,
    ) -> None:
        count = check_count("n_samples", n_samples)
        given = {
            "must_link": (must_link, must_link_weights),
            "cannot_link": (cannot_link, cannot_link_weights),
            "triplets": (triplets, triplets_weights),
        }
        links = {}
        for kind, both in given.items():  # a comprehension is a frame of its own before Python 3.12
            links[kind] = check_links(kind, *both, count)
        self._fill(count, links, _check_rules(rules), check_names(names, count))

    def _fill(
        self,
        n_samples: int,
        links: Mapping[str, Links],
        rules: tuple[Rule, ...],
        names: tuple[str, ...] | None,
    ) -> None:
        filled = {"n_samples": n_samples, "rules": rules, "names": names}
        self.__dict__.update(filled, links=MappingProxyType(dict(links)))

    def _with(self, **changes: Any) -> Self:
        """Return a copy with other parts, which are known to be valid."""
        parts = {key: getattr(self, key) for key in ("n_samples", "links", "rules", "names")}
        copy = type(self).__new__(type(self))
        copy._fill(**{**parts, **changes})
        return copy

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Constraints are immutable; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Constraints are immutable; {name} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        links = {kind: tuple(links) for kind, links in self.links.items()}
        return _rebuild, (type(self), self.n_samples, links, self.rules, self.names)

    @property
    def must_link(self) -> IntArray:
        """Pairs that are in one cluster, (n_must_links, 2), the lower sample first."""
        return read_only(self.links["must_link"].rows)

    @property
    def must_link_weights(self) -> FloatArray:
        """One weight for each must-link."""
        return read_only(self.links["must_link"].weights)

    @property
    def cannot_link(self) -> IntArray:
        """Pairs that are in different clusters, (n_cannot_links, 2), the lower sample first."""
        return read_only(self.links["cannot_link"].rows)

    @property
    def cannot_link_weights(self) -> FloatArray:
        """One weight for each cannot-link."""
        return read_only(self.links["cannot_link"].weights)

    @property
    def triplets(self) -> IntArray:
        """Rows (a, b, c) for ab|c, (n_triplets, 3), with a < b."""
        return read_only(self.links["triplets"].rows)

    @property
    def triplets_weights(self) -> FloatArray:
        """One weight for each triplet."""
        return read_only(self.links["triplets"].weights)

    @property
    def n_constraints(self) -> int:
        """How many pairs, triplets and rules there are."""
        return sum(len(links.rows) for links in self.links.values()) + len(self.rules)

    @property
    def shape(self) -> tuple[int]:
        """(n_samples,), as scikit-learn expects of what it slices along with the data."""
        return (self.n_samples,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that occur, among must_link, cannot_link, triplets, together and exactly."""
        linked = [kind for kind, links in self.links.items() if len(links.rows)]
        ruled = [k for k in ("together", "exactly") if any(rule.kind == k for rule in self.rules)]
        return (*linked, *ruled)

    def name_of(self, sample: int) -> str:
        """Return the name of a sample, or its number in words where it has none.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> Constraints(2, names=["dog", "wolf"]).name_of(1), Constraints(2).name_of(1)
        ('wolf', 'sample 1')
        """
        return f"sample {sample}" if self.names is None else self.names[sample]

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        nouns = {"must_link": "must-link", "cannot_link": "cannot-link", "triplets": "triplet"}
        counts = {nouns[kind]: len(links.rows) for kind, links in self.links.items()}
        counts["rule"] = len(self.rules)
        said = ", ".join(counted(count, noun) for noun, count in counts.items() if count)
        return f"Constraints({counted(self.n_samples, 'sample')}: {said or 'nothing known'})"

    def _repr_html_(self) -> str:
        return constraints_table(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._canonical == other._canonical

    def __hash__(self) -> int:
        return hash(self._canonical)

    @cached_property
    def _canonical(self) -> tuple[Any, ...]:
        """All parts in an order of their own, so that equal sets compare equal."""
        tables = (part for links in self.links.values() for part in in_canonical_order(links))
        rules = tuple(sorted((rule.text, rule.exactly) for rule in self.rules))
        return (self.n_samples, self.names, rules, *(table.tobytes() for table in tables))

    def __or__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        if self.n_samples != other.n_samples:
            raise ClustraintError(
                "constraints can be joined only if they are about the same samples, but one is "
                f"about {self.n_samples} and the other about {other.n_samples}."
            )
        names = self.names if other.names is None else other.names
        if self.names is not None and self.names != names:
            raise ClustraintError("constraints can be joined only if their names are the same.")
        links = {kind: union(mine, other.links[kind]) for kind, mine in self.links.items()}
        rules = tuple(dict.fromkeys(self.rules + other.rules))
        return self._with(links=links, rules=rules, names=names)

    def __getitem__(self, rows: Any) -> Self:
        if isinstance(rows, tuple):
            rows = next((row for row in rows if not isinstance(row, EllipsisType)), slice(None))
        chosen = chosen_samples(rows, self.n_samples)
        new = np.full(self.n_samples, -1, np.int64)
        new[chosen] = np.arange(len(chosen))
        links = {kind: reindexed(links, new) for kind, links in self.links.items()}
        names = self.names if self.names is None else tuple(self.names[sample] for sample in chosen)
        return self._with(n_samples=len(chosen), links=links, names=names)

    def take(
        self,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        triplets: ArrayLike | None = None,
        rules: Iterable[Rule] = (),
    ) -> Self:
        """Return only the constraints chosen, by masks or row numbers; a kind not named is empty.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.take(must_link=[1])
        Constraints(4 samples: 1 must-link)
        """
        chosen = {"must_link": must_link, "cannot_link": cannot_link, "triplets": triplets}
        links = {
            kind: links.select(
                check_index(kind, [] if chosen[kind] is None else chosen[kind], len(links.rows))
            )
            for kind, links in self.links.items()
        }
        return self._with(links=links, rules=tuple(rules))

    def restrict(self, samples: Any = None, *, kinds: str | Iterable[str] | None = None) -> Self:
        """Return the constraints among some samples, or of some kinds; no sample is renumbered.

        Parameters
        ----------
        samples : slice, mask or sample numbers, optional
            A constraint stays if all of its samples are among these; rules always do.
        kinds : str or iterable of str, optional
            A constraint stays if it is of one of these `kinds`.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.restrict([0, 1, 2])
        Constraints(4 samples: 1 must-link, 1 cannot-link)
        >>> c.restrict(kinds="must_link")
        Constraints(4 samples: 2 must-links)
        """
        allowed = np.ones(self.n_samples, bool)
        if samples is not None:
            allowed[:] = False
            allowed[chosen_samples(samples, self.n_samples)] = True
        wanted = _check_kinds(kinds)
        masks: dict[str, Any] = {
            kind: allowed[links.rows].all(axis=1) & (kind in wanted)
            for kind, links in self.links.items()
        }
        return self.take(**masks, rules=[rule for rule in self.rules if rule.kind in wanted])

    def sample(self, n_constraints: int, random_state: RandomState = None) -> Self:
        """Return that many of the constraints, pairs, triplets and rules alike, drawn at random.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.sample(2, random_state=0).n_constraints
        2
        """
        count = check_count("n_constraints", n_constraints)
        if count > self.n_constraints:
            raise ClustraintError(
                f"n_constraints is {count}, but only {self.n_constraints} constraints are there."
            )
        rng = as_generator(random_state)
        return self._members(choose(self.n_constraints, count, rng))

    def split(self, test_size: float = 0.25, random_state: RandomState = None) -> tuple[Self, Self]:
        """Return constraints to cluster with, and held-out ones to score by.

        Parameters
        ----------
        test_size : float, default=0.25
            The share of all constraints, pairs, triplets and rules alike, that is held out.
        random_state : int, RandomState, Generator or None
            The source of randomness.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> c = Constraints.from_labels([0, 0, 1, 1], n_pairs=8, random_state=0)
        >>> given, held_out = c.split(test_size=0.25, random_state=0)
        >>> given.n_constraints, held_out.n_constraints
        (6, 2)
        """
        if not isinstance(test_size, numbers.Real) or not 0 <= test_size <= 1:
            raise ClustraintError(f"test_size must be a share from 0 to 1, but is {test_size!r}.")
        count = round(float(test_size) * self.n_constraints)
        held_out = choose(self.n_constraints, count, as_generator(random_state))
        return self._members(~held_out), self._members(held_out)

    def _members(self, mask: BoolArray) -> Self:
        """Return the constraints that a mask over all kinds, in their order, chooses."""
        sizes = [len(links.rows) for links in self.links.values()]
        *parts, rules = np.split(mask, np.cumsum(sizes))
        chosen = [rule for rule, taken in zip(self.rules, rules, strict=True) if taken]
        masks: dict[str, Any] = dict(zip(self.links, parts, strict=True))
        return self.take(**masks, rules=chosen)


def _rebuild(
    kind: type[ConstraintSet],
    n_samples: int,
    links: dict[str, tuple[IntArray, FloatArray]],
    rules: tuple[Rule, ...],
    names: tuple[str, ...] | None,
) -> ConstraintSet:
    copy = kind.__new__(kind)
    copy._fill(n_samples, {kind: Links(*both) for kind, both in links.items()}, rules, names)
    return copy


def _check_rules(rules: Iterable[Rule] | None) -> tuple[Rule, ...]:
    """Return rules in their order, each once."""
    if rules is None:
        return ()
    checked = tuple(rules) if isinstance(rules, Iterable) else (rules,)
    for rule in checked:
        if not isinstance(rules, Iterable) or not isinstance(rule, Rule):
            raise ClustraintError(f"rules must hold Rule objects, but there is {rule!r:.60}.")
    return tuple(dict.fromkeys(checked))


def _check_kinds(kinds: str | Iterable[str] | None) -> set[str]:
    known = {*WIDTHS, "together", "exactly"}
    wanted = known if kinds is None else {kinds} if isinstance(kinds, str) else set(kinds)
    if wanted - known:
        raise ClustraintError(
            f"kinds must be among {', '.join(sorted(known))}, but one is "
            f"{sorted(wanted - known)[0]!r}."
        )
    return wanted


def read_only(array: Array) -> Array:
    """Return a read-only view; kernels get the array itself, as they compile anew for each kind."""
    view = array.view()
    view.flags.writeable = False
    return view
