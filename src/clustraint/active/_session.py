"""A session of questions: what was answered, what need not be asked, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from clustraint.active._log import AnswerLog, LoggedAnswer
from clustraint.active._pair_closure import PairClosure
from clustraint.active._progress import SessionProgress, share_changed
from clustraint.active._protocol import KINDS, Answer, Pair, Query, Word
from clustraint.active._strategies import Strategy, beginning
from clustraint.checks import check_number, check_whole_number
from clustraint.constraints import Constraints, check_constraints
from clustraint.exceptions import (
    InvalidParameterError,
    NoEstimatorError,
    NoQuestionError,
    NotAnsweredError,
)
from clustraint.typing import LabelArray

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
    drawn : {"strategy", "random"}
        Whether the strategy chose the question, or drew it at random.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> X = [[0.0], [1.0], [3.0], [7.0]]
    >>> c = Constraints(4, must_link=[(0, 1)])
    >>> Session("klein", X, n_clusters=2, n_queries=3, constraints=c).history[0].source
    'constraints'
    """

    answer: Answer
    source: Literal["person", "file", "constraints"]
    drawn: Literal["strategy", "random", "again"] = "strategy"


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
    estimator : estimator, optional
        A clusterer that takes must-links and cannot-links, for `labels`, `doubts` and `progress`,
        and for strategies that go by a model unless their own parameter `model` is given.
    who : str, default=""
        The person who answers. If it is not empty, answers are logged with name and time.
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
    Query(first=0, second=1, distance=1.0, drawn='strategy')
    >>> session.answer("yes")
    Answer(first=0, second=1, answer='yes')
    >>> session.question
    Query(first=0, second=2, distance=2.0, drawn='strategy')
    >>> session.constraints
    Constraints(4 samples: 1 must-link)

    Whoever keeps the answers can go on later:

    >>> later = Session("klein", X, n_clusters=2, n_queries=3, answers=session.answers)
    >>> later.question == session.question
    True
    """

    question: Query | None
    history: list[Exchange]
    _pending: Query | None
    _model: Any
    _constraints: Constraints | None
    _closure: PairClosure | None

    def __init__(
        self,
        strategy: str | Strategy,
        X: Any,
        *,
        constraints: Constraints | None = None,
        answers: Iterable[Any] = (),
        estimator: Any = None,
        who: str = "",
        **parameters: Any,
    ) -> None:
        if not isinstance(who, str) or {*who} & {*'#"\r\n'}:
            raise InvalidParameterError("who", who, "a name on one line without # and quotes")
        self.who, self._X, self._estimator = who.strip(), X, estimator
        n_samples = _num_samples(X)
        if constraints is None:
            constraints = Constraints(n_samples)
        self._initial = check_constraints(constraints, n_samples)
        self._log = answers if isinstance(answers, AnswerLog) else AnswerLog(answers)
        self._new: set[Pair] = set()
        self._gather()
        self.constraints.check()
        offers = {"constraints": self._initial, "model": estimator}
        self._begin = beginning(strategy, X, offers, **parameters)
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

    @property
    def log(self) -> AnswerLog:
        """The answers with who gave them, when, and how surely."""
        return self._log

    @property
    def has_estimator(self) -> bool:
        """Whether there are clusters to show: of an estimator that the session was begun with."""
        return self._estimator is not None

    def answer(self, answer: Any, confidence: float = 1.0) -> Answer:
        """Answer the question, and go on to the next one.

        Parameters
        ----------
        answer : {"yes", "no", "don't know"} or bool or None
            Whether the two samples belong together.
        confidence : float above 0 and at most 1, default=1
            How sure that is: the weight of the constraint.

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
        >>> answer = session.answer("no", confidence=0.5)
        >>> session.constraints.cannot_link_weights[1:]
        array([0.5])
        """
        if self.question is None:
            raise NoQuestionError
        if not check_number("confidence", confidence, least=0, most=1):
            raise InvalidParameterError("confidence", confidence, "a number above 0, at most 1")
        query, answered = self.question, self.question.answered(answer)
        now = datetime.now(UTC).isoformat(timespec="seconds") if self.who else ""
        is_repeat = query.drawn == "again"
        entry = LoggedAnswer(answered, float(confidence), self.who, now, is_repeat)
        before, closure = self._log.get(query.pair), self._closure
        # The next question may take a while, in which this answer must not be lost.
        self._log.add(entry)
        self._new.add(answered.pair)
        self._gather()
        if before is None and closure is not None:
            closure.add(answered)
            self._closure = closure
        if is_repeat:
            self.question = self._pending
            # Votes that cancel change what the strategy has been told.
            if before != self._log.get(query.pair):
                self._restart()
            return answered
        self.history.append(Exchange(answered, "person", query.drawn))
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
        Query(first=0, second=1, distance=1.0, drawn='strategy')
        """
        personal = [exchange for exchange in self.history if exchange.source != "constraints"]
        return self.take_back(personal[-1].answer[:2]) if personal else None

    def take_back(self, pair: Sequence[int]) -> Answer:
        """Take back any answer and return it; questions that depend on it come anew.

        Parameters
        ----------
        pair : (int, int)
            The samples that the answer is about.

        Raises
        ------
        NotAnsweredError
            If there is no answer about them.

        Examples
        --------
        >>> session = Session("klein", [[0.0], [1.0], [3.0], [7.0]], n_clusters=2, n_queries=3)
        >>> answers = [session.answer("yes"), session.answer("no")]
        >>> session.take_back((0, 1))
        Answer(first=0, second=1, answer='yes')
        >>> session.answers
        [Answer(first=0, second=2, answer='no')]
        """
        answer = self._answered(pair)
        self._log.remove(answer)
        self._new.discard(answer.pair)
        self._gather()
        self._restart()
        return answer

    def repeat(self, pair: Sequence[int] | None = None) -> Query:
        """Ask a question again, to see whether the answer is the same; then go on as before.

        An answer that differs is one vote against another, see `AnswerLog`; `AnswerLog.agreement`
        says how often people agree with themselves.

        Parameters
        ----------
        pair : (int, int), optional
            The samples. Default: of the answers that were not asked for again, the most doubtful
            one, or the first if the estimator doubts none.

        Examples
        --------
        >>> session = Session("klein", [[0.0], [1.0], [3.0], [7.0]], n_clusters=2, n_queries=3)
        >>> answers = [session.answer("yes"), session.answer("no")]
        >>> session.repeat()
        Query(first=0, second=1, distance=None, drawn='again')
        >>> session.answer("yes")
        Answer(first=0, second=1, answer='yes')
        >>> session.log.agreement()
        [Agreement(first='', second='', n_pairs=1, n_equal=1)]
        """
        if pair is None:
            again = {entry.answer.pair for entry in self._log.entries if entry.again}
            left = [answer for answer in self._log if answer.pair not in again]
            doubts = [answer for answer, _ in self.doubts()] if self.has_estimator else []
            chosen = [answer for answer in doubts if answer.pair not in again] or left
            pair = chosen[0][:2] if chosen else None
        if pair is None:
            raise NotAnsweredError(None)
        answer = self._answered(pair)
        self._pending = self._pending if self._is_repeat else self.question
        self.question = Query(answer.first, answer.second, None, "again")
        return self.question

    def labels(self) -> LabelArray:
        """Return the clusters of the estimator by all that is known so far.

        Examples
        --------
        >>> from clustraint import COPKMeans
        >>> X = [[0.0], [1.0], [3.0], [7.0]]
        >>> model = COPKMeans(2, random_state=0)
        >>> session = Session("klein", X, n_clusters=2, n_queries=3, estimator=model)
        >>> len(session.labels())
        4
        """
        return np.asarray(self._fitted().labels_)

    def doubts(self) -> list[tuple[Answer, float]]:
        """Return answers with the probability that they are wrong, the most doubtful first.

        The probabilities are the `doubt_` of an estimator that has one, as `ConstrainedMixture`
        has; without, the list is empty.

        Examples
        --------
        >>> from clustraint import ConstrainedMixture
        >>> X = [[0.0], [0.5], [1.0], [9.0], [9.5], [10.0]]
        >>> model = ConstrainedMixture(2, random_state=0)
        >>> answers = [(0, 1, "yes"), (3, 4, "yes"), (2, 3, "yes")]
        >>> session = Session("klein", X, n_clusters=2, answers=answers, estimator=model)
        >>> answer, doubt = session.doubts()[0]
        >>> answer, doubt > 0.5
        (Answer(first=2, second=3, answer='yes'), True)
        """
        doubts = getattr(self._fitted(), "doubt_", {})
        rated = []
        for kind, by_row in doubts.items():
            if kind in ENTAILED:
                rows = map(frozenset, getattr(self.constraints, kind).tolist())
                for pair, doubt in zip(rows, by_row.tolist(), strict=True):
                    answer = self._log.get(pair)
                    if answer is not None and answer.answer == ENTAILED[kind]:
                        rated.append((answer, doubt))
        return sorted(rated, key=lambda each: -each[1])

    def progress(self, n_answers: int = 10) -> SessionProgress | None:
        """Return what the last answers changed and the next are expected to, None if too few.

        Parameters
        ----------
        n_answers : int, default=10
            How many answers are the last ones.

        Examples
        --------
        >>> from clustraint import ConstrainedMixture
        >>> X = [[0.0], [0.5], [1.0], [9.0], [9.5], [10.0]]
        >>> model = ConstrainedMixture(2, random_state=0)
        >>> session = Session("klein", X, n_clusters=2, n_queries=4, estimator=model)
        >>> while (query := session.question) is not None:
        ...     answer = session.answer((query.first < 3) == (query.second < 3))
        >>> print(session.progress(n_answers=2))
        Your last 2 answers changed 0.0 % of the samples; another 2 are expected to change 0.4 %.
        """
        check_whole_number("n_answers", n_answers, least=1)
        answers = [each.answer for each in self.history if each.source != "constraints"]
        if len(answers) < n_answers:
            return None
        labels = [self.labels()]
        for n_left in range(len(answers) - n_answers, -1, -n_answers)[:2]:
            # Answers to no question of this strategy were there from the beginning.
            taken = {answer.pair for answer in answers[n_left:]}
            earlier = AnswerLog(e for e in self._log.entries if e.answer.pair not in taken)
            constraints = self._initial | earlier.constraints(self._initial.n_samples)
            labels.append(self._fit(constraints).labels_)
        changes = [share_changed(labels[k + 1], labels[k]) for k in range(len(labels) - 1)]
        return SessionProgress.after(n_answers, changes)

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

    def _answered(self, pair: Sequence[int]) -> Answer:
        first, second = pair
        answer = self._log.get(frozenset((first, second)))
        if answer is None:
            raise NotAnsweredError((first, second))
        return answer

    @property
    def _is_repeat(self) -> bool:
        return self.question is not None and self.question.drawn == "again"

    def _fitted(self) -> Any:
        """Return the estimator, fitted to all that is known; once for the same answers."""
        if self._model is None:
            self._model = self._fit(self.constraints)
        return self._model

    def _fit(self, constraints: Constraints) -> Any:
        if self._estimator is None:
            raise NoEstimatorError("a clustering in a session")
        return clone(self._estimator).fit(self._X, constraints=constraints)

    @property
    def constraints(self) -> Constraints:
        """All that is known: the constraints of the beginning, and the answers."""
        if self._constraints is None:
            answers = self._log.constraints(self._initial.n_samples)
            self._constraints = self._initial | answers
        return self._constraints

    def _gather(self) -> None:
        """Put together anew all that is known when it is needed, after an answer came or went."""
        self._model = self._constraints = self._closure = None

    def _restart(self) -> None:
        """Go through all questions again, up to the first that has no answer."""
        self.history = []
        self._pending = None
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
            return Exchange(query.answered(before.answer), source, query.drawn)
        answer = self._follows(query)
        return (
            None if answer is None else Exchange(query.answered(answer), "constraints", query.drawn)
        )

    def _follows(self, query: Query) -> Word | None:
        """Return the answer that follows from all that is known, None if none does."""
        if len(self._initial.links["triplets"].rows):
            for kind, answer in ENTAILED.items():
                if self.constraints.entails(**{kind: (query.first, query.second)}):
                    return answer
            return None
        if self._closure is None:
            self.constraints.check()
            self._closure = PairClosure(self.constraints)
        return self._closure.answer_to(query.first, query.second)
