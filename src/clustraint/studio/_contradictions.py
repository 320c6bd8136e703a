"""What cannot hold together: the chain of statements, and the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clustraint.constraints import Constraints
from clustraint.exceptions import (
    ContradictionError,
    InconsistentConstraintsError,
    TooFewClustersError,
)
from clustraint.studio._log import Event
from clustraint.studio._state import State, as_constraints, links_of, text_of
from clustraint.studio._statements import Names, pairs_of
from clustraint.wording import counted, listed

MOST_WAYS = 6
# So many clusters more are offered where there are too few.
MOST_MORE = 10
WORDS = {"must_link": "together", "cannot_link": "apart", "triplets": "closer"}


class Origin(NamedTuple):
    """A constraint of a contradiction, and the statement that it comes from."""

    event: Event
    kind: str
    rows: list[int]


def check_state(state: State, fresh: Sequence[Event], names: Names) -> None:
    """Raise a ContradictionError if what holds now cannot hold together.

    `fresh` are the statements that are new in it: ways out keep them, but for the first.
    """
    problem = _problem(state.statements, state.settings.n_clusters, names)
    if problem is None:
        return
    # Only statements of this request can be left out by not sending it.
    new = {id(event) for event in fresh}
    chain = [_link(origin, id(origin.event) in new, names) for origin in problem.origins]
    raise ContradictionError(str(problem.error), chain, _ways_out(state, problem, new, names))


class _Problem(NamedTuple):
    error: InconsistentConstraintsError
    origins: list[Origin]

    def older(self, new: set[int]) -> list[Event]:
        """Return the statements of the contradiction that are not new, each once."""
        events = {origin.event.seq: origin.event for origin in self.origins}
        return [event for event in events.values() if id(event) not in new]


def _problem(statements: Sequence[Event], n_clusters: int, names: Names) -> _Problem | None:
    try:
        as_constraints(statements, names.table, expand=True, named=False).check(n_clusters)
        return None
    except InconsistentConstraintsError:
        # Once more, so that the sentence calls samples by their names.
        constraints = as_constraints(statements, names.table, expand=True)
    try:
        constraints.check(n_clusters)
    except InconsistentConstraintsError as error:
        return _Problem(error, _origins(error.witness, statements, names))
    return None


def _origins(witness: Constraints, statements: Sequence[Event], names: Names) -> list[Origin]:
    """Return the statement behind each constraint, along the chain."""
    pairs = [
        (event, pairs_of(links_of(event, names.table.n_samples), names.table))
        for event in statements
    ]
    origins = []
    for kind, links in witness.links.items():
        for row in links.rows.tolist():
            ends = 2 if kind == "triplets" else len(row)
            for event, links_said in pairs:
                rows = getattr(links_said, kind)
                same = np.sort(rows[:, :ends], axis=1) == sorted(row[:ends])
                if (same.all(axis=1) & (rows[:, ends:] == row[ends:]).all(axis=1)).any():
                    origins.append(Origin(event, kind, row))
                    break
    return origins


def _link(origin: Origin, is_new: bool, names: Names) -> dict[str, Any]:
    event = origin.event
    return {
        "seq": None if is_new else event.seq,
        "kind": WORDS[origin.kind],
        "statement": event.kind,
        "rows": origin.rows,
        "text": text_of(event, names),
        "person": event.person,
        "at": event.at,
        "mine": is_new,
    }


def _ways_out(state: State, problem: _Problem, new: set[int], names: Names) -> list[dict[str, Any]]:
    ways: list[dict[str, Any]] = [
        {"text": "Leave mine out", "drop": [], "leave": True, "settings": {}, "about": []}
    ]
    n_clusters = state.settings.n_clusters
    if isinstance(problem.error, TooFewClustersError):
        for more in range(1, MOST_MORE + 1):
            if _problem(state.statements, n_clusters + more, names) is None:
                text = f"Make {counted(n_clusters + more, 'cluster')}"
                settings = {"n_clusters": n_clusters + more}
                ways.append(ways[0] | {"text": text, "leave": False, "settings": settings})
                break
    seen = []
    for event in problem.older(new)[:MOST_WAYS]:
        dropped = _consistent_without(event, state, new, names)
        seqs = sorted(each.seq for each in dropped)
        if dropped and seqs not in seen:
            seen.append(seqs)
            ways.append(_way(dropped, names))
    return ways


def _way(dropped: Sequence[Event], names: Names) -> dict[str, Any]:
    about = [
        {"seq": event.seq, "text": text_of(event, names), "person": event.person, "at": event.at}
        for event in dropped
    ]
    what = listed(each["text"] for each in about)
    drop = [event.seq for event in dropped]
    text = f"Keep mine, drop {what}"
    return {"text": text, "drop": drop, "leave": False, "settings": {}, "about": about}


def _consistent_without(event: Event, state: State, new: set[int], names: Names) -> list[Event]:
    """Return statements to drop, this one first, so that the others hold together; [] if none."""
    dropped = [event]
    while True:
        seqs = {each.seq for each in dropped}
        others = [each for each in state.statements if id(each) in new or each.seq not in seqs]
        problem = _problem(others, state.settings.n_clusters, names)
        if problem is None:
            return dropped
        older = problem.older(new)
        if not older:
            return []
        # The fewer samples a statement speaks of, the less is lost with it.
        dropped.append(min(older, key=lambda each: (len(str(each.body)), -each.seq)))
