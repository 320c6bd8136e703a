"""A bar chart of scores between 0 and 1, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import Template
from typing import NamedTuple
from xml.sax.saxutils import escape

LEFT, RIGHT, TOP, ROW, BOTTOM = 170, 70, 64, 46, 40
SCALE = 400
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

PAGE = Template("""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" role="img" \
aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13">
<title id="title">$title</title>
<desc id="desc">$description</desc>
<style>
  svg { background: #fff; color: #1c1c1e; }
  text { fill: currentColor; }
  .grid { stroke: #8888; stroke-width: 1; }
  .with { fill: #2563a8; }
  .without { fill: #a8a8ad; }
  .range { stroke: currentColor; stroke-width: 1.5; fill: none; }
  @media (prefers-color-scheme: dark) {
    svg { background: #1c1c1e; color: #f2f2f7; }
    .with { fill: #64a8f0; }
    .without { fill: #6c6c72; }
  }
</style>
<text x="16" y="24" font-weight="600">$title</text>
<rect class="with" x="16" y="36" width="12" height="12"/>
<text x="34" y="47">with constraints, 95 % interval</text>
<rect class="without" x="250" y="36" width="12" height="12"/>
<text x="268" y="47">without</text>
$body
</svg>
""")


class Bar(NamedTuple):
    """A score with its interval, and what it is compared with."""

    name: str
    score: float
    low: float
    high: float
    without: float | None = None
    n_failed: int = 0


def bar_chart(bars: Sequence[Bar], title: str, n_splits: int) -> str:
    """Return a picture of scores.

    Examples
    --------
    >>> chart = bar_chart([Bar("tree", 0.5, 0.4, 0.6, 0.3)], "Scores", 10)
    >>> chart.count('class="with"')
    2
    """
    bottom = TOP + ROW * len(bars)
    body = [*_axis(bottom), *(line for row, bar in enumerate(bars) for line in _bar(row, bar))]
    return PAGE.substitute(
        width=LEFT + SCALE + RIGHT,
        height=bottom + BOTTOM,
        title=escape(title),
        description=escape(" ".join(_sentence(bar, n_splits) for bar in bars)),
        body="\n".join(body),
    )


def _sentence(bar: Bar, n_splits: int) -> str:
    words = f"{bar.name}: {bar.score:.2f} ({bar.low:.2f} to {bar.high:.2f})"
    if bar.without is not None:
        words += f", without constraints {bar.without:.2f}"
    if bar.n_failed:
        words += f", no clusters in {bar.n_failed} of {n_splits} splits"
    return f"{words}."


def _axis(bottom: int) -> Iterator[str]:
    for tick in TICKS:
        x = _x(tick)
        yield f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}"/>'
        yield f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">{tick:g}</text>'


def _bar(row: int, bar: Bar) -> Iterator[str]:
    top = TOP + ROW * row + 8
    middle = top + 9
    yield f'<text x="{LEFT - 10}" y="{middle + 9}" text-anchor="end">{escape(bar.name)}</text>'
    yield f'<rect class="with" x="{LEFT}" y="{top}" width="{_width(bar.score)}" height="18"/>'
    if bar.without is not None:
        yield (
            f'<rect class="without" x="{LEFT}" y="{top + 20}" width="{_width(bar.without)}" '
            'height="8"/>'
        )
    low, high = _x(bar.low), _x(bar.high)
    ends = f"M{low} {middle - 4}v8M{low} {middle}H{high}M{high} {middle - 4}v8"
    yield f'<path class="range" d="{ends}"/>'
    yield f'<text x="{LEFT + SCALE + 12}" y="{middle + 5}">{bar.score:.2f}</text>'


def _x(share: float) -> str:
    return f"{LEFT + SCALE * share:.5g}"


def _width(share: float) -> str:
    return f"{SCALE * share:.4g}"
