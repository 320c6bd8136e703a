"""What the page shows, as JSON: state, groups, changes; columns and samples are elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import clustraint
from clustraint.exceptions import ClustraintError, StudioRequestError
from clustraint.plot import NO_SHAPE, SHAPES, profiles_view
from clustraint.studio._log import Event, KeptClustering, live
from clustraint.studio._rows import as_bits, read_rows
from clustraint.studio._samples import StudioSamples, Unseen
from clustraint.studio._state import State, holds, text_of, touched
from clustraint.studio._statements import STATEMENTS, Names
from clustraint.studio._studio import Studio
from clustraint.tables import SampleTable
from clustraint.typing import BoolArray, IntArray
from clustraint.wording import counted
from clustraint.workflow import choose, explain, methods

MOST_ROWS = 50
MOST_EVENTS = 500
MOST_SPOKEN = 1_000_000
# Statements about samples that somebody pointed at, one by one or by a line around them.
NAMING = ("together", "apart", "closer", "answer", "own")
TRUTHS = {"True": "yes", "False": "no"}


def state_view(studio: Studio) -> dict[str, Any]:
    """Return all that the page needs to know at once."""
    # First: a page that has this revision has at least what was there then. Read last, it could
    # be that of clusters which came after those below, and the page would never look again.
    revision = studio.revision
    state, shown = studio.state, studio.shown
    table = studio.table
    undo, redo = studio.undoable()
    statements = [statement_view(studio, event) for event in state.statements]
    verdicts = [each["holds"] for each in statements]
    return {
        "version": clustraint.__version__,
        "shapes": list(SHAPES),
        "no_shape": NO_SHAPE,
        "table": table_view(table, studio.source.name),
        "kept": studio.log.place,
        "seq": state.seq,
        "revision": revision,
        "settings": {
            "n_clusters": state.settings.n_clusters,
            "method": state.settings.method,
            "columns": state.settings.columns,
        },
        "methods": methods_view(studio),
        "clustering": None if shown is None else clustering_view(studio, shown),
        "clusters": [] if shown is None else clusters_view(studio, shown),
        "statements": statements,
        "can_undo": undo,
        "can_redo": redo,
        "people": sorted({event.person for event in studio.events}),
        "satisfied": verdicts.count(True),
        "violated": verdicts.count(False),
        "status": studio.status,
        "compiling": studio.compiling,
        "problem": studio.problem,
        "better": studio.better,
        "comparison": studio.comparison.summary(),
        "question": studio.questions.summary(),
    }


def table_view(table: SampleTable, source: str) -> dict[str, Any]:
    """Return what the table is."""
    return {
        "source": source,
        "n_samples": table.n_samples,
        "has_names": table.names is not None,
        "id_column": table.id_column,
        "notes": list(table.notes),
    }


def methods_view(studio: Studio) -> list[dict[str, str]]:
    """Return the methods, each with why it cannot be used, if so."""
    constraints = studio.constraints
    named = frozenset(name for rule in constraints.rules for name in rule.attributes)
    return _methods_view(studio.samples, constraints.kinds, named, Unseen(constraints))


@lru_cache(maxsize=32)
def _methods_view(
    samples: StudioSamples, kinds: Any, named: Any, constraints: Unseen
) -> list[dict[str, str]]:
    """Return the methods; they depend on the kinds of constraints and the columns of rules."""
    listing = [{"name": "auto", "idea": "chosen by the table and the statements", "obstacle": ""}]
    for name, method in methods().items():
        try:
            choose(samples.table, constraints.value, 2, method=name)
            obstacle = ""
        except ClustraintError as error:
            obstacle = str(error)
        listing.append({"name": name, "idea": method.idea, "obstacle": obstacle})
    return listing


def clustering_view(studio: Studio, shown: KeptClustering) -> dict[str, Any]:
    """Return what the clustering shown is."""
    about = shown.about
    return {
        "id": shown.id,
        "at": shown.at,
        "seq": shown.seq,
        "before": studio.before,
        **{key: about[key] for key in ("n_clusters", "method", "reason", "seconds", "moved")},
    }


def clusters_view(studio: Studio, shown: KeptClustering) -> list[dict[str, Any]]:
    """Return the clusters, each with its size, place and what sets it apart."""
    state, names = studio.state, studio.names
    profiles = _profiles(studio.samples, shown)
    pure = {}
    for event in state.statements:
        if event.kind == "pure":
            rows = read_rows(event.body["rows"], studio.table.n_samples)
            labels = np.unique(shown.labels[rows])
            if len(labels) == 1 and len(rows) == np.count_nonzero(shown.labels == labels[0]):
                pure[int(labels[0])] = event.seq
    return [
        {
            **profile,
            "name": state.names.get(profile["cluster"]),
            "label": names.cluster(profile["cluster"]),
            "pure": pure.get(profile["cluster"]),
        }
        for profile in profiles
    ]


@lru_cache(maxsize=8)
def _cached_profiles(samples: StudioSamples, number: int, shown: Unseen) -> list[dict[str, Any]]:
    points, labels = samples.plane[0], shown.value
    profiles = profiles_view(samples.subject(labels)).profiles
    rows = {profile.cluster: telling(profile.rows) for profile in profiles}
    clusters = np.unique(labels)
    views = []
    for place, cluster in enumerate(clusters.tolist()):
        members = np.flatnonzero(labels == cluster)
        at = np.median(points[members], axis=0).tolist()
        views.append(
            {"cluster": cluster, "size": len(members), "at": at, "telling": rows.get(place, [])}
        )
    return views


def _profiles(samples: StudioSamples, shown: KeptClustering) -> list[dict[str, Any]]:
    return _cached_profiles(samples, shown.id, Unseen(shown.labels))


def telling(rows: Iterable[Any]) -> list[dict[str, str]]:
    """Return what sets a cluster apart, a line for each column."""
    return [
        {"column": row.column, "here": _plainly(row.here), "overall": row.overall}
        for row in rows
        if row.is_first
    ]


def _plainly(text: str) -> str:
    """Return what a profile says as people say it."""
    # One value, or the same one throughout.
    word, mark, rest = text.removesuffix(" ± 0").partition(": ")
    return f"{TRUTHS.get(word, word)}{mark}{rest}"


def statement_view(studio: Studio, event: Event) -> dict[str, Any]:
    """Return a statement as the list of what is known shows it."""
    table, shown, body = studio.table, studio.shown, event.body
    rows = touched(event, table)
    others = read_rows(body["from"], table.n_samples) if "from" in body else np.empty(0, np.int64)
    own = (
        body["rows"] if event.kind in ("closer", "answer") else np.setdiff1d(rows, others).tolist()
    )
    view = {
        "seq": event.seq,
        "kind": event.kind,
        "person": event.person,
        "at": event.at,
        "text": text_of(event, studio.names),
        "rows": own[:MOST_ROWS],
        "from": others[:MOST_ROWS].tolist(),
        "n_rows": len(own),
        "n_from": len(others),
        "holds": None
        if shown is None or shown.seq < event.seq
        else holds(event, shown.labels, table),
        "weight": body.get("weight", 1.0),
        "doubt": studio.doubts.get(event.seq),
    }
    for key in ("answer", "rule", "exactly", "clusters", "cluster", "complete", "apart"):
        if key in body:
            view[key] = body[key]
    return view


def spoken_rows(studio: Studio) -> IntArray:
    """Return the samples that statements name, in rising order.

    Rules, and what is said of whole clusters, name no sample: they would be nearly all of them.
    """
    table = studio.table
    rows = [touched(event, table) for event in studio.state.statements if event.kind in NAMING]
    named = np.unique(np.concatenate([np.empty(0, np.int64), *rows]))
    # A page that draws a million at most draws no more than twice as many by what was said.
    return named[:MOST_SPOKEN]


def history_view(studio: Studio) -> dict[str, Any]:
    """Return the clusterings and events there were."""
    events, names = studio.events, studio.names
    held = {event.seq for event in live(events)}
    shown = studio.shown.id if studio.shown else None
    kept = ("id", "at", "seq", "n_clusters", "method", "n_statements", "sizes")
    return {
        "clusterings": [
            {
                **{key: each.get(key) for key in kept},
                "shown": each["id"] == shown,
                "can_be_taken": studio.can_be_taken(each),
            }
            for each in studio.log.clusterings()
        ],
        "events": [
            {
                "seq": event.seq,
                "at": event.at,
                "person": event.person,
                "kind": event.kind,
                "text": text_of(event, names),
                "live": event.seq in held,
                "retracts": event.retracts,
            }
            for event in events[-MOST_EVENTS:]
        ],
    }


def changes_view(studio: Studio, first: int, second: int) -> dict[str, Any]:
    """Return which samples moved from one clustering to another, and the flows between clusters."""
    both = [studio.log.clustering(number) for number in (first, second)]
    if both[0] is None or both[1] is None:
        raise StudioRequestError("one of these clusterings is not there any more.")
    before, after = both[0].labels, both[1].labels
    pairs, counts = np.unique(np.column_stack([before, after]), axis=0, return_counts=True)
    moved = before != after
    names = studio.names
    return {
        "moved": int(moved.sum()),
        "bits": as_bits(moved),
        "flows": [
            {"from": source, "to": target, "n": count}
            for (source, target), count in zip(pairs.tolist(), counts.tolist(), strict=True)
        ],
        "names": {str(cluster): names.cluster(cluster) for cluster in np.unique(pairs).tolist()},
    }


def group_view(studio: Studio, rows: Any) -> dict[str, Any]:
    """Return what some samples have in common, and rules that describe them."""
    table = studio.table
    chosen = read_rows(rows, table.n_samples)
    if not len(chosen):
        raise StudioRequestError("no sample is chosen.")
    mask = np.zeros(table.n_samples, np.bool_)
    mask[chosen] = True
    view: dict[str, Any] = {"n": len(chosen), "clusters": [], "telling": [], "rules": []}
    if studio.shown is not None:
        clusters, counts = np.unique(studio.shown.labels[chosen], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        view["clusters"] = [
            {"cluster": int(clusters[place]), "n": int(counts[place])} for place in order
        ]
    if len(chosen) < table.n_samples:
        profiles = profiles_view(studio.samples.subject(mask.astype(np.int64))).profiles
        view["telling"] = telling(profiles[1].rows)
        view["rules"] = _rules(table, mask)
    return view


def _rules(table: SampleTable, mask: BoolArray) -> list[dict[str, Any]]:
    """Return rules that hold for a group: one that is exact, and a simpler one."""
    from clustraint.constraints import Rule

    rules: dict[str, dict[str, Any]] = {}
    for leaves in (2, 6):
        try:
            explanation = explain(table, mask.astype(np.int64), max_leaves=leaves, fidelity=1.0)
        except ClustraintError:
            continue
        for description in explanation.descriptions:
            if description.cluster == 1:
                scope = Rule(description.formula).scope(table)
                if scope.any() and not scope.all():
                    rules[description.formula] = {
                        "rule": description.formula,
                        **agreement(scope, mask),
                        "n": int(scope.sum()),
                    }
    return list(rules.values())


def agreement(scope: BoolArray, group: BoolArray) -> dict[str, float]:
    """Return precision and recall of a scope against a group."""
    both = float((scope & group).sum())
    precision = both / max(1.0, float(scope.sum()))
    return {"precision": precision, "recall": both / max(1.0, float(group.sum()))}


def preview_view(
    studio: Studio, state: State, fresh: Sequence[Event], labels: IntArray | None, group: Any
) -> dict[str, Any]:
    """Return what a statement would do."""
    table = studio.samples_of(state).table
    shown = None if studio.shown is None else studio.shown.labels
    moved = (
        np.zeros(table.n_samples, np.bool_) if labels is None or shown is None else labels != shown
    )
    scope = np.zeros(table.n_samples, np.bool_)
    for event in fresh:
        if event.kind in STATEMENTS:
            scope[touched(event, table)] = True
    rated: dict[str, Any] = {"precision": None, "recall": None}
    if group is not None and len(fresh) == 1 and fresh[0].kind == "rule":
        mask = np.zeros(table.n_samples, np.bool_)
        mask[read_rows(group, table.n_samples, "group")] = True
        rated = agreement(scope, mask)
    names = Names(table, state.names)
    return {
        "moves": int(moved.sum()),
        "moved": {"bits": as_bits(moved)},
        "text": "; ".join(text_of(event, names) for event in fresh),
        "scope": {"n": int(scope.sum()), "bits": as_bits(scope)} if scope.any() else None,
        **rated,
        "contradiction": None,
        "problem": None,
    }


def labels_bytes(labels: IntArray) -> tuple[bytes, int]:
    """Return labels as octets, and how many octets each is."""
    size = 1 if labels.max(initial=0) < 255 else 2
    dtype = np.uint8 if size == 1 else np.dtype("<u2")
    none = 255 if size == 1 else 65_535
    return np.where(labels < 0, none, labels).astype(dtype).tobytes(), size


def nothing_view(studio: Studio) -> dict[str, Any]:
    """Return the preview of something that would do nothing."""
    return preview_view(studio, studio.state, (), None, None)


def doubts_view(studio: Studio, rated: dict[int, float]) -> dict[str, Any]:
    """Return statements worth a check, the most doubtful first."""
    events = {event.seq: event for event in studio.state.statements}
    names = studio.names
    listing = [
        {
            "seq": seq,
            "text": text_of(events[seq], names),
            "person": events[seq].person,
            "doubt": round(doubt, 4),
        }
        for seq, doubt in sorted(rated.items(), key=lambda each: -each[1])
        if seq in events
    ]
    n_doubts = len(listing)
    sentence = (
        f"{counted(n_doubts, 'statement')} worth a check."
        if listing
        else "No statement stands out as doubtful."
    )
    return {"doubts": listing, "sentence": sentence}
