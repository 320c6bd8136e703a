"""Which two of three? A hierarchy by inserting one sample after the other where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from clustraint.checks import as_generator, check_whole_number, is_whole
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidTripletAnswerError
from clustraint.typing import FloatArray, RandomState

NOBODY = -1


class TripletQuery(NamedTuple):
    """The question which two of three samples belong together more closely.

    Attributes
    ----------
    first, second, third : int
        The samples.

    Examples
    --------
    >>> TripletQuery(0, 5, 9).answered(9)
    TripletAnswer(first=0, second=5, third=9)
    >>> TripletQuery(0, 5, 9).answered(None) is None
    True
    """

    first: int
    second: int
    third: int

    def answered(self, odd: int | None) -> TripletAnswer | None:
        """Return the answer in which a sample is the odd one out, None for "don't know".

        Raises
        ------
        InvalidTripletAnswerError
            If it is none of the three samples.

        Examples
        --------
        >>> TripletQuery(0, 5, 9).answered(0)
        TripletAnswer(first=5, second=9, third=0)
        """
        if odd is None:
            return None
        if not is_whole(odd) or odd not in self:
            raise InvalidTripletAnswerError(odd, tuple(self))
        first, second = (sample for sample in self if sample != odd)
        return TripletAnswer(first, second, int(odd))


class TripletAnswer(NamedTuple):
    """A triplet: the first two samples belong together more closely than either with the third.

    Attributes
    ----------
    first, second, third : int
        The samples.

    Examples
    --------
    >>> TripletAnswer(0, 5, 9).third
    9
    """

    first: int
    second: int
    third: int


TripletQuestions: TypeAlias = Generator[TripletQuery, TripletAnswer | None, Constraints]


class GrowingTree:
    """A binary tree that gets one leaf after the other; nodes are numbered as they come."""

    def __init__(self, first: int, second: int) -> None:
        self.parents = [2, 2, NOBODY]
        self.children: list[tuple[int, int] | None] = [None, None, (0, 1)]
        self.samples = [first, second, NOBODY]

    @property
    def root(self) -> int:
        return self.parents.index(NOBODY)

    def below(self, node: int) -> list[int]:
        """Return a node and all below it, parents first."""
        nodes = [node]
        for each in nodes:
            nodes.extend(self.children[each] or ())
        return nodes

    def leaves(self, node: int) -> list[int]:
        """Return the samples below a node."""
        return [self.samples[each] for each in self.below(node) if self.children[each] is None]

    def insert(self, sample: int, node: int) -> None:
        """Hang a sample beside a node."""
        leaf, joint, above = len(self.parents), len(self.parents) + 1, self.parents[node]
        self.parents += [joint, above]
        self.children += [None, (node, leaf)]
        self.samples += [sample, NOBODY]
        self.parents[node] = joint
        if above != NOBODY:
            low, high = self.children[above] or (NOBODY, NOBODY)
            self.children[above] = (joint, high) if low == node else (low, joint)


class TripletInsertion:
    """A strategy: which two of three, so that a hierarchy grows by one sample after the other.

    A sample is hung into a binary tree by halving: a node is chosen that parts the places where the
    sample may hang as evenly as can be, into those below its one child, below its other, and all
    others. The question about the sample and one leaf below each child says which it is. So a
    sample takes about as many questions as its place in a sorted list would, and a hierarchy of n
    samples near n log n of them. The triplets, for `ReCon` or `BiHAC`, never contradict each other.

    Of the leaves below a child, the one nearest to the sample is asked about. After "don't know"
    the sample is left out.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_queries : int, default=100
        The maximum number of questions.
    random_state : int, RandomState, Generator or None, default=0
        The order of samples.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> strategy = TripletInsertion(X)
    >>> def odd_one(query):
    ...     gaps = [abs(X[b, 0] - X[c, 0]) for b, c in (query[1:], query[::2], query[:2])]
    ...     return query[gaps.index(min(gaps))]
    >>> triplets = ask_triplets(strategy, odd_one)
    >>> Hierarchy.from_triplets(triplets.triplets, 4).cut(2).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, X: Any, n_queries: int = 100, *, random_state: RandomState = 0) -> None:
        self._X: FloatArray = check_array(X, dtype=np.float64, order="C")
        self.n_queries = check_whole_number("n_queries", n_queries, least=0)
        self._order = as_generator(random_state).permutation(len(self._X)).tolist()

    def questions(self) -> TripletQuestions:
        """Yield the questions, be sent answers or None, and return the triplets.

        Examples
        --------
        >>> questions = TripletInsertion([[0.0], [1.0], [5.0]]).questions()
        >>> sorted(next(questions))
        [0, 1, 2]
        """
        triplets: list[TripletAnswer] = []
        n_asked = 0
        tree = GrowingTree(*self._order[:2]) if len(self._order) > 2 else None
        for sample in self._order[2:] if tree is not None else ():
            assert tree is not None
            places = tree.below(tree.root)
            # The sample belongs beside one of `places`; each answer leaves one of three parts of
            # them.
            while len(places) > 1 and n_asked < self.n_queries:
                node, parts = _fairest(tree, places)
                low, high = (
                    self._nearest(sample, tree.leaves(child)) for child in tree.children[node] or ()
                )
                answer = yield TripletQuery(low, high, sample)
                n_asked += 1
                if answer is None:
                    break
                triplets.append(answer)
                # The odd one out is the leaf that the sample is not with.
                places = parts[(high, low, sample).index(answer.third)]
            if len(places) == 1:
                tree.insert(sample, places[0])
        return Constraints(len(self._X), triplets=triplets)

    def _nearest(self, sample: int, others: list[int]) -> int:
        gaps = ((self._X[others] - self._X[sample]) ** 2).sum(axis=1)
        return others[int(np.argmin(gaps))]


def ask_triplets(
    strategy: TripletInsertion, oracle: Callable[[TripletQuery], int | None]
) -> Constraints:
    """Return the triplets that somebody's answers to all questions make.

    Parameters
    ----------
    strategy : TripletInsertion
        What asks.
    oracle : callable
        Called with a `TripletQuery`, it returns the sample that is the odd one out, or None for
        "don't know".

    Examples
    --------
    >>> ask_triplets(TripletInsertion([[0.0], [1.0], [5.0]]), lambda query: 2)
    Constraints(3 samples: 1 triplet)
    """
    questions = strategy.questions()
    answer: TripletAnswer | None = None
    try:
        query = next(questions)
        while True:
            answer = query.answered(oracle(query))
            query = questions.send(answer)
    except StopIteration as end:
        triplets: Constraints = end.value
        return triplets


def _fairest(tree: GrowingTree, places: list[int]) -> tuple[int, tuple[list[int], ...]]:
    """Return the node that parts places most evenly, and the parts: by its children, and others.

    A place is a node beside which the sample may hang. Places are connected, so that the highest
    comes first and every inner node among them that is not lowest has children among them.
    """
    is_place = set(places)
    counts: dict[int, int] = {}
    # From the bottom up, so that the counts of children are there.
    for node in reversed(tree.below(places[0])):
        children = tree.children[node] or ()
        counts[node] = (node in is_place) + sum(counts[child] for child in children)
    best, fewest = NOBODY, len(places) + 1
    for node in places:
        pair = tree.children[node]
        if pair is not None and all(counts[child] for child in pair):
            low, high = (counts[child] for child in pair)
            largest = max(low, high, len(places) - low - high)
            if largest < fewest:
                best, fewest = node, largest
    parts = [
        [node for node in tree.below(child) if node in is_place]
        for child in tree.children[best] or ()
    ]
    inside = {node for part in parts for node in part}
    return best, (*parts, [node for node in places if node not in inside])
