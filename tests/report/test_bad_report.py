"""What cannot be reported on is refused in one sentence."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from clustraint import ClusteringTree, Constraints, COPKMeans, Hierarchy, Report
from clustraint import exceptions as errors
from clustraint.files import write_whole

X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 0.0]])
LABELS = [0, 0, 1, 1]


def assert_refused(kind, message, *arguments, path=None, **options):
    with pytest.raises(kind, match=message) as caught:
        Report(*arguments, **options).save(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    assert str(pickle.loads(pickle.dumps(caught.value))) == text


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "must be a table"),
        ([1.0, 2.0], "must be a table"),
        (np.empty((0, 2)), "at least 1 sample"),
        (np.empty((4, 0)), "at least 1 feature"),
        ([[1.0], [1.0, 2.0]], "not equally long"),
        ([[np.inf], [0.0]], "infinite"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"] * 4)}), "'when'"),
        (pd.DataFrame({"both": [1, "one", 2, "two"]}), "mixes values"),
        (sparse.csr_matrix([[np.nan, 1.0]] * 4), "not a finite number"),
        (None, "must be a table"),
    ],
)
def test_tables(table, message):
    assert_refused(errors.ClustraintError, message, table, LABELS)


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        ([0, 1], errors.DifferentSamplesError, "X has 4 samples and labels are about 2"),
        ([-1] * 4, errors.InvalidLabelsError, "at least one sample"),
        ([[0], [0], [1], [1]], errors.InvalidLabelsError, "one label for each sample"),
        (3, errors.InvalidLabelsError, "one label for each sample"),
        (None, errors.InvalidLabelsError, "one label for each sample"),
        (np.zeros((4, 2)), errors.InvalidLabelsError, "one label for each sample"),
    ],
)
def test_labels(labels, kind, message):
    assert_refused(kind, message, X, labels)


def test_estimators_without_clusters():
    assert_refused(
        errors.NotClusteredError, "COPKMeans has no labels_.*call its fit", X, COPKMeans(2)
    )
    assert_refused(
        errors.NotClusteredError, "StandardScaler has no labels_", X, StandardScaler().fit(X)
    )


def test_an_estimator_of_other_samples():
    model = COPKMeans(2, random_state=0).fit(X)
    assert_refused(
        errors.DifferentSamplesError, "X has 3 samples and labels are about 4", X[:3], model
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": Constraints(3)}, "X has 4 samples and constraints are about 3"),
        ({"constraints": [(0, 1)]}, "must be a Constraints object, but is list"),
        ({"hierarchy": Hierarchy([3, 3, 4, 4, -1])}, "hierarchy is about 3"),
        ({"hierarchy": "((a,b),c);"}, "hierarchy must be a Hierarchy or a linkage matrix"),
        ({"hierarchy": np.zeros((3, 2))}, "linkage"),
        ({"tree": ClusteringTree(2)}, "tree must be a fitted ClusteringTree"),
        ({"tree": COPKMeans(2)}, "tree must be a fitted ClusteringTree"),
        ({"tree": ClusteringTree(2).fit(X[:, :1])}, "tree knows 1 column,"),
        ({"names": ["a", "b"]}, "2 names for 4 samples"),
        ({"names": ["a", "a", "b", "c"]}, "'a'"),
        ({"names": "abcd"}, "names is 'abcd'"),
        ({"names": [1, 2, 3, 4]}, "turn it into text"),
        ({"feature_names": ["a"]}, "one name for each of the 2 columns"),
        ({"feature_names": ["a", "a"]}, "unique"),
        ({"axes": "x0"}, "axes must be two columns"),
        ({"axes": ["x0"]}, "axes must be two columns"),
        ({"axes": 3}, "axes must be two columns"),
        ({"axes": ["x0", "x9"]}, "none 'x9'"),
        ({"axes": [0, 2]}, "none 2"),
        ({"axes": [0, True]}, "none True"),
    ],
)
def test_options(options, message):
    assert_refused(errors.ClustraintError, message, X, LABELS, **options)


def test_a_near_column_is_suggested():
    message = "did you mean 'petal length'"
    names = ["petal length", "petal width"]
    assert_refused(
        errors.ClustraintError, message, X, LABELS, feature_names=names, axes=["petal lenght", 0]
    )


def test_a_tree_of_other_values():
    tree = ClusteringTree(2).fit(pd.DataFrame({"color": ["red", "red", "blue", "blue"]}))
    frame = pd.DataFrame({"color": ["red", "red", "green", "green"]})
    assert_refused(errors.ClustraintError, "other values", frame, LABELS, tree=tree)


def no_names_of(folder):
    return [each.name for each in folder.iterdir()]


def test_a_folder_is_no_file(tmp_path):
    assert_refused(errors.OutputFileError, "it is a folder", X, LABELS, path=tmp_path)
    assert no_names_of(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path):
    path = tmp_path / "nowhere" / "report.html"
    assert_refused(errors.OutputFileError, "No such file or directory", X, LABELS, path=path)


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "report.html"
    assert_refused(errors.OutputFileError, "Not a directory", X, LABELS, path=path)


def test_no_permission(tmp_path, monkeypatch):
    def deny(self, content):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.write_bytes", deny)
    assert_refused(
        errors.OutputFileError, "Permission denied", X, LABELS, path=tmp_path / "report.html"
    )
    assert no_names_of(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("secrets.token_hex", lambda size: "draft")
    path.with_name(".clustraint-draft.tmp").symlink_to("/dev/full")
    with pytest.raises(errors.OutputFileError, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert no_names_of(tmp_path) == ["report.html"]


def test_an_interrupt_leaves_no_draft(tmp_path, monkeypatch):
    def interrupt(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "report.html", b"new")
    assert no_names_of(tmp_path) == []
