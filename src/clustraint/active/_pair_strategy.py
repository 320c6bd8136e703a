"""What strategies about pairs share: their samples, what was answered, random questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from clustraint.active._protocol import KINDS, Answer, Pair, Query, Questions, Word
from clustraint.checks import as_generator, check_number, check_whole_number
from clustraint.constraints import PAIR_KINDS, Constraints, check_constraints
from clustraint.typing import BoolArray, FloatArray, IntArray, RandomState

# The pairs of a strategy, each of which gets its answer in words.
Pairs: TypeAlias = Generator[tuple[int, int], Word | None, None]
# So many random pairs are drawn before one that nothing entails is given up.
N_DRAWS = 100


class Memory:
    """What a strategy has been answered, and what follows.

    Parameters
    ----------
    constraints : Constraints
        What was known before the first answer.

    Attributes
    ----------
    constraints : Constraints
        That, and the answers.
    unknown : set of Pair
        The samples of which nobody knows whether they belong together.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        self.unknown: set[Pair] = set()

    def add(self, pair: tuple[int, int], answer: Answer) -> None:
        """Add the answer about two samples."""
        if answer.answer not in KINDS:
            self.unknown.add(frozenset(pair))
            return
        n_samples = self.constraints.n_samples
        links: dict[str, Any] = {KINDS[answer.answer]: [pair]}
        self.constraints = self.constraints | Constraints(n_samples, **links)

    def recall(self, pair: tuple[int, int]) -> Word | None:
        """Return the answer that was given or that follows, None if there is none."""
        if frozenset(pair) in self.unknown:
            return "don't know"
        for word, kind in KINDS.items():
            if self.constraints.entails(**{kind: pair}):
                return word
        return None

    @property
    def is_linked(self) -> BoolArray:
        """Whether an answer speaks of each sample."""
        linked = np.zeros(self.constraints.n_samples, bool)
        linked[self.constraints.must_link] = True
        linked[self.constraints.cannot_link] = True
        return linked

    def neighbourhoods(self) -> list[IntArray]:
        """Return groups of linked samples, every two of which are known to be apart.

        Larger groups come first, so that a sample that was not compared with all of them waits.
        """
        labels, _, cannot_link, _ = self.constraints.components
        samples = np.flatnonzero(self.is_linked)
        components, counts = np.unique(labels[samples], return_counts=True)
        apart = {frozenset(pair) for pair in cannot_link.tolist()}
        kept: list[int] = []
        # Greedy: a component that is not known to be apart from all that are kept may be one with
        # any of them.
        for component in components[np.argsort(-counts, kind="stable")].tolist():
            if all(frozenset((component, other)) in apart for other in kept):
                kept.append(component)
        return [samples[labels[samples] == component] for component in kept]


class PairStrategy(ABC):
    """A strategy that asks whether two samples belong together; base of those that are here.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        The number of clusters.
    n_queries : int, default=20
        The maximum number of questions.
    constraints : Constraints, optional
        What is known before the first question.
    random_share : float from 0 to 1, default=0
        The share of questions about pairs drawn at random. Only these tell how well a clustering
        does on pairs in general: those that a strategy chooses are the difficult ones.
    max_samples : int, default=2000
        Questions are about so many of the samples at most, those of `constraints` and others drawn
        at random, so that the next question comes at once however many there are.
    random_state : int, RandomState, Generator or None, default=0
        The source of randomness. An int gives the same questions after the same answers.
    """

    def __init__(
        self,
        X: Any,
        n_clusters: int = 2,
        n_queries: int = 20,
        *,
        constraints: Constraints | None = None,
        random_share: float = 0.0,
        max_samples: int = 2000,
        random_state: RandomState = 0,
    ) -> None:
        samples: FloatArray = check_array(X, dtype=np.float64, order="C")
        n_samples = len(samples)
        self.n_clusters = check_whole_number("n_clusters", n_clusters, least=1, most=n_samples)
        self.n_queries = check_whole_number("n_queries", n_queries, least=0)
        self.random_share = check_number("random_share", random_share, least=0, most=1)
        check_whole_number("max_samples", max_samples, least=2)
        if constraints is None:
            constraints = Constraints(n_samples)
        pairs = check_constraints(constraints, n_samples).restrict(kinds=PAIR_KINDS)
        # One seed, from which every call of `questions` draws alike.
        self._seed = int(as_generator(random_state).integers(2**63))
        self._rows = self._some_rows(pairs, max_samples)
        self._X = samples[self._rows]
        self._constraints = pairs[self._rows]

    def _some_rows(self, constraints: Constraints, max_samples: int) -> IntArray:
        n_samples = constraints.n_samples
        if n_samples <= max_samples:
            return np.arange(n_samples)
        order = np.random.default_rng(self._seed).permutation(n_samples)
        is_linked = Memory(constraints).is_linked[order]
        return np.sort(np.concatenate((order[is_linked], order[~is_linked]))[:max_samples])

    def questions(self) -> Questions:
        """Yield the questions, be sent their answers, and return the pairs that are known then.

        Examples
        --------
        >>> from clustraint.active import ExploreConsolidate
        >>> questions = ExploreConsolidate([[0.0], [1.0], [9.0]], random_state=0).questions()
        >>> query = next(questions)
        >>> sorted(query.pair)
        [0, 2]
        """
        memory = Memory(self._constraints)
        pairs = self._pairs(memory, np.random.default_rng([self._seed, 0]))
        # A stream of its own, so that random questions do not shift what the strategy draws.
        rng = np.random.default_rng([self._seed, 1])
        word: Word | None = None
        n_asked = 0
        while n_asked < self.n_queries:
            # As evenly as the share allows: one whenever the multiple of the share passes a whole
            # number.
            is_random = int((n_asked + 1) * self.random_share) > int(n_asked * self.random_share)
            pair = self._random_pair(memory, rng) if is_random else None
            if pair is None:
                is_random = False
                try:
                    pair = pairs.send(word)
                except StopIteration:
                    break
                # What follows from earlier answers is told to the strategy without asking, and
                # costs nothing.
                word = memory.recall(pair)
                if word is not None:
                    continue
            answer = yield self._query(pair, is_random)
            if answer is None:
                break
            memory.add(pair, answer)
            n_asked += 1
            if not is_random:
                word = answer.answer
        return memory.constraints

    def _query(self, pair: tuple[int, int], is_random: bool) -> Query:
        low, high = sorted(pair)
        return Query(
            int(self._rows[low]),
            int(self._rows[high]),
            float(np.linalg.norm(self._X[low] - self._X[high])),
            "random" if is_random else "strategy",
        )

    def _random_pair(self, memory: Memory, rng: np.random.Generator) -> tuple[int, int] | None:
        for _ in range(N_DRAWS if len(self._X) > 1 else 0):
            first, second = rng.choice(len(self._X), 2, replace=False).tolist()
            if memory.recall((first, second)) is None:
                return first, second
        return None

    @abstractmethod
    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        """Yield pairs of rows of `_X`, and be sent what is answered or what follows."""

    def _nearest(self, sample: int, others: IntArray) -> int:
        return int(others[np.argmin(self._squares(sample)[others])])

    def _squares(self, sample: int) -> FloatArray:
        """Return the squared distances of all samples from one."""
        return np.asarray(((self._X - self._X[sample]) ** 2).sum(axis=1))

    def _place(
        self, sample: int, neighbourhoods: Iterable[IntArray]
    ) -> Generator[tuple[int, int], Word | None, bool]:
        """Ask where a sample belongs, until it has a neighbourhood; return whether it has one.

        The nearest member stands for a neighbourhood: what is alike is easiest to compare.
        """
        for members in neighbourhoods:
            if (yield sample, self._nearest(sample, members)) == "yes":
                return True
        return False
