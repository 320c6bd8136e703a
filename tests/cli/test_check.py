"""`clustraint check` and `convert`: verdicts, what follows, repair, formats."""

import itertools
import json
from collections import Counter

import pytest
from hypothesis import given

from clustraint import Constraints
from clustraint.hierarchy import _entailed, entailed_triplets
from tests.commands import Run, call, run_installed
from tests.strategies_constraints import constraint_sets

CONSISTENT = constraint_sets(max_samples=5).map(lambda constraints: constraints.repair()[0])

TABLE = "name,legs,milk\na,4,yes\nb,4,yes\nc,2,no\nd,0,no\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()
    (place / "t.csv").write_text(TABLE)
    monkeypatch.chdir(place)
    return place


def check(capsys, text, *arguments, code=0):
    with open("k.txt", "w") as file:
        file.write(text)
    done = call(capsys, "check", "-c", "k.txt", *arguments, "--json")
    assert done.code == code, done
    assert done.err == ""
    return json.loads(done.out)


def test_counts_and_what_follows(capsys):
    found = check(capsys, "a = b\nb = c\na != d\na, b | d\n")
    assert found["samples"] == 4
    assert found["given"] == {"must_link": 2, "cannot_link": 1, "triplets": 1}
    assert found["consistent"]
    assert found["components"] == {"linked": 1, "samples": 3, "largest": 3}
    assert found["entailed"] == {"must_link": 3, "cannot_link": 3}
    out = call(capsys, "check", "-c", "k.txt").out
    assert "Consistent: all constraints can hold at once." in out
    assert "Must-links join 3 samples into 1 group; the largest has 3 samples." in out
    assert "In total, 3 must-links and 3 cannot-links follow." in out


def test_a_contradiction_has_a_witness_in_words(capsys):
    text = "a = b\nb = c\nc = d\na != c\na, b | d\n"
    found = check(capsys, text, code=1)
    assert not found["consistent"]
    assert found["problem"].startswith("a and c cannot be linked, but 2 must-links link them")
    assert found["witness"] == ["a = b", "b = c", "a != c"]
    done = call(capsys, "check", "-c", "k.txt")
    assert done.code == 1
    assert "Contradiction: a and c cannot be linked" in done.out


def test_too_few_clusters(capsys):
    text = "a != b\nb != c\na != c\n"
    assert check(capsys, text, "-k", 3)["consistent"]
    found = check(capsys, text, "-k", 2, code=1)
    assert "2 clusters cannot hold 3 samples" in found["problem"]
    assert found["entailed"] == {"must_link": 0, "cannot_link": 3}


def test_redundancy(capsys):
    found = check(capsys, "a = b\nb = c\na = c\na, b | d\nb, c | d\na, c | d\n")
    assert found["redundant"] == ["a = c", "a, c | d"] or len(found["redundant"]) == 2
    assert (
        "2 constraints follow from the others and could be left out:"
        in call(capsys, "check", "-c", "k.txt").out
    )


def test_implied_triplets_on_request(capsys):
    text = "a, b | c\nc, d | a\n"
    assert "implied_triplets" not in check(capsys, text)
    found = check(capsys, text, "--implied-triplets")
    assert found["implied_triplets"] == ["a, b | d", "c, d | b"]
    out = call(capsys, "check", "-c", "k.txt", "--implied-triplets").out
    assert "2 unstated triplets follow:" in out


def test_rules_are_checked_with_data(capsys):
    found = check(capsys, "together: milk\na != b\n")
    assert found["consistent"]
    assert found["rules"] == [{"rule": "together: milk", "samples": None}]
    found = check(capsys, "together: milk\na != b\n", "t.csv", code=1)
    assert found["rules"] == [{"rule": "together: milk", "samples": 2}]
    assert found["witness"] == ["a != b", "together: milk"]
    assert found["problem"] == "'together: milk' (2 samples) and 'a != b' cannot hold at once."


def test_rules_that_match_nobody_and_rules_that_collide(capsys):
    found = check(capsys, "together: legs > 99\n", "t.csv")
    assert found["rules"] == [{"rule": "together: legs > 99", "samples": 0}]
    out = call(capsys, "check", "t.csv", "-c", "k.txt").out
    assert "together: legs > 99 (matches no sample, so it says nothing" in out
    found = check(capsys, "exactly: milk\nexactly: legs >= 2\n", "t.csv", code=1)
    assert found["problem"].startswith("'exactly: milk' (2 samples) and 'exactly: legs >= 2' (")
    assert "cannot hold at once: 2 samples belong to both." in found["problem"]
    assert found["witness"] == ["exactly: milk", "exactly: legs >= 2"]


def test_repair_writes_a_consistent_remainder(capsys, folder):
    text = "2 * a = b\nb = c\na != c\na, b | d\n"
    found = check(capsys, text, "--repair", "out.txt", code=1)
    assert found["repaired"] == "out.txt"
    kept = Constraints.read(folder / "out.txt")
    assert kept.is_consistent()
    assert kept.n_constraints + len(found["dropped"]) == 4
    assert len(found["dropped"]) == 1
    assert call(capsys, "check", "-c", "out.txt").code == 0
    done = call(capsys, "check", "-c", "k.txt", "--repair", "out.txt", "--quiet")
    assert (done.code, done.out) == (1, "out.txt\n")
    done = call(capsys, "check", "-c", "k.txt", "--repair", "out.txt")
    assert "1 constraint dropped." in done.out


def test_repair_keeps_rules(capsys, folder):
    text = "together: milk\na != b\nc = d\n"
    found = check(capsys, text, "t.csv", "--repair", "out.txt", code=1)
    assert found["dropped"] == ["a != b"]
    kept = Constraints.read(folder / "out.txt")
    assert [str(rule) for rule in kept.rules] == ["together: milk"]
    assert len(kept.must_link) == 1
    with open("k.txt", "w") as file:
        file.write("exactly: milk\nexactly: legs == 4 | legs == 2\n")
    done = call(capsys, "check", "-c", "k.txt", "t.csv", "--repair", "none.txt")
    assert done.code == 2
    assert "the rules contradict each other" in done.err
    assert not (folder / "none.txt").exists()


def test_what_is_consistent_is_repaired_as_it_is(capsys, folder):
    found = check(capsys, "a = b\n", "--repair", "out.json")
    assert found["dropped"] == []
    assert Constraints.read(folder / "out.json").n_constraints == 1


def test_exit_codes_of_the_installed_command(folder, tmp_path):
    (folder / "good.txt").write_text("a = b\n")
    (folder / "bad.txt").write_text("a = b\na != b\n")
    runs = [Run(["check", "-c", f"{name}.txt"], folder) for name in ("good", "bad", "none")]
    runs.append(Run(["convert", "good.txt", "good.json"], folder))
    codes = [done.code for done in run_installed(runs, tmp_path)]
    assert codes == [0, 1, 2, 0]
    assert (folder / "good.json").exists()


def test_convert_between_formats(capsys, folder):
    text = "a = b\n0.5 * a != c\na, b | d\ntogether: milk\n"
    (folder / "k.txt").write_text(text)
    assert call(capsys, "convert", "k.txt", "k.csv").out == "k.csv: 4 constraints\n"
    assert call(capsys, "convert", "k.csv", "k.json", "--quiet").out == "k.json\n"
    done = call(capsys, "convert", "k.json", "back.txt", "--json")
    assert json.loads(done.out) == {"written": "back.txt", "constraints": 4}
    assert (folder / "back.txt").read_text() == text


def test_convert_names_rows(capsys, folder):
    (folder / "rows.txt").write_text("0 = 1\n")
    call(capsys, "convert", "rows.txt", "named.txt", "--data", "t.csv")
    assert (folder / "named.txt").read_text() == "a = b\n"


@given(CONSISTENT)
def test_implied_triplets_are_all_that_follow(constraints):
    wanted = [
        row
        for row in itertools.permutations(range(constraints.n_samples), 3)
        if row[0] < row[1] and constraints.entails(row)
    ]
    assert sorted(map(tuple, entailed_triplets(constraints).tolist())) == sorted(wanted)


@given(CONSISTENT)
def test_what_is_redundant_follows_from_the_rest(constraints):
    idle = constraints.redundant()
    rest = {}
    for kind, links in constraints.links.items():
        counts = Counter(map(tuple, links.rows.tolist()))
        counts.subtract(map(tuple, idle.links[kind].rows.tolist()))
        rest[kind] = list(counts.elements()) or None
    kept = Constraints(constraints.n_samples, **rest)
    for kind, links in idle.links.items():
        assert kept.entails(**{kind: links.rows}).all()


def test_very_many_triplets_are_refused(monkeypatch):
    monkeypatch.setattr(_entailed, "MOST_TESTED", 3)
    with pytest.raises(ValueError, match="4 triplets may follow, which is too many"):
        entailed_triplets(Constraints(4, triplets=[(0, 1, 2), (2, 3, 0)]))
