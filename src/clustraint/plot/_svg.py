"""Views drawn as SVG, for pages and files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from clustraint.plot._bars import BarsView, CurveView
from clustraint.plot._dendrogram import DendrogramView, Stem, Tip
from clustraint.plot._palette import NO_SHAPE, SHAPES, theme
from clustraint.plot._plane import PlotAxis, Tick
from clustraint.plot._profiles import MeanBar, ShareBar
from clustraint.plot._scatter import Link, ScatterView
from clustraint.plot._tree import TreeView
from clustraint.typing import FloatArray
from clustraint.wording import counted


def svg(view: Any, *, standalone: bool = True) -> str:
    """Return a view drawn as SVG.

    Parameters
    ----------
    view : ScatterView, DendrogramView, TreeView, BarsView, CurveView, or a bar of a profile
        What to draw.
    standalone : bool, default=True
        Whether the drawing brings its own style, for a file. A page has `stylesheet`, `theme` and
        `symbols` once for all its drawings.

    Returns
    -------
    str
        An element; names and other texts are escaped in it.

    Examples
    --------
    >>> from clustraint import plot
    >>> view = plot.scatter_view(plot.Subject.of([[0.0, 1.0], [8.0, 9.0]], [0, 1]))
    >>> plot.svg(view).count("<use")
    2
    """
    template, context = _DRAWINGS[type(view)]
    options: dict[str, Any] = {"standalone": standalone, "style": "", "symbols": ""}
    if standalone:
        options |= {"style": f"{theme()}\n{stylesheet()}", "symbols": symbols()}
    text = _templates().get_template(template).render(**context(view), **options)
    return text.strip()


def stylesheet() -> str:
    """Return the rules of style that all drawings on a page share; `theme` has their colours.

    Examples
    --------
    >>> from clustraint import plot
    >>> plot.stylesheet().startswith(".c0 { --c: var(--c0); }")
    True
    """
    return _templates().get_template("pictures.css").render()


def symbols() -> str:
    """Return the shapes of clusters, to which drawings on a page refer.

    Examples
    --------
    >>> from clustraint import plot
    >>> plot.symbols().count("<path")
    10
    """
    shapes = {f"m{place}": path for place, path in enumerate(SHAPES)}
    shapes |= {"m-1": NO_SHAPE, "violated": "M-4-4L4 4M-4 4L4-4"}
    paths = (f'<path class="shape" id="{name}" d="{path}"/>' for name, path in shapes.items())
    return "\n".join(["<defs>", *paths, "</defs>"])


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("clustraint.plot"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


WIDTH, HEIGHT = 720, 480
LEFT, RIGHT, TOP, BOTTOM = 66, 6, 6, 52


class _Rectangle(NamedTuple):
    """Where in the picture the samples are."""

    x: int = LEFT
    y: int = TOP
    width: int = WIDTH - LEFT - RIGHT
    height: int = HEIGHT - TOP - BOTTOM


class _PlacedPoint(NamedTuple):
    sample: int
    x: float
    y: float
    title: str


class _PlacedLink(NamedTuple):
    """A link as paths: a line or, of a triplet, an arc with a stem to the third sample."""

    violated: bool
    line: str
    stem: str
    x: float
    y: float
    title: str
    clusters: str
    samples: str


def _scatter(view: ScatterView) -> dict[str, Any]:
    scale = _Scale(view.points)

    def placed(sample: int) -> _PlacedPoint:
        x, y = scale.points[sample].tolist()
        return _PlacedPoint(sample, x, y, view.members.name_of(sample))

    return {
        "title": f"{counted(view.n_drawn, 'sample')} in two dimensions, by cluster, with "
        "constraints as links",
        "width": WIDTH,
        "height": HEIGHT,
        "frame": _Rectangle(),
        "axes": view.axes,
        "marks": scale.marks(view.axes),
        "n_drawn": view.n_drawn,
        "clouds": [
            cloud._asdict() | {"points": [placed(sample) for sample in cloud.samples.tolist()]}
            for cloud in view.clouds
        ],
        "groups": [
            {"kind": group.kind, "links": [_placed_link(view, scale, each) for each in group.links]}
            for group in view.groups
        ],
        "astray": [placed(sample) for sample in view.astray.tolist()],
    }


class _Scale:
    """From the units of the axes to places in the picture."""

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

    def marks(self, axes: tuple[PlotAxis, PlotAxis]) -> tuple[list[Tick], list[Tick]]:
        """Return the marks of both axes."""
        x, y = (
            [
                Tick(self.centre[k] + (value - self.middle[k]) / self.half[k] * self.scale[k], text)
                for value, text in axes[k].ticks
            ]
            for k in (0, 1)
        )
        return x, y


def _placed_link(view: ScatterView, scale: _Scale, link: Link) -> _PlacedLink:
    places = scale.points[list(link.samples)]
    if len(places) == 3:
        first, bent, second, top, third = arc(places)
        line = f"M{_at(first)}Q{_at(bent)} {_at(second)}"
        stem, middle = f"M{_at(top)}L{_at(third)}", top
    else:
        line, stem = f"M{_at(places[0])}L{_at(places[1])}", ""
        middle = places.mean(axis=0)
    clusters = sorted({int(view.members.labels[sample]) for sample in link.samples})
    x, y = middle.tolist()
    numbers = (" ".join(map(str, each)) for each in (clusters, link.samples))
    return _PlacedLink(link.violated, line, stem, x, y, link.title, *numbers)


def arc(places: FloatArray) -> tuple[FloatArray, ...]:
    """Return a, the bend, b, the top and c of an arc from a to b with a stem from its top to c.

    The arc bends away from c.
    """
    a, b, c = places
    middle = (a + b) / 2
    normal = np.array([a[1] - b[1], b[0] - a[0]]) * 0.22
    bent = middle + normal if (c - middle) @ normal < 0 else middle - normal
    return a, bent, b, (middle + bent) / 2, c


def _at(place: FloatArray) -> str:
    return f"{place[0]:.1f} {place[1]:.1f}"


TREE_WIDTH, TEXT_WIDTH, MARGIN = 780.0, 290.0, 14.0
ROW, FOOT = 20.0, 40.0


def _dendrogram(view: DendrogramView) -> dict[str, Any]:
    bottom = MARGIN + ROW * len(view.tips)

    def x(height: float) -> float:
        reach = TREE_WIDTH - TEXT_WIDTH - 2 * MARGIN
        return MARGIN + reach * (1 - height / (view.top or 1.0))

    def y(row: float) -> float:
        return MARGIN + ROW * (row + 0.5)

    def strokes(stem: Stem) -> list[dict[str, str]]:
        low, high = map(y, stem.span)
        # The root has no branch above it.
        paths = [f"M{x(stem.above):.1f} {y(stem.y):.1f}H{x(stem.height):.1f}"] * (
            stem.above > stem.height
        )
        paths += [f"M{x(stem.height):.1f} {low:.1f}V{high:.1f}"] * (low < high)
        return [{"colour": stem.look.colour, "path": path} for path in paths]

    def placed(tip: Tip) -> dict[str, Any]:
        middle = y(tip.y)
        wedge = f"M{x(tip.height):.1f} {middle:.1f}L{x(0.0):.1f} {middle - 7:.1f}V{middle + 7:.1f}Z"
        wedge = wedge if tip.n_samples > 1 else ""
        return tip._asdict() | {"y": middle, "triangle": wedge}

    if view.cut is not None:
        cut = [f"M{x(view.cut):.1f} {MARGIN / 2:.1f}V{bottom + MARGIN / 2:.1f}"]
    else:
        cut = [f"M{x(height):.1f} {y(row) - 6:.1f}v12" for height, row in view.marks]
    return {
        "label": f"Dendrogram of {counted(view.n_samples, 'sample')}",
        "width": TREE_WIDTH,
        "height": bottom + MARGIN + FOOT * bool(view.ticks),
        "edge": x(0.0),
        "lines": [line for stem in view.stems for line in strokes(stem)],
        "tips": [placed(tip) for tip in view.tips],
        "cut": cut,
        "marks": [Tick(x(value), text) for value, text in view.ticks],
    }


def _tree(view: TreeView) -> dict[str, Any]:
    def path(corners: list[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)

    return {
        "label": f"Tree of tests with {counted(view.n_leaves, 'leaf').replace('leafs', 'leaves')}",
        "width": view.width + 10,
        "height": view.height + 10,
        "boxes": view.boxes,
        "edges": [edge._asdict() | {"path": path(edge.corners)} for edge in view.edges],
    }


BARS_LEFT, BARS_RIGHT, BARS_TOP, BAR_ROW, BARS_BOTTOM = 170, 70, 64, 46, 40
UNIT = 400


def _bars(view: BarsView) -> dict[str, Any]:
    def x(share: float) -> str:
        return f"{BARS_LEFT + UNIT * share:.5g}"

    def extent(low: str, high: str, y: int) -> str:
        return f"M{low} {y - 4}v8M{low} {y}H{high}M{high} {y - 4}v8"

    bars = [
        {
            "name": bar.name,
            "y": BARS_TOP + BAR_ROW * row + 8,
            "width": f"{UNIT * bar.score:.4g}",
            "without": "" if bar.without is None else f"{UNIT * bar.without:.4g}",
            "range": extent(x(bar.low), x(bar.high), BARS_TOP + BAR_ROW * row + 17),
            "score": f"{bar.score:.2f}",
        }
        for row, bar in enumerate(view.bars)
    ]
    bottom = BARS_TOP + BAR_ROW * len(bars)
    return {
        "view": view,
        "bars": bars,
        "ticks": [{"value": x(tick), "text": f"{tick:g}"} for tick in (0, 0.25, 0.5, 0.75, 1)],
        "left": BARS_LEFT,
        "top": BARS_TOP,
        "bottom": bottom,
        "width": BARS_LEFT + UNIT + BARS_RIGHT,
        "height": bottom + BARS_BOTTOM,
    }


CURVE_STEP, CURVE_HEIGHT = 56, 180


def _curve(view: CurveView) -> dict[str, Any]:
    # Silhouettes may be below 0.
    least = min([0.0, *(point.score for point in view.points if point.score is not None)])

    def y(score: float) -> float:
        return BARS_TOP + CURVE_HEIGHT * (1 - (min(score, 1.0) - least) / (1 - least))

    columns = [60 + CURVE_STEP * place for place in range(len(view.points))]
    dots = [
        {
            "x": x,
            "y": f"{y(point.score):.1f}",
            "is_chosen": point.is_chosen,
            "text": f"{point.score:.2f}",
            "range": f"M{x} {y(max(point.low, least)):.1f}V{y(point.high):.1f}",
        }
        for x, point in zip(columns, view.points, strict=True)
        if point.score is not None
    ]
    stable = [
        f"{x} {y(point.stability):.1f}"
        for x, point in zip(columns, view.points, strict=True)
        if point.stability is not None
    ]
    bottom = BARS_TOP + CURVE_HEIGHT
    return {
        "view": view,
        "dots": dots,
        "line": "M" + "L".join(f"{dot['x']} {dot['y']}" for dot in dots) if dots else "",
        "stability": "M" + "L".join(stable) if stable else "",
        "names": [
            {"x": x, "text": f"{point.n_clusters:,}"}
            for x, point in zip(columns, view.points, strict=True)
        ],
        "ticks": [{"value": f"{y(tick):.1f}", "text": f"{tick:g}"} for tick in (0, 0.5, 1)],
        "bottom": bottom,
        "width": max(420, 60 + CURVE_STEP * len(view.points)),
        "height": bottom + 48,
    }


def _profile_bar(bar: MeanBar | ShareBar) -> dict[str, Any]:
    return {"bar": bar, "is_mean": isinstance(bar, MeanBar)}


_DRAWINGS: dict[type, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    ScatterView: ("scatter.svg", _scatter),
    DendrogramView: ("dendrogram.svg", _dendrogram),
    TreeView: ("tree.svg", _tree),
    BarsView: ("bars.svg", _bars),
    CurveView: ("curve.svg", _curve),
    MeanBar: ("profile_bar.svg", _profile_bar),
    ShareBar: ("profile_bar.svg", _profile_bar),
}
