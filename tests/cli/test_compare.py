"""`clustraint compare`: scores by what was held out, nothing of which was told."""

import csv
import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from clustraint import Constraints
from clustraint.exceptions import NoFeasibleClusteringError
from tests.commands import Run, call, run_installed

# Two groups by x; y says nothing, but varies much more.
ROWS = [(f"s{i}", i % 2 * 4 + i % 5 / 10, (7 * i) % 12 * 3, "ab"[i % 2]) for i in range(12)]
TABLE = "name,x,y,group\n" + "".join(f"{n},{x},{y},{g}\n" for n, x, y, g in ROWS)
COMPARE = ("compare", "t.csv", "-k", 2, "-c", "pairs.txt", "--ignore", "group", "--splits", 4)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(TABLE)
    names = [row[0] for row in ROWS]
    groups = [row[3] for row in ROWS]
    pairs = Constraints.from_labels(groups, n_pairs=14, random_state=0, names=names)
    pairs.write(tmp_path / "pairs.txt")
    triplets = Constraints.from_labels(groups, n_triplets=12, random_state=0, names=names)
    triplets.write(tmp_path / "triplets.txt")
    (tmp_path / "rules.txt").write_text("together: x < 2\ntogether: x > 2\ntogether: y < 0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capsys, *arguments):
    done = call(capsys, *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_all_methods_that_take_pairs_sorted_by_score(capsys):
    found = as_json(capsys, *COMPARE)
    methods = [row["method"] for row in found["methods"]]
    assert sorted(methods) == [
        "best",
        "complete-linkage",
        "cop-kmeans",
        "mixture",
        "mpc-kmeans",
        "pc-kmeans",
        "propagation",
        "recon",
        "tree",
    ]
    scores = [row["score"] for row in found["methods"]]
    assert scores == sorted(scores, reverse=True)
    for row in found["methods"]:
        assert 0 <= row["low"] <= row["score"] <= row["high"] <= 1
        assert row["gain"] == pytest.approx(row["score"] - row["without"])
        assert row["cpu_seconds"] > 0
        assert row["splits"] == found["splits"] == 4
    assert found["methods"][0]["score"] > 0.5


def test_the_table_and_the_picture(capsys, folder):
    chosen = ("-m", "cop-kmeans", "-m", "tree", "-m", "tree")
    done = call(capsys, *COMPARE, *chosen, "-o", "c.csv", "--picture", "c.svg")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "Held out in 4 splits altogether:" in words
    assert "method score 95 % must-links cannot-links without CPU s" in words
    assert "█" in done.out
    assert words.endswith("picture: c.svg table: c.csv")
    with open("c.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["method"] for row in rows} == {"cop-kmeans", "tree"}
    picture = ElementTree.parse("c.svg").getroot()
    bars = [each for each in picture.iter() if each.get("class") == "with"]
    assert len(bars) == 1 + len(rows)
    described = next(each.text for each in picture.iter() if each.tag.endswith("desc"))
    assert "cop-kmeans: " in described
    assert call(capsys, *COMPARE, "-m", "tree", "-o", "-").out.startswith("method,score,low")
    assert call(capsys, *COMPARE, "-m", "tree", "-q").out == ""


def test_triplets_are_scored_in_the_hierarchy(capsys):
    arguments = ("compare", "t.csv", "-k", 2, "-c", "triplets.txt", "--ignore", "group")
    found = as_json(capsys, *arguments, "--splits", 3)
    expected = {"best", "mixture", "propagation", "recon", "ihac", "bihac"}
    assert {row["method"] for row in found["methods"]} == expected
    assert list(found["held_out"]) == ["triplets"]


def test_rules(capsys):
    arguments = ("compare", "t.csv", "-k", 2, "-c", "rules.txt", "-m", "cop-kmeans")
    found = as_json(capsys, *arguments, "--splits", 3, "--holdout", 0.4)
    assert list(found["held_out"]) == ["together"]


def test_the_same_seed_gives_the_same_scores(capsys):
    def scores(seed):
        rows = as_json(capsys, *COMPARE, "-m", "cop-kmeans", "--seed", seed)["methods"]
        return [(row["method"], row["score"], row["without"]) for row in rows]

    assert scores(3) == scores(3)


def test_failures_count_nothing_and_are_told(capsys, monkeypatch):
    from clustraint import COPKMeans

    fit, calls = COPKMeans.fit, []

    def moody(self, X, y=None, *, constraints=None):
        calls.append(constraints)
        if len(calls) > 1 and len(calls) % 2:
            raise NoFeasibleClusteringError("no room for sample 0.")
        return fit(self, X, y, constraints=constraints)

    monkeypatch.setattr(COPKMeans, "fit", moody)
    done = call(capsys, *COMPARE, "-m", "cop-kmeans")
    assert "cop-kmeans found no clusters in 2 of 4 splits, which count as 0: no room" in done.out


CASES = [
    (
        "compare t.csv -k 2",
        "one to fit with and one to hold out, but there are 0 (-c FILE)",
    ),
    ("compare t.csv -c pairs.txt", "Missing option '-k'"),
    ("compare t.csv -k 2 -c none.txt", "none.txt: cannot be read"),
    ("compare none.csv -k 2 -c pairs.txt", "none.csv: cannot be read"),
    ("compare t.csv -k 2 -c pairs.txt -m recom", "did you mean 'recon'"),
    ("compare t.csv -k 2 -c pairs.txt -m ihac", "ihac does not accept must-links"),
    ("compare t.csv -k 99 -c pairs.txt", "99 clusters cannot be made of 12 samples"),
    ("compare t.csv -k 1 -c pairs.txt", "1 cluster cannot hold"),
    ("compare t.csv -k 2 -c pairs.txt --splits 0", "'--splits'"),
    ("compare t.csv -k 2 -c pairs.txt --holdout 1.5", "--holdout must be a number between 0 and 1"),
    ("compare t.csv -k 2 -c pairs.txt --holdout nan", "--holdout must be a number between 0 and 1"),
    ("compare t.csv -k 2 -c against.txt", "clustraint check DATA -c FILE --repair OUT."),
    ("compare t.csv -k 2 -c one.txt", "needs at least two constraints, one to fit with"),
    ("compare t.csv -k 2 -c same.txt", "or hold out another share of them (--holdout)"),
    ("compare t.csv -k 2 -c pairs.txt -m tree -o folder", "it is a folder"),
    ("compare t.csv -k 2 -c pairs.txt -m tree --picture none/p.svg", "No such file"),
    (
        "compare t.csv -k 2 -c pairs.txt --scale log -m cop-kmeans",
        "--scale must be 'standard', 'minmax' or 'none'",
    ),
]


def test_bad_input(folder, capsys, tmp_path_factory):
    (folder / "against.txt").write_text("s0 = s1\ns1 = s2\ns0 != s2\n")
    (folder / "one.txt").write_text("s0 = s1\n")
    (folder / "same.txt").write_text("s0 = s1\n" * 4)
    (folder / "folder").mkdir()
    before = {*os.listdir(folder)}
    for arguments, words in CASES:
        done = call(capsys, *arguments.split())
        assert done.code == 2, arguments
        assert done.err.startswith("clustraint: "), arguments
        assert done.err.count("\n") == 1, arguments
        assert words in done.err, (arguments, done.err)
    runs = [Run(arguments.split(), folder) for arguments, _ in CASES]
    for run, (_, words), done in zip(
        runs, CASES, run_installed(runs, tmp_path_factory.mktemp("scratch")), strict=True
    ):
        assert (done.code, words in done.err) == (2, True), run.arguments
    assert {*os.listdir(folder)} == before
    assert Path("pairs.txt").exists()
