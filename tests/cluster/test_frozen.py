"""Results are those that were recorded before anything was made faster."""

import json

import pytest

from tests.frozen import RECORD, cases

EXPECTED = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_recorded(name):
    assert CASES[name]() == EXPECTED[name]


def test_nothing_recorded_is_left_out():
    assert set(EXPECTED) == set(CASES)
