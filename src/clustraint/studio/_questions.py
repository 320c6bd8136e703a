"""Questions: those that `clustraint ask` would ask, or about representatives of many samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clustraint.active import Answer, AnswerLog, LoggedAnswer, Session
from clustraint.cluster import ConstrainedMixture
from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError
from clustraint.studio._clusters import FEW_SAMPLES
from clustraint.studio._log import Event
from clustraint.studio._samples import StudioSamples
from clustraint.studio._state import State, as_constraints
from clustraint.tables import differences
from clustraint.wording import counted
from clustraint.workflow import Interview

N_QUESTIONS = 20
MOST_QUESTIONS = 500
# After so many answers, it is said what they changed.
PROGRESS_EVERY = 10
# From this doubt on, a statement is worth a check.
DOUBTFUL = 0.5


class AskedSession(NamedTuple):
    """A session, and what it knows."""

    basis: tuple[Any, ...]
    answers: list[tuple[int, int, str]]
    session: Session
    rows: Any


class Questions:
    """The question that comes next, a function of the table and what was said."""

    def __init__(self) -> None:
        self._asked: AskedSession | None = None
        self._counts: dict[str, Any] = {
            "answered": 0,
            "most": N_QUESTIONS,
            "over": False,
            "sentence": "",
        }

    def summary(self) -> dict[str, Any]:
        """Return how many questions were answered."""
        return self._counts

    def view(self, samples: StudioSamples, state: State, labels: Any, most: int) -> dict[str, Any]:
        """Return the next question; None when none is left."""
        asked = self._brought_up(samples, state, most)
        session = asked.session
        query, answered = session.question, len(session.history)
        over = query is None
        sentence = ""
        if over:
            enough = "" if answered == most else "; no others are needed"
            sentence = f"Done: {answered:,} of {counted(most, 'question')} answered{enough}."
        self._counts = {"answered": answered, "most": most, "over": over, "sentence": sentence}
        question = None
        if query is not None:
            rows = [int(asked.rows[query.first]), int(asked.rows[query.second])]
            question = _question(samples, rows, labels) | {
                "number": answered + 1,
                "most": most,
                "drawn": query.drawn,
            }
        return {**self._counts, "question": question, "progress": _progress(session)}

    def _brought_up(self, samples: StudioSamples, state: State, most: int) -> AskedSession:
        """Return a session that knows all that was said."""
        others = tuple(event for event in state.statements if event.kind != "answer")
        pairs = tuple(event for event in others if event.kind != "closer")
        basis = (id(samples), state.settings.n_clusters, most, tuple(e.seq for e in pairs))
        answers = [event for event in state.statements if event.kind == "answer"]
        rows = [(*event.body["rows"], event.body["answer"]) for event in answers]
        asked = self._asked
        if asked is not None and asked.basis == basis and asked.answers == rows[:-1] and rows:
            query = asked.session.question
            last = rows[-1]
            if query is not None and [int(asked.rows[x]) for x in query[:2]] == list(last[:2]):
                asked.session.answer(last[2], answers[-1].body.get("weight", 1.0))
                self._asked = asked._replace(answers=rows)
                return self._asked
        if asked is None or asked.basis != basis or asked.answers != rows:
            session, places = _begin(samples, state, pairs, answers, most)
            self._asked = asked = AskedSession(basis, rows, session, places)
        return asked


def _begin(
    samples: StudioSamples,
    state: State,
    pairs: Sequence[Event],
    answers: Sequence[Event],
    most: int,
) -> tuple[Session, Any]:
    table, n_clusters = samples.table, state.settings.n_clusters
    if table.n_samples <= FEW_SAMPLES or "text" in table.kinds:
        log = AnswerLog(map(_logged, answers))
        constraints = as_constraints(pairs, table, expand=False)
        interview = Interview(table, n_clusters, most, constraints=constraints, answers=log)
        return interview.session, np.arange(table.n_samples)
    rows = samples.representatives.rows
    place = np.full(table.n_samples, -1)
    place[rows] = np.arange(len(rows))
    log = AnswerLog(
        entry._replace(answer=Answer(int(place[first]), int(place[second]), word))
        for entry in map(_logged, answers)
        for first, second, word in [entry.answer]
        if min(place[first], place[second]) >= 0
    )
    constraints = as_constraints([*pairs, *answers], table, expand=True)
    session = Session(
        "klein",
        samples.encoded("matrix")[1][rows],
        n_clusters=n_clusters,
        n_queries=most,
        constraints=_entailed_among(constraints, rows),
        answers=log,
    )
    return session, rows


def _entailed_among(constraints: Constraints, rows: Any) -> Constraints:
    """Return what constraints on all samples entail about some of them."""
    components = constraints.components
    own = components.labels[rows]
    _, first, place = np.unique(own, return_index=True, return_inverse=True)
    must_link = np.column_stack([first[place], np.arange(len(rows))])
    number = np.full(components.n_components, -1)
    number[own[first]] = first
    cannot_link = number[components.cannot_link]
    return Constraints(
        len(rows),
        must_link=must_link[must_link[:, 0] != must_link[:, 1]],
        cannot_link=cannot_link[(cannot_link >= 0).all(axis=1)],
    )


def _logged(event: Event) -> LoggedAnswer:
    first, second = event.body["rows"]
    answer = Answer(first, second, event.body["answer"])
    return LoggedAnswer(answer, event.body.get("weight", 1.0))


def _question(samples: StudioSamples, rows: list[int], labels: Any) -> dict[str, Any]:
    table = samples.table
    by_column = differences(table, *rows)
    names = [f"row {row}" if table.names is None else table.names[row] for row in rows]
    return {
        "rows": rows,
        "names": names,
        "clusters": None if labels is None else labels[rows].tolist(),
        "differences": [
            {
                "column": each.column,
                "first": each.first,
                "second": each.second,
                "size": round(each.size, 3) if np.isfinite(each.size) else 1.0,
            }
            for each in by_column
            if each.size != 0
        ],
        "same": [
            {"column": each.column, "value": each.first} for each in by_column if each.size == 0
        ],
    }


def _progress(session: Session) -> str | None:
    """Say now and then what the last answers changed, so that one knows when to stop."""
    if not session.has_estimator or not session.history:
        return None
    if len(session.history) % PROGRESS_EVERY:
        return None
    progress = session.progress(PROGRESS_EVERY)
    return None if progress is None else str(progress)


def doubts(samples: StudioSamples, state: State) -> dict[int, float]:
    """Return the statements that a model of noisy statements would rather bet against."""
    few = {"answer", "together", "apart", "closer"}
    single = [event for event in state.statements if event.kind in few]
    constraints = as_constraints(single, samples.table, expand=False)
    if constraints.n_constraints < 2:
        return {}
    model = ConstrainedMixture(state.settings.n_clusters, random_state=0)
    try:
        model.fit(samples.encoded("matrix")[1], constraints=constraints)
    except ClustraintError:
        return {}
    rated: dict[int, float] = {}
    for kind, by_row in model.doubt_.items():
        rows = constraints.links[kind].rows.tolist() if kind in constraints.links else []
        doubt = {_key(kind, row): float(each) for row, each in zip(rows, by_row, strict=True)}
        for event in single:
            own = as_constraints([event], samples.table, expand=False).links[kind].rows.tolist()
            worst = max((doubt.get(_key(kind, row), 0.0) for row in own), default=0.0)
            if worst > DOUBTFUL:
                rated[event.seq] = max(worst, rated.get(event.seq, 0.0))
    return rated


def _key(kind: str, row: Sequence[int]) -> tuple[Any, ...]:
    ends = 2 if kind == "triplets" else len(row)
    return (*sorted(row[:ends]), *row[ends:])
