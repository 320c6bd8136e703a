"""A session of questions: what was answered, what need not be asked, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from sklearn.utils.validation import _num_samples

from clustraint.active._log import AnswerLog
from clustraint.active._protocol import KINDS, Answer, Pair, Query
from clustraint.active._strategies import Strategy, beginning
from clustraint.base import check_constraints
from clustraint.constraints import Constraints
from clustraint.exceptions import NoQuestionError

# The answer that an entailed constraint gives.
ENTAILED = {kind: word for word, kind in KINDS.items()}


class Exchange(NamedTuple):
    """A question with its answer, and where that came from.

    Attributes
    ----------
    answer : Answer
        The samples and the answer.
    source : {"person", "file", "constraints"}
        "person" in this session, "file" if it was among the answers that the session began with,
        "constraints" if it follows from constraints and other answers.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> X = [[0.0], [1.0], [3.0], [7.0]]
    >>> c = Constraints(4, must_link=[(0, 1)])
    >>> Session("klein", X, n_clusters=2, n_queries=3, constraints=c).history
    [Exchange(answer=Answer(first=0, second=1, answer='yes'), source='constraints')]
    """

    answer: Answer
    source: Literal["person", "file", "constraints"]


class Session:
    """The questions of a strategy, without those whose answers are there already.

    Parameters
    ----------
    strategy : str or callable
        A name in `STRATEGIES`, or a strategy as `register_strategy` describes it.
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        The samples, in a form that the strategy takes.
    constraints : Constraints, optional
        What is known otherwise. Pairs that follow from its pairs are not asked; its rules take part
        after `Constraints.expand_rules`.
    answers : iterable of Answer, or of rows (first, second, answer), or AnswerLog
        Earlier answers, in any order. Those to questions that do not come up are constraints like
        any others. A log, such as an `AnswerFile`, is kept up to date: an answer is in it before
        the next question is looked for.
    **parameters
        The strategy's own.

    Attributes
    ----------
    question : Query or None
        The next question, None when none is left.
    history : list of Exchange
        The questions that came up, in their order.
    constraints : Constraints
        All that is known: the constraints given, and the answers as must-links and cannot-links.

    Raises
    ------
    InconsistentConstraintsError
        If the answers contradict each other or the constraints. Answers to the questions that are
        asked never do.

    Examples
    --------
    >>> X = [[0.0], [1.0], [3.0], [7.0]]
    >>> session = Session("klein", X, n_clusters=2, n_queries=3)
    >>> session.question
    Query(first=0, second=1, distance=1.0)
    >>> session.answer("yes")
    Answer(first=0, second=1, answer='yes')
    >>> session.question
    Query(first=0, second=2, distance=2.0)
    >>> session.constraints
    Constraints(4 samples: 1 must-link)

    Whoever keeps the answers can go on later:

    >>> later = Session("klein", X, n_clusters=2, n_queries=3, answers=session.answers)
    >>> later.question == session.question
    True
    """

    question: Query | None
    history: list[Exchange]

    def __init__(
        self,
        strategy: str | Strategy,
        X: Any,
        *,
        constraints: Constraints | None = None,
        answers: Iterable[Any] = (),
        **parameters: Any,
    ) -> None:
        self._initial = check_constraints(constraints, _num_samples(X))
        self._log = answers if isinstance(answers, AnswerLog) else AnswerLog(answers)
        self._new: set[Pair] = set()
        self._gather()
        self.constraints.check()
        self._begin = beginning(strategy, X, **parameters)
        self._restart()

    @property
    def answers(self) -> list[Answer]:
        """What people answered, in this session or before."""
        return list(self._log)

    @property
    def unused(self) -> list[Answer]:
        """The answers to questions that have not come up."""
        pairs = {exchange.answer.pair for exchange in self.history}
        return [answer for answer in self._log if answer.pair not in pairs]

    def answer(self, answer: Any) -> Answer:
        """Answer the question, and go on to the next one.

        Parameters
        ----------
        answer : {"yes", "no", "don't know"} or bool or None
            Whether the two samples belong together.

        Returns
        -------
        Answer
            The samples and the answer.

        Raises
        ------
        NoQuestionError
            If no question is left.

        Examples
        --------
        >>> session = Session("klein", [[0.0], [1.0], [3.0], [7.0]], n_clusters=2, n_queries=3)
        >>> session.answer(False)
        Answer(first=0, second=1, answer='no')
        """
        if self.question is None:
            raise NoQuestionError
        answered = self.question.answered(answer)
        # The next question may take a while, in which this answer must not be lost.
        self._log.add(answered)
        self._new.add(answered.pair)
        self._gather()
        self.history.append(Exchange(answered, "person"))
        self._advance(self._send(answered))
        return answered

    def undo(self) -> Answer | None:
        """Take back the last answer of a person and return it, None if there is none.

        Examples
        --------
        >>> session = Session("klein", [[0.0], [1.0], [3.0], [7.0]], n_clusters=2, n_queries=3)
        >>> session.answer("yes")
        Answer(first=0, second=1, answer='yes')
        >>> session.undo()
        Answer(first=0, second=1, answer='yes')
        >>> session.question
        Query(first=0, second=1, distance=1.0)
        """
        personal = [exchange for exchange in self.history if exchange.source != "constraints"]
        if not personal:
            return None
        last = personal[-1].answer
        self._log.remove(last)
        self._new.discard(last.pair)
        self._gather()
        self._restart()
        return last

    def finish(self) -> Any:
        """End the questions, and return what the strategy made of the answers.

        Examples
        --------
        >>> session = Session("klein", [[0.0], [1.0], [3.0], [7.0]], n_clusters=2, n_queries=3)
        >>> session.finish().merges.tolist()
        [[0, 1], [0, 2], [0, 3]]
        """
        if self.question is not None and self._send(None) is not None:
            self._questions.close()
        self.question = None
        return self._result

    def _gather(self) -> None:
        """Put together all that is known, after an answer came or went."""
        answers = self._log.constraints(self._initial.n_samples)
        self.constraints: Constraints = self._initial | answers

    def _restart(self) -> None:
        """Go through all questions again, up to the first that has no answer."""
        self.history = []
        self._result: Any = None
        self._questions = self._begin()
        self._advance(self._send(None))

    def _send(self, answer: Answer | None) -> Query | None:
        try:
            return self._questions.send(answer)
        except StopIteration as end:
            self._result = end.value
            return None

    def _advance(self, query: Query | None) -> None:
        """Go on from a question to the first that has no answer."""
        while query is not None and (exchange := self._recalled(query)) is not None:
            self.history.append(exchange)
            query = self._send(exchange.answer)
        self.question = query

    def _recalled(self, query: Query) -> Exchange | None:
        """Return the answer that was given before or follows."""
        before = self._log.get(query.pair)
        if before is not None:
            source: Literal["person", "file"] = "person" if query.pair in self._new else "file"
            return Exchange(query.answered(before.answer), source)
        kind = self.constraints.entailed((query.first, query.second))
        return None if kind is None else Exchange(query.answered(ENTAILED[kind]), "constraints")
