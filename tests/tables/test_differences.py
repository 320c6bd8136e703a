"""Two samples side by side."""

import io

import numpy as np
import pytest

from clustraint.tables import cell_text, differences, read_table


def test_differences_are_by_the_spread_of_the_column():
    content = b"far,near,word,same\n0,0,red,1\n9,5,blue,1\n3,90,red,2\n4,70,red,3\n"
    by_column = differences(read_table(io.BytesIO(content)), 0, 1)
    assert [each.column for each in by_column] == ["far", "word", "near", "same"]
    assert by_column[0].size == pytest.approx(9 / np.std([0, 9, 3, 4]))
    assert by_column[-1].size == 0


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("numeric", 2.0, "2"),
        ("numeric", float("nan"), "–"),
        ("binary", 0.0, "no"),
        ("nominal", None, "–"),
        ("nominal", 7, "7"),
        ("text", "word " * 90, ("word " * 32).strip()[:158].rsplit(" ", 1)[0] + " …"),
    ],
)
def test_cells_are_shown_as_people_read_them(kind, value, text):
    assert cell_text(kind, value) == text
