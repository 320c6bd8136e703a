"""How sentences are put together: counts, lists, excerpts of texts, and names that are near."""

from __future__ import annotations

import difflib
import html
import math
import re
from collections.abc import Iterable

# Characters that a terminal acts upon: controls other than tab and line feed, marks that change the
# direction of what follows, other ends of lines; and halves of characters, which cannot be written.
_ACTING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def counted(count: int, noun: str) -> str:
    """Return ``1 triplet`` or ``2 triplets``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Iterable[object], joint: str = "and", *, empty: str = "none") -> str:
    """Return names in a row, for a sentence.

    Examples
    --------
    >>> listed(["iris", "crabs", "xor"]), listed(["y", "n"], "or"), listed([])
    ('iris, crabs and xor', 'y or n', 'none')
    """
    *first, last = [str(name) for name in names] or [empty]
    return f"{', '.join(first)} {joint} {last}" if first else last


def near_matches(name: str, names: Iterable[str]) -> str:
    """Return ``"; did you mean 'dog' or 'dogs'?"``, or nothing where no name is near."""
    close = difflib.get_close_matches(name[:200], list(names)[:10_000], n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def excerpt(text: str, position: int = 0, width: int = 60) -> str:
    """Return at most `width` characters of `text` around `position`."""
    start = excerpt_start(text, position, width)
    stop = start + width
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def excerpt_start(text: str, position: int, width: int = 60) -> int:
    """Return where the excerpt around `position` begins."""
    return max(0, min(position - width // 2, len(text) - width))


def number_text(value: float, digits: int = 3) -> str:
    """Return a number with about so many digits.

    Examples
    --------
    >>> number_text(3.14159), number_text(12345.6), number_text(1e-7), number_text(float("nan"))
    ('3.14', '12,346', '1e-07', '–')
    """
    if math.isnan(value):
        return "–"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.3g}"


def share_text(part: float) -> str:
    """Return a share in per cent, never 0 or 100 unless it is.

    Examples
    --------
    >>> share_text(0.5), share_text(0.999), share_text(0.001), share_text(1.0)
    ('50 %', '>99 %', '<1 %', '100 %')
    """
    if 0 < part < 0.005:
        return "<1 %"
    if 0.995 < part < 1:
        return ">99 %"
    return f"{100 * part:.0f} %"


def short_text(value: object, width: int = 60) -> str:
    r"""Return a name on one line, cut where it is long: it may be a whole text.

    Examples
    --------
    >>> short_text("two\nlines"), short_text("abcdef", 3)
    ('two lines', 'abc…')
    """
    return excerpt(" ".join(str(value).split()), width=width)


def visible_text(text: str) -> str:
    r"""Return a text in which nothing makes a terminal do anything: such characters are spelled.

    Examples
    --------
    >>> print(visible_text("a\x1b[2J\u202eb"))
    a\x1b[2J\u202eb
    """
    return _ACTING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def html_table(caption: str, headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a small table for a notebook, with everything escaped.

    Examples
    --------
    >>> html_table("a & b", ["kind"], [["<c>"]])[:42]
    '<table><caption>a &amp; b</caption><thead>'
    """

    def row(tag: str, cells: Iterable[object]) -> str:
        # Names come from data: one may be a whole text.
        texts = (html.escape(short_text(cell, 200)) for cell in cells)
        return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"

    body = "".join(row("td", cells) for cells in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead>{row('th', headings)}</thead><tbody>{body}</tbody></table>"
    )
