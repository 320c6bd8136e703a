"""What is known about samples, what follows from it, and what contradicts it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from clustraint.checks import as_generator, check_count, check_names, encode_labels, read_only
from clustraint.constraints import (
    _closure,
    _consistency,
    _describe,
    _entailment,
    _files,
    _links,
    _repair,
    _sampling,
    _validation,
)
from clustraint.constraints._alignment import aligned, index_of
from clustraint.constraints._expansion import pairs_of_rule
from clustraint.constraints._kinds import RULE_KINDS
from clustraint.constraints._links import Links, rows_property, weights_property
from clustraint.constraints._notebook import constraints_table
from clustraint.constraints._rule import Rule
from clustraint.constraints._rule_conflicts import conflict_of
from clustraint.constraints._validation import check_links
from clustraint.exceptions import InconsistentConstraintsError
from clustraint.kernels.build import BuildVerdict
from clustraint.kernels.components import component_labels
from clustraint.typing import BoolArray, FloatArray, IntArray, RandomState


class Constraints:
    """What is known about samples: who belongs together, who does not, who is closer.

    The object is immutable and has one place for each sample, so that scikit-learn slices it along
    with the data in pipelines, searches and cross-validation.

    Parameters
    ----------
    n_samples : int
        How many samples there are.
    must_link, cannot_link : array-like of shape (n_constraints, 2), optional
        Pairs of sample numbers that are in one cluster, or in different ones. A must-link of a
        sample with itself is left out with a warning.
    triplets : array-like of shape (n_constraints, 3), optional
        Rows (a, b, c), written ab|c: a and b join before either joins c.
    rules : sequence of Rule, optional
        Knowledge about attributes.
    names : sequence of str, optional
        One name for each sample, for files and messages.
    must_link_weights, cannot_link_weights, triplets_weights : array-like, optional
        A finite number above 0 for each row: confidence, or how often it was observed. Default 1.

    Notes
    -----
    Pairs speak of clusters, triplets of a hierarchy. All hold together if some hierarchy displays
    the triplets and some cut of it into clusters keeps the pairs apart or together.

    Examples
    --------
    >>> c = Constraints(6, must_link=[(0, 5)], cannot_link=[(0, 1)], triplets=[(0, 5, 1)])
    >>> c
    Constraints(6 samples: 1 must-link, 1 cannot-link, 1 triplet)
    >>> c.must_link
    array([[0, 5]])
    >>> c[[5, 0, 1]].must_link
    array([[0, 1]])
    """

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
        links = {
            "must_link": check_links("must_link", must_link, must_link_weights, count),
            "cannot_link": check_links("cannot_link", cannot_link, cannot_link_weights, count),
            "triplets": check_links("triplets", triplets, triplets_weights, count),
        }
        parts = {"rules": _validation.check_rules(rules), "names": check_names(names, count)}
        self.__setstate__({"n_samples": count, "links": links, **parts})

    def __getstate__(self) -> dict[str, Any]:
        parts = {key: getattr(self, key) for key in ("n_samples", "rules", "names")}
        return {**parts, "links": dict(self.links)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, links=MappingProxyType(dict(state["links"])))

    def _with(self, **changes: Any) -> Self:
        """Return a copy with other parts, which are not checked."""
        copy = type(self).__new__(type(self))
        copy.__setstate__({**self.__getstate__(), **changes})
        return copy

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Constraints are immutable; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Constraints are immutable; {name} cannot be deleted.")

    must_link: IntArray = rows_property(
        "must_link", "Pairs in one cluster, (n, 2), the lower sample first."
    )
    must_link_weights: FloatArray = weights_property("must_link")
    cannot_link: IntArray = rows_property(
        "cannot_link", "Pairs in different clusters, (n, 2), the lower sample first."
    )
    cannot_link_weights: FloatArray = weights_property("cannot_link")
    triplets: IntArray = rows_property("triplets", "Rows (a, b, c) for ab|c, (n, 3), with a < b.")
    triplets_weights: FloatArray = weights_property("triplets")

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
        ruled = {rule.kind for rule in self.rules}
        return (*linked, *(kind for kind in RULE_KINDS if kind in ruled))

    @property
    def mentioned(self) -> IntArray:
        """The samples that pairs and triplets are about, in rising order."""
        return np.unique(np.concatenate([links.rows.ravel() for links in self.links.values()]))

    def name_of(self, sample: int) -> str:
        """Return the name of a sample, or its number in words where it has none.

        Examples
        --------
        >>> Constraints(2, names=["dog", "wolf"]).name_of(1), Constraints(2).name_of(1)
        ('wolf', 'sample 1')
        """
        return f"sample {sample}" if self.names is None else self.names[sample]

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        return f"Constraints({_describe.summary(self)})"

    def _repr_html_(self) -> str:
        return constraints_table(self)

    def describe(self) -> Iterator[str]:
        """Yield every constraint as files and messages write it, without weights.

        Examples
        --------
        >>> c = Constraints.from_names(["dog", "wolf", "eel"], triplets=[("dog", "wolf", "eel")])
        >>> list(c.describe())
        ['dog, wolf | eel']
        """
        return _describe.descriptions(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._canonical == other._canonical

    def __hash__(self) -> int:
        return hash(self._canonical)

    @cached_property
    def _canonical(self) -> tuple[Any, ...]:
        """All parts in an order of their own, so that equal sets compare equal."""
        rules = tuple(sorted((rule.text, rule.exactly) for rule in self.rules))
        return self.n_samples, self.names, rules, _links.canonical_bytes(self.links)

    def __or__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = _validation.check_same_samples(self, other)
        links = {kind: _links.union(mine, other.links[kind]) for kind, mine in self.links.items()}
        rules = tuple(dict.fromkeys(self.rules + other.rules))
        return self._with(links=links, rules=rules, names=names)

    def __getitem__(self, rows: Any) -> Self:
        chosen = _validation.chosen_samples(rows, self.n_samples)
        links = _links.reindexed(self.links, chosen)
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
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.take(must_link=[1])
        Constraints(4 samples: 1 must-link)
        """
        chosen = {"must_link": must_link, "cannot_link": cannot_link, "triplets": triplets}
        links = {kind: links.chosen(kind, chosen[kind]) for kind, links in self.links.items()}
        return self._with(links=links, rules=tuple(rules))

    def restrict(self, samples: Any = None, *, kinds: str | Iterable[str] | None = None) -> Self:
        """Return the constraints among some samples, or of some kinds; no sample is renumbered.

        `samples` (a slice, mask or numbers) keeps pairs and triplets all of whose samples are among
        these, and rules; `kinds` (one name or several) keeps constraints of these kinds.

        Examples
        --------
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.restrict([0, 1, 2])
        Constraints(4 samples: 1 must-link, 1 cannot-link)
        >>> c.restrict(kinds="must_link")
        Constraints(4 samples: 2 must-links)
        """
        allowed = np.zeros(self.n_samples, np.bool_)
        everybody = slice(None) if samples is None else samples
        allowed[_validation.chosen_samples(everybody, self.n_samples)] = True
        wanted = _validation.check_kinds(kinds)
        masks: dict[str, Any] = {
            kind: allowed[links.rows].all(axis=1) & (kind in wanted)
            for kind, links in self.links.items()
        }
        return self.take(**masks, rules=[rule for rule in self.rules if rule.kind in wanted])

    def sample(self, n_constraints: int, random_state: RandomState = None) -> Self:
        """Return that many of the constraints, pairs, triplets and rules alike, drawn at random.

        Examples
        --------
        >>> c = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
        >>> c.sample(2, random_state=0).n_constraints
        2
        """
        return self._members(_sampling.choose_some(self.n_constraints, n_constraints, random_state))

    def split(self, test_size: float = 0.25, random_state: RandomState = None) -> tuple[Self, Self]:
        """Return constraints to cluster with, and held-out ones to score by.

        The share `test_size` of all constraints, pairs, triplets and rules alike, is drawn at
        random and held out.

        Examples
        --------
        >>> c = Constraints.from_labels([0, 0, 1, 1], n_pairs=8, random_state=0)
        >>> training, held_out = c.split(test_size=0.25, random_state=0)
        >>> training.n_constraints, held_out.n_constraints
        (6, 2)
        """
        held_out = _sampling.choose_share(self.n_constraints, test_size, random_state)
        return self._members(~held_out), self._members(held_out)

    def _members(self, mask: BoolArray) -> Self:
        """Return the constraints that a mask over all kinds, in their order, chooses."""
        sizes = [len(links.rows) for links in self.links.values()]
        *parts, rules = np.split(mask, np.cumsum(sizes))
        masks: dict[str, Any] = dict(zip(self.links, parts, strict=True))
        return self.take(**masks, rules=[self.rules[place] for place in np.flatnonzero(rules)])

    @cached_property
    def _labels(self) -> tuple[IntArray, int]:
        labels, count = component_labels(self.n_samples, self.links["must_link"].rows)
        return labels, int(count)

    @property
    def component_labels(self) -> IntArray:
        """The must-link component of each sample, numbered by first sample."""
        return read_only(self._labels[0])

    @cached_property
    def components(self) -> _closure.Components:
        """Must-link components and the cannot-links between them, which is all that pairs entail.

        Raises
        ------
        InconsistentConstraintsError
            If a cannot-link lies within a component.
        """
        _consistency.check_pairs(self)
        return _closure.components_of(*self._labels, self.links["cannot_link"])

    @cached_property
    def verdict(self) -> BuildVerdict:
        """The parents of the tree that BUILD makes of pairs and triplets, or why there is none."""
        return _consistency.verdict_on(self)

    def closure(self, duplicates: Literal["drop", "sum"] = "drop") -> Constraints:
        """Return all pairs that the pairs entail, listed; triplets and rules stay as they are.

        Must-links are transitive, and a cannot-link holds between whole components. The result can
        be huge (a LargeResultWarning says so); `components` says the same in linear space.

        Parameters
        ----------
        duplicates : {"drop", "sum"}, default="drop"
            Each must-link gets the weight of the weakest link of its strongest chain. "drop" gives
            each cannot-link the weight of the heaviest one which entails it; "sum" adds up the
            weights of all cannot-links that entail it, as the authors of ClusILC count.

        Examples
        --------
        >>> Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)]).closure()
        Constraints(4 samples: 3 must-links, 3 cannot-links)
        """
        return self._with(links={**self.links, **_closure.closure(self, duplicates)})

    @property
    def is_closed(self) -> bool:
        """Whether the pairs are all that they entail."""
        return _closure.is_closed(self)

    def is_consistent(self) -> bool:
        """Say whether all pairs and triplets can hold together.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).is_consistent()
        False
        """
        return _consistency.is_consistent(self)

    def check(
        self,
        n_clusters: int | None = None,
        X: Any = None,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        """Raise an error that explains a contradiction, if there is one.

        Parameters
        ----------
        n_clusters : int, optional
            With it, cannot-links that are seen to need more clusters are an error, too: more
            samples than that exclude each other or, for 2 clusters, cannot-links form an odd
            ring. No error does not prove that so many suffice: that is NP-complete.
        X, feature_names : optional
            The samples, as in `expand_rules`. With them rules are checked, too.

        Raises
        ------
        InconsistentConstraintsError
            Its `witness` holds a minimal contradictory set of the constraints: without any one of
            them the others hold together. TooFewClustersError, where `n_clusters` is the reason.

        Examples
        --------
        >>> names = ["dog", "wolf", "eel"]
        >>> pairs = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2)]}
        >>> Constraints(3, **pairs, names=names).check()
        Traceback (most recent call last):
            ...
        clustraint.exceptions.InconsistentConstraintsError: dog and eel cannot be linked, but \
2 must-links link them: dog = wolf = eel.
        """
        if X is not None and self.rules:
            try:
                self.expand_rules(X, feature_names).check(n_clusters)
            except InconsistentConstraintsError as error:
                raise conflict_of(self._on_rows_of(X), error, X) from None
            return
        _consistency.check(self)
        if n_clusters is not None:
            _consistency.check_n_clusters(self, n_clusters)

    def entails(
        self,
        triplets: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Any:
        """Tell whether triplets, must-links or cannot-links follow from the constraints.

        Asked about one row of one kind, the answer is a bool; about a table of rows, an array of
        them. A must-link follows if the cannot-link would contradict the constraints, and the other
        way round; a triplet ab|c, if both ac|b and bc|a would. Constraints that contradict each
        other are an error.

        Examples
        --------
        >>> c = Constraints(4, triplets=[(0, 1, 2), (2, 3, 0)])
        >>> c.entails((0, 1, 3)), c.entails((1, 2, 3))
        (True, False)
        >>> Constraints(4, must_link=[(0, 1), (1, 2)]).entails(must_link=[(0, 2), (0, 3)])
        array([ True, False])
        """
        rows = {"triplets": triplets, "must_link": must_link, "cannot_link": cannot_link}
        return _entailment.entails(self, rows)

    def redundant(self) -> Constraints:
        """Return constraints that the others entail, so that all of these could go together.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2), (0, 2)]).redundant()
        Constraints(3 samples: 1 must-link)
        """
        return _entailment.redundant(self)

    def repair(
        self, X: Any = None, feature_names: Sequence[str] | None = None
    ) -> tuple[Constraints, Constraints]:
        """Return constraints that hold together, and a small weight of others that was dropped.

        Pairs come first: a contradicted cannot-link goes, or the lightest cut of the must-links
        between its ends, if all cannot-links that this settles weigh more. Then triplets: a set of
        samples that they keep from falling apart is cut in two so that few of the triplets that the
        cut decides are lost. Unless there are very many, no dropped constraint could be taken back.

        Parameters
        ----------
        X, feature_names : optional
            The samples, as in `expand_rules`. With them, pairs and triplets that contradict the
            rules are dropped, too (an UnrepairableRulesError if the rules contradict each other).

        Returns
        -------
        kept, dropped : Constraints
            `kept` is consistent; it is `self` if that was. Rules are kept.

        Examples
        --------
        >>> c = Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
        >>> c.repair()
        (Constraints(3 samples: 2 must-links), Constraints(3 samples: 1 cannot-link))
        """
        if X is None or not self.rules:
            return _repair.repair(self)
        mine = self._on_rows_of(X)
        return _repair.repair_around_rules(mine, mine.expand_rules(X, feature_names))

    def expand_rules(self, X: Any, feature_names: Sequence[str] | None = None) -> Constraints:
        """Return the rules as pairs of the samples in `X`, for methods that take only pairs.

        A `together` rule says that all samples in its scope are linked; an `exactly` rule moreover
        that none of them may be with any other sample. The pairs returned entail all of these
        (see `closure`) and are no more than one for each sample and rule.

        Parameters
        ----------
        X : DataFrame, array or sparse matrix of shape (n_samples, n_features)
            The samples; those with names are found by the index of a DataFrame.
        feature_names : sequence of str, optional
            Names of the columns of an array, see `Rule.scope`.

        Examples
        --------
        >>> import numpy as np
        >>> c = Constraints(4, rules=[Rule("x0", exactly=True)])
        >>> c.expand_rules(np.array([[1], [1], [0], [0]]))
        Constraints(4 samples: 1 must-link, 2 cannot-links)
        """
        expanded = self._on_rows_of(X)._with(rules=())
        for rule in self.rules:
            pairs: dict[str, Any] = pairs_of_rule(rule, len(expanded), X, feature_names)
            expanded |= Constraints(len(expanded), **pairs)
        return expanded

    def _on_rows_of(self, X: Any) -> Self:
        """Return the constraints with samples in the order that they have in a DataFrame."""
        labels = None if self.names is None else index_of(X)
        return self if labels is None else aligned(self, labels)

    @classmethod
    def from_labels(
        cls,
        y: ArrayLike,
        *,
        n_pairs: int | Literal["all"] | None = None,
        n_triplets: int | Literal["all"] | None = None,
        random_state: RandomState = None,
        names: Sequence[str] | None = None,
    ) -> Constraints:
        """Return all that labels say, or draw from it as the papers' experiments do.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels; -1, None and nan are unknown, and nothing is said about these samples.
        n_pairs : int or "all", optional
            How many pairs of samples to draw, independently and uniformly; one of equal labels
            becomes a must-link, any other a cannot-link. "all", the default if `n_triplets` is
            not given either: pairs that entail all of these, which are a must-link of each sample
            with the first one of its class, and a cannot-link of the first ones of two classes.
        n_triplets : int or "all", optional
            How many triplets to draw, independently and uniformly from all with a and b of one
            class and c of another. "all": triplets that entail all of these.
        random_state : int, RandomState, Generator or None
            The source of randomness.
        names : sequence of str, optional
            One name for each sample.

        Examples
        --------
        >>> Constraints.from_labels([0, 0, 1, 1, -1])
        Constraints(5 samples: 2 must-links, 1 cannot-link)
        >>> Constraints.from_labels([0, 0, 1, 1, -1], n_pairs=10, n_triplets=3, random_state=0)
        Constraints(5 samples: 2 must-links, 8 cannot-links, 3 triplets)
        """
        classes, _ = encode_labels(y)
        rng = as_generator(random_state)
        if n_pairs is None:
            n_pairs = "all" if n_triplets is None else 0
        must_link, cannot_link = _sampling.draw_pairs(classes, n_pairs, rng)
        triplets = _sampling.draw_triplets(classes, 0 if n_triplets is None else n_triplets, rng)
        return cls(len(classes), must_link, cannot_link, triplets, names=names)

    @classmethod
    def from_names(
        cls,
        names: Sequence[str],
        *,
        must_link: Sequence[Sequence[str]] | None = None,
        cannot_link: Sequence[Sequence[str]] | None = None,
        triplets: Sequence[Sequence[str]] | None = None,
        rules: Iterable[Rule] = (),
        **weights: ArrayLike | None,
    ) -> Constraints:
        """Make constraints from rows of names; further arguments are those of `Constraints`.

        Examples
        --------
        >>> animals = ["dog", "wolf", "trout"]
        >>> c = Constraints.from_names(animals, triplets=[("dog", "wolf", "trout")])
        >>> c.triplets
        array([[0, 1, 2]])
        """
        checked = check_names(names, len(names)) or ()
        tables = {"must_link": must_link, "cannot_link": cannot_link, "triplets": triplets}
        rows = _validation.rows_from_names(tables, checked)
        return cls(len(checked), **rows, rules=rules, names=checked, **weights)

    @classmethod
    def from_hierarchy(
        cls, hierarchy: Any, n_triplets: int | None = None, random_state: RandomState = None
    ) -> Constraints:
        """Return triplets of a `Hierarchy`, with its names.

        Without `n_triplets`, these are the informative triplets, which entail all others; otherwise
        so many independent uniform draws from all triplets of the hierarchy.

        Examples
        --------
        >>> from clustraint import Hierarchy
        >>> Constraints.from_hierarchy(Hierarchy.from_newick("((dog,wolf),trout);"))
        Constraints(3 samples: 1 triplet)
        """
        triplets = _sampling.triplets_of(hierarchy, n_triplets, random_state)
        return cls(hierarchy.n_samples, triplets=triplets, names=hierarchy.names)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        n_samples: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Constraints:
        """Read constraints from a .txt, .csv or .json file.

        Parameters
        ----------
        path : path
            The file; its suffix says which format it is in.
        n_samples : int, optional
            How many samples there are; needed where the file speaks of row numbers and not of all.
        names : sequence of str, optional
            The names of all samples. Without them, a file that speaks of names numbers these in
            order of appearance.

        Raises
        ------
        ConstraintFileError
            With file and line, where the file cannot be read.

        Examples
        --------
        >>> Constraints.read("knowledge.txt", names=["dog", "wolf"])  # doctest: +SKIP
        Constraints(2 samples: 1 must-link)
        """
        return cls(**_files.read(Path(path), n_samples, names))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write constraints to a .txt, .csv or .json file, all at once or not at all.

        Examples
        --------
        >>> Constraints(2, must_link=[(0, 1)]).write("knowledge.txt")  # doctest: +SKIP
        """
        _files.write(self, Path(path))
