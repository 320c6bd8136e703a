"""What sets each cluster apart, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from clustraint.plot._data import Data
from clustraint.plot._membership import Membership
from clustraint.plot._palette import Look, look_of
from clustraint.plot._subject import Subject
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import number_text, share_text, short_text

# Columns of a profile, and values of a nominal column.
MOST_COLUMNS = 8
MOST_VALUES = 3
MOST_TELLING = 5
MOST_PROFILES = 30
MOST_MEMBERS = 200
BAR = 120.0


class MeanBar(NamedTuple):
    """Mean and spread of a cluster on those of all samples, in units of a bar's width."""

    low: float
    high: float
    mean: float
    all_low: float
    all_high: float
    all_mean: float


class ShareBar(NamedTuple):
    """A share of a cluster, and that of all samples, in units of a bar's width."""

    share: float
    all_share: float


class ProfileRow(NamedTuple):
    """What one column says of a cluster."""

    column: str
    bar: MeanBar | ShareBar
    here: str
    overall: str
    is_first: bool = True
    is_words: bool = False


class Profile(NamedTuple):
    """A cluster: its size, what sets it apart, and its members."""

    cluster: int
    name: str
    look: Look
    size: int
    share: str
    rows: list[ProfileRow]
    n_columns: int
    members: list[str]


@dataclass(frozen=True, eq=False)
class ProfilesView:
    """What sets clusters apart.

    Attributes
    ----------
    profiles : tuple of Profile
        The clusters: size, what sets each apart, and its members.
    columns : tuple of int
        The places of all columns, those first that tell the clusters apart best.
    telling : tuple of tuple of int
        For each cluster, the places of the columns that set it apart most.

    Examples
    --------
    >>> from clustraint import plot
    >>> X = [[5.0, 0.0], [5.0, 1.0], [5.0, 8.0], [5.0, 9.0]]
    >>> plot.profiles_view(plot.Subject.of(X, [0, 0, 1, 1])).columns
    (1, 0)
    """

    profiles: tuple[Profile, ...]
    columns: tuple[int, ...]
    telling: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Moments:
    """Means and spreads, and how far each cluster is from all samples in each column.

    Attributes
    ----------
    means, spreads : float64 ndarray of shape (n_clusters + 1, n_features)
        Of the values that are there, nan where there are none; the last row is of all samples.
    low, high : float64 ndarray of shape (n_features,)
        The extremes of all samples.
    is_flag : bool ndarray of shape (n_features,)
        Which numeric columns hold nothing but 0 and 1.
    shares : dict of int to float64 ndarray of shape (n_clusters + 1, n_levels)
        For nominal columns, the share of each value.
    distinct : float64 ndarray of shape (n_clusters, n_features)
        How far a cluster is from all samples, in spreads.
    """

    means: FloatArray
    spreads: FloatArray
    low: FloatArray
    high: FloatArray
    is_flag: Any
    shares: dict[int, FloatArray]
    distinct: FloatArray


def moments_of(subject: Subject) -> Moments:
    """Measure the clusters."""
    data = subject.data
    groups = _groups(subject)
    means, spreads = (
        _sparse_moments(data, groups)
        if data.is_sparse
        else _moments(data, subject.members.labels, groups)
    )
    low, high, is_flag = _extremes(data)
    shares = {
        place: _shares(data.column(place), len(levels), groups)
        for place, levels in enumerate(data.columns.levels)
        if levels is not None
    }
    with np.errstate(all="ignore"):
        distinct = np.abs(means[:-1] - means[-1]) / spreads[-1]
    distinct = np.where(np.isfinite(distinct), distinct, 0.0)
    for place, parts in shares.items():
        distinct[:, place] = np.nan_to_num(np.abs(parts[:-1] - parts[-1])).sum(axis=1)
    return Moments(means, spreads, low, high, is_flag, shares, distinct)


def _groups(subject: Subject) -> Any:
    """Return a matrix of ones, a row for the samples of each cluster and one for all."""
    n_samples, n_clusters = subject.n_samples, subject.members.n_clusters
    labels = subject.members.labels
    clustered = np.flatnonzero(labels >= 0)
    rows = np.concatenate([labels[clustered], np.full(n_samples, n_clusters)])
    columns = np.concatenate([clustered, np.arange(n_samples)])
    shape = (n_clusters + 1, n_samples)
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def _moments(data: Data, labels: IntArray, groups: Any) -> tuple[FloatArray, FloatArray]:
    present = ~np.isnan(data.values)
    # Sums and squares are of numbers up to 1, so that the largest ones do not overflow.
    scale = np.abs(np.where(present, data.values, 0.0)).max(axis=0)
    scale[scale == 0] = 1.0
    values = np.where(present, data.values / scale, 0.0)
    counts = groups @ present.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (groups @ values) / counts
        spreads = np.empty_like(means)
        for rows, own in ((slice(-1), labels), (slice(-1, None), np.full(len(labels), -1))):
            away = np.where(present, values - np.nan_to_num(means)[own], 0.0)
            spreads[rows] = np.sqrt((groups[rows] @ away**2) / counts[rows])
    return means * scale, spreads * scale


def _sparse_moments(data: Data, groups: Any) -> tuple[FloatArray, FloatArray]:
    counts = groups.sum(axis=1)[:, None]
    means = (groups @ data.values).toarray() / counts
    squares = (groups @ data.values.multiply(data.values)).toarray() / counts
    variances = squares - means**2
    # Where all values are alike, rounding leaves a little.
    variances[variances < 1e-12 * squares] = 0.0
    return means, np.sqrt(variances)


def _extremes(data: Data) -> tuple[FloatArray, FloatArray, Any]:
    if data.is_sparse:
        high = np.asarray(data.values.max(axis=0).toarray()).ravel()
        low = np.asarray(data.values.min(axis=0).toarray()).ravel()
        ones = np.asarray((data.values != 0).sum(axis=0)).ravel()
        is_flag = (low >= 0) & (high == 1) & (np.asarray(data.values.sum(axis=0)).ravel() == ones)
        return low, high, is_flag
    present = ~np.isnan(data.values)
    low = np.min(data.values, axis=0, initial=np.inf, where=present)
    high = np.max(data.values, axis=0, initial=-np.inf, where=present)
    is_flag = ((data.values == 0) | (data.values == 1) | ~present).all(axis=0) & present.any(axis=0)
    return low, high, is_flag


def _shares(codes: FloatArray, n_levels: int, groups: Any) -> FloatArray:
    present = np.flatnonzero(~np.isnan(codes))
    cells = (np.ones(len(present)), (present, codes[present].astype(np.int64)))
    counts = (groups @ sparse.csr_array(cells, shape=(len(codes), n_levels))).toarray()
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def profiles_view(subject: Subject) -> ProfilesView:
    """Describe the clusters, the largest ones if there are many, in their order.

    Parameters
    ----------
    subject : Subject
        The clustering.

    Returns
    -------
    ProfilesView

    Examples
    --------
    >>> from clustraint import plot
    >>> X = [[0.0, 5.0], [1.0, 5.0], [8.0, 5.0], [9.0, 5.0]]
    >>> view = plot.profiles_view(plot.Subject.of(X, [0, 0, 1, 1]))
    >>> row = view.profiles[1].rows[0]
    >>> row.column, row.here, row.overall
    ('x0', '8.5 ± 0.5', '4.5 ± 4')
    """
    moments = moments_of(subject)
    members = subject.members
    largest = np.sort(np.argsort(-members.sizes, kind="stable")[:MOST_PROFILES])
    profiles = tuple(
        Profile(
            cluster,
            members.cluster_name(cluster),
            look_of(cluster),
            int(members.sizes[cluster]),
            share_text(members.sizes[cluster] / subject.n_samples),
            list(_rows(subject.data, moments, cluster)),
            subject.data.n_features,
            _members(members, cluster),
        )
        for cluster in largest.tolist()
    )
    order = np.argsort(-moments.distinct.max(axis=0), kind="stable")
    telling = np.argsort(-moments.distinct, axis=1, kind="stable")[:, :MOST_TELLING]
    return ProfilesView(profiles, tuple(order.tolist()), tuple(map(tuple, telling.tolist())))


def _members(members: Membership, cluster: int) -> list[str]:
    samples = np.flatnonzero(members.labels == cluster)[:MOST_MEMBERS]
    return [members.name_of(sample) for sample in samples.tolist()]


def _rows(data: Data, moments: Moments, cluster: int) -> Iterator[ProfileRow]:
    order = np.argsort(-moments.distinct[cluster], kind="stable")[:MOST_COLUMNS]
    for place in order.tolist():
        name = short_text(data.columns.names[place])
        if place in moments.shares:
            levels = data.columns.levels[place] or ()
            yield from _nominal_rows(name, levels, moments.shares[place], cluster)
        elif moments.is_flag[place]:
            yield _share_row(name, moments.means[[cluster, -1], place], "")
        else:
            yield _mean_row(name, moments, cluster, place)


def _nominal_rows(
    name: str, levels: tuple[Any, ...], shares: FloatArray, cluster: int
) -> Iterator[ProfileRow]:
    here = np.nan_to_num(shares[cluster])
    # Of two values, the share of one tells that of the other.
    most = 1 if len(levels) == 2 else MOST_VALUES
    common = np.argsort(-here, kind="stable")[:most]
    for rank, code in enumerate(common.tolist()):
        if rank and not here[code]:
            break
        row = _share_row(name, shares[[cluster, -1], code], f"{level_text(levels[code])}: ")
        yield row._replace(is_first=rank == 0, is_words=True)


def level_text(level: Any) -> str:
    """Return a nominal value as it is shown: yes and no of truth values.

    Examples
    --------
    >>> level_text(True), level_text("red")
    ('yes', 'red')
    """
    return ("yes" if level else "no") if isinstance(level, bool) else short_text(level, 30)


def figure_text(name: str, value: float) -> str:
    """Return a number of a column as it is shown: years without separators.

    Examples
    --------
    >>> figure_text("signup: year", 2023.4), figure_text("income", 2023.4), figure_text("year", 2.5)
    ('2023.4', '2,023', '2.5')
    """
    is_year = name.split()[-1:] in (["year"], ["Year"]) and 1000 <= value < 3000
    return f"{value:.1f}".removesuffix(".0") if is_year else number_text(value)


def _share_row(name: str, parts: FloatArray, value: str) -> ProfileRow:
    here, overall = (("–" if np.isnan(part) else share_text(float(part))) for part in parts)
    bar = ShareBar(*(np.nan_to_num(parts) * BAR).tolist())
    return ProfileRow(name, bar, f"{value}{here}", overall)


def _mean_row(name: str, moments: Moments, cluster: int, place: int) -> ProfileRow:
    means, spreads = moments.means[[cluster, -1], place], moments.spreads[[cluster, -1], place]
    here, overall = (
        "–" if np.isnan(mean) else f"{figure_text(name, mean)} ± {number_text(spread, 2)}"
        for mean, spread in zip(means.tolist(), spreads.tolist(), strict=True)
    )
    extremes = (moments.low[place], moments.high[place])
    return ProfileRow(name, _mean_bar(means, spreads, extremes), here, overall)


def _mean_bar(means: FloatArray, spreads: FloatArray, extremes: tuple[float, float]) -> MeanBar:
    """Return places on a bar for three spreads either side, as far as there are samples."""
    if np.isnan(means).any():
        return MeanBar(*[0.0] * 6)
    # In quarters, as the difference of the largest numbers would overflow.
    means, spreads = means / 4, spreads / 4
    low = min(max(extremes[0] / 4, means[1] - 3 * spreads[1]), means[0])
    high = max(min(extremes[1] / 4, means[1] + 3 * spreads[1]), means[0])
    ends = np.concatenate([[each - s, each + s, each] for each, s in zip(means, spreads)])  # noqa: B905
    room = high - low if high > low else 1.0
    return MeanBar(*(np.clip((ends - low) / room, 0, 1) * BAR).tolist())
