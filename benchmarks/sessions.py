"""Rows about questions: how long a person waits for the first one, and for the next."""

from __future__ import annotations

from typing import Any

from benchmarks.cop_kmeans import N_CLUSTERS
from benchmarks.rows import Contest, Reference, at_most, row

N_ANSWERS = 30


def begun(n_samples: int) -> tuple[Any, Any]:
    """Return what begins a session with the default strategy, and who answers."""
    from sklearn.datasets import make_blobs

    from clustraint import ConstrainedMixture
    from clustraint.active import Session

    X, y = make_blobs(n_samples, 16, centers=N_CLUSTERS, cluster_std=4.0, random_state=0)
    model = ConstrainedMixture(N_CLUSTERS, random_state=0)

    def begin() -> Session:
        return Session(
            "expected-change", X, n_clusters=N_CLUSTERS, n_queries=10_000, estimator=model
        )

    def answer(session: Session) -> None:
        query = session.question
        if query is not None:
            session.answer(bool(y[query.first] == y[query.second]))

    return begin, answer


def budget(seconds: float) -> Reference:
    return Reference(seconds, f"the peer is a budget of {seconds:g} CPU seconds")


@row("Session, n=5,000, the first question", at_most(1), peer_name="budget")
def first_question(quick: bool) -> Contest:
    begin, _ = begun(1_000 if quick else 5_000)
    return Contest(begin, budget(1.0))


@row("Session, n=5,000, the next question after an answer", at_most(1), peer_name="budget")
def next_question(quick: bool) -> Contest:
    begin, answer = begun(1_000 if quick else 5_000)
    session = begin()
    for _ in range(N_ANSWERS):
        answer(session)
    return Contest(lambda: answer(session), budget(0.05))


@row("Session, n=5,000, undo after 30 answers", at_most(1), peer_name="budget")
def undo(quick: bool) -> Contest:
    begin, answer = begun(1_000 if quick else 5_000)
    session = begin()
    for _ in range(N_ANSWERS):
        answer(session)

    def undo_and_answer() -> None:
        session.undo()
        answer(session)

    return Contest(undo_and_answer, budget(0.15))
