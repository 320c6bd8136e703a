"""What claims and figures compute with: pairs of clusterings, trends, and lists of means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clustraint.wording import listed
from papers._claim import Estimate, estimate
from papers._exceptions import NotTestableError
from papers._results import Results

if TYPE_CHECKING:
    from pandas import DataFrame

# What the columns of `Study.compared` are, in words.
WORDS = {
    "ari_with": "ARI with rules",
    "ari_without": "ARI without rules",
    "gain": "gain in ARI",
    "rounds_with": "rounds with rules",
    "rounds_without": "rounds without rules",
    "rounds_saved": "rounds saved by rules",
    "time_with": "CPU time with rules",
    "time_without": "CPU time without rules",
    "time_saved": "share of the CPU time that rules save",
}
MEASURES = {"ari": "ari", "rounds": "rounds", "fit_seconds": "time"}


@dataclass(frozen=True)
class Study:
    """An experiment in which one parameter of the generator varies.

    Attributes
    ----------
    experiment : str
        Its name.
    parameter : str
        The column of what varies.
    symbol : str
        The paper's letter for it.
    """

    experiment: str
    parameter: str
    symbol: str

    def compared(self, results: Results, kind: str, way: str = "paper") -> DataFrame:
        """Return a row for each data set: what was measured with rules, without, and between."""
        frame = results.frame(self.experiment)
        frame = frame[(frame["kind"] == kind) & (frame["way"] == way)]
        if frame.empty:
            raise NotTestableError(f"no data set for {kind} rules has been clustered ({way})")
        wide = frame.pivot_table(
            index=[self.parameter, "dataset"], columns="ruled", values=list(MEASURES)
        )
        names = {True: "with", False: "without"}
        wide.columns = [f"{MEASURES[column]}_{names[ruled]}" for column, ruled in wide.columns]
        return _differences(wide.reset_index())

    def at(self, table: DataFrame, value: int) -> DataFrame:
        """Return the rows of one value of what varies."""
        part = table[table[self.parameter] == value]
        if part.empty:
            raise NotTestableError(f"nothing has been run for {self.symbol} = {value}")
        return part

    def values(self, table: DataFrame) -> list[int]:
        """Return the values of what varies, in ascending order."""
        return sorted(int(value) for value in table[self.parameter].unique())

    def by_value(self, table: DataFrame, measure: str, kind: str) -> dict[int, Estimate]:
        """Return the mean of a measure for each value of what varies."""
        return {
            value: estimate(
                f"{WORDS[measure]} at {self.symbol} = {value} ({kind})",
                self.at(table, value)[measure],
            )
            for value in self.values(table)
        }

    def trend(self, table: DataFrame, measure: str, name: str) -> Estimate:
        """Return the mean rank correlation of a measure with what varies.

        One correlation for each number of a data set, over all values of what varies; where
        nothing changes it is 0.
        """
        parts = [part for _, part in table.groupby("dataset") if len(part) > 2]
        if not parts:
            raise NotTestableError(f"fewer than three values of {self.symbol} have been run")
        ranks = [_rank_correlation(part[self.parameter], part[measure]) for part in parts]
        return estimate(f"rank correlation of {self.symbol} and {name}", ranks)

    def means(self, table: DataFrame, measure: str) -> str:
        """Return the means by what varies, as in "0.12, 0.15"; times in milliseconds."""
        scale, unit = (1000, " ms") if measure in ("time_with", "time_without") else (1, "")
        mean = scale * table.groupby(self.parameter)[measure].mean()
        return ", ".join(f"{figure:.2f}" for figure in mean) + unit

    def places(self, table: DataFrame) -> str:
        """Return where the means of a list are, as in "At A = 20, 60"."""
        return f"At {self.symbol} = {listed(self.values(table))}"


def _differences(table: DataFrame) -> DataFrame:
    return table.assign(
        gain=table["ari_with"] - table["ari_without"],
        rounds_saved=table["rounds_without"] - table["rounds_with"],
        time_saved=1 - table["time_with"] / table["time_without"],
    )


def _rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    from scipy.stats import rankdata

    first, second = rankdata(x), rankdata(y)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def balance(table: DataFrame, kind: str) -> str:
    """Return what rules save by rounds and what a fit with them takes longer, in a sentence."""
    round_time = (table["time_without"] / table["rounds_without"]).mean()
    saved = 1000 * round_time * table["rounds_saved"].mean()
    longer = 1000 * (table["time_with"] - table["time_without"]).mean()
    return (
        f"Over all settings, the rounds that {kind} rules save are worth {saved:+.2f} ms, at the "
        f"time of a round without rules, while a fit with rules, which must find whom they are "
        f"about, takes {longer:+.2f} ms more."
    )


def above(measured: Estimate, limit: float = 0.0) -> bool:
    """Return whether the whole interval is above a limit."""
    return measured.n > 0 and measured.low > limit


def below(measured: Estimate, limit: float = 0.0) -> bool:
    """Return whether the whole interval is below a limit."""
    return measured.n > 0 and measured.high < limit


ATTRIBUTES = Study("table-2", "n_attributes", "A")
RULES = Study("figure-2", "n_rules", "C")
LITERALS = Study("figure-3", "n_literals", "F")
SAMPLES = Study("figure-4", "n_samples", "I")
STUDIES = (ATTRIBUTES, RULES, LITERALS, SAMPLES)
