"""Questions to a person: what was answered, what need not be asked, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import euclidean_distances

from clustraint.cluster._active_linkage import ActiveCompleteLinkage
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._questions import Answer, Query, Said, constraints_of, said
from clustraint.constraints import Constraints
from clustraint.machine import check_memory

Source: TypeAlias = Literal["person", "file", "constraints"]


class Asked(NamedTuple):
    """A question with its answer, and who gave it.

    Attributes
    ----------
    answer : Answer
        What was said.
    source : {"person", "file", "constraints"}
        A person now, a person before, or what is known otherwise.
    """

    answer: Answer
    source: Source


class Interview:
    """The questions of `ActiveCompleteLinkage`, without those whose answers are known.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_clusters : int
        Where questions end.
    n_queries : int
        How many questions may come up. Those that need not be asked count too, since the number of
        questions decides which they are.
    known : Constraints, optional
        Pairs that are known otherwise.
    recorded : iterable of Answer
        What was answered before, in any order. Answers to questions that do not come up are
        knowledge like any other.

    Attributes
    ----------
    question : Query or None
        What is to be asked next.
    history : list of Asked
        The questions that came up, in their order.

    Raises
    ------
    InconsistentConstraintsError
        If answers contradict each other or what is known otherwise. Answers to the questions that
        are asked never do.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> interview = Interview(X, 2, 3)
    >>> interview.question
    Query(first=0, second=1, distance=1.0)
    >>> interview.answer("yes")
    Answer(first=0, second=1, answer='yes')
    >>> interview.question
    Query(first=0, second=2, distance=2.0)
    >>> again = Interview(X, 2, 3, recorded=[Answer(0, 1, "yes")])
    >>> again.question == interview.question
    True
    """

    def __init__(
        self,
        X: Any,
        n_clusters: int,
        n_queries: int,
        *,
        known: Constraints | None = None,
        recorded: Iterable[Answer] = (),
    ) -> None:
        self.X, self.metric = _with_metric(X)
        self.n_samples = int(self.X.shape[0])
        self.known = Constraints(self.n_samples) if known is None else known
        self._model = ActiveCompleteLinkage(n_clusters, n_queries, metric=self.metric)
        self._recorded: dict[frozenset[int], Asked] = {}
        for answer in recorded:
            self._record(Asked(answer, "file"))
        self.history: list[Asked] = []
        self.knowledge.check()
        self._restart(())

    @property
    def n_queries(self) -> int:
        """How many questions may come up."""
        return self._model.n_queries

    @property
    def recorded(self) -> list[Answer]:
        """What persons answered, now or before."""
        return [asked.answer for asked in self._recorded.values()]

    @property
    def knowledge(self) -> Constraints:
        """All pairs that are known."""
        return self.known | constraints_of(self.recorded, self.n_samples)

    def answer(self, answer: Any) -> Answer:
        """Take the answer to the question, which is there, and go on to the next one."""
        if self.question is None:
            raise RuntimeError("no question was asked")
        asked = Asked(self.question.answered(said(answer)), "person")
        self._record(asked)
        self._take(asked)
        self._advance()
        return asked.answer

    def undo(self) -> Answer | None:
        """Take back the last answer of a person and return it, None if there is none.

        Examples
        --------
        >>> interview = Interview(np.array([[0.0], [1.0], [3.0], [7.0]]), 2, 3)
        >>> interview.answer("yes")
        Answer(first=0, second=1, answer='yes')
        >>> interview.undo()
        Answer(first=0, second=1, answer='yes')
        >>> interview.question
        Query(first=0, second=1, distance=1.0)
        """
        places = [n for n, asked in enumerate(self.history) if asked.source != "constraints"]
        if not places:
            return None
        last = self.history[places[-1]].answer
        del self._recorded[frozenset(last[:2])]
        self._restart(self.history[: places[-1]])
        return last

    def labels(self) -> NDArray[np.int32]:
        """Return the clusters that follow from all that is known.

        Where that is more than answers to the questions that came up, they are those of
        `ConstrainedCompleteLinkage`.

        Examples
        --------
        >>> Interview(np.array([[0.0], [1.0], [3.0], [7.0]]), 2, 3).labels()
        array([0, 0, 0, 1], dtype=int32)
        """
        answers = [asked.answer for asked in self.history]
        came_up = {frozenset(answer[:2]) for answer in answers}
        if not self.known.n_constraints and came_up >= self._recorded.keys():
            return np.asarray(self._model.fit(self.X, answers=answers).labels_)
        model = ConstrainedCompleteLinkage(self._model.n_clusters, metric=self.metric)
        return np.asarray(model.fit(self.X, constraints=self.knowledge).labels_)

    def _record(self, asked: Asked) -> None:
        """Remember an answer; "don't know" does not replace another one."""
        pair = frozenset(asked.answer[:2])
        if pair not in self._recorded or asked.answer.answer != "don't know":
            self._recorded[pair] = asked

    def _restart(self, history: Iterable[Asked]) -> None:
        """Go through questions again whose answers are given, and on from there."""
        kept = list(history)
        self._questions = self._model._questions(self.X, [asked.answer for asked in kept])
        self.history = kept
        self._advance()

    def _advance(self) -> None:
        """Go on to the first question whose answer is not known."""
        while (query := self._questions.ask()) is not None:
            asked = self._recalled(query)
            if asked is None:
                break
            self._take(asked)
        self.question: Query | None = query

    def _take(self, asked: Asked) -> None:
        self._questions.answer(asked.answer)
        self.history.append(asked)

    def _recalled(self, query: Query) -> Asked | None:
        """Return the answer that was given before or follows from what is known."""
        before = self._recorded.get(frozenset(query[:2]))
        if before is not None:
            return Asked(query.answered(before.answer.answer), before.source)
        word = _entailed(self.knowledge, query)
        return None if word is None else Asked(query.answered(word), "constraints")


def _entailed(knowledge: Constraints, query: Query) -> Said | None:
    found = knowledge.components
    pair = sorted(found.labels[list(query[:2])].tolist())
    if pair[0] == pair[1]:
        return "yes"
    return "no" if (np.sort(found.cannot_link, axis=1) == pair).all(axis=1).any() else None


def _with_metric(X: Any) -> tuple[Any, str]:
    """Return samples and their metric; of a sparse matrix, the distances."""
    if not sparse.issparse(X):
        return X, "euclidean"
    n_samples = X.shape[0]
    what = f"the distances of {n_samples:,} texts"
    check_memory(what, 2 * 8 * n_samples**2, None, "take fewer samples")
    distances = euclidean_distances(X)
    # The product that they come from is symmetric only up to rounding.
    return (distances + distances.T) / 2, "precomputed"
