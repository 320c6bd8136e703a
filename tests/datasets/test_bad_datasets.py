"""Names, files and sizes that are wrong: one sentence that says what and where."""

import gzip
import pickle

import pytest

from clustraint.datasets import (
    _files,
    _openml,
    load,
    make_label_tree,
    make_rule_clusters,
    make_text_hierarchy,
    make_xor,
)
from clustraint.exceptions import (
    ClustraintError,
    DatasetFileError,
    DatasetNotFoundError,
    InvalidParameterError,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of data of the test's own, an empty cache, and no network."""

    def no_network(address):
        raise TimeoutError("timed out")

    monkeypatch.setenv("CLUSTRAINT_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(_files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(_openml, "open_url", no_network)
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("glas", "did you mean 'glass'"),
        ("Iris", "did you mean 'iris'"),
        ("pen_digits", "'pendigits'"),
        ("nonsense!", "clustraint.datasets.list_datasets() names all"),
        ("", "clustraint.datasets.list_datasets() names all"),
    ],
)
def test_unknown_names(name, hint, folder):
    with pytest.raises(DatasetNotFoundError) as caught:
        load(name)
    assert hint in str(caught.value)
    assert f"CLUSTRAINT_DATA={folder}" in str(caught.value)


@pytest.mark.parametrize("name", ["../secret", "uci/../../secret", "/etc/passwd", ".hidden", "a/b"])
def test_a_name_leads_nowhere_else(name, folder):
    for path in (folder.parent / "secret.csv", folder / ".hidden.csv"):
        path.write_text("x,class\n1,a\n")
    with pytest.raises(DatasetNotFoundError, match="there is no dataset"):
        load(name)


def test_own_files_are_near_matches_too(folder):
    (folder / "penguins.csv").write_text("x,class\n1,a\n")
    with pytest.raises(DatasetNotFoundError, match="did you mean 'penguins'"):
        load("pengins")


def test_no_file_and_no_network_is_one_sentence(folder):
    with pytest.raises(DatasetNotFoundError) as caught:
        load("digits-389")
    error = caught.value
    assert str(error) == (
        "the dataset 'digits-389' is not found on this machine: looked for uci/digits-389.csv and "
        f"uci/pendigits.csv in CLUSTRAINT_DATA={folder} and in {folder.parent / 'cache'}; OpenML "
        "has not given it (timed out); set CLUSTRAINT_DATA to a folder that holds it."
    )
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.name, copy.looked, copy.answer) == (
        str(error), "digits-389", error.looked, error.answer,
    )  # fmt: skip


def test_what_openml_does_not_have_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(_openml, "download", lambda entry: pytest.fail("asked for a download"))
    with pytest.raises(DatasetNotFoundError, match=r"looked for text/wos-1000\.jsonl\.gz in"):
        load("wos-1000")


def test_only_https_is_opened(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(OSError, match="is not an https address"):
        _openml.open_url("file:///etc/passwd")


def test_a_wait_has_an_end(monkeypatch):
    monkeypatch.undo()
    waited = []

    def urlopen(address, timeout):
        waited.append(timeout)
        raise TimeoutError

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    with pytest.raises(TimeoutError):
        _openml.open_url("https://www.openml.org")
    assert 0 < waited[0] <= 30


@pytest.mark.parametrize("name", [None, 3, ["iris"]])
def test_a_name_is_a_text(name):
    with pytest.raises(InvalidParameterError, match="name must be the name of a data set"):
        load(name)


def test_options_are_those_of_the_generator():
    with pytest.raises(InvalidParameterError, match="'xor' must be among random_state, but is 'n'"):
        load("xor", n=3)
    with pytest.raises(InvalidParameterError, match="'iris' must be left out"):
        load("iris", random_state=0)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("", 0, "must hold a header, a feature and a class"),
        ("x,class\n", 0, "and a row of them"),
        ("class\na\n", 0, "must hold a header, a feature and a class"),
        ("x,class\n1,a\n1\n", 3, "has 1 values, but the header has 2"),
        ("x,x,class\n1,1,a\n", 1, "names two columns alike"),
        ("name,class\np,a\n", 1, "names no feature"),
        ("x,class\n1,\n", 0, "has no class in row 1"),
        ('x,class\n"1,a\n', 2, "a quoted cell never ends"),
        (b"x,class\n\xff,a\n", 0, "cannot be read"),
    ],
)
def test_tables_that_cannot_be_read(folder, content, line, problem):
    path = folder / "own.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DatasetFileError) as caught:
        load("own")
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line {line}: " if line else f"{path}: ")
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_infinity_is_no_number(folder):
    (folder / "own.csv").write_text("x,z,class\n1,2,a\ninf,3,b\n")
    assert load("own").X.tolist() == [["1", 2.0], ["inf", 3.0]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("x,class\n1,a\n", "holds 1 × 1, 1 classes, but 'glass' has 214 × 9, 6 classes"),
        ("x,class\nred,a\n", "must hold finite numbers in column 'x'"),
    ],
)
def test_a_known_name_means_that_table(folder, content, problem):
    (folder / "glass.csv").write_text(content)
    with pytest.raises(DatasetFileError, match=problem):
        load("glass")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "holds no texts"),
        ("nonsense\n", "line 1: is not JSON"),
        ('{"id": "a", "path": "b"}\n', "line 1: must be an object with texts"),
        ('{"id": "a", "path": "b", "text": 3}\n', "line 1: must be an object with texts"),
        ("[]\n", "line 1: must be an object with texts"),
    ],
)
def test_texts_that_cannot_be_read(folder, content, problem):
    with gzip.open(folder / "own.jsonl.gz", "wt") as file:
        file.write(content)
    with pytest.raises(DatasetFileError, match=problem):
        load("own")


@pytest.mark.parametrize(
    "content",
    [b"nonsense", gzip.compress(b'{"id": "a"}' * 99)[:-20]],
    ids=["no gzip", "cut short"],
)
def test_texts_that_are_no_gzip(folder, content):
    (folder / "own.jsonl.gz").write_bytes(content)
    with pytest.raises(DatasetFileError, match="cannot be read"):
        load("own")


@pytest.mark.parametrize("content", ["nonsense", "[]", '{"tables": [{}]}', '{"tables": 3}'])
def test_an_index_that_cannot_be_read(folder, content):
    (folder / "own.csv").write_text("x,class\n1,a\n")
    (folder / "index.json").write_text(content)
    with pytest.raises(DatasetFileError, match=r"index\.json: is not an index of datasets"):
        load("own")


def test_a_damaged_file(folder):
    (folder / "own.csv").write_text("x,class\n1,a\n")
    (folder / "index.json").write_text('{"tables": [{"name": "own", "sha256": "0"}]}')
    with pytest.raises(DatasetFileError, match=r"differs from its sha256 in index\.json"):
        load("own")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"n_samples": 0}, "n_samples must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number"),
        ({"n_attributes": True}, "n_attributes must be a whole number"),
        ({"n_literals": 0}, "n_literals must be a whole number from 1 to 100"),
        ({"n_literals": 101}, "n_literals must be a whole number from 1 to 100"),
        ({"n_constrained": 21}, "n_constrained must be a whole number from 0 to 20"),
        ({"n_attributes": 4}, "n_constrained must be at most 1, as no two rules"),
        ({"random_state": "a"}, "random_state must be None"),
        ({"spread": (-1, 5)}, "spread"),
        ({"spread": (0.1, 1.5)}, "spread"),
    ],
)
def test_rule_clusters_that_cannot_be(arguments, problem):
    with pytest.raises(ClustraintError, match=problem):
        make_rule_clusters(**arguments)


@pytest.mark.parametrize("branching", [(), 3, "33", (0,), (2, (3, 2)), ((1, 2, 3),), (2.5,), None])
def test_trees_that_cannot_be(branching):
    with pytest.raises(InvalidParameterError, match="branching must be"):
        make_label_tree(branching)


@pytest.mark.parametrize("sizes", [0, (3, 2), "5", None, (1, 2, 3)])
def test_classes_that_cannot_be(sizes):
    with pytest.raises(InvalidParameterError, match="samples_per_class must be"):
        make_label_tree((2,), sizes)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"paths": []}, "paths must be one text for each"),
        ({"paths": "a/b"}, "paths must be one text for each"),
        ({"paths": [1, 2]}, "paths must be one text for each"),
        ({"paths": 3}, "paths must be one text for each"),
        ({"n_words": 0}, "n_words must be"),
        ({"words_per_topic": 2001}, "words_per_topic must be a whole number from 1 to 2000"),
        ({"length": 0}, "length must be"),
        ({"topic_share": 1.5}, "topic_share must be a number from 0 to 1"),
        ({"topic_share": float("nan")}, "topic_share must be a number from 0 to 1"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_texts_that_cannot_be(arguments, problem):
    with pytest.raises(ClustraintError, match=problem):
        make_text_hierarchy(**arguments)


def test_shapes_take_a_seed_and_nothing_else():
    with pytest.raises(ClustraintError, match="random_state must be"):
        make_xor(random_state=-1)
    with pytest.raises(TypeError):
        make_xor(100)
