"""Rows about reading tables."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import peak_memory
from benchmarks.rows import Contest, at_most, row

N_ROWS = 1_000_000
COLORS = ("red", "green", "blue", "brown", "violet", "a longer one")


def write_csv(n_rows: int) -> str:
    """Write a table of 10 columns of numbers, 5 of whole numbers and 5 of categories."""
    import polars as pl

    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"f{i}": random.normal(size=n_rows).round(4) for i in range(10)}
    columns |= {f"i{i}": random.integers(0, 10_000, n_rows) for i in range(5)}
    columns |= {f"s{i}": np.array(COLORS)[random.integers(0, 6, n_rows)] for i in range(5)}
    path = Path(tempfile.mkdtemp()) / "table.csv"
    pl.DataFrame(columns).write_csv(path)
    return str(path)


def read_ours(path: str) -> Any:
    from clustraint.tables import read_table

    return read_table(path)


def read_peer(path: str) -> Any:
    import polars as pl

    return pl.read_csv(path)


@row("read_table, CSV of 1,000,000 × 20", at_most(2), peer_name="polars.read_csv")
def csv_table(quick: bool) -> Contest:
    path = write_csv(N_ROWS // 10 if quick else N_ROWS)

    def remark(ours: Any, peer: Any) -> str:
        # polars keeps what it has freed, so that a second read of the same file would seem free.
        warm_up = (write_csv(1000),)
        peaks = [peak_memory(call, path, warm_up=warm_up) for call in (read_ours, read_peer)]
        if None in peaks:
            return ""
        own, theirs = (float(peak or 0) for peak in peaks)
        return (
            f"peak memory {own / 1e6:.0f} MB, {own / theirs:.1f} times that of polars (at most 3)"
        )

    def verify(ours: Any, peer: Any) -> None:
        assert ours.n_samples == len(peer)
        assert len(ours.columns) == peer.width

    return Contest(lambda: read_ours(path), lambda: read_peer(path), verify, remark)
