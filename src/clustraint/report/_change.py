"""What the constraints changed: the same method without them, and with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from clustraint.constraints import KINDS
from clustraint.plot import Look, Membership, Subject, look_of
from clustraint.wording import counted, share_text

MOST_MOVED = 40
MOST_CLUSTERS = 12


class MovedSample(NamedTuple):
    """A sample that is in another cluster because of the constraints."""

    name: str
    before: str
    after: str
    look: Look


class ChangeSection(NamedTuple):
    """Clusters without and with constraints.

    Attributes
    ----------
    about : list of str
        What changed, in sentences.
    kinds : list of (str, int, int, int)
        For each kind of constraint: how many there are, and how many hold without and with them.
    names : list of (str, Look)
        The clusters with constraints, as the columns of `counts`.
    counts : list of (str, list of int)
        For each cluster without constraints, how many of its samples are in which one with them;
        empty if there are too many clusters.
    moved : list of MovedSample
        Who is in another cluster.
    n_more : int
        How many others are.
    """

    about: list[str]
    kinds: list[tuple[str, int, int, int]]
    names: list[tuple[str, Look]]
    counts: list[tuple[str, list[int]]]
    moved: list[MovedSample]
    n_more: int


def change_of(subject: Subject, before: Subject | None) -> ChangeSection | None:
    """Return what differs between the clusters before and the clusters now; None for nothing."""
    if before is None or not subject.satisfaction:
        return None
    now, then = subject.members, before.members
    counts = np.zeros((then.n_clusters, now.n_clusters), np.int64)
    in_both = (now.labels >= 0) & (then.labels >= 0)
    np.add.at(counts, (then.labels[in_both], now.labels[in_both]), 1)
    # Labels are arbitrary: a cluster is the one before that shares most of its samples.
    matched = np.full(then.n_clusters, -1)
    rows, columns = linear_sum_assignment(-counts)
    matched[rows] = columns
    moved = np.flatnonzero(in_both & (matched[then.labels] != now.labels))
    kinds = [
        (KINDS[kind].noun, report.total, before.satisfaction[kind].satisfied, report.satisfied)
        for kind, report in subject.satisfaction.items()
    ]
    is_small = max(counts.shape) <= MOST_CLUSTERS
    return ChangeSection(
        _about(subject, kinds, len(moved)),
        kinds,
        [(now.cluster_label(place), look_of(place)) for place in range(now.n_clusters)],
        [(_letter(row), line.tolist()) for row, line in enumerate(counts)] if is_small else [],
        [_moved(now, then, matched, sample) for sample in moved[:MOST_MOVED].tolist()],
        max(0, len(moved) - MOST_MOVED),
    )


def _letter(row: int) -> str:
    """Return what a cluster before is called: other numbers would be taken for those of now."""
    return chr(ord("A") + row) if row < 26 else f"A{row}"


def _moved(now: Membership, then: Membership, matched: Any, sample: int) -> MovedSample:
    place = int(now.labels[sample])
    old = int(matched[then.labels[sample]])
    was = now.cluster_label(old) if old >= 0 else f"group {_letter(int(then.labels[sample]))}"
    return MovedSample(now.name_of(sample), was, now.cluster_label(place), look_of(place))


def _about(subject: Subject, kinds: list[tuple[str, int, int, int]], n_moved: int) -> list[str]:
    _, totals, satisfied, kept = zip(*kinds, strict=True)
    total, before, after = sum(totals), sum(satisfied), sum(kept)
    share = share_text(n_moved / subject.n_samples)
    verb = "is" if n_moved == 1 else "are"
    who = f"{counted(n_moved, 'sample')} ({share}) {verb}" if n_moved else "No sample is"
    return [
        f"{who} in another cluster than by the same method without constraints.",
        f"Without them, {before:,} of {counted(total, 'constraint')} would hold; with them, "
        f"{after:,} {'does' if after == 1 else 'do'}.",
    ]
