"""Small drawings as SVG text: scatter plots, dendrograms and tables, side by side."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clustraint import Hierarchy
from clustraint.plot import PALETTE, SHAPES, Membership, dendrogram_view, look_of, theme

WIDTH, HEIGHT, GAP, HEAD = 300, 200, 24, 26
INK, FAINT = "#24292f", "#8c959f"


# How the colours that drawings use are called in the theme, which has others for dark pages.
INKS = {
    "#fff": "paper",
    "#f4f6f9": "tint",
    INK: "ink",
    FAINT: "faint",
    "#57606a": "faint",
    "#5b6675": "faint",
    "#cf222e": "broken",
    **{colour: f"c{place}" for place, colour in enumerate(PALETTE)},
}


def style() -> str:
    """Return rules that give a drawing other colours on a dark page."""
    rules = "".join(
        f'[fill="{colour}"]{{fill:var(--{name})}}[stroke="{colour}"]{{stroke:var(--{name})}}'
        for colour, name in INKS.items()
    )
    return f"<style>{theme()}{rules}</style>"


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
            colour, shape = (FAINT, 0)
            if label is not None:
                colour, shape = look_of(label).paint, look_of(label).shape
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
    # Distances of merges need not grow, their order does.
    ranked = np.array(linkage)
    ranked[:, 2] = np.arange(1, len(ranked) + 1)
    view = dendrogram_view(Hierarchy.from_linkage(ranked), Membership.of(labels, names))
    left, right, step = 14.0, WIDTH - 92.0, (HEIGHT - 12) / len(names)

    def x(height):
        return right - (right - left) * height / view.top

    def y(row):
        return 10 + step * (row + 0.5)

    for stem in view.stems:
        low, high = stem.span
        d = f"M{x(stem.above):.1f} {y(stem.y):.1f}H{x(stem.height):.1f}"
        d += f"M{x(stem.height):.1f} {y(low):.1f}V{y(high):.1f}" if low < high else ""
        panel.add(f'<path d="{d}" stroke="{stem.look.paint}" stroke-width="2" fill="none"/>')
    for tip in view.tips:
        panel.text(right + 6, y(tip.y) + 4, tip.text, anchor="start", colour=tip.look.paint)


def drawing(panels: Sequence[Panel], label: str, note: str = "") -> str:
    """Return panels side by side, on a card."""
    width = len(panels) * WIDTH + (len(panels) - 1) * GAP + 32
    height = HEIGHT + HEAD + 28 + (22 if note else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif">',
        f"<title>{html.escape(label)}</title>",
        style(),
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


def chart(questions: Sequence[tuple[str, str, str, str]], last: str, label: str) -> str:
    """Return a chart of questions one below the other, each with the answer that leads aside.

    A question is what is asked, the answer, the method it leads to, and why; whoever gives none of
    these answers ends at the last method.
    """
    row, left, right, width = 78, 330, 400, 920
    height = row * len(questions) + 74
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif">',
        f"<title>{html.escape(label)}</title>",
        style(),
        f'<rect width="{width}" height="{height}" rx="10" fill="#fff"/>',
    ]

    def box(x, y, size, words, colour="#f4f6f9"):
        parts.append(f'<rect x="{x}" y="{y}" width="{size}" height="46" rx="8" fill="{colour}"/>')
        for line, (text, weight) in enumerate(words):
            parts.append(
                f'<text x="{x + 14}" y="{y + (20 if len(words) > 1 else 28) + 18 * line}" '
                f'font-size="13" font-weight="{weight}" fill="{INK if line == 0 else FAINT}">'
                f"{html.escape(text)}</text>"
            )

    for place, (question, answer, method, reason) in enumerate(questions):
        y = 14 + row * place
        box(16, y, left - 16, [(question, 600)])
        box(right + 46, y, width - right - 62, [(method, 600), (reason, 400)])
        parts.append(
            f'<path d="M{left} {y + 23}H{right + 44}M{left - 150} {y + 46}v{row - 46}" '
            f'stroke="{FAINT}" stroke-width="1.6" fill="none"/>'
        )
        parts.append(
            f'<text x="{left + 10}" y="{y + 17}" font-size="12" fill="#57606a">{answer}</text>'
            f'<text x="{left - 140}" y="{y + 66}" font-size="12" fill="#57606a">otherwise</text>'
        )
    box(16, 14 + row * len(questions), left - 16, [(last, 600)])
    return "\n".join([*parts, "</svg>"]) + "\n"


def write(name: str, text: str) -> Path:
    path = Path(__file__).parent / f"{name}.svg"
    path.write_text(text, encoding="utf-8")
    return path
