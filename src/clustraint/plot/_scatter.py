"""Samples in two dimensions, with constraints as links between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clustraint.constraints import KINDS, SAMPLE_KINDS
from clustraint.plot._membership import Membership
from clustraint.plot._palette import Look, look_of
from clustraint.plot._plane import PlotAxis, plane_of
from clustraint.plot._subject import Subject
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted, listed

# More than this is slow to draw, and no longer seen one by one.
MOST_POINTS = 5000
# Of each kind.
MOST_LINKS = 300


class Cloud(NamedTuple):
    """The samples of one cluster that are drawn; cluster -1 is none."""

    cluster: int
    name: str
    look: Look
    size: int
    samples: IntArray


class Link(NamedTuple):
    """A constraint of the picture: its samples, and how it is told in words."""

    samples: tuple[int, ...]
    violated: bool
    title: str


class LinkGroup(NamedTuple):
    """The links of one kind that are drawn, and how many there are of it in all."""

    kind: str
    noun: str
    n_constraints: int
    links: tuple[Link, ...]


@dataclass(frozen=True, eq=False)
class ScatterView:
    """Samples in two dimensions, with constraints as links between them.

    Attributes
    ----------
    points : float64 ndarray of shape (n_samples, 2)
        Where the samples are, in the units of the axes.
    members : Membership
        Who is in which cluster.
    clouds : tuple of Cloud
        The samples that are drawn, by cluster.
    groups : tuple of LinkGroup
        The constraints that are drawn, by kind.
    astray : int64 ndarray
        Samples that are not where a rule wants them.
    axes : tuple of PlotAxis
        What the two directions are.
    about : tuple of str
        Sentences on what the picture shows, and what it leaves out.

    Examples
    --------
    >>> from clustraint import plot
    >>> view = plot.scatter_view(plot.Subject.of([[0.0, 1.0], [8.0, 9.0]], ["low", "high"]))
    >>> [(cloud.name, cloud.look.paint) for cloud in view.clouds]
    [('cluster high', '#0072b2'), ('cluster low', '#d55e00')]
    """

    points: FloatArray
    members: Membership
    clouds: tuple[Cloud, ...]
    groups: tuple[LinkGroup, ...]
    astray: IntArray
    axes: tuple[PlotAxis, PlotAxis]
    about: tuple[str, ...]

    @property
    def n_drawn(self) -> int:
        """How many samples are drawn."""
        return sum(len(cloud.samples) for cloud in self.clouds)


def scatter_view(subject: Subject, axes: Sequence[Any] | None = None) -> ScatterView:
    """Return the picture of samples and constraints.

    Parameters
    ----------
    subject : Subject
        The clustering.
    axes : two names or places of columns, optional
        What to draw. By default the columns, if they are two numeric ones, otherwise the first two
        principal components.

    Returns
    -------
    ScatterView

    Examples
    --------
    >>> from clustraint import Constraints, plot
    >>> c = Constraints(2, cannot_link=[(0, 1)])
    >>> subject = plot.Subject.of([[0.0, 1.0], [8.0, 9.0]], [0, 1], constraints=c)
    >>> plot.scatter_view(subject).groups[0].links[0].title
    'cannot-link, satisfied: sample 0 != sample 1'
    """
    plane = plane_of(subject.data, axes)
    rows = {
        kind: _drawn_rows(subject, kind) for kind in SAMPLE_KINDS if kind in subject.satisfaction
    }
    groups = tuple(_group(subject, kind, rows[kind]) for kind in rows)
    strays = _astray(subject)
    shown = _drawn_samples(subject, rows, strays)
    return ScatterView(
        points=plane.points,
        members=subject.members,
        clouds=tuple(_clouds(subject.members, shown)),
        groups=groups,
        astray=strays,
        axes=plane.axes,
        about=(plane.about, *_left_out(subject, groups, len(shown))),
    )


def _drawn_rows(subject: Subject, kind: str) -> IntArray:
    """Return which constraints of a kind are drawn, violated ones first, others evenly spread."""
    report = subject.satisfaction[kind]
    kept = np.setdiff1d(np.arange(report.total), report.rows)
    violated = report.rows[:MOST_LINKS]
    room = MOST_LINKS - len(violated)
    if len(kept) > room:
        kept = kept[np.linspace(0, len(kept) - 1, room).astype(np.int64)]
    # Violated ones are drawn over the others.
    return np.concatenate([kept, violated])


def _group(subject: Subject, kind: str, rows: IntArray) -> LinkGroup:
    report = subject.satisfaction[kind]
    violated = np.isin(rows, report.rows)
    statements = subject.constraints.links[kind].rows[rows]
    links = tuple(
        _link(subject.members, kind, tuple(samples), bool(broken))
        for samples, broken in zip(statements.tolist(), violated, strict=True)
    )
    return LinkGroup(kind, KINDS[kind].noun, report.total, links)


def _link(members: Membership, kind: str, samples: tuple[int, ...], violated: bool) -> Link:
    words = KINDS[kind].describe(map(members.name_of, samples))
    title = f"{KINDS[kind].noun}, {'violated' if violated else 'satisfied'}: {words}"
    return Link(samples, violated, title)


def _astray(subject: Subject) -> IntArray:
    """Return samples that are not where a rule wants them."""
    astray = [
        samples for report in subject.satisfaction.values() for samples in report.samples.values()
    ]
    return np.unique(np.concatenate(astray))[:MOST_LINKS] if astray else np.empty(0, np.int64)


def _drawn_samples(subject: Subject, rows: dict[str, IntArray], strays: IntArray) -> IntArray:
    """Return the samples that are drawn: all, or those of constraints and others at random."""
    n_samples = subject.n_samples
    if n_samples <= MOST_POINTS:
        return np.arange(n_samples)
    links = subject.constraints.links
    drawn = [links[kind].rows[chosen].ravel() for kind, chosen in rows.items()]
    linked = [each.rows.ravel() for each in links.values()]
    first_of_each = np.unique(subject.members.labels, return_index=True)[1][:MOST_LINKS]
    others = np.random.default_rng(0).permutation(n_samples)
    order = np.concatenate([*drawn, strays, first_of_each, *linked, others])
    samples, first = np.unique(order, return_index=True)
    return np.sort(samples[np.argsort(first)][:MOST_POINTS])


def _clouds(members: Membership, shown: IntArray) -> Iterator[Cloud]:
    for cluster in range(-1, members.n_clusters):
        samples = shown[members.labels[shown] == cluster]
        if len(samples):
            size = int(np.count_nonzero(members.labels == cluster))
            yield Cloud(cluster, members.cluster_name(cluster), look_of(cluster), size, samples)


def _left_out(subject: Subject, groups: Sequence[LinkGroup], n_drawn: int) -> Iterator[str]:
    """Say what the picture does not show."""
    if n_drawn < subject.n_samples:
        yield (
            f"{n_drawn:,} of {counted(subject.n_samples, 'sample')} are drawn: those of the "
            "constraints that are drawn, and others at random."
        )
    cut = [
        f"{len(group.links):,} of {counted(group.n_constraints, group.noun)}"
        for group in groups
        if len(group.links) < group.n_constraints
    ]
    if cut:
        yield f"To keep it readable, {listed(cut)} are drawn, violated ones first."
