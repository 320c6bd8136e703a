"""The state: a fold over the events that nobody has taken back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clustraint.constraints import Constraints
from clustraint.studio._log import Event, live
from clustraint.studio._rows import read_rows
from clustraint.studio._statements import (
    KINDS,
    RETRACTIONS,
    STATEMENTS,
    Names,
    StatementLinks,
    pairs_of,
)
from clustraint.tables import SampleTable
from clustraint.typing import IntArray


@dataclass(frozen=True)
class Settings:
    """How to cluster.

    Attributes
    ----------
    n_clusters : int
        The number of clusters.
    method : str
        A method by name, or "auto".
    roles, kinds : mapping of str to str
        What is chosen of columns.
    """

    n_clusters: int
    method: str = "auto"
    roles: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> str:
        """The same for the same choice of columns."""
        return json.dumps([self.roles, self.kinds], sort_keys=True)


@dataclass(frozen=True, eq=False)
class State:
    """What holds now.

    Attributes
    ----------
    live : tuple of Event
        The events that nobody has taken back, without retractions.
    settings : Settings
        How to cluster.
    names : dict of int to str
        What clusters are called.
    seq : int
        The last event of all.
    """

    live: tuple[Event, ...]
    settings: Settings
    names: dict[int, str]
    seq: int
    basis: str = ""
    _kept: tuple[SampleTable, Constraints] | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, events: Sequence[Event], beginning: Settings, basis: str = "") -> State:
        """Return the state after some events; `basis` says of what data."""
        held = tuple(event for event in live(events) if event.kind not in RETRACTIONS)
        settings, names = beginning, {}
        for event in held:
            settings = _changed(settings, event)
            if event.kind == "name":
                names[event.body["cluster"]] = event.body["name"]
        named = {cluster: name for cluster, name in names.items() if name}
        seq = max((event.seq for event in events), default=0)
        return cls(held, settings, named, seq, basis)

    @cached_property
    def statements(self) -> tuple[Event, ...]:
        """The events that say something about samples."""
        return tuple(event for event in self.live if event.kind in STATEMENTS)

    @cached_property
    def moving(self) -> tuple[Event, ...]:
        """The events by which clusters may change."""
        return tuple(event for event in self.live if KINDS[event.kind].moves)

    @cached_property
    def fingerprint(self) -> str:
        """The same for states in which the same was said, in the same order."""
        digest = hashlib.sha256(self.basis.encode())
        for event in self.moving:
            digest.update(json.dumps([event.kind, event.body], sort_keys=True).encode())
        return digest.hexdigest()[:32]

    def constraints(self, table: SampleTable) -> Constraints:
        """Return what people said, rules as rules."""
        # Several look at them after each statement, of always the same table.
        if self._kept is None or self._kept[0] is not table:
            constraints = as_constraints(self.statements, table, expand=False)
            object.__setattr__(self, "_kept", (table, constraints))
            return constraints
        return self._kept[1]


def _changed(settings: Settings, event: Event) -> Settings:
    """Return the settings after an event."""
    body, number = event.body, settings.n_clusters
    if event.kind in ("n_clusters", "method"):
        number = body.get("n_clusters") or number
    elif event.kind == "merge":
        number = max(1, number - len(body["clusters"]) + 1)
    elif event.kind == "split":
        number += 1
    elif event.kind == "columns":
        roles, kinds = {**settings.roles, **body["roles"]}, {**settings.kinds, **body["kinds"]}
        return Settings(number, settings.method, roles, kinds)
    method = body["method"] if event.kind == "method" else settings.method
    return Settings(number, method, settings.roles, settings.kinds)


def links_of(event: Event, n_samples: int) -> StatementLinks:
    """Return what an event says about samples."""
    links = KINDS[event.kind].links
    assert links is not None
    return links(event.body, n_samples)


def as_constraints(
    statements: Sequence[Event], table: SampleTable, *, expand: bool, named: bool = True
) -> Constraints:
    """Return statements as constraints, each pair once; rules as pairs if they are expanded.

    Without names, which are checked each time, very many samples take a fraction of the time.
    """
    parts = [links_of(event, table.n_samples) for event in statements]
    if expand:
        parts = [pairs_of(links, table) for links in parts]
    weights = [event.body.get("weight", 1.0) for event in statements]
    arguments: dict[str, Any] = {}
    for kind in ("must_link", "cannot_link", "triplets"):
        rows = [getattr(links, kind) for links in parts]
        if any(len(each) for each in rows):
            lengths = [len(each) for each in rows]
            arguments |= _distinct(kind, np.concatenate(rows), np.repeat(weights, lengths))
    rules = dict.fromkeys(rule for links in parts for rule in links.rules)
    names = table.names if named else None
    return Constraints(
        table.n_samples, **arguments, rules=() if expand else tuple(rules), names=names
    )


def _distinct(kind: str, rows: IntArray, weights: Any) -> dict[str, Any]:
    """Return rows in the order in which they were first said, with the largest weight of each."""
    ends = 2 if kind == "triplets" else rows.shape[1]
    rows = rows.copy()
    rows[:, :ends] = np.sort(rows[:, :ends], axis=1)
    _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    heaviest = np.zeros(len(first))
    np.maximum.at(heaviest, place.ravel(), weights)
    order = np.argsort(first)
    return {kind: rows[first[order]], f"{kind}_weights": heaviest[order]}


def holds(event: Event, labels: IntArray, table: SampleTable) -> bool | None:
    """Tell whether clusters agree with a statement; None if they cannot tell."""
    links = pairs_of(links_of(event, table.n_samples), table)
    if event.kind == "closer":
        first, second, third = labels[links.triplets[0]].tolist()
        return None if first == second == third else bool(first == second)
    joined = labels[links.must_link]
    parted = labels[links.cannot_link]
    if not len(joined) + len(parted):
        return None
    return bool((joined[:, 0] == joined[:, 1]).all() and (parted[:, 0] != parted[:, 1]).all())


def touched(event: Event, table: SampleTable) -> IntArray:
    """Return the samples that a statement speaks of."""
    if event.kind == "rule":
        rule = links_of(event, table.n_samples).rules[0]
        return np.flatnonzero(rule.scope(table))
    rows = read_rows(event.body["rows"], table.n_samples)
    if "from" in event.body:
        return np.union1d(rows, read_rows(event.body["from"], table.n_samples))
    return rows


def text_of(event: Event, names: Names) -> str:
    """Return an event in words."""
    return KINDS[event.kind].text(event.body, names, names.table.n_samples)


def steps(events: Sequence[Event], person: str) -> tuple[list[list[Event]], list[list[Event]]]:
    """Return the steps of a person that undo and redo would take back, the next one last.

    A step is all events of one command. After an undo, whatever else the person does
    leaves nothing to redo.
    """
    done: list[list[Event]] = []
    undone: list[list[Event]] = []
    commands: dict[str, list[Event]] = {}
    for event in events:
        if event.person == person:
            commands.setdefault(event.command, []).append(event)
    for step in commands.values():
        if step[0].kind == "undo":
            _take(done, step)
            undone.append(step)
        elif step[0].kind == "redo":
            taken = _take(undone, step)
            if taken:
                # The step that the undo took back is done again.
                done.append([event for event in events if event.seq in _targets(taken)])
        else:
            done.append(step)
            undone.clear()
    held = {event.seq for event in live(events)}
    return (
        [step for step in done if any(event.seq in held for event in step)],
        [step for step in undone if any(event.seq in held for event in step)],
    )


def _targets(step: Sequence[Event]) -> set[int]:
    return {event.retracts for event in step if event.retracts is not None}


def _take(steps: list[list[Event]], step: Sequence[Event]) -> list[Event]:
    """Remove the step that another one takes back."""
    targets = _targets(step)
    for place in reversed(range(len(steps))):
        if targets & {event.seq for event in steps[place]}:
            return steps.pop(place)
    return []
