"""Saved models: they place new samples, run no code, and say what is wrong with a file."""

import contextlib
import io
import json
import pickle
import zipfile

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import clustraint
from clustraint import Constraints
from clustraint.exceptions import (
    ClustraintError,
    ModelFileError,
    OutputFileError,
    UnknownColumnError,
)
from clustraint.tables import read_table
from clustraint.workflow import ClusterModel, cluster_table, methods

ROWS = b"""name,size,weight,milk
dog,3,30,yes
wolf,4,40,yes
cow,9,700,yes
trout,1,2,no
carp,2,5,no
eel,2,4,no
"""


@pytest.fixture
def table():
    return read_table(io.BytesIO(ROWS))


@pytest.fixture
def model(table):
    return ClusterModel.of(cluster_table(table, n_clusters=2, method="cop-kmeans"))


@pytest.fixture
def path(tmp_path, model):
    return model.save(tmp_path / "m.skops")


def constraints_for(method, table):
    if "must_link" in method.kinds:
        return Constraints(6, must_link=[(0, 1)], names=table.names)
    if "triplets" in method.kinds:
        return Constraints(6, triplets=[(0, 1, 3)], names=table.names)
    return None


@pytest.mark.parametrize("name", methods())
def test_every_method_can_be_saved_and_loaded(tmp_path, table, name):
    method = methods()[name]
    if method.view == "nominal":
        table = read_table(io.BytesIO(ROWS), nominal=["size", "weight"])
    clustering = cluster_table(table, constraints_for(method, table), 2, method=name)
    names = {cluster: f"group {cluster}" for cluster in clustering.sizes}
    ClusterModel.of(clustering, names).save(tmp_path / "m.skops")
    loaded = ClusterModel.load(tmp_path / "m.skops")
    assert (loaded.method, loaded.names) == (name, names)
    assert loaded.pipeline["cluster"].labels_.tolist() == clustering.labels.tolist()
    if hasattr(clustering.estimator, "predict"):
        expected = clustering.pipeline.predict(table).tolist()
        assert loaded.predict(table).tolist() == expected


def test_texts_can_be_saved_and_loaded(tmp_path):
    words = ["rocket orbit moon launch", "engine brake dealer tires", "oven flour sugar dough"]
    lines = [f"{words[i % 3]} {words[i * 7 % 5 % 3]} number {i}" for i in range(24)]
    table = read_table(io.BytesIO("\n".join(["t", *lines]).encode()), text=["t"])
    clustering = cluster_table(table, n_clusters=2)
    ClusterModel.of(clustering).save(tmp_path / "m.skops")
    loaded = ClusterModel.load(tmp_path / "m.skops")
    assert loaded.predict(table).tolist() == clustering.pipeline.predict(table).tolist()


def test_files_with_other_columns_in_another_order(model, path):
    new = b"note,milk,weight,name,size\nx,yes,35,fox,3\ny,no,3,cod,1\n"
    dog, trout = model.predict(io.BytesIO(ROWS))[[0, 3]].tolist()
    assert ClusterModel.load(path).predict(io.BytesIO(new)).tolist() == [dog, trout]


def test_a_column_that_is_missing_is_named(model):
    with pytest.raises(UnknownColumnError, match="there is no column 'weight'"):
        model.predict(io.BytesIO(b"name,size,milk\nfox,3,yes\n"))


def test_a_column_of_another_kind_is_named(model):
    with pytest.raises(ClustraintError, match="'weight' cannot be numeric: it holds 'heavy'"):
        model.predict(io.BytesIO(b"name,size,weight,milk\nfox,3,heavy,yes\n"))


def test_it_cannot_be_written_everywhere(tmp_path, model):
    with pytest.raises(OutputFileError):
        model.save(tmp_path / "none" / "m.skops")


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 0.999])
def test_a_truncated_file(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ModelFileError, match="is truncated or damaged; save the model again"):
        ClusterModel.load(path)


def test_damaged_files_are_never_anything_but_a_sentence(path, global_random_seed):
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(global_random_seed)
    for _ in range(60):
        damaged = content.copy()
        for place in rng.integers(4, len(content), 8).tolist():
            damaged[place] = int(rng.integers(256))
        path.write_bytes(bytes(damaged))
        # Anything else that is raised fails the test; what loads all the same is a model.
        with contextlib.suppress(ModelFileError):
            assert isinstance(ClusterModel.load(path), ClusterModel)


@pytest.mark.parametrize("content", [b"", b"name,x\na,1\n", b"\x00\x01", b"PK", b"\x89PNG"])
def test_a_foreign_file(path, content):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="is not a saved model, which"):
        ClusterModel.load(path)


def test_a_foreign_archive(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<a/>")
    with pytest.raises(ModelFileError, match="is a zip archive, but not a saved model"):
        ClusterModel.load(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        ClusterModel.load(tmp_path / "none.skops")


def with_header(path, **changes):
    """Write the file again with another header."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(files["clustraint.json"]) | changes
    files["clustraint.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("package", ["clustraint", "scikit-learn"])
def test_another_version(path, package):
    with_header(path, **{package: "99.1.0"})
    with pytest.raises(ModelFileError, match=rf"was saved by {package} 99\.1\.0, but this is"):
        ClusterModel.load(path)


@pytest.mark.parametrize("changes", [{"names": 3}, {"names": [[1]]}, {"names": None}])
def test_an_odd_header(path, changes):
    with_header(path, **changes)
    with pytest.raises(ModelFileError, match="is truncated or damaged"):
        ClusterModel.load(path)


def replaced(path, value):
    """Write the file again with something else than its pipeline."""
    with zipfile.ZipFile(path) as archive:
        header = archive.read("clustraint.json")
    buffer = io.BytesIO(skops.io.dumps(value))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("clustraint.json", header)
    path.write_bytes(buffer.getvalue())


@pytest.mark.parametrize("function", [print, clustraint.files.replace, np.savetxt])
def test_functions_are_never_trusted(path, function):
    replaced(path, make_pipeline(FunctionTransformer(function)))
    with pytest.raises(ModelFileError, match="holds what is not trusted"):
        ClusterModel.load(path)


def test_another_pipeline(path):
    replaced(path, make_pipeline(StandardScaler()))
    with pytest.raises(ModelFileError, match="does not hold the steps encode and cluster"):
        ClusterModel.load(path)


class Marker:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickles_run_nothing_unless_they_are_trusted(tmp_path, path, model):
    marker = tmp_path / "ran"
    path.write_bytes(pickle.dumps(Marker(marker)))
    with pytest.raises(ModelFileError, match="seems to be a pickle, which can run any code"):
        ClusterModel.load(path)
    assert not marker.exists()
    joblib.dump(model.pipeline, path)
    loaded = ClusterModel.load(path, pickles=True)
    assert loaded.predict(io.BytesIO(ROWS)).tolist() == model.predict(io.BytesIO(ROWS)).tolist()
    joblib.dump(StandardScaler(), path)
    with pytest.raises(ModelFileError, match="does not hold the steps"):
        ClusterModel.load(path, pickles=True)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ModelFileError, match="cannot be unpickled"):
        ClusterModel.load(path, pickles=True)
