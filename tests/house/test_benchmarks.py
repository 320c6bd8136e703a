"""The harness behind ./dev bench: fair verdicts, and peers that never end do."""

import json
import time

import pytest

from benchmarks.__main__ import main
from benchmarks.measure import Result, growth, measure
from benchmarks.report import BEGIN, END, BenchmarkReport, with_table
from benchmarks.rows import Contest, Reference, Row, at_least, at_most
from benchmarks.table import HEADER, cells, line, seconds, times


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


@pytest.mark.parametrize(("quick", "met"), [(False, False), (True, True)])
def test_a_quick_run_has_targets_of_its_own(quick, met):
    contest = Contest(spin(0.02), spin(0.01))
    row = Row("a row", at_most(1.1), lambda quick: contest, quick_target=at_most(10))
    assert measure(row, repeats=1, quick=quick).met is met


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


@pytest.mark.parametrize("limit", [None, 60])
def test_a_peer_that_raises_is_told(limit):
    def deep():
        raise RecursionError("too deep")

    result = result_of(Contest(spin(0.005), deep), at_least(2), limit=limit)
    assert result.met is None
    assert result.note == "peer failed: RecursionError: too deep"


def test_what_we_raise_is_not_blamed_on_the_peer():
    def ours():
        raise ZeroDivisionError("our own")

    result = result_of(Contest(ours, spin(0.005)), at_least(2))
    assert (result.met, result.note) == (False, "broken: ZeroDivisionError: our own")


def test_sides_that_disagree_are_not_compared():
    def verify(ours, peer):
        assert ours == peer, "they disagree"

    result = result_of(Contest(lambda: 1, lambda: 2, verify), at_least(2))
    assert (result.met, result.ours, result.ratio) == (False, None, None)
    assert result.note.startswith("broken: AssertionError: they disagree")


def test_a_row_that_breaks_costs_no_other_row_but_fails_the_run(monkeypatch, capsys):
    rows = [
        Row("a row", at_most(2), lambda quick: Contest(lambda: 1 / 0, spin(0.001))),
        Row("another", at_most(500), lambda quick: Contest(spin(0.001), spin(0.001))),
    ]
    monkeypatch.setattr("benchmarks.__main__.chosen", lambda text: rows)
    assert main(["--quick"]) == 1
    output = capsys.readouterr()
    assert "1 of 2 targets met" in output.out
    assert "a row is broken: ZeroDivisionError: division by zero" in output.out
    assert "Traceback" in output.err


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


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.01634, "0.0163×"), (107.4, "107×"), (5313.2, "5,313×")]
)
def test_times(ratio, text):
    assert times(ratio) == text


@pytest.fixture
def record(tmp_path):
    """A file with a run of two rows, of which one misses its target."""
    good = Result("a | b", "≥ 2× faster", 0.1, 0.3, "peer", 3.0, True)
    bad = Result("slow", "≤ 2× the time", 0.3, 0.1, "other", 3.0, False, note="said before")
    path = tmp_path / "run.json"
    BenchmarkReport.now([good, bad], repeats=5, quick=False).write_json(path)
    return path


def test_a_run_is_written_with_its_machine_and_read_again(record):
    content = json.loads(record.read_text(encoding="utf-8"))
    assert content["machine"]["cores"] >= 1
    assert {"python", "clustraint", "numpy"} <= set(content["versions"])
    again = BenchmarkReport.read(record)
    assert [result.name for result in again.results] == ["a | b", "slow"]
    assert again.about["repeats"] == 5


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
def test_a_missed_target_is_told_plainly(record, tmp_path, capsys, strict, code):
    table = tmp_path / "table.md"
    assert main(["--load", str(record), "--markdown", str(table), *strict]) == code
    told = capsys.readouterr().out
    missed = "Missed: slow: 3× where ≤ 2× the time is the target (300 ms against 100 ms of other)."
    assert "1 of 2 targets met." in told
    assert missed in told
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[2] == r"| a \| b | 100 ms | 300 ms (peer) | 3× | ≥ 2× faster | met |"
    assert lines[3].endswith("| **missed** |")
    assert missed in lines
    assert "Measured on" in lines[-1]


def test_a_quick_run_says_so():
    report = BenchmarkReport.now([], repeats=1, quick=True)
    assert "A quick run, on smaller inputs with targets of their own:" in report.markdown()


def test_how_time_grows():
    words = growth(lambda n: spin(0.001 * n**2)(), [4, 8, 16])
    assert words.endswith("(n = 4, 8, 16)")
    assert float(words.split()[7]) == pytest.approx(2, abs=0.5)


def test_the_table_goes_between_its_markers():
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_table(text, "| new |\n") == f"before\n{BEGIN}\n\n| new |\n\n{END}\nafter\n"
    with pytest.raises(ValueError, match="no place for the table"):
        with_table("nothing", "| new |")


@pytest.mark.parametrize("options", [["--quick"], ["--only", "ReCon"]])
def test_docs_show_full_runs_only(options, capsys):
    with pytest.raises(SystemExit):
        main(["--docs", *options])
    assert "--docs shows a full run" in capsys.readouterr().err


def test_a_row_that_is_not_there(capsys, monkeypatch):
    # The threads of these tests are not to be told anything.
    monkeypatch.setattr("benchmarks.__main__.THREADS", ())
    assert main(["--only", "no such row"]) == 2
    assert "no row's name holds 'no such row'" in capsys.readouterr().err
