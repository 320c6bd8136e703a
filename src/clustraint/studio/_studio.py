"""A table, what people say about it, and its clusters: everything but the page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import numpy as np

from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, StudioRequestError
from clustraint.studio._agreement import agree
from clustraint.studio._clusters import (
    WARM,
    FittedClusters,
    apart_in,
    continued,
    fit,
    start_of,
    threads,
)
from clustraint.studio._comparisons import ComparisonJob
from clustraint.studio._contradictions import check_state
from clustraint.studio._log import Event, EventLog, KeptClustering
from clustraint.studio._questions import MOST_QUESTIONS, N_QUESTIONS, Questions, doubts
from clustraint.studio._samples import StudioSamples, with_roles
from clustraint.studio._source import Source
from clustraint.studio._state import Settings, State, steps, text_of
from clustraint.studio._statements import RETRACTIONS, Names, Scene, check_body
from clustraint.studio._worker import Worker
from clustraint.tables import SampleTable
from clustraint.typing import IntArray
from clustraint.workflow import explain

NOBODY = "somebody"
LONGEST_PERSON = 40
LONGEST_COMMAND = 100
# After so many seconds without a statement, a fresh start is tried.
IDLE = 1.0
# An offer is tighter by so large a share.
CLEARLY = 0.01
MOST_FITS = 8
Row = tuple[str, dict[str, Any], int | None]


class Studio:
    """What the page shows and does, without the page.

    Parameters
    ----------
    source : Source
        The table.
    log : EventLog
        Where events go.
    n_clusters : int, optional
        The number of clusters to begin with.
    """

    def __init__(self, source: Source, log: EventLog, n_clusters: int | None = None) -> None:
        self.source, self.log = source, log
        self.base = source.table
        self._lock = threading.RLock()
        self._listeners: list[Callable[[dict[str, Any]], None]] = []
        self._samples: dict[str, StudioSamples] = {}
        self._fits: OrderedDict[str, FittedClusters] = OrderedDict()
        self.revision = 0
        self.problem: str | None = None
        self.better: dict[str, Any] | None = None
        self.running: str | None = None
        self.shown: KeptClustering | None = None
        self.before: int | None = None
        self.worker = Worker(self._report)
        self.questions, self.comparison = Questions(), ComparisonJob()
        self.doubts: dict[int, float] = {}
        self.compiling = True
        self._beginning = Settings(agree(source, log, n_clusters))
        self._events = log.events()
        self.state = self._fold(self._events)

    def _fold(self, events: Sequence[Event]) -> State:
        basis = f"{self.source.digest} {self._beginning.n_clusters}"
        return State.of(events, self._beginning, basis)

    # What is there.

    @property
    def events(self) -> list[Event]:
        """All events."""
        with self._lock:
            return list(self._events)

    def samples_of(self, state: State) -> StudioSamples:
        """Return the samples with the columns that a state has them clustered by."""
        settings = state.settings
        key = settings.columns
        with self._lock:
            if key not in self._samples:
                table = self.source.read(settings.kinds)
                self._samples[key] = StudioSamples(with_roles(table, settings.roles))
            return self._samples[key]

    @property
    def samples(self) -> StudioSamples:
        """The samples as they are clustered now."""
        return self.samples_of(self.state)

    @property
    def table(self) -> SampleTable:
        """The table as it is clustered now."""
        return self.samples.table

    @property
    def constraints(self) -> Constraints:
        """What people said."""
        return self.state.constraints(self.table)

    @property
    def names(self) -> Names:
        """What samples and clusters are called."""
        return Names(self.table, self.state.names)

    # What people do.

    def say(
        self,
        command: Any,
        person: Any,
        kind: Any,
        body: Any,
        *,
        drop: Any = (),
        settings: Any = None,
    ) -> list[Event]:
        """Do what a person asks: check it, write it, and begin to cluster again.

        Returns the events, none if there was nothing to undo or redo.
        """
        if not isinstance(command, str) or not 8 <= len(command) <= LONGEST_COMMAND:
            raise StudioRequestError("command must be a text of 8 to 100 characters.")
        return self.record(
            command, person, lambda: self._rows(self._person(person), kind, body, drop, settings)
        )

    def record(self, command: str, person: Any, rows: Callable[[], Sequence[Row]]) -> list[Event]:
        """Write the events of a command in one transaction, unless they are there already."""
        who = self._person(person)
        with self._lock:
            events = [event for event in self._events if event.command == command]
            if events:
                return events
            new = rows()
            if not new:
                return []
            self._consistent(self._proposed(who, new))
            events = self.log.append(command, who, new)
            self._events += events
            self.state = self._fold(self._events)
        last = events[-1]
        words = text_of(last, self.names)
        self.publish("event", seq=last.seq, person=who, kind=last.kind, text=words)
        self.settle()
        return events

    def _person(self, person: Any) -> str:
        if person is None or person == "":
            return NOBODY
        if not isinstance(person, str) or len(person) > LONGEST_PERSON or not person.isprintable():
            raise StudioRequestError(
                f"person must be a name of at most {LONGEST_PERSON} characters on one line."
            )
        return person.strip() or NOBODY

    def _rows(self, person: str, kind: Any, body: Any, drop: Any, settings: Any) -> list[Row]:
        """Return the events that a request stands for."""
        if kind in ("undo", "redo"):
            done, undone = steps(self._events, person)
            chosen = done if kind == "undo" else undone
            return [(kind, {}, event.seq) for event in chosen[-1]] if chosen else []
        rows = [self._retraction(seq) for seq in _numbers(drop, "drop")]
        if settings:
            checked = check_body("n_clusters", settings, self._scene())
            rows.append(("n_clusters", checked, None))
        if kind == "retract":
            if not isinstance(body, dict):
                raise StudioRequestError("body must be an object.")
            seqs = _numbers(body.get("seqs", [body.get("seq")]), "seqs")
            return rows + [self._retraction(seq) for seq in seqs]
        checked = check_body(kind, body, self._scene())
        if kind == "take":
            self._check_take(checked["clustering"])
        return [*rows, (kind, checked, None)]

    def _retraction(self, seq: int) -> Row:
        if not any(event.seq == seq for event in self.state.live):
            raise StudioRequestError(f"event {seq} is not there, or was taken back already.")
        return "retract", {"seq": seq}, seq

    def can_be_taken(self, about: Mapping[str, Any]) -> bool:
        """Say whether a clustering is one that its method could go on from."""
        return about["method"] in WARM and self.shown is not None

    def _check_take(self, number: int) -> None:
        kept = self.log.clustering(number)
        if kept is None:
            raise StudioRequestError(f"there is no clustering {number} any more.")
        if not self.can_be_taken(kept.about):
            raise StudioRequestError(
                f"{kept.about['method']} gives the same clusters for the same statements; take "
                "back statements to see earlier clusters."
            )
        if kept.about["n_clusters"] != self.state.settings.n_clusters:
            raise StudioRequestError(
                f"that clustering has {kept.about['n_clusters']} clusters; choose that number "
                "first."
            )

    def _scene(self) -> Scene:
        shown = None if self.shown is None else self.shown.labels
        return Scene(
            self.table,
            shown,
            lambda rows: apart_in(self.samples, rows, self.constraints),
        )

    def _proposed(self, person: str, rows: Sequence[Row]) -> tuple[State, list[Event]]:
        """Return the state after events that are not written, and the statements new in it."""
        new = [Event(0, "", 0.0, person, kind, body, seq) for kind, body, seq in rows]
        state = self._fold([*self._events, *new])
        before = {id(event) for event in self.state.live}
        return state, [event for event in state.statements if id(event) not in before]

    def _consistent(self, proposed: tuple[State, list[Event]]) -> None:
        """Raise where a state cannot be: no columns, or statements that contradict each other."""
        state, fresh = proposed
        table = self.samples_of(state).table
        settings = self.state.settings
        if fresh or state.settings.n_clusters < settings.n_clusters:
            check_state(state, fresh, Names(table, state.names))

    def preview(
        self, person: Any, kind: Any, body: Any, *, drop: Any = (), settings: Any = None
    ) -> tuple[State, list[Event], Future[Any]]:
        """Return the state that a request would lead to, and in the future its clusters.

        Raises a ContradictionError as the request itself would.
        """
        who = self._person(person)
        with self._lock:
            rows = self._rows(who, kind, body, drop, settings)
            proposed = self._proposed(who, rows)
            self._consistent(proposed)
        return (*proposed, self.worker.urgent(lambda: self._labels_for(proposed[0])))

    def undoable(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return in words, for each person, what undo and redo would take back."""
        events = self.events
        undo, redo = {}, {}
        by_seq = {event.seq: event for event in events}
        for person in dict.fromkeys(event.person for event in events):
            done, undone = steps(events, person)
            if done:
                undo[person] = self._step_text(done[-1], by_seq)
            if undone:
                targets = [by_seq[event.retracts] for event in undone[-1] if event.retracts]
                redo[person] = self._step_text(targets, by_seq)
        return undo, redo

    def _step_text(self, step: Sequence[Event], by_seq: Mapping[int, Event]) -> str:
        last = step[-1]
        if last.kind in RETRACTIONS and last.retracts is not None:
            return f"drop {text_of(by_seq[last.retracts], self.names)}"
        return text_of(last, self.names)

    # Clusters.

    def start(self) -> None:
        """Begin to work: show the clusters that the log has, or make some."""
        self.worker.start()
        self.settle()
        self.worker.later("warm up", self._warm_up)

    def _warm_up(self) -> None:
        """Compile what statements and questions will call, so that nobody waits for it later."""
        n_samples = self.base.n_samples
        chain = Constraints(n_samples, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
        parts: list[Callable[[], Any]] = [
            lambda: chain.check(2),
            lambda: Constraints(n_samples, triplets=[(0, 1, 2), (1, 2, 0)]).check(),
            lambda: self.questions.view(self.samples, self.state, None, N_QUESTIONS),
            lambda: apart_in(self.samples, np.arange(n_samples), Constraints(n_samples)),
            lambda: explain(self.table, np.arange(n_samples) % 2, max_leaves=2),
        ]
        try:
            for part in parts:
                # Only that it is compiled matters; what it says comes again when it is asked for.
                with suppress(ClustraintError), threads.limit(limits=1):
                    part()
                self.worker.breathe()
        finally:
            self.compiling = False
            self.publish("progress", running=self.running, done=0, total=0)

    def end(self) -> None:
        """End the work and close the log."""
        self.worker.end()
        self.log.close()

    def settle(self) -> Future[Any]:
        """Cluster by what holds now, unless the clusters shown are by that already."""
        return self.worker.urgent(self._settle)

    def _settle(self) -> None:
        state = self.state
        if self.shown is not None and self.shown.fingerprint == state.fingerprint:
            self.shown, self.problem = self.shown._replace(seq=state.seq), None
            return
        self.worker.stop_job("better")
        self.better = None
        self._status("clustering")
        try:
            kept = self.log.clustering_by(state.fingerprint) or self._kept(state)
        except Exception as error:  # whatever it was, the page must not say "clustering" for ever
            self._report(error)
            return
        finally:
            self._status(None)
        # Somebody may have said more meanwhile: those clusters come next.
        if kept is not None and self.state.fingerprint == state.fingerprint:
            self._show(kept, state)

    def _kept(self, state: State) -> KeptClustering | None:
        fitted = self._fits.pop(state.fingerprint, None) or self._fit(state)
        if self.state.fingerprint != state.fingerprint:
            return None
        return self.log.keep(
            state.seq, state.fingerprint, fitted.about, fitted.start, fitted.labels
        )

    def _show(self, kept: KeptClustering, state: State) -> None:
        shown = self.shown
        moved = 0 if shown is None else int((kept.labels != shown.labels).sum())
        with self._lock:
            self.before = None if shown is None else shown.id
            self.shown = kept._replace(about=kept.about | {"moved": moved}, seq=state.seq)
            self.problem = None
        self.publish("clusters", clustering=kept.id, moved=moved)
        if kept.about["method"] == WARM[0] and kept.start is not None:
            self.worker.later("better", lambda: self._seek_better(kept), IDLE)

    def _fit(self, state: State) -> FittedClusters:
        """Return clusters for a state that go on from those shown."""
        samples = self.samples_of(state)
        last = state.moving[-1] if state.moving else None
        if last is not None and last.kind == "take":
            taken = self.log.clustering(last.body["clustering"])
            start = None if taken is None else samples.means(taken.labels)
        else:
            is_new = samples is not self.samples_of(self.state) and self.shown is not None
            start = None if is_new else start_of(samples, state, self.shown)
        return continued(fit(samples, state, start), self.shown, state.names)

    def _labels_for(self, state: State) -> IntArray:
        """Return the clusters that a state would have; they are kept in case it comes true."""
        self._settle()
        kept = self.log.clustering_by(state.fingerprint)
        if kept is not None:
            return kept.labels
        if state.fingerprint not in self._fits:
            self._fits[state.fingerprint] = self._fit(state)
            while len(self._fits) > MOST_FITS:
                self._fits.popitem(last=False)
        return self._fits[state.fingerprint].labels

    def fitted(self) -> FittedClusters:
        """Return the clusters shown with the steps that made them, fitted again."""
        kept = self.shown
        if kept is None:
            raise StudioRequestError("nothing is clustered yet.")
        state = self.state
        again = fit(self.samples_of(state), state, kept.start)
        return continued(again, kept, state.names)

    def _seek_better(self, kept: KeptClustering) -> None:
        """Try a fresh start, and offer its clusters if they are clearly tighter."""
        state = self.state
        if state.fingerprint != kept.fingerprint:
            return
        samples = self.samples_of(state)
        self._status("looking for a better start")
        try:
            fresh = fit(samples, state, None)
            # From its own centres, as it will be fitted when it is taken.
            again = continued(fit(samples, state, samples.means(fresh.labels)), kept, state.names)
        finally:
            self._status(None)
        gain = 1 - again.about["score"] / kept.about["score"] if kept.about["score"] else 0.0
        if gain <= CLEARLY or self.state.fingerprint != state.fingerprint:
            return
        offer = self.log.keep(
            state.seq, f"offer {state.fingerprint}", again.about, again.start, again.labels
        )
        moves = int((again.labels != kept.labels).sum())
        verb = "sample would move" if moves == 1 else "samples would move"
        self.better = {
            "clustering": offer.id,
            "moves": moves,
            "gain": round(gain, 4),
            "sentence": f"A tighter solution exists: {moves:,} {verb}.",
        }
        self.publish("better")

    # Questions and comparisons.

    def question(self, most: int = N_QUESTIONS) -> Future[Any]:
        """Return the next question, in the future."""
        most = min(max(1, most), MOST_QUESTIONS)

        def ask() -> dict[str, Any]:
            labels = None if self.shown is None else self.shown.labels
            with threads.limit(limits=1):
                return self.questions.view(self.samples, self.state, labels, most)

        return self.worker.urgent(ask)

    def rate(self) -> Future[Any]:
        """Find the statements worth a check, in the future."""

        def find() -> dict[int, float]:
            with threads.limit(limits=1):
                self.doubts = doubts(self.samples, self.state)
            return self.doubts

        return self.worker.urgent(find)

    def compare(self, body: Any) -> int:
        """Begin to compare, and return in how many steps."""
        if not isinstance(body, dict):
            raise StudioRequestError("the request must be an object.")
        self.worker.stop_job("compare")
        if body.get("stop"):
            self.comparison.running = False
            return 0
        samples, state = self.samples, self.state
        self.comparison = job = ComparisonJob()
        cells = job.prepare(samples, state, body)

        def step() -> None:
            self.worker.breathe()
            self.publish("comparison", done=job.done, total=job.total)

        def run() -> None:
            job.run(samples, state, cells, step)
            self.publish("comparison", done=job.total, total=job.total)

        self.worker.later("compare", run)
        return job.total

    # Who listens.

    def listen(self, listener: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Have a function called with each message, from any thread; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def publish(self, type: str, **details: Any) -> None:
        """Tell everybody that there is something new."""
        with self._lock:
            self.revision += 1
            message = {"type": type, "seq": self.state.seq, "revision": self.revision, **details}
        for listener in list(self._listeners):
            listener(message)

    @property
    def status(self) -> dict[str, Any]:
        """What is under way."""
        if self.comparison.running and self.running is None:
            job = self.comparison
            return {"running": "comparing", "done": job.done, "total": job.total}
        return {"running": self.running, "done": 0, "total": 0}

    def _status(self, running: str | None) -> None:
        self.running = running
        self.publish("progress", running=running, done=0, total=0)

    def _report(self, error: Exception) -> None:
        self.problem = str(error)
        self.publish("problem", sentence=self.problem)


def _numbers(values: Any, what: str) -> list[int]:
    if not isinstance(values, list | tuple) or not all(
        isinstance(value, int) and not isinstance(value, bool) for value in values
    ):
        raise StudioRequestError(f"{what} must be a list of event numbers.")
    return list(values)
