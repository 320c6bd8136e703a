"""Differences between methods and settings, paired within each sample of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers._results import Results

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    # A figure for each sample of labels: by collection and repetition.
    Samples: TypeAlias = "Series[float]"

COMPARISON = "figures-9-10"
MEASURES = {
    "h_correlation": "H-correlation",
    "leaf_f": "F at the leaf level",
    "higher_f": "F at the higher level",
}
SAMPLE = ["collection", "repeat"]
# Differences of equal means may differ from 0 in their last digits.
ROUNDING = 1e-9


def scores(
    results: Results,
    measure: str,
    *,
    settings: Sequence[int] = (1, 2, 3),
    collections: Sequence[str] | None = None,
) -> DataFrame:
    """Return a measure with a column for each method and a row for each cell."""
    frame = results.frame(COMPARISON)
    frame = frame[frame["setting"].isin(settings)]
    if collections is not None:
        frame = frame[frame["collection"].isin(collections)]
    if frame.empty:
        what = f" on {' and '.join(collections)}" if collections else ""
        raise NotTestableError(f"there are no results{what} in setting {_listed(settings)}")
    cell = ["collection", "setting", "per_class", "repeat"]
    return frame.set_index([*cell, "method"])[measure].astype(float).unstack("method")


def _listed(settings: Sequence[int]) -> str:
    return " or ".join(f"({setting})" for setting in settings)


def gain(table: DataFrame, method: str, over: str = "HAC") -> Samples:
    """Return a method's mean gain over another in each sample of labels."""
    return _means(table[method] - table[over])


def _means(figures: Samples) -> Samples:
    means = figures.dropna().groupby(level=SAMPLE).mean()
    if means.empty:
        raise NotTestableError("no sample of labels has results of what is compared")
    return means


def slope(table: DataFrame, method: str) -> Samples:
    """Return by how much a method's gain over HAC grows with each doubling of the labels."""
    gains = (table[method] - table["HAC"]).dropna()
    slopes = gains.groupby(level=SAMPLE).apply(_slope).dropna()
    if slopes.empty:
        raise NotTestableError("no collection has results for two numbers of labels")
    return slopes


def _slope(gains: Samples) -> float:
    doublings = np.log2(gains.index.get_level_values("per_class").to_numpy(float))
    if len(set(doublings.tolist())) < 2:
        return float("nan")
    return float(np.polyfit(doublings, gains.to_numpy(), 1)[0])


def change(
    results: Results, measure: str, method: str, *, first: int = 1, last: int = 3
) -> Samples:
    """Return by how much a method's gain over HAC changes from one setting to another."""
    gains = {}
    for setting in (first, last):
        table = scores(results, measure, settings=[setting]).droplevel("setting")
        gains[setting] = table[method] - table["HAC"]
    return _means(gains[last] - gains[first])


def measured(name: str, figures: Any) -> Estimate:
    """Return the mean over samples of labels with its bootstrap interval."""
    return estimate(name, np.asarray(figures, float))


def clearly_above(measurement: Estimate, least: float = 0) -> bool:
    """Tell whether an interval that rests on more than one sample is above a number."""
    return measurement.n > 1 and measurement.low > least + ROUNDING


def clearly_below(measurement: Estimate, most: float = 0) -> bool:
    """Tell whether an interval that rests on more than one sample is below a number."""
    return measurement.n > 1 and measurement.high < most - ROUNDING


def by_collection(figures: Samples) -> str:
    """Return the mean of each collection, in words."""
    means = figures.groupby(level="collection", sort=False).mean()
    return ", ".join(f"{value:+.3f} on {name}" for name, value in means.items())


def clear_places(figures: Samples) -> str:
    """Return on which collections the mean is clearly above 0, in words."""
    parts = figures.groupby(level="collection", sort=False)
    clear = [str(name) for name, part in parts if clearly_above(measured("", part))]
    return f"clearly so on {' and '.join(clear)}" if clear else "clearly so on none"


def sentence(text: str) -> str:
    """Return a text as a sentence; names of methods keep their small letters."""
    is_name = text.startswith(("iHAC", "biHAC", "biiHAC"))
    return f"{text if is_name else text[:1].upper() + text[1:]}."


def signed(measurement: Estimate) -> str:
    """Return an estimate in short."""
    return f"{measurement.value:+.3f} ({measurement.low:+.3f} to {measurement.high:+.3f})"
