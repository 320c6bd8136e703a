"""Samples in two dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD

from clustraint.checks import is_whole
from clustraint.exceptions import ClustraintError, InvalidParameterError
from clustraint.plot._data import Data
from clustraint.typing import FloatArray
from clustraint.wording import counted, near_matches, number_text, share_text, short_text

# Of a nominal column with more values the rarest do not count in the principal components.
MOST_LEVELS = 20
N_TICKS = 5


class Tick(NamedTuple):
    """A mark on an axis: where it is, and what is written there."""

    value: float
    text: str


class PlotAxis(NamedTuple):
    """A direction of the picture: what it is, its marks, and whether these are round numbers."""

    name: str
    ticks: tuple[Tick, ...] = ()
    is_numeric: bool = True


class Plane(NamedTuple):
    """Where samples are in two dimensions.

    Attributes
    ----------
    points : float64 ndarray of shape (n_samples, 2)
        Their places.
    axes : tuple of PlotAxis
        What the two directions are.
    about : str
        The same in a sentence.
    """

    points: FloatArray
    axes: tuple[PlotAxis, PlotAxis]
    about: str


def plane_of(data: Data, axes: Sequence[Any] | None = None) -> Plane:
    """Return the samples in two dimensions: two columns, or principal components.

    Parameters
    ----------
    data : Data
        The samples.
    axes : two names or places of columns, optional
        What to draw; otherwise the columns if they are two numeric ones, the two first principal
        components if there are others.

    Examples
    --------
    >>> from clustraint.plot._data import read_data
    >>> plane_of(read_data([[1.0, 2.0], [3.0, 4.0]])).about
    'The picture shows the columns x0 and x1.'
    """
    if axes is not None:
        return _of_columns(data, _places(data, axes))
    if data.n_features <= 2 and not any(data.columns.levels):
        return _of_columns(data, list(range(data.n_features)))
    return _of_sparse(data) if data.is_sparse else _of_components(data)


def _places(data: Data, axes: Sequence[Any]) -> list[int]:
    if isinstance(axes, str) or not hasattr(axes, "__len__") or len(axes) != 2:
        raise InvalidParameterError("axes", axes, "two columns, by name or place")
    return [_place(data, axis) for axis in axes]


def _place(data: Data, axis: Any) -> int:
    names = data.columns.names
    if is_whole(axis) and -len(names) <= axis < len(names):
        return int(axis) % len(names)
    if str(axis) in names and not is_whole(axis):
        return names.index(str(axis))
    raise ClustraintError(
        f"axes must be columns of X, but it has none {axis!r:.60}"
        f"{near_matches(str(axis), names) or '.'}"
    )


def _of_columns(data: Data, places: list[int]) -> Plane:
    points = np.zeros((data.n_samples, 2))
    axes = [PlotAxis("")] * 2
    n_missing = 0
    for side, place in enumerate(places):
        values = data.column(place)
        axes[side] = PlotAxis(
            short_text(data.columns.names[place]),
            _ticks(data, place, values),
            data.columns.levels[place] is None,
        )
        absent = np.isnan(values)
        n_missing += int(absent.sum())
        points[:, side] = np.where(absent, _below(values), values) if absent.any() else values
    shown = " and ".join(axis.name for axis in axes if axis.name)
    about = f"The picture shows the column{'s' * (len(places) > 1)} {shown}."
    if n_missing:
        about += f" {counted(n_missing, 'missing value')} of them drawn at the lower or left edge."
    return Plane(points, (axes[0], axes[1]), about)


def _below(values: FloatArray) -> float:
    """Return a place for missing values, a little below all others."""
    present = values[~np.isnan(values)]
    if not len(present):
        return 0.0
    with np.errstate(over="ignore"):
        place = present.min() - (0.08 * present.max() - 0.08 * present.min())
    return max(float(place), np.finfo(np.float64).min)


def _ticks(data: Data, place: int, values: FloatArray) -> tuple[Tick, ...]:
    levels = data.columns.levels[place]
    if levels is not None:
        return tuple(Tick(code, short_text(level, 12)) for code, level in enumerate(levels[:12]))
    present = values[~np.isnan(values)]
    return tuple(round_ticks(present.min(), present.max())) if len(present) else ()


def round_ticks(low: float, high: float) -> Iterator[Tick]:
    """Yield about five round numbers between two.

    Examples
    --------
    >>> [tick.text for tick in round_ticks(0.13, 2.9)]
    ['0.5', '1', '1.5', '2', '2.5']
    """
    span = high / N_TICKS - low / N_TICKS
    if span < np.finfo(np.float64).tiny:
        yield Tick(low, number_text(low))
        return
    base = 10.0 ** np.floor(np.log10(span))
    step = next(base * each for each in (1, 2, 5, 10) if base * each >= 0.8 * span)
    for place in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1):
        yield Tick(place * step, number_text(place * step))


def _of_components(data: Data) -> Plane:
    table = np.column_stack(list(scaled_columns(data)))
    n_components = min(2, *table.shape)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        # All samples alike: there is no variance to divide by.
        warnings.simplefilter("ignore", RuntimeWarning)
        fitted = PCA(n_components, random_state=0).fit(table)
    points = np.zeros((data.n_samples, 2))
    points[:, :n_components] = fitted.transform(table)
    held = np.nan_to_num(fitted.explained_variance_ratio_)
    held = np.concatenate([held, np.zeros(2 - n_components)])
    return _components(
        points,
        held,
        "The picture shows the first two principal components; each column is centred and "
        "scaled to the same variance",
    )


def _of_sparse(data: Data) -> Plane:
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        fitted = TruncatedSVD(2, random_state=0).fit(data.values)
    held = np.nan_to_num(fitted.explained_variance_ratio_)
    return _components(
        fitted.transform(data.values),
        held,
        "The picture shows the first two components of a truncated singular value decomposition",
    )


def _components(points: FloatArray, held: FloatArray, words: str) -> Plane:
    names = [f"component {place + 1} ({share_text(part)})" for place, part in enumerate(held)]
    about = f"{words}. Together they hold {share_text(float(held.sum()))} of the variance."
    return Plane(points, (PlotAxis(names[0]), PlotAxis(names[1])), about)


def scaled_columns(data: Data) -> Iterator[FloatArray]:
    """Yield columns of variance 1 or, of a nominal column, several that have it together.

    Examples
    --------
    >>> from clustraint.plot._data import read_data
    >>> next(scaled_columns(read_data([[1.0], [3.0]])))
    array([-1.,  1.])
    """
    for place, levels in enumerate(data.columns.levels):
        values = data.column(place)
        if levels is None:
            # Divided first, squares of the largest numbers do not overflow.
            largest = np.nanmax(np.abs(values), initial=0.0, where=~np.isnan(values)) or 1.0
            yield _standard((values / largest)[:, None])[:, 0]
        else:
            yield from _standard(_indicators(values, len(levels))).T


def _indicators(codes: FloatArray, n_levels: int) -> FloatArray:
    present = codes[~np.isnan(codes)].astype(np.int64)
    common = np.argsort(-np.bincount(present, minlength=n_levels), kind="stable")[:MOST_LEVELS]
    return np.where(np.isnan(codes)[:, None], np.nan, codes[:, None] == common)


def _standard(block: FloatArray) -> FloatArray:
    present = ~np.isnan(block)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, block, 0.0).sum(axis=0) / counts
    away = np.where(present, block - means, 0.0)
    total = float(np.sqrt(((away**2).sum(axis=0) / counts).sum()))
    return away / total if total > 0 else away
