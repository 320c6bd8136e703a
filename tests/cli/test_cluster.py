"""`clustraint cluster`, `explain`: what they print and write."""

import json
import subprocess
import sys

import pytest

from clustraint.cli import _cluster
from tests.commands import COMMAND, call

TABLE = """name,size,weight,milk,color
dog,3,30,yes,brown
wolf,4,40,yes,grey
cow,9,700,yes,brown
trout,1,2,no,grey
carp,2,5,no,brown
eel,2,4,no,grey
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "pairs.txt").write_text("dog = wolf\ndog != trout\n#1 = cow\n")
    (tmp_path / "triplets.txt").write_text("dog, wolf | trout\ntrout, carp | dog\n")
    (tmp_path / "rules.txt").write_text("exactly: milk\n")
    (tmp_path / "more.json").write_text('{"cannot_link": [["wolf", "eel"]]}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capsys, *arguments):
    done = call(capsys, *arguments, "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    return json.loads(done.out)


def test_it_tells_columns_method_sizes_satisfaction_and_rules(capsys):
    done = call(capsys, "cluster", "t.csv", "-c", "pairs.txt", "-k", 2, "-o", "l.csv")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "t.csv: 6 samples" in words
    assert "size numeric 5" in words
    assert "milk binary (yes/no) 2" in words
    assert "name identifier 6 names, all different; names the samples" in words
    assert "cop-kmeans, because it satisfies every pair" in words
    assert "must-links 2 2 0" in words
    assert "cannot-links 1 1 0" in words
    assert "cluster 0, by its rules: 3 of 6 samples (50 %)" in words
    assert "These rules put 100 % of 6 samples into their clusters." in words
    assert words.endswith("table: l.csv")


def test_the_table_comes_back_with_clusters_and_their_names(capsys, folder):
    result = as_json(capsys, "cluster", "t.csv", "-c", "pairs.txt", "-k", 2, "-o", "l.csv")
    lines = (folder / "l.csv").read_text().splitlines()
    for line, before in zip(lines, TABLE.splitlines(), strict=True):
        assert line.startswith(f"{before},")
    assert lines[0] == "name,size,weight,milk,color,cluster,cluster_name"
    labels, names = result["labels"], result["names"]
    for line in lines[1:]:
        cells = line.split(",")
        assert cells[5] == str(labels[cells[0]])
        assert cells[6] == names[cells[5]]
    assert labels["dog"] == labels["wolf"] == labels["cow"] != labels["trout"]
    assert result["written"] == {"table": "l.csv"}
    done = call(capsys, "cluster", "t.csv", "-c", "pairs.txt", "-k", 2, "-o", "-")
    assert done.out.splitlines() == lines


def test_labels_only_are_ids_clusters_and_names(capsys, folder):
    arguments = ("cluster", "t.csv", "-c", "pairs.txt", "-k", 2, "-o", "l.csv", "--labels-only")
    result = as_json(capsys, *arguments)
    lines = (folder / "l.csv").read_text().splitlines()
    assert lines[0] == "id,cluster,cluster_name"
    assert dict(line.split(",")[:2] for line in lines[1:]) == {
        name: str(cluster) for name, cluster in result["labels"].items()
    }


def test_names_are_written_to_be_edited_and_found_again_by_their_samples(capsys, folder):
    arguments = ("cluster", "t.csv", "-c", "pairs.txt", "-k", 2, "--names", "n.csv")
    first = as_json(capsys, *arguments)
    assert first["written"] == {"names": "n.csv"}
    lines = (folder / "n.csv").read_text().splitlines()
    assert lines[0] == "cluster,name,sample 1,sample 2,sample 3"
    # As if the clusters had had other numbers, and somebody had named one of them.
    edited = ["7,beasts,dog,wolf,cow" if "dog" in line else f"8{line[1:]}" for line in lines[1:]]
    (folder / "n.csv").write_text("\n".join([lines[0], *edited]))
    before = (folder / "n.csv").read_bytes()
    second = as_json(capsys, *arguments, "-o", "l.csv")
    beasts = str(second["labels"]["dog"])
    assert second["names"] == first["names"] | {beasts: "beasts"}
    assert second["written"] == {"table": "l.csv"}
    assert "dog,3,30,yes,brown," + beasts + ",beasts" in (folder / "l.csv").read_text()
    assert (folder / "n.csv").read_bytes() == before
    assert "beasts" in call(capsys, *arguments).out


def test_a_name_without_a_cluster_is_said(capsys, folder):
    (folder / "n.csv").write_text("cluster,name\n0,first\n9,ghosts\n")
    done = call(capsys, "cluster", "t.csv", "-k", 2, "--names", "n.csv", "-q")
    assert done.code == 0
    assert done.err == "clustraint: note: n.csv: no cluster is called 'ghosts' now.\n"
    (folder / "n.csv").write_text("number,name\n0,first\n")
    done = call(capsys, "cluster", "t.csv", "-k", 2, "--names", "n.csv")
    assert done.err == "clustraint: n.csv: has no column 'cluster'; the names are in 'name'.\n"


def test_row_numbers_where_there_are_no_ids(capsys):
    found = as_json(capsys, "cluster", "t.csv", "-k", 2, "--ignore", "name")
    assert list(found["labels"]) == list("012345")


@pytest.mark.parametrize(
    ("arguments", "method"),
    [
        (["-c", "pairs.txt"], "cop-kmeans"),
        (["-c", "pairs.txt", "--ignore", "color"], "cop-kmeans"),
        (["-c", "pairs.txt", "-c", "more.json", "-m", "cop-kmeans"], "cop-kmeans"),
        (["-c", "triplets.txt"], "recon"),
        (["-c", "triplets.txt", "-m", "ihac"], "ihac"),
        (["-c", "triplets.txt", "-m", "bihac"], "bihac"),
        (["-c", "rules.txt", "--ignore", "size", "--ignore", "weight"], "attribute-kmedoids"),
        (["-c", "rules.txt"], "cop-kmeans"),
        (["--ignore", "color"], "cop-kmeans"),
    ],
)
def test_methods(capsys, arguments, method):
    found = as_json(capsys, "cluster", "t.csv", "-k", 2, *arguments)
    assert found["method"] == method
    assert found["reason"]
    assert sum(found["sizes"].values()) == 6
    assert len(found["sizes"]) == 2
    assert all(not kind["violated"] for kind in found["constraints"]["kinds"].values())
    assert found["rules"][0]["formula"]
    assert 0.5 <= found["fidelity"] <= 1


def test_what_is_violated_is_told(capsys, folder):
    (folder / "odd.txt").write_text("dog = trout\nwolf = carp\ncow = eel\n")
    arguments = ("cluster", "t.csv", "-k", 2, "-c", "odd.txt", "-m", "tree", "--ignore", "color")
    found = as_json(capsys, *arguments)
    violated = found["constraints"]["kinds"]["must_link"]["violated"]
    assert len(found["constraints"]["violated"]) == violated > 0
    assert f"violated: {found['constraints']['violated'][0]}" in call(capsys, *arguments).out


def test_exactly_rules_may_say_how_many_clusters(capsys, folder):
    (folder / "both.txt").write_text("exactly: milk\nexactly: ~milk\n")
    found = as_json(capsys, "cluster", "t.csv", "-c", "both.txt")
    assert found["sizes"] == {"0": 3, "1": 3}


def test_rules_about_columns_that_are_left_out(capsys, folder):
    (folder / "named.txt").write_text('together: name == "dog" | name == "eel"\n')
    dropped = ["--ignore", "size", "--ignore", "weight"]
    found = as_json(capsys, "cluster", "t.csv", "-c", "named.txt", "-k", 2, *dropped)
    assert found["method"] != "attribute-kmedoids"
    assert found["labels"]["dog"] == found["labels"]["eel"]


def test_texts(capsys, folder):
    cats = "".join(f"the cat sat there on mat {word}\n" for word in ("one", "two", "three"))
    dogs = "".join(f"my dog ate all our food {word}\n" for word in ("four", "five", "six"))
    (folder / "texts.csv").write_text(f"story\n{cats}{dogs}")
    found = as_json(capsys, "cluster", "texts.csv", "-k", 2)
    assert found["method"] == "cop-kmeans"
    assert len(set(list(found["labels"].values())[:3])) == 1
    assert sorted(found["sizes"].values()) == [3, 3]
    words = found["words"][str(found["labels"]["0"])]
    assert "cat" in words
    assert "by its words: " in call(capsys, "cluster", "texts.csv", "-k", 2).out


def test_missing_values_keep_nobody_from_a_method(capsys, folder):
    (folder / "holes.csv").write_text(TABLE.replace("9,700", "?,700"))
    found = as_json(capsys, "cluster", "holes.csv", "-k", 2, "-c", "pairs.txt")
    assert found["method"] == "cop-kmeans"
    assert {column["name"]: column["missing"] for column in found["columns"]}["size"] == 1


def test_the_same_seed_gives_the_same_clusters(capsys):
    once, again = (
        as_json(capsys, "cluster", "t.csv", "-k", 3, "--ignore", "color", "--seed", 7)["labels"]
        for _ in range(2)
    )
    assert once == again


@pytest.mark.parametrize("method", ["cop-kmeans", "tree"])
def test_a_saved_model_places_new_samples(capsys, folder, method):
    call(capsys, "cluster", "t.csv", "-k", 2, "-m", method, "--save", "m.skops", "-o", "l.csv")
    old = as_json(capsys, "predict", "m.skops", "t.csv")
    lines = (folder / "l.csv").read_text().splitlines()
    assert [str(each) for each in old["labels"].values()] == [
        line.split(",")[5] for line in lines[1:]
    ]
    (folder / "new.csv").write_text("other,color,name,size,weight,milk\n7,red,owl,3,31,yes\n")
    done = call(capsys, "predict", "m.skops", "new.csv", "-o", "-")
    header, row = done.out.splitlines()
    assert header == "other,color,name,size,weight,milk,cluster,cluster_name"
    cluster, name = str(old["labels"]["dog"]), old["names"][str(old["labels"]["dog"])]
    assert row == f"7,red,owl,3,31,yes,{cluster},{name}"
    words = " ".join(call(capsys, "predict", "m.skops", "new.csv").out.split())
    assert words.startswith(f"new.csv: 1 sample placed by {method}.")


def test_the_report_is_asked_for_in_one_place(capsys, folder, monkeypatch):
    asked = []
    monkeypatch.setattr(_cluster, "_write_report", lambda *made: asked.append(str(made[-1])))
    done = call(capsys, "cluster", "t.csv", "-k", 2, "--report", "r.html", "--quiet")
    assert (done.out, asked) == ("r.html\n", ["r.html"])


def test_quiet_prints_what_was_written(capsys):
    done = call(capsys, "cluster", "t.csv", "-k", 2, "-q", "-o", "l.csv", "--save", "m.skops")
    assert done.out == "m.skops\nl.csv\n"
    assert call(capsys, "cluster", "t.csv", "-k", 2, "-q").out == ""


def test_standard_input_through_the_installed_command(folder):
    done = subprocess.run(
        [COMMAND, "cluster", "-", "-k", "2", "-c", "pairs.txt", "-q", "-o", "-"],
        input=TABLE,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("name,size,weight,milk,color,cluster,cluster_name\ndog,")


@pytest.mark.parametrize("command", ["cluster", "check", "ask", "compare", "explain", "convert"])
def test_help_imports_nothing_heavy(command):
    program = (
        "import sys; from clustraint.cli import main\n"
        f"try: main([{command!r}, '--help'])\n"
        "except SystemExit as stop: assert stop.code == 0\n"
        "heavy = {'joblib', 'numba', 'numpy', 'pandas', 'pyarrow', 'scipy', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_explain_reads_what_cluster_writes(capsys):
    call(capsys, "cluster", "t.csv", "-k", 2, "-c", "rules.txt", "-o", "l.csv", "-m", "cop-kmeans")
    found = as_json(capsys, "explain", "t.csv", "l.csv")
    assert found["fidelity"] == 1
    assert sorted(rule["samples"] for rule in found["rules"]) == [3, 3]
    out = call(capsys, "explain", "t.csv", "l.csv").out
    assert "precision 1, recall 1" in out
    assert "These rules put 100 % of 6 samples into their clusters." in out


def test_explain_takes_a_column_and_partial_labels(capsys, folder):
    found = as_json(capsys, "explain", "t.csv", "milk", "--ignore", "color")
    assert {rule["cluster"] for rule in found["rules"]} == {0, 1}
    assert all("milk" not in rule["formula"] for rule in found["rules"])
    (folder / "some.csv").write_text("who,is\ndog,big\ncow,big\neel,small\n")
    found = as_json(capsys, "explain", "t.csv", "some.csv")
    assert {rule["cluster"]: rule["samples"] for rule in found["rules"]} == {"big": 2, "small": 1}
