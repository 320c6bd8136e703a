"""Small drawings as SVG text: scatter plots, dendrograms and tables, side by side."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, GAP, HEAD = 300, 200, 24, 26
INK, FAINT = "#24292f", "#8c959f"
# Okabe and Ito's colours; shapes tell clusters apart, too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
SHAPES = (
    "M-4.2 0A4.2 4.2 0 1 1 4.2 0A4.2 4.2 0 1 1-4.2 0Z",
    "M-3.7-3.7H3.7V3.7H-3.7Z",
    "M0-5.2L4.7 3.2H-4.7Z",
    "M0-5.2L5.2 0L0 5.2L-5.2 0Z",
    "M0 5.2L4.7-3.2H-4.7Z",
)


class Panel:
    """One drawing with a title; `frame` fixes what part of the plane it shows."""

    def __init__(self, title, points=None, margin=14):
        self.title, self.margin, self.parts = title, margin, []
        if points is not None:
            self.low = np.min(points, axis=0)
            self.span = np.maximum(np.ptp(points, axis=0), 1e-9)

    def place(self, point):
        """Return where a point of the data is drawn."""
        x, y = (np.asarray(point) - self.low) / self.span
        inner = (WIDTH - 2 * self.margin, HEIGHT - 2 * self.margin)
        return self.margin + x * inner[0], HEIGHT - self.margin - y * inner[1]

    def add(self, part):
        self.parts.append(part)

    def line(self, start, end, colour=FAINT, width=1.6, dashes=""):
        (x1, y1), (x2, y2) = start, end
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.add(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" fill="none"{dashed}/>'
        )

    def text(self, x, y, words, size=11, anchor="middle", colour=INK, weight="normal"):
        self.add(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}" font-weight="{weight}">{html.escape(str(words))}</text>'
        )

    def samples(self, points, labels):
        """Draw samples in the colours and shapes of their clusters; None is no cluster."""
        for point, label in zip(points, labels, strict=True):
            x, y = self.place(point)
            colour = FAINT if label is None else COLOURS[label % len(COLOURS)]
            shape = 0 if label is None else label % len(SHAPES)
            self.add(f'<use href="#s{shape}" x="{x:.1f}" y="{y:.1f}" fill="{colour}"/>')

    def links(self, points, constraints):
        """Draw must-links as lines and cannot-links as dashes."""
        for rows, dashes in ((constraints.must_link, ""), (constraints.cannot_link, "5 4")):
            for first, second in rows.tolist():
                ends = self.place(points[first]), self.place(points[second])
                self.line(*ends, colour=INK, width=1.8, dashes=dashes)
                for x, y in ends:
                    self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="{INK}"/>')


def coloured(labels):
    """Return labels renumbered by size, so that panels agree in their colours where they can."""
    values, counts = np.unique(labels, return_counts=True)
    rank = {values[place]: number for number, place in enumerate(np.argsort(-counts))}
    return [rank[label] for label in np.asarray(labels).tolist()]


def dendrogram(panel: Panel, linkage, names: Sequence[str], labels) -> None:
    """Draw merges from left to right, leaves at the right with their names."""
    n = len(names)
    children = {n + place: row[:2].astype(int).tolist() for place, row in enumerate(linkage)}
    leaves: list[int] = []
    stack = [n + len(linkage) - 1]
    while stack:
        node = stack.pop()
        stack.extend(reversed(children[node])) if node in children else leaves.append(node)
    step = (HEIGHT - 12) / n
    left, right = 14.0, WIDTH - 92.0
    y = {leaf: 10 + step * (place + 0.5) for place, leaf in enumerate(leaves)}
    x = dict.fromkeys(leaves, right)
    cluster = {leaf: labels[leaf] for leaf in leaves}
    for place, row in enumerate(linkage):
        node, (first, second) = n + place, row[:2].astype(int).tolist()
        x[node] = right - (right - left) * (place + 1) / len(linkage)
        y[node] = (y[first] + y[second]) / 2
        same = cluster[first] == cluster[second]
        cluster[node] = cluster[first] if same else None
        for child in (first, second):
            colour = FAINT if cluster[child] is None else COLOURS[cluster[child]]
            d = f"M{x[child]:.1f} {y[child]:.1f}H{x[node]:.1f}V{y[node]:.1f}"
            panel.add(f'<path d="{d}" stroke="{colour}" stroke-width="2" fill="none"/>')
    for leaf in leaves:
        panel.text(
            right + 6, y[leaf] + 4, names[leaf], anchor="start", colour=COLOURS[labels[leaf]]
        )


def drawing(panels: Sequence[Panel], label: str, note: str = "") -> str:
    """Return panels side by side, on a white card."""
    width = len(panels) * WIDTH + (len(panels) - 1) * GAP + 32
    height = HEIGHT + HEAD + 28 + (22 if note else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif">',
        f"<title>{html.escape(label)}</title>",
        "<defs>",
        *(
            f'<path id="s{number}" d="{shape}" stroke="#fff" stroke-width=".6"/>'
            for number, shape in enumerate(SHAPES)
        ),
        "</defs>",
        f'<rect width="{width}" height="{height}" rx="10" fill="#fff"/>',
    ]
    for place, panel in enumerate(panels):
        parts.append(f'<g transform="translate({16 + place * (WIDTH + GAP)} {14 + HEAD})">')
        parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#f4f6f9"/>')
        parts.append(
            f'<text x="2" y="-10" font-size="13" font-weight="600" fill="{INK}">'
            f"{html.escape(panel.title)}</text>"
        )
        parts += [*panel.parts, "</g>"]
    if note:
        parts.append(
            f'<text x="18" y="{height - 12}" font-size="12" fill="#57606a">'
            f"{html.escape(note)}</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def write(name: str, text: str) -> Path:
    path = Path(__file__).parent / f"{name}.svg"
    path.write_text(text, encoding="utf-8")
    return path
