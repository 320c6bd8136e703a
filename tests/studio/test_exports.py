"""What is taken away says the same as the page; the code repeats it exactly."""

import csv
import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from clustraint.constraints import Constraints
from tests.studio.desk import blobs, visiting
from tests.studio.test_clusters import as_csv, three_blob_classes

CHECK = "from clustraint.cli import main; main()"


def labels_of(text):
    return [int(row["cluster"]) for row in csv.DictReader(io.StringIO(text))]


def reproduced(visitor, folder):
    """Return labels.csv, and what reproduce.py makes in a process of its own."""
    answer = visitor.get("/api/export/reproduce.zip")
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(folder)
        (root,) = {name.split("/")[0] for name in archive.namelist()}
    home = folder / root
    done = subprocess.run(
        [sys.executable, home / "reproduce.py"], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert (home / "labels.csv").read_text() == visitor.get("/api/export/labels.csv").text
    (data,) = home.glob("blobs.*")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, "check", data, "-c", home / "knowledge.txt"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return (home / "labels.csv").read_text(), (home / "clusters.csv").read_text()


def test_the_code_gives_the_labels_shown(tmp_path):
    with visiting(content=blobs(n_each=30, spread=2.0)) as visitor:
        visitor.say("together", {"rows": [0, 40]})
        visitor.say("apart", {"rows": [1], "from": [2]})
        visitor.say("rule", {"rule": 'x > 7 & colour == "red"'})
        visitor.say("name", {"cluster": 0, "name": "=first, of all"})
        visitor.state()
        labels, again = reproduced(visitor, tmp_path / "linkage")
        assert labels == again
        # From centres that only the studio knows, with other columns.
        visitor.say("method", {"method": "cop-kmeans"})
        visitor.say("columns", {"roles": {"colour": "leave"}})
        visitor.say("together", {"rows": [5, 50]})
        visitor.say("together", {"rows": [6, 70]})
        assert visitor.state()["problem"] is None
        labels, again = reproduced(visitor, tmp_path / "k-means")
        assert labels == again
        assert labels_of(labels) == visitor.studio.shown.labels.tolist()


def test_the_code_gives_the_labels_of_representatives(tmp_path):
    X, y = three_blob_classes(2500, 1)
    with visiting(content=as_csv(X), n_clusters=3) as visitor:
        visitor.say("together", {"rows": [row for row in range(200) if y[row] == 0]})
        visitor.say("apart", {"rows": [0], "from": [int((y != y[0]).argmax())]})
        assert visitor.state()["problem"] is None
        labels, again = reproduced(visitor, tmp_path)
        assert labels == again


def test_files_say_what_the_page_shows():
    with visiting() as visitor:
        visitor.say("together", {"rows": [0, 11]})
        visitor.say("closer", {"rows": [0, 1, 25]})
        visitor.say("name", {"cluster": 0, "name": "first"})
        state = visitor.state()
        sizes = {each["cluster"]: each["size"] for each in state["clusters"]}
        labels = labels_of(visitor.get("/api/export/labels.csv").text)
        assert {cluster: labels.count(cluster) for cluster in sizes} == sizes
        table = list(csv.DictReader(io.StringIO(visitor.get("/api/export/table.csv").text)))
        assert [int(row["cluster"]) for row in table] == labels
        assert {row["cluster_name"] for row in table if row["cluster"] == "0"} == {"first"}
        assert [row["colour"] for row in table[:3]] == ["red", "blue", "green"]
        assert visitor.get("/api/export/table.xlsx").content[:2] == b"PK"
        page = visitor.get("/api/export/report.html").text
        assert "first" in page
        assert 'src="http' not in page
        listing = visitor.get("/api/export").json()["files"]
        for file in listing:
            answer = visitor.get(f"/api/export/{file['name']}")
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith('attachment; filename="blobs-')


def placed(folder, model, table):
    """Return what `clustraint predict` makes of a table, by the rows of its output."""
    (folder / "model.skops").write_bytes(model)
    (folder / "new.csv").write_bytes(table)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, "predict", "model.skops", "new.csv", "-o", "placed.csv"],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    with open(folder / "placed.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("method", ["auto", "cop-kmeans", "tree"])
def test_the_model_places_samples_as_the_page_shows_them(tmp_path, method):
    with visiting() as visitor:
        visitor.say("method", {"method": method})
        visitor.say("together", {"rows": [0, 29]})
        # Numbers stay while clusters do, so that those of the method are others by now.
        visitor.say("n_clusters", {"n_clusters": 4})
        visitor.say("n_clusters", {"n_clusters": 3})
        labels = visitor.state() and visitor.studio.shown.labels.tolist()
        visitor.say("name", {"cluster": labels[0], "name": "the first"})
        model = visitor.get("/api/export/model.skops").content
    rows = placed(tmp_path, model, blobs())
    # What was said moved single samples, whose place alone does not always tell.
    assert [int(row["cluster"]) for row in rows][1:29] == labels[1:29]
    names = {row["cluster"]: row["cluster_name"] for row in rows}
    assert names[str(labels[0])] == "the first"
    assert {int(cluster) for cluster in names} <= {*labels}


def test_the_model_of_representatives_places_all_others(tmp_path):
    X, y = three_blob_classes(2500, 1)
    with visiting(content=as_csv(X), n_clusters=3) as visitor:
        visitor.say("together", {"rows": [row for row in range(200) if y[row] == 0]})
        visitor.state()
        labels = visitor.studio.shown.labels
        model = visitor.get("/api/export/model.skops").content
    rows = placed(tmp_path, model, as_csv(X))
    same = np.array([int(row["cluster"]) for row in rows]) == labels
    assert same.mean() > 0.97


def test_knowledge_comes_back(tmp_path):
    with visiting() as visitor:
        visitor.say("together", {"rows": [0, 1, 2]})
        visitor.say("apart", {"rows": [0], "from": [12]})
        visitor.say("closer", {"rows": [3, 4, 25]})
        visitor.say("rule", {"rule": "x > 5", "exactly": True})
        text = visitor.get("/api/export/knowledge.txt").text
        constraints = visitor.studio.constraints
    (tmp_path / "knowledge.txt").write_text(text)
    names = [f"s{row}" for row in range(30)]
    assert Constraints.read(tmp_path / "knowledge.txt", 30, names) == constraints
    with visiting() as visitor:
        body = {"command": "0123456789", "name": "knowledge.txt", "text": text}
        assert visitor.post("/api/import", body).status_code == 200
        assert visitor.studio.constraints == constraints
        # The same command again changes nothing.
        assert visitor.post("/api/import", body).json()["n"] == 5
        assert len(visitor.studio.events) == 5


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.txt", "s0 = s99", "line 1: no sample is called 's99'"),
        ("a.txt", "# nothing", "states nothing"),
        ("a.exe", "s0 = s1", ".txt, .csv or .json"),
        ("a.json", "{", "JSON"),
        ("a.txt", "s0 = s1\ns0 != s1", "cannot be linked"),
        ("a.txt", "together: zz", "not a column"),
    ],
)
def test_files_that_cannot_be_taken_in(name, text, words):
    with visiting() as visitor:
        answer = visitor.post("/api/import", {"command": "0123456789", "name": name, "text": text})
        assert answer.status_code in (409, 422)
        assert words in answer.json()["sentence"]
        assert "/tmp" not in answer.json()["sentence"]
        assert visitor.studio.events == []
