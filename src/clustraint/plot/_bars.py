"""Methods compared: a bar for the score of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from clustraint.constraints import KINDS
from clustraint.wording import counted, listed


class ScoreBar(NamedTuple):
    """A score from 0 to 1 with its interval, and what it is compared with."""

    name: str
    score: float
    low: float
    high: float
    without: float | None = None
    n_failed: int = 0


@dataclass(frozen=True, eq=False)
class BarsView:
    """Scores of methods, with constraints and without.

    Attributes
    ----------
    title : str
        What the scores are.
    bars : tuple of ScoreBar
        The methods, in the order of the comparison.
    n_splits : int
        Over how many splits each score is a mean.

    Examples
    --------
    >>> from clustraint.plot import BarsView, svg
    >>> view = BarsView("Scores", (), 10)
    >>> svg(view)[:4]
    '<svg'
    """

    title: str
    bars: tuple[ScoreBar, ...]
    n_splits: int

    @property
    def sentences(self) -> list[str]:
        """The same in words."""
        return [self._sentence(bar) for bar in self.bars]

    def _sentence(self, bar: ScoreBar) -> str:
        words = f"{bar.name}: {bar.score:.2f} ({bar.low:.2f} to {bar.high:.2f})"
        if bar.without is not None:
            words += f", without constraints {bar.without:.2f}"
        if bar.n_failed:
            words += f", no clusters in {bar.n_failed} of {self.n_splits} splits"
        return f"{words}."


def bars_view(comparison: Any) -> BarsView:
    r"""Return the picture of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What `clustraint.workflow` found in comparing methods.

    Returns
    -------
    BarsView

    Examples
    --------
    >>> import io
    >>> from clustraint import Constraints, plot
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import compare
    >>> table = read_table(io.BytesIO(b"x\n1\n2\n3\n11\n12\n13\n"))
    >>> c = Constraints(6, must_link=[(0, 1), (3, 5)], cannot_link=[(0, 3), (2, 5), (1, 4)])
    >>> view = plot.bars_view(compare(table, c, 2, methods=["tree"], n_splits=2))
    >>> view.title, [bar.name for bar in view.bars]
    ('Share of held-out must-links and cannot-links that hold', ['tree'])
    """
    bars = [
        ScoreBar(row["label"], row["score"], row["low"], row["high"], row["without"], row["failed"])
        for row in comparison.table()
    ]
    kinds = listed(kind.plural for name, kind in KINDS.items() if name in comparison.n_held_out)
    title = f"Share of held-out {kinds} that hold"
    return BarsView(title, tuple(bars), len(comparison.splits))


class CurvePoint(NamedTuple):
    """How one number of clusters did; its score is None where there are no clusters."""

    n_clusters: int
    score: float | None
    low: float
    high: float
    stability: float | None
    is_chosen: bool


@dataclass(frozen=True, eq=False)
class CurveView:
    """Numbers of clusters and how they did.

    Attributes
    ----------
    title : str
        What the scores are.
    points : tuple of CurvePoint
        The numbers, in rising order.
    reason : str
        Why one of them was chosen.

    Examples
    --------
    >>> from clustraint.plot import CurveView, svg
    >>> svg(CurveView("Scores", (), "there is no other"))[:4]
    '<svg'
    """

    title: str
    points: tuple[CurvePoint, ...]
    reason: str

    @property
    def sentences(self) -> list[str]:
        """The same in words."""
        return [self._sentence(point) for point in self.points]

    def _sentence(self, point: CurvePoint) -> str:
        words = f"{counted(point.n_clusters, 'cluster')}: "
        words += "no clusters were found" if point.score is None else f"{point.score:.2f}"
        if point.stability is not None:
            words += f", stability {point.stability:.2f}"
        return f"{words}{', chosen: ' + self.reason if point.is_chosen else ''}."


def curve_view(curve: Any) -> CurveView:
    """Return the picture of how numbers of clusters did.

    Parameters
    ----------
    curve : NumberCurve
        What `clustraint.workflow.choose_number` found.

    Returns
    -------
    CurveView

    Examples
    --------
    >>> from clustraint.plot import curve_view
    >>> from clustraint.workflow import NumberCurve, NumberScore
    >>> scores = [NumberScore(2, 0.5, 0.0, 1.0, ""), NumberScore(3, 0.8, 0.0, 0.9, "")]
    >>> view = curve_view(NumberCurve(scores, "silhouette", "cop-kmeans"))
    >>> view.title, [point.n_clusters for point in view.points if point.is_chosen]
    ('Silhouette, and stability under resampling', [3])
    """
    by_index = curve.by == "silhouette"
    points = []
    for row in curve.table():
        score = None if row["problem"] else row["score"]
        error = 2 * row["error"]
        low, high = ((score or 0) - error, (score or 0) + error)
        stability = row["stability"] if by_index and score is not None else None
        points.append(
            CurvePoint(row["n_clusters"], score, low, high, stability, bool(row["chosen"]))
        )
    title = "Share of held-out constraints that hold"
    if by_index:
        title = "Silhouette, and stability under resampling"
    return CurveView(title, tuple(points), curve.reason)
