"""The picture of the samples, with constraints as links between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clustraint.constraints._describe import FORMS
from clustraint.reports._palette import Look, look_of
from clustraint.reports._plane import Axis, Plane
from clustraint.reports._subject import Subject
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted, listed

WIDTH, HEIGHT = 720, 480
LEFT, RIGHT, TOP, BOTTOM = 66, 6, 6, 52
# More than this is slow to draw, and no longer seen one by one.
MOST_POINTS = 5000
# Of each kind.
MOST_LINKS = 300
NOUNS = {"must_link": "must-link", "cannot_link": "cannot-link", "triplets": "triplet"}


class Frame(NamedTuple):
    """The picture's size, and where in it the samples are."""

    all_width: int = WIDTH
    all_height: int = HEIGHT
    x: int = LEFT
    y: int = TOP
    width: int = WIDTH - LEFT - RIGHT
    height: int = HEIGHT - TOP - BOTTOM


class Point(NamedTuple):
    """A sample of the picture."""

    x: float
    y: float
    title: str


class Cloud(NamedTuple):
    """The samples of one cluster; -1 for those in none."""

    cluster: int
    name: str
    look: Look
    size: int
    points: list[Point]


class Link(NamedTuple):
    """A constraint of the picture.

    Attributes
    ----------
    kind : str
        As in `Constraints.kinds`.
    violated : bool
        Whether it is.
    line : str
        The path of the link itself; of a triplet, the arc between the two that join first.
    stem : str
        Of a triplet, the path from the arc to the third sample.
    x, y : float
        The middle, where a violated link is marked.
    title : str
        The constraint in words.
    clusters : str
        Those of its samples.
    """

    kind: str
    violated: bool
    line: str
    stem: str
    x: float
    y: float
    title: str
    clusters: str


class LinkGroup(NamedTuple):
    """The links of one kind that are drawn, and how many there are of it in all."""

    kind: str
    noun: str
    given: int
    links: list[Link]


class Mark(NamedTuple):
    """Where an axis has a round number, in the picture's coordinates."""

    at: float
    text: str


class Scatter(NamedTuple):
    """The picture, in its own coordinates."""

    clouds: list[Cloud]
    groups: list[LinkGroup]
    astray: list[Point]
    axes: tuple[Axis, Axis]
    marks: tuple[list[Mark], list[Mark]]
    about: list[str]
    n_drawn: int


def scatter_of(subject: Subject, plane: Plane) -> Scatter:
    """Lay out the picture of samples and constraints."""
    frame = _Frame(plane.points)
    rows = {kind: _drawn_rows(subject, kind) for kind in NOUNS if kind in subject.outcome}
    groups = [_group(subject, frame.points, kind, rows[kind]) for kind in rows]
    strays = _astray(subject)
    shown = _drawn_samples(subject, rows, strays)
    return Scatter(
        clouds=list(_clouds(subject, frame.points, shown)),
        groups=groups,
        astray=[_point(subject, frame.points, sample) for sample in strays.tolist()],
        axes=plane.axes,
        marks=frame.marks(plane.axes),
        about=[plane.about, *_left_out(subject, groups, len(shown))],
        n_drawn=len(shown),
    )


class _Frame:
    """From data to the picture's coordinates."""

    def __init__(self, points: FloatArray) -> None:
        low, high = points.min(axis=0), points.max(axis=0)
        # Halves first: the difference of the largest numbers would overflow.
        half = high / 2 - low / 2
        self.middle = low / 2 + high / 2
        self.half = np.where(half > 0, half, 1.0)
        size = np.array([WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM], np.float64)
        # No marker sticks out of the frame.
        self.scale = (size / 2 - 12) * [1, -1]
        self.centre = np.array([LEFT, TOP]) + size / 2
        self.points = self.centre + (points - self.middle) / self.half * self.scale

    def marks(self, axes: tuple[Axis, Axis]) -> tuple[list[Mark], list[Mark]]:
        """Return the marks of both axes."""
        x, y = (
            [
                Mark(self.centre[k] + (value - self.middle[k]) / self.half[k] * self.scale[k], text)
                for value, text in axes[k].ticks
            ]
            for k in (0, 1)
        )
        return x, y


def _drawn_rows(subject: Subject, kind: str) -> IntArray:
    """Return which constraints of a kind are drawn, violated ones first, others evenly spread."""
    report = subject.outcome[kind]
    kept = np.setdiff1d(np.arange(report.given), report.rows)
    violated = report.rows[:MOST_LINKS]
    room = MOST_LINKS - len(violated)
    if len(kept) > room:
        kept = kept[np.linspace(0, len(kept) - 1, room).astype(np.int64)]
    # Violated ones are drawn over the others.
    return np.concatenate([kept, violated])


def _group(subject: Subject, points: FloatArray, kind: str, rows: IntArray) -> LinkGroup:
    report = subject.outcome[kind]
    violated = np.isin(rows, report.rows)
    members = subject.constraints.links[kind].rows[rows]
    links = [
        _link(subject, points, kind, samples, bool(broken))
        for samples, broken in zip(members.tolist(), violated, strict=True)
    ]
    return LinkGroup(kind, NOUNS[kind], report.given, links)


def _link(
    subject: Subject, points: FloatArray, kind: str, samples: list[int], violated: bool
) -> Link:
    places = points[samples]
    line, stem, middle = _arc(places) if len(samples) == 3 else _straight(places)
    words = FORMS[kind].format(*map(subject.name_of, samples))
    title = f"{NOUNS[kind]}, {'violated' if violated else 'satisfied'}: {words}"
    clusters = " ".join(map(str, sorted({int(subject.labels[sample]) for sample in samples})))
    x, y = middle.tolist()
    return Link(kind, violated, line, stem, x, y, title, clusters)


def _straight(places: FloatArray) -> tuple[str, str, FloatArray]:
    return f"M{_at(places[0])}L{_at(places[1])}", "", places.mean(axis=0)


def _arc(places: FloatArray) -> tuple[str, str, FloatArray]:
    """Return an arc from a to b that bends away from c, and the stem from its top to c."""
    a, b, c = places
    middle = (a + b) / 2
    normal = np.array([a[1] - b[1], b[0] - a[0]]) * 0.22
    bent = middle + normal if (c - middle) @ normal < 0 else middle - normal
    top = (middle + bent) / 2
    return f"M{_at(a)}Q{_at(bent)} {_at(b)}", f"M{_at(top)}L{_at(c)}", top


def _at(place: FloatArray) -> str:
    return f"{place[0]:.1f} {place[1]:.1f}"


def _astray(subject: Subject) -> IntArray:
    """Return samples that are not where a rule wants them."""
    found = [samples for report in subject.outcome.values() for samples in report.samples.values()]
    return np.unique(np.concatenate(found))[:MOST_LINKS] if found else np.empty(0, np.int64)


def _drawn_samples(subject: Subject, rows: dict[str, IntArray], strays: IntArray) -> IntArray:
    """Return the samples that are drawn: all, or those of constraints and others at random."""
    n_samples = subject.n_samples
    if n_samples <= MOST_POINTS:
        return np.arange(n_samples)
    links = subject.constraints.links
    wanted = [links[kind].rows[chosen].ravel() for kind, chosen in rows.items()]
    first_of_each = np.unique(subject.labels, return_index=True)[1][:MOST_LINKS]
    others = np.random.default_rng(0).permutation(n_samples)
    order = np.concatenate([*wanted, strays, first_of_each, _of_links(subject), others])
    kept, first = np.unique(order, return_index=True)
    return np.sort(kept[np.argsort(first)][:MOST_POINTS])


def _of_links(subject: Subject) -> IntArray:
    return np.concatenate([links.rows.ravel() for links in subject.constraints.links.values()])


def _clouds(subject: Subject, points: FloatArray, shown: IntArray) -> Iterator[Cloud]:
    sizes = subject.sizes
    for cluster in range(-1, len(subject.clusters)):
        members = shown[subject.labels[shown] == cluster]
        if not len(members):
            continue
        size = int(sizes[cluster]) if cluster >= 0 else int((subject.labels < 0).sum())
        yield Cloud(
            cluster,
            subject.cluster_name(cluster),
            look_of(cluster),
            size,
            [_point(subject, points, sample) for sample in members.tolist()],
        )


def _point(subject: Subject, points: FloatArray, sample: int) -> Point:
    x, y = points[sample].tolist()
    return Point(x, y, subject.name_of(sample))


def _left_out(subject: Subject, groups: list[LinkGroup], n_drawn: int) -> Iterator[str]:
    """Say what the picture does not show."""
    if n_drawn < subject.n_samples:
        yield (
            f"{n_drawn:,} of {counted(subject.n_samples, 'sample')} are drawn: those of the "
            "constraints that are drawn, and others at random."
        )
    cut = [
        f"{len(group.links):,} of {counted(group.given, group.noun)}"
        for group in groups
        if len(group.links) < group.given
    ]
    if cut:
        yield f"To keep it readable, {listed(cut)} are drawn, violated ones first."
