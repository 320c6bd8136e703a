"""The harness behind ./dev bench: fair verdicts, and peers that never end do."""

import time

import pytest

from benchmarks.measure import measure
from benchmarks.rows import Contest, Reference, Row, at_least, at_most
from benchmarks.table import HEADER, cells, line, seconds


def spin(duration):
    def call():
        end = time.process_time() + duration
        while time.process_time() < end:
            pass

    return call


def result_of(contest, target, limit=None):
    row = Row("a row", target, lambda quick: contest, peer_limit=limit)
    return measure(row, repeats=1, quick=False)


@pytest.mark.parametrize(
    ("target", "met"), [(at_least(2), True), (at_least(500), False), (at_most(2), True)]
)
def test_targets(target, met):
    result = result_of(Contest(spin(0.005), spin(0.05)), target)
    assert result.met is met
    assert result.ratio == pytest.approx(target.ratio(result.ours, result.peer))


def test_slower_than_allowed_is_missed():
    assert result_of(Contest(spin(0.05), spin(0.005)), at_most(2)).met is False


def test_a_known_figure_stands_for_a_peer():
    result = result_of(Contest(spin(0.01), Reference(10.0, "table 2")), at_least(50))
    assert result.met is True
    assert result.note == "table 2"


def test_without_a_peer_nothing_is_claimed():
    result = result_of(Contest(spin(0.01), None), at_least(50))
    assert (result.met, result.ratio) == (None, None)


def test_a_peer_with_a_limit_is_measured_where_it_finishes():
    result = result_of(Contest(spin(0.005), spin(0.05)), at_least(2), limit=60)
    assert result.met is True
    assert not result.unfinished


@pytest.mark.parametrize(("factor", "met"), [(2, True), (10_000, None)])
def test_a_peer_that_does_not_finish_proves_no_more_than_its_limit(factor, met):
    result = result_of(Contest(spin(0.005), spin(600)), at_least(factor), limit=0.2)
    assert result.met is met
    assert result.note == "peer did not finish in 0.2 s"
    assert "> 200 ms" in line(cells(result), 10)


def test_a_peer_that_raises_is_told():
    def deep():
        raise RecursionError("too deep")

    result = result_of(Contest(spin(0.005), deep), at_least(2), limit=60)
    assert result.met is None
    assert result.note == "peer failed: RecursionError: too deep"


def test_sides_that_disagree_are_not_compared():
    def verify(ours, peer):
        assert ours == peer, "they disagree"

    with pytest.raises(AssertionError, match="they disagree"):
        result_of(Contest(lambda: 1, lambda: 2, verify), at_least(2))


def test_the_table_lines_up():
    result = result_of(Contest(spin(0.01), Reference(1.0, "")), at_least(50))
    header, row = line(HEADER, 10), line(cells(result), 10)
    assert header.index("target") == row.index("≥")
    assert row.endswith("met")


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (12.345, "12.3 s"), (0.00512, "5.12 ms"), (2e-7, "0.2 µs")]
)
def test_seconds(value, text):
    assert seconds(value) == text
