"""Results as lines of a table."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measure import Result

VERDICTS = {True: "met", False: "missed", None: "open"}
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
HEADER = ("row", "ours", "peer", "", "ratio", "target", "")


def seconds(value: float | None) -> str:
    """Return `value` with three digits and a unit."""
    if value is None:
        return "–"
    factor, unit = next(((f, u) for f, u in UNITS if value >= f), UNITS[-1])
    return f"{value / factor:.3g} {unit}"


def times(ratio: float) -> str:
    """Return a ratio with three digits, and no power of ten for a large one."""
    return f"{ratio:,.0f}×" if ratio >= 1000 else f"{ratio:.3g}×"


def cells(result: Result) -> tuple[str, ...]:
    more = "> " if result.unfinished else ""
    less_or_more = more if "faster" in result.target else more.replace(">", "<")
    ratio = "–" if result.ratio is None else f"{less_or_more}{times(result.ratio)}"
    return (
        result.name,
        seconds(result.ours),
        more + seconds(result.peer),
        result.peer_name,
        ratio,
        result.target,
        VERDICTS[result.met],
    )


def line(values: Sequence[str], name_width: int) -> str:
    """Return one line of the table; the widths fit every value but the names."""
    name, ours, peer, peer_name, ratio, target, verdict = values
    return (
        f"{name:<{name_width}}  {ours:>8}  {peer:>10} {peer_name:<12} "
        f"{ratio:>9}  {target:<14}  {verdict}"
    ).rstrip()
