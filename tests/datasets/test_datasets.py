"""Data by name: where they are found, what they hold, how they are described."""

import gzip
import hashlib
import json
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from clustraint import Constraints, Hierarchy
from clustraint.datasets import Dataset, DatasetInfo, _files, _openml, list_datasets, load
from clustraint.datasets._catalogue import CATALOGUE
from clustraint.datasets._generated import GENERATORS
from clustraint.exceptions import DatasetNotFoundError

# Read before a fixture takes it away: the real files, where somebody has them.
REAL_DATA = os.environ.get("CLUSTRAINT_DATA")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of data of the test's own, an empty cache, and no network."""

    def no_network(address):
        raise OSError("no network in tests")

    monkeypatch.setenv("CLUSTRAINT_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(_files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(_openml, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(_openml, "open_url", no_network)
    for part in ("data/uci", "data/text", "cache"):
        (tmp_path / part).mkdir(parents=True)
    return tmp_path / "data"


def write_table(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(map(str, row)) for row in [header, *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_texts(path, records):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def crabs_rows():
    return [(i, i + 1, 0.5, 2, 3, "MF"[i % 2], "BO"[i // 100]) for i in range(200)]


def test_a_table_of_the_catalogue(folder):
    write_table(
        folder / "uci/crabs.csv", ["FL", "RW", "CL", "CW", "BD", "sex", "class"], crabs_rows()
    )
    data = load("crabs")
    assert data.feature_names == ("FL", "RW", "CL", "CW", "BD")
    assert data.X.dtype == np.float64
    assert data.X[3].tolist() == [3, 4, 0.5, 2, 3]
    assert np.unique(data.y, return_counts=True)[1].tolist() == [100, 100]
    assert data.labels["sex"][:3].tolist() == ["M", "F", "M"]
    assert data.names is data.paths is None
    assert repr(data) == "Dataset('crabs': 200 × 5, 2 classes)"
    for part in ("200 × 5", "Campbell and Mahon", "GPL-2 or GPL-3", str(folder / "uci/crabs.csv")):
        assert part in data.description
    assert data.hierarchy == Hierarchy.from_labels(data.y)


@pytest.mark.parametrize("place", ["uci", "."])
def test_a_table_of_ones_own_needs_no_index(folder, place):
    write_table(
        folder / place / "mine.csv",
        ["name", "size", "colour", "class"],
        [("a", 1.5, "red", 10), ("b", "", "?", 20), ("a", "TRUE", "blue", 10)],
    )
    data = load("mine")
    assert data.X.tolist() == [[1.5, "red"], [None, None], [1.0, "blue"]]
    assert data.y.tolist() == [10, 20, 10]
    assert data.y.dtype == np.int64
    assert data.names == ("a", "b", "a (2)")
    assert "(mixed)" in data.description
    assert "3 × 2, 2 classes" in data.description
    info = {info.name: info for info in list_datasets()}["mine"]
    assert info.available
    assert info.origin == str(folder / place / "mine.csv")
    Constraints.from_names(data.names, must_link=[("a", "a (2)")])


def test_missing_numbers_are_nan_and_the_last_column_is_the_class(folder):
    write_table(folder / "own.csv", ["x", "y", "kind"], [(1, "", "a"), ("?", 2, "b")])
    data = load("own")
    np.testing.assert_array_equal(data.X, [[1, np.nan], [np.nan, 2]])
    assert data.feature_names == ("x", "y")
    assert data.y.tolist() == ["a", "b"]
    assert "(numeric)" in data.description


def test_nominal_codes_stay_texts_in_a_nominal_table(folder):
    columns = [f"a{place}" for place in range(35)]
    rows = [[0, "", *[1] * 33, f"class {row % 19}"] for row in range(683)]
    write_table(folder / "uci/soybean-large-all.csv", [*columns, "class"], rows)
    data = load("soybean-large-all")
    assert data.X.dtype == object
    assert data.X[0, :3].tolist() == ["0", None, "1"]


def test_an_index_tells_columns_and_checksums(folder):
    write_table(
        folder / "uci/own.csv",
        ["code", "x", "z", "class"],
        [("p", 1, "u", "a"), ("q", 2, "v", "b")],
    )
    record = {"name": "own", "id_columns": ["code"], "label_columns": ["z", "class"]}
    record["sha256"] = hashlib.sha256((folder / "uci/own.csv").read_bytes()).hexdigest()
    (folder / "index.json").write_text(json.dumps({"tables": [record], "texts": []}))
    data = load("own")
    assert data.names == ("p", "q")
    assert data.labels["z"].tolist() == ["u", "v"]
    assert data.X.tolist() == [[1], [2]]


def test_texts(folder):
    paths = ["rec/autos", "rec", "sci/space", "rec/autos"]
    records = [
        {"id": f"t{i}", "path": path, "text": f"word {i}", "more": 1}
        for i, path in enumerate(paths)
    ]
    write_texts(folder / "text/own.jsonl.gz", records)
    data = load("own")
    assert data.X.tolist() == ["word 0", "word 1", "word 2", "word 3"]
    assert data.X.dtype == object
    assert data.paths == tuple(data.y) == tuple(paths)
    assert data.names == ("t0", "t1", "t2", "t3")
    assert data.n_features is None
    assert data.n_classes == 3
    assert repr(data) == "Dataset('own': 4 texts, 3 classes)"
    assert data.hierarchy == Hierarchy.from_paths(paths, names=data.names)


def test_the_users_folder_comes_before_the_cache(folder):
    for place, value in ((folder, 1), (folder.parent / "cache", 2)):
        write_table(place / "uci/own.csv", ["x", "class"], [(value, "a"), (value, "b")])
    assert load("own").X[0, 0] == 1
    (folder / "uci/own.csv").unlink()
    assert load("own").X[0, 0] == 2


def test_without_the_variable_the_cache_alone_is_searched(monkeypatch):
    monkeypatch.delenv("CLUSTRAINT_DATA")
    with pytest.raises(DatasetNotFoundError, match="as CLUSTRAINT_DATA is not set"):
        load("glass")


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer-wisconsin", "digits"])
def test_scikit_learns_own_serve_where_there_is_no_file(name):
    data = load(name)
    assert (data.n_samples, data.n_features, data.n_classes) == CATALOGUE[name].size
    assert len(data.feature_names) == data.n_features
    assert "scikit-learn" in data.description


def test_iris_says_that_scikit_learns_is_not_quite_the_same():
    data = load("iris")
    assert "two rows as Fisher published them" in data.description
    assert set(data.y) == {"Iris-setosa", "Iris-versicolor", "Iris-virginica"}


def test_balance_scale_is_all_weights_and_distances():
    data = load("balance-scale")
    assert data.X.tolist() == [list(map(float, row)) for row in product(range(1, 6), repeat=4)]
    for (a, b, c, d), label in zip(data.X, data.y, strict=True):
        assert label == ("B" if a * b == c * d else "L" if a * b > c * d else "R")
    assert "generated" in data.description


def test_parts_of_a_table_that_is_found(folder):
    rows = [[*range(16), i % 10 if i < 10950 else 3] for i in range(10992)]
    write_table(folder / "uci/pendigits.csv", [*(f"x{i}" for i in range(16)), "class"], rows)
    data = load("pendigits-train")
    assert data.X.shape == (7494, 16)
    assert data.name == "pendigits-train"
    assert data.y.tolist() == load("pendigits").y[:7494].tolist()
    assert f"{folder / 'uci/pendigits.csv'} (a part of it)" in data.description
    assert {info.name: info for info in list_datasets()}["digits-389"].available


def test_zoo_binary_has_a_column_for_each_number_of_legs(folder):
    header = "name hair feathers eggs milk airborne aquatic predator toothed backbone breathes"
    header = [*header.split(), "venomous", "fins", "legs", "tail", "domestic", "catsize", "class"]
    legs = [0, 2, 4, 5, 6, 8]
    rows = [[f"a{i}", *[i % 2] * 12, legs[i % 6], 1, 0, 1, f"c{i % 7}"] for i in range(101)]
    write_table(folder / "uci/zoo.csv", header, rows)
    data = load("zoo-binary")
    assert data.feature_names[12:18] == tuple(f"legs_{number}" for number in legs)
    assert data.X[:6, 12:18].tolist() == np.eye(6).tolist()
    assert data.names == load("zoo").names


ARFF = """@relation zoo
@attribute animal {%s}
@attribute hair {false, true}
%s
@attribute legs INTEGER
@attribute type {%s}
@data
%s
"""


def fake_zoo(damaged=False, n_animals=101):
    """Return the addresses of a table at OpenML, and what they hold."""
    names = [f"animal{i}" for i in range(n_animals)]
    other = [f"@attribute other{i} {{false, true}}" for i in range(14)]
    rows = [
        ",".join([name, "true", *["false"] * 14, str(i % 9), f"kind{i % 7}"])
        for i, name in enumerate(names)
    ]
    arff = ARFF % (
        ",".join(names),
        "\n".join(other),
        ",".join(f"kind{i}" for i in range(7)),
        "\n".join(rows),
    )
    about = {
        "url": "http://data.example/zoo.arff",
        "default_target_attribute": "type",
        "md5_checksum": "0" * 32 if damaged else hashlib.md5(arff.encode()).hexdigest(),
    }
    return {
        "https://www.openml.org/api/v1/json/data/62": json.dumps({"data_set_description": about}),
        "https://data.example/zoo.arff": arff,
    }


def test_openml_is_asked_once(folder, monkeypatch):
    asked = []

    def open_url(address):
        asked.append(address)
        return fake_zoo()[address].encode()

    monkeypatch.setattr(_openml, "open_url", open_url)
    data, again = load("zoo"), load("zoo")
    assert asked == list(fake_zoo())
    assert data.X.shape == (101, 16)
    assert data.X[1].tolist() == [1.0] + [0.0] * 14 + [1.0]
    assert data.names[:2] == ("animal0", "animal1")
    np.testing.assert_array_equal(data.X, again.X)
    assert str(folder.parent / "cache") in data.description
    assert [path.name for path in (folder.parent / "cache/uci").iterdir()] == ["zoo.csv"]


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (fake_zoo(damaged=True), "the table came damaged"),
        (fake_zoo(n_animals=100), "holds 100 × 16"),
        ({next(iter(fake_zoo())): "{}"}, "not the description of a dataset"),
        ({next(iter(fake_zoo())): "<html>"}, "Expecting value"),
    ],
    ids=["damaged", "another size", "no description", "no JSON"],
)
def test_what_openml_gives_is_checked_before_it_is_kept(folder, monkeypatch, answers, problem):
    monkeypatch.setattr(_openml, "open_url", lambda address: answers[address].encode())
    with pytest.raises(DatasetNotFoundError, match=problem):
        load("zoo")
    assert not list((folder.parent / "cache").rglob("*.csv"))


def test_openml_texts():
    assert [_openml._text(value) for value in (b"?", b"red", 3.0, 0.1, float("nan"))] == [
        "", "red", "3", "0.1", "",
    ]  # fmt: skip


def test_no_download_where_it_is_off(monkeypatch):
    monkeypatch.setattr(_openml, "download", lambda entry: pytest.fail("asked for a download"))
    with pytest.raises(DatasetNotFoundError):
        load("digits-389", download=False)


def test_the_list_tells_sizes_sources_licences_and_what_is_missing(folder):
    known = {info.name: info for info in list_datasets()}
    assert set(CATALOGUE) <= set(known)
    for info in known.values():
        assert isinstance(info, DatasetInfo)
        assert info.source
        assert info.licence
        assert info.available != bool(info.problem)
    glass = known["glass"]
    assert (glass.n_samples, glass.n_features, glass.n_classes) == (214, 9, 6)
    assert f"uci/glass.csv in CLUSTRAINT_DATA={folder}" in glass.problem
    assert "OpenML" in glass.problem
    assert known["circles"].origin == "generated"
    assert known["iris"].origin == "scikit-learn"


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_can_be_loaded_here_is_of_the_size_listed(name):
    info = {info.name: info for info in list_datasets()}[name]
    if not info.available:
        with pytest.raises(DatasetNotFoundError):
            load(name)
        return
    data = load(name)
    assert isinstance(data, Dataset)
    assert (data.n_samples, data.n_features, data.n_classes) == CATALOGUE[name].size
    for part in (info.source, info.licence, f"{info.n_samples:,}"):
        assert part in data.description


FILES = [
    entry
    for entry in CATALOGUE.values()
    if entry.name not in {*GENERATORS, "animals", "digits", "breast-cancer-wisconsin"}
]


@pytest.mark.skipif(not REAL_DATA, reason="CLUSTRAINT_DATA is not set: no files to compare with")
@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.name)
def test_files_are_what_the_catalogue_says(entry, monkeypatch):
    path = Path(REAL_DATA, entry.file)
    if not path.is_file():
        pytest.skip(f"CLUSTRAINT_DATA has no {entry.file}")
    monkeypatch.setenv("CLUSTRAINT_DATA", REAL_DATA)
    data = load(entry.name)
    assert (data.n_samples, data.n_features, data.n_classes) == entry.size
    assert data.names is None or len(set(data.names)) == data.n_samples
    if entry.kind == "text":
        assert all(isinstance(text, str) and text for text in data.X)
    elif entry.kind == "nominal":
        assert {type(value) for value in data.X.ravel()} <= {str, type(None)}
    else:
        assert np.isfinite(data.X).all()


@pytest.mark.skipif(not REAL_DATA, reason="CLUSTRAINT_DATA is not set: no files to compare with")
@pytest.mark.parametrize(
    "name",
    [
        "wine",
        "balance-scale",
        "pendigits-train",
        "digits-389",
        "letters-ijlt",
        "soybean-large",
        "zoo-binary",
    ],
)
def test_what_serves_without_a_file_is_the_same_data(name, monkeypatch, tmp_path):
    if not Path(REAL_DATA, CATALOGUE[name].file).is_file():
        pytest.skip(f"CLUSTRAINT_DATA has no {CATALOGUE[name].file}")
    monkeypatch.setenv("CLUSTRAINT_DATA", REAL_DATA)
    file = load(name)
    bare = tmp_path / "bare"
    (bare / "uci").mkdir(parents=True)
    for path in Path(REAL_DATA, "uci").glob("*.csv"):
        if path.stem != name:
            (bare / "uci" / path.name).symlink_to(path)
    monkeypatch.setenv("CLUSTRAINT_DATA", str(bare))
    other = load(name)
    assert other.description != file.description
    assert other.feature_names == file.feature_names
    np.testing.assert_array_equal(other.X, file.X)
    np.testing.assert_array_equal(other.y, file.y)


def test_a_data_set_is_written_as_a_table_and_read_again(tmp_path):
    from clustraint.tables import read_table

    animals = load("animals")
    table = read_table(animals.write(tmp_path / "animals.csv"), id_column="name")
    assert table.names == animals.names
    assert table.column("mass_kg").values.tolist() == animals.X[:, 17].tolist()
    assert table.column("class").values.tolist() == animals.y.tolist()
