"""Who is typical of a cluster, who is almost in another, and what sets each apart in values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clustraint.plot._data import Data
from clustraint.plot._plane import scaled_columns
from clustraint.plot._profiles import ProfilesView, figure_text, level_text
from clustraint.plot._subject import Subject
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import short_text

N_MEMBERS = 3
# A sample of a smaller margin is on the border: its own mean is more than half as far as another.
BORDERLINE = 0.5


class MemberRow(NamedTuple):
    """A sample with its values in the telling columns; `other` is the cluster it is almost in."""

    sample: int
    name: str
    values: list[str]
    other: str = ""


class TellingMembers(NamedTuple):
    """Samples that show what a cluster is, and where it ends.

    Attributes
    ----------
    columns : list of str
        The columns in which the cluster differs most from all samples.
    typical : list of MemberRow
        The samples near to the mean of their cluster and far from those of others.
    borderline : list of MemberRow
        Those that are almost as near, or nearer, to the mean of another.
    """

    columns: list[str]
    typical: list[MemberRow]
    borderline: list[MemberRow]


def telling_members(subject: Subject, profiles: ProfilesView) -> dict[int, TellingMembers]:
    """Return typical and borderline samples of each cluster that is described.

    Parameters
    ----------
    subject : Subject
        The clustering.
    profiles : ProfilesView
        What sets its clusters apart.

    Returns
    -------
    dict
        By place of the cluster.

    Examples
    --------
    >>> from clustraint import plot
    >>> subject = plot.Subject.of([[0.0], [1.0], [4.4], [8.0], [9.0], [10.0]], [0, 0, 0, 1, 1, 1])
    >>> members = plot.telling_members(subject, plot.profiles_view(subject))[0]
    >>> [row.name for row in members.typical], [row.name for row in members.borderline]
    (['sample 1', 'sample 0', 'sample 2'], ['sample 2'])
    """
    own, other, nearest = _distances(subject)
    with np.errstate(invalid="ignore", divide="ignore"):
        # 0 between two means, 1 at its own: what the simplified silhouette measures.
        margin = np.nan_to_num(1 - own / other, nan=1.0, posinf=1.0)
    members = {}
    for profile in profiles.profiles:
        places = profiles.telling[profile.cluster]
        rows = np.flatnonzero(subject.members.labels == profile.cluster)
        # Not the nearest alone: a text without a telling word is near to every mean.
        typical = rows[np.lexsort((own[rows], -margin[rows]))[:N_MEMBERS]]
        edge = rows[np.argsort(margin[rows], kind="stable")[:N_MEMBERS]]
        edge = edge[margin[edge] < BORDERLINE]
        members[profile.cluster] = TellingMembers(
            [short_text(subject.data.columns.names[place]) for place in places],
            [_row(subject, sample, places) for sample in typical.tolist()],
            [
                _row(subject, sample, places, int(nearest[sample]))
                for sample in edge.tolist()
                if nearest[sample] >= 0
            ],
        )
    return members


def _row(
    subject: Subject, sample: int, places: tuple[int, ...], other: int | None = None
) -> MemberRow:
    name = subject.members.name_of(sample)
    near = "" if other is None else subject.members.cluster_label(other)
    return MemberRow(sample, name, sample_values(subject.data, sample, places), near)


def sample_values(data: Data, sample: int, places: tuple[int, ...]) -> list[str]:
    """Return some values of a sample as they are shown.

    Examples
    --------
    >>> from clustraint.plot._data import read_data
    >>> sample_values(read_data([[1.5, "red"], [2.0, None]]), 1, (0, 1))
    ['2', '–']
    """
    row = data.values[[sample]]
    values = np.asarray(row.toarray() if data.is_sparse else row)[0]
    names, levels = data.columns.names, data.columns.levels
    return [_value_text(names[place], values[place], levels[place]) for place in places]


def _value_text(name: str, value: float, levels: tuple[Any, ...] | None) -> str:
    if np.isnan(value):
        return "–"
    if levels is None:
        return figure_text(name, float(value))
    return level_text(levels[int(value)])


def _distances(subject: Subject) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the distance to the own mean, to the nearest other one, and which that is."""
    data, labels = subject.data, subject.members.labels
    X: Any = data.values if data.is_sparse else np.column_stack(list(scaled_columns(data)))
    n_clusters = subject.members.n_clusters
    means = np.stack(
        [np.asarray(X[labels == cluster].mean(axis=0)).ravel() for cluster in range(n_clusters)]
    )
    squares = X.multiply(X).sum(axis=1) if data.is_sparse else (X**2).sum(axis=1)
    squared = np.asarray(squares).ravel()[:, None] - 2 * (X @ means.T) + (means**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squared, 0))
    rows = np.arange(len(labels))
    own = distances[rows, labels]
    distances[rows, labels] = np.inf
    if n_clusters == 1:
        return own, np.full(len(labels), np.inf), np.full(len(labels), -1)
    nearest = distances.argmin(axis=1)
    return own, distances[rows, nearest], nearest
