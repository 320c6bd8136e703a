"""What is known, what follows from it, and what contradicts it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from clustraint.checks import as_generator, check_count, check_names, encode_labels
from clustraint.constraints import _closure, _consistency, _files, _repair, _sampling
from clustraint.constraints._closure import Components
from clustraint.constraints._constraint_set import ConstraintSet, read_only
from clustraint.constraints._rule import Rule
from clustraint.constraints._validation import check_links, check_rows, rows_from_names
from clustraint.exceptions import ClustraintError
from clustraint.kernels.components import component_labels
from clustraint.typing import IntArray, RandomState

__all__ = ["Components", "Constraints"]


class TripletSource(Protocol):
    """What `Constraints.from_hierarchy` needs of a hierarchy."""

    @property
    def n_samples(self) -> int: ...
    @property
    def names(self) -> tuple[str, ...] | None: ...
    def informative_triplets(self) -> IntArray: ...
    def sample_triplets(self, n_triplets: int, random_state: RandomState = None) -> IntArray: ...


class Constraints(ConstraintSet):
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
        A finite number above 0 for each row: confidence, or how often it was said. Default 1.

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

    @cached_property
    def _labels(self) -> tuple[IntArray, int]:
        labels, count = component_labels(self.n_samples, self.links["must_link"].rows)
        return labels, int(count)

    @property
    def component_labels(self) -> IntArray:
        """The must-link component of each sample, numbered by first sample."""
        return read_only(self._labels[0])

    @cached_property
    def components(self) -> Components:
        """Must-link components and the cannot-links between them, which is all that pairs entail.

        Raises
        ------
        InconsistentConstraintsError
            If a cannot-link lies within a component.
        """
        _consistency.check(self.restrict(kinds=("must_link", "cannot_link")))
        labels, count, pairs, weights = _closure.components(
            *self._labels, self.links["cannot_link"]
        )
        return Components(read_only(labels), count, read_only(pairs), read_only(weights))

    def entailed(self, pair: Sequence[int]) -> Literal["must_link", "cannot_link"] | None:
        """Say whether the pairs entail that two samples are linked, or that they cannot be.

        Raises
        ------
        InconsistentConstraintsError
            If the pairs contradict each other.

        Examples
        --------
        >>> c = Constraints(5, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> c.entailed((0, 2)), c.entailed((0, 3)), c.entailed((0, 4))
        ('must_link', 'cannot_link', None)
        """
        labels, _, cannot_link, _ = self.components
        low, high = sorted(labels[list(pair)].tolist())
        if low == high:
            return "must_link"
        # Each pair of components is there once, lower number first.
        is_apart = (cannot_link[:, 0] == low) & (cannot_link[:, 1] == high)
        return "cannot_link" if is_apart.any() else None

    def closure(self, duplicates: Literal["drop", "sum"] = "drop") -> Constraints:
        """Return all pairs that the pairs entail, listed; triplets and rules stay as they are.

        Must-links are transitive, and a cannot-link holds between whole components. The result can
        be huge; `components` says the same in linear space.

        Parameters
        ----------
        duplicates : {"drop", "sum"}, default="drop"
            Each must-link gets the weight of the weakest link of its strongest chain. "drop" gives
            each cannot-link the weight of the heaviest one which entails it; "sum" adds up the
            weights of all given cannot-links that entail it, as the authors of ClusILC count.

        Warns
        -----
        LargeResultWarning
            Beforehand, where more than 10⁷ pairs follow.

        Examples
        --------
        >>> Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)]).closure()
        Constraints(4 samples: 3 must-links, 3 cannot-links)
        """
        must_link, cannot_link = _closure.closure(
            self.components, self.links["must_link"], self.links["cannot_link"], duplicates
        )
        changed = {"must_link": must_link, "cannot_link": cannot_link}
        return self._with(links={**self.links, **changed})

    @property
    def is_closed(self) -> bool:
        """Whether the pairs are all that they entail."""
        must, cannot = self.components.closure_sizes
        distinct = [
            len(_closure.unique_rows(self.links[kind].rows, self.n_samples)[0])
            for kind in ("must_link", "cannot_link")
        ]
        return distinct == [must, cannot]

    def is_consistent(self) -> bool:
        """Say whether all pairs and triplets can hold together.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).is_consistent()
        False
        """
        return _consistency.is_consistent(self)

    def check(self, n_clusters: int | None = None) -> None:
        """Raise an error that explains a contradiction, if there is one.

        Parameters
        ----------
        n_clusters : int, optional
            If given, it is also an error if the cannot-links are seen to need more clusters: more
            samples than that exclude each other or, for 2 clusters, cannot-links form an odd
            ring. That there is no error is no proof, since the question is NP-complete.

        Raises
        ------
        InconsistentConstraintsError
            Its `witness` holds a minimal contradictory set of the constraints: without any one of
            them the others hold together.
        TooFewClustersError
            Likewise, for so many clusters.

        Examples
        --------
        >>> c = Constraints.from_names(
        ...     ["dog", "wolf", "trout"],
        ...     must_link=[("dog", "wolf"), ("wolf", "trout")],
        ...     cannot_link=[("dog", "trout")],
        ... )
        >>> c.check()
        Traceback (most recent call last):
            ...
        clustraint.exceptions.InconsistentConstraintsError: dog and trout cannot be linked, but \
2 must-links tie them together: dog = wolf = trout.
        """
        _consistency.check(self)
        if n_clusters is not None:
            count = check_count("n_clusters", n_clusters)
            if not count:
                raise ClustraintError("n_clusters must be at least 1, but is 0.")
            _consistency.check_n_clusters(self, count)

    def implies(
        self,
        triplet: Sequence[int] | None = None,
        *,
        must_link: Sequence[int] | None = None,
        cannot_link: Sequence[int] | None = None,
    ) -> bool:
        """Say whether a triplet, must-link or cannot-link follows from what is known.

        A must-link follows if the cannot-link would contradict what is known, and the other way
        round; a triplet ab|c, if both ac|b and bc|a would.

        Examples
        --------
        >>> c = Constraints(4, triplets=[(0, 1, 2), (2, 3, 0)])
        >>> c.implies((0, 1, 3)), c.implies((1, 2, 3))
        (True, False)
        >>> Constraints(3, must_link=[(0, 1), (1, 2)]).implies(must_link=(0, 2))
        True
        """
        given = {"triplets": triplet, "must_link": must_link, "cannot_link": cannot_link}
        asked: dict[str, Any] = {kind: row for kind, row in given.items() if row is not None}
        if len(asked) != 1:
            raise ClustraintError("implies takes one triplet, must_link or cannot_link.")
        self.check()
        ((kind, row),) = asked.items()
        if kind == "must_link" and len({*check_rows(kind, [row], self.n_samples)[0]}) == 1:
            return True
        asked_row = check_links(kind, [row], None, self.n_samples).rows[0]
        denials = _consistency.denials(kind, asked_row.tolist())
        return not any(
            (self | Constraints(self.n_samples, **denial)).is_consistent() for denial in denials
        )

    def repair(
        self, X: Any = None, feature_names: Sequence[str] | None = None
    ) -> tuple[Constraints, Constraints]:
        """Return constraints that hold together, and a small weight of others that was dropped.

        Pairs come first: a contradicted cannot-link goes, or the lightest cut of the must-links
        that tie its ends, if all cannot-links which this settles weigh more. Then triplets: where
        they do not let a set of samples fall apart, it is cut in two such that few of the triplets
        which the cut decides are lost. In a set of moderate size, no dropped constraint could be
        taken back.

        Parameters
        ----------
        X : DataFrame, array or sparse matrix of shape (n_samples, n_features), optional
            The samples. With them, pairs and triplets that contradict the rules are dropped, too;
            without them, rules are not looked at.
        feature_names : sequence of str, optional
            Names of the columns of an array, see `Rule.scope`.

        Returns
        -------
        kept, dropped : Constraints
            `kept` is consistent; it is `self` if that was. Rules are kept.

        Raises
        ------
        UnrepairableRulesError
            If the rules contradict each other.

        Examples
        --------
        >>> c = Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
        >>> c.repair()
        (Constraints(3 samples: 2 must-links), Constraints(3 samples: 1 cannot-link))
        """
        if X is None or not self.rules:
            return _repair.repair(self)
        return _repair.repair_around_rules(self, self.expand_rules(X, feature_names))

    def expand_rules(self, X: Any, feature_names: Sequence[str] | None = None) -> Constraints:
        """Return the rules as pairs of the samples in `X`, for methods that take only pairs.

        A `together` rule says that all samples in its scope are linked; an `exactly` rule moreover
        that none of them may be with any other sample. The pairs given entail all of these (see
        `closure`) and are no more than one for each sample and rule.

        Parameters
        ----------
        X : DataFrame, array or sparse matrix of shape (n_samples, n_features)
            The samples.
        feature_names : sequence of str, optional
            Names of the columns of an array, see `Rule.scope`.

        Examples
        --------
        >>> import numpy as np
        >>> c = Constraints(4, rules=[Rule("x0", exactly=True)])
        >>> c.expand_rules(np.array([[1], [1], [0], [0]]))
        Constraints(4 samples: 1 must-link, 2 cannot-links)
        """
        expanded = self._with(rules=())
        for rule in self.rules:
            scope = rule.scope(X, feature_names)
            if len(scope) != self.n_samples:
                raise ClustraintError(
                    f"X has {len(scope)} samples, but the constraints are about {self.n_samples}."
                )
            inside = np.flatnonzero(scope)
            outside = np.flatnonzero(~scope & rule.exactly & scope.any())
            expanded |= Constraints(
                self.n_samples,
                must_link=np.stack((inside[:-1], inside[1:]), axis=1),
                cannot_link=np.stack((np.repeat(inside[:1], len(outside)), outside), axis=1),
            )
        return expanded

    @classmethod
    def from_labels(
        cls,
        y: ArrayLike,
        *,
        n_pairs: int = 0,
        n_triplets: int = 0,
        random_state: RandomState = None,
        names: Sequence[str] | None = None,
    ) -> Constraints:
        """Draw constraints from labels, as the papers' experiments do.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels; -1, None and nan are unknown and never drawn.
        n_pairs : int, default=0
            How many pairs of samples to draw, independently and uniformly; one of equal labels
            becomes a must-link, any other a cannot-link.
        n_triplets : int, default=0
            How many triplets to draw, independently and uniformly from all with a and b of one
            class and c of another.
        random_state : int, RandomState, Generator or None
            The source of randomness.
        names : sequence of str, optional
            One name for each sample.

        Examples
        --------
        >>> Constraints.from_labels([0, 0, 1, 1, -1], n_pairs=10, n_triplets=3, random_state=0)
        Constraints(5 samples: 2 must-links, 8 cannot-links, 3 triplets)
        """
        classes, _ = encode_labels(y)
        pair_count = check_count("n_pairs", n_pairs)
        triplet_count = check_count("n_triplets", n_triplets)
        rng = as_generator(random_state)
        must_link, cannot_link = _sampling.draw_pairs(classes, pair_count, rng)
        triplets = _sampling.draw_triplets(classes, triplet_count, rng)
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
        given = {"must_link": must_link, "cannot_link": cannot_link, "triplets": triplets}
        rows = {kind: rows_from_names(kind, table, checked) for kind, table in given.items()}
        return cls(len(checked), **rows, rules=rules, names=checked, **weights)

    @classmethod
    def from_hierarchy(
        cls,
        hierarchy: TripletSource,
        n_triplets: int | None = None,
        random_state: RandomState = None,
    ) -> Constraints:
        """Make triplets from a hierarchy.

        Parameters
        ----------
        hierarchy : Hierarchy
            A rooted tree over the samples.
        n_triplets : int, optional
            None: the informative triplets, which entail all others. A number: so many independent
            uniform draws from all triplets of the hierarchy.
        random_state : int, RandomState, Generator or None
            The source of randomness.

        Examples
        --------
        >>> from clustraint import Hierarchy
        >>> Constraints.from_hierarchy(Hierarchy.from_newick("((dog,wolf),trout);"))
        Constraints(3 samples: 1 triplet)
        """
        if n_triplets is None:
            triplets = hierarchy.informative_triplets()
        else:
            triplets = hierarchy.sample_triplets(n_triplets, random_state)
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
        known = _files.read(Path(path), n_samples, names)
        return cls(**known)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write constraints to a .txt, .csv or .json file, all at once or not at all.

        Examples
        --------
        >>> Constraints(2, must_link=[(0, 1)]).write("knowledge.txt")  # doctest: +SKIP
        """
        _files.write(self, Path(path))
