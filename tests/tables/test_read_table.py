"""Reading a user's file: formats, kinds of columns, ids, missing values, and what is refused."""

import io
import json
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse

from clustraint import AttributeKMedoids, ClusteringTree, Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    DatasetFileError,
    InvalidParameterError,
    MissingPackageError,
    MissingValuesError,
    NotEnoughMemoryError,
    TableColumnError,
    UnknownColumnError,
)
from clustraint.tables import TableEncoder, read_table

ANIMALS = """name,legs,milk,color,weight
dog,4,yes,brown,30.5
hen,2,no,white,2
cow,4,yes,white,700
carp,0,no,?,5
"""


def read(content, /, **options):
    content = content if isinstance(content, bytes) else content.encode()
    return read_table(io.BytesIO(content), **options)


def kinds(table):
    return {column.name: column.kind for column in table.columns}


def test_kinds_of_columns_and_names():
    table = read(ANIMALS)
    assert kinds(table) == {
        "legs": "numeric",
        "milk": "binary",
        "color": "nominal",
        "weight": "numeric",
    }
    assert table.names == ("dog", "hen", "cow", "carp")
    assert table.id_column == "name"
    assert table.n_samples == len(table) == 4
    assert table.column("color").values.tolist() == ["brown", "white", "white", None]
    assert table.column("milk").values.tolist() == [1, 0, 1, 0]
    assert table.has_missing


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0", "1", "1", "0"], "binary"),
        (["0", "1", "?", "0"], "binary"),
        (["True", "false", "TRUE", "NA"], "binary"),
        (["Yes", "no", "", "no"], "binary"),
        (["1", "2", "nan", "-3e5"], "numeric"),
        (["yes", "true", "no", "no"], "binary"),
        (["Ja", "nein", "ja", "-"], "binary"),
        (["1_000", "2", "2", "3"], "nominal"),
        (["red", "blue", "red", "blue"], "nominal"),
        (["it was a dark night", "and so on it went there", "a b c d e", "one two three four five"],
         "text"),
        (["new york city is big", "old york city is small"] * 2, "nominal"),
    ],
)  # fmt: skip
def test_recognised_kinds(cells, kind):
    table = read("x,other\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    assert kinds(table)["x"] == kind


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_recognised(delimiter):
    table = read(ANIMALS.replace(",", delimiter))
    assert kinds(table) == kinds(read(ANIMALS))
    assert table.column("weight").values.tolist() == [30.5, 2, 700, 5]


def test_the_delimiter_can_be_named():
    text = "a;b,c\n1;2,3\n4;5,7\n"
    assert [each.name for each in read(text, delimiter=",").columns] == ["c"]
    assert [each.name for each in read(text, delimiter=";").columns] == ["a", "b,c"]


def test_decimal_commas_after_semicolons():
    table = read("x;y\n1,5;2\n2,25;3\n")
    assert table.column("x").values.tolist() == [1.5, 2.25]


def test_quotes_hold_delimiters_and_line_ends():
    table = read('name,note,x\n"a, b","one\ntwo",1\nc,d,2\n')
    assert table.names == ("a, b", "c")
    assert table.column("note").values.tolist() == ["one\ntwo", "d"]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16-le", "utf-16-be"],
)
def test_encodings(encode):
    assert read(encode("näme,x\nÄffchen,1\nBär,2\n")).names == ("Äffchen", "Bär")


def test_other_encodings_are_named():
    content = "name,x\nBär,1\nUhu,2\n".encode("latin-1")
    guessed = read(content)
    assert guessed.names == ("Bär", "Uhu")
    assert guessed.notes == ("The file is not UTF-8; it is read as Windows-1252 (encoding=).",)
    assert read(content, encoding="latin-1").names == ("Bär", "Uhu")
    with pytest.raises(DatasetFileError, match=r"line 2: is not utf-8 text \(byte 0xe4\); save"):
        read(content, encoding="utf-8")


def frame_of(table):
    return {column.name: column.values.tolist() for column in table.columns}


def test_all_formats_say_the_same(tmp_path):
    wanted = read(ANIMALS)
    records = pd.read_csv(io.StringIO(ANIMALS), na_values="?")
    records["milk"] = records["milk"] == "yes"
    records.to_parquet(tmp_path / "t.parquet")
    lines = [json.dumps({k: None if v != v else v for k, v in row.items()})
             for row in records.to_dict("records")]  # fmt: skip
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    rows = ANIMALS.split("\n", 1)[1]
    (tmp_path / "t.arff").write_text(
        "% animals\n@relation animals\n@attribute name string\n@attribute 'legs' numeric\n"
        "@attribute milk {yes,no}\n@ATTRIBUTE color {brown, white}\n@attribute weight REAL\n"
        f"@data\n{rows}% the end\n"
    )
    (tmp_path / "t.tsv").write_text(ANIMALS.replace(",", "\t"))
    for name in ("t.parquet", "t.jsonl", "t.arff", "t.tsv"):
        table = read_table(tmp_path / name)
        assert table.names == wanted.names, name
        assert kinds(table) == kinds(wanted), name
        np.testing.assert_equal(frame_of(table), frame_of(wanted))
    for name in ("t.parquet", "t.jsonl", "t.arff"):
        assert kinds(read((tmp_path / name).read_bytes())) == kinds(wanted), "by content"


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(ANIMALS.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read_table("-").names == ("dog", "hen", "cow", "carp")


def packed_zeros(ending, n_bytes):
    import bz2
    import gzip
    import lzma

    import zstandard

    if ending == ".npz":
        file = io.BytesIO()
        np.savez_compressed(file, x=np.zeros(n_bytes // 8))
        return file.getvalue()
    pack = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstandard.ZstdCompressor(level=19).compress,
    }[ending]
    return pack(bytes(n_bytes))


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".npz"])
def test_a_small_file_that_unpacks_into_more_than_the_memory_is_refused(ending, monkeypatch):
    monkeypatch.setattr("clustraint.machine.available_memory", lambda: 1e6)
    content = io.BytesIO(packed_zeros(ending, 4_000_000))
    content.name = f"zeros{ending}"
    with pytest.raises(NotEnoughMemoryError, match=rf"unpacked contents of zeros{ending} need"):
        read_table(content)


def test_spreadsheets_and_zstd_take_extras(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingPackageError, match=r"fastexcel.*clustraint\[excel\]"):
        read(b"\xd0\xcf\x11\xe0")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingPackageError, match=r"zstandard.*clustraint\[zstd\]"):
        read(b"\x28\xb5\x2f\xfd")


def test_arff_declares_kinds_and_quotes():
    table = read(
        "@relation r\n@attribute 'it\\'s' {'a b', c}\n@attribute n {1, 2, 3}\n"
        "@attribute x numeric\n@data\n'a b', 1, 1\nc, 2, 2\n?, 3, ?\n'a b', 3, 4\n"
    )
    assert kinds(table) == {"it's": "nominal", "n": "nominal", "x": "numeric"}
    assert table.column("it's").values.tolist() == ["a b", "c", None, "a b"]
    assert table.column("n").values.tolist() == [1, 2, 3, 3]


def test_wishes_override():
    table = read(ANIMALS, id_column="weight", nominal=["legs"], text=["color"], ignore=["name"])
    assert table.names == ("30.5", "2", "700", "5")
    assert kinds(table) == {"legs": "nominal", "milk": "binary", "color": "text"}
    assert table.column("legs").values.tolist() == [4, 2, 4, 0]
    assert [column.note for column in table.left_out] == [
        "ignored as requested",
        "names the samples",
    ]


def test_without_an_identifier_samples_have_no_names():
    table = read("x,color\n1,red\n2,red\n3,blue\n")
    assert table.names is None
    assert table.id_column is None


def test_what_tells_nothing_is_left_out_with_a_word():
    table = read("id,x,same,empty,url\na,1,7,,u1\nb,2,7,?,u2\n")
    assert kinds(table) == {"x": "numeric"}
    notes = {column.name: column.note for column in table.left_out}
    assert notes == {
        "id": "names the samples",
        "same": "is always '7'",
        "empty": "has no values",
        "url": "has a different value for each sample",
    }
    assert kinds(read("id,x,same\na,1,7\nb,2,7\n", numeric=["same"])) == {
        "x": "numeric",
        "same": "numeric",
    }


def test_a_column_that_is_nearly_numeric_is_told():
    rows = "".join(f"{i % 5},{i}\n" for i in range(9))
    table = read(f"x,y\n{rows}many,10\n")
    assert table.column("x").kind == "nominal"
    assert table.column("x").note == "would be numeric but for 'many'"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "is empty"),
        ("\ufeff \n", {}, "is empty"),
        ("a,b\n", {}, "holds column names only"),
        ("a,b\n1,2\n3,4,5\n", {}, "line 3: has 3 values, but there are 2 columns (separated by"),
        ('a,b\n"x,1\n', {}, "is not a table of values (a quoted cell never ends)"),
        ("a,b\n1,2\n3,4\n", {"delimiter": ";"}, "perhaps commas do"),
        ("a,b\n,\nnan,?\n", {}, "no column to cluster by: 'a' has no values"),
        ("a,b\n1,x\n2,x\n3,y\n", {"numeric": ["b"]}, "cannot be numeric: it holds 'x' at sample 0"),
        ("a,b\n1,x\n2,y\n3,y\n", {"date": ["b"]}, "cannot be dates: it holds 'x' at sample 0"),
        ("a,b\n1,x\n2,y\n3,y\n", {"binary": ["b"]}, "cannot be yes or no: it holds 'x' at sample"),
        ("a\n1\n2\n", {"ignore": ["a"], "numeric": ["a"]}, "named as ignore and as numeric"),
        ('{"a": 1}\n{"a"\n', {}, "line 2: is not JSON"),
        ('{"a": 1}\n3\n', {}, "line 2: must be a JSON object, but is '3'"),
        ("{}\n{}\n", {}, "samples without any value"),
        ("@relation x\n@attribute a numeric\n", {}, "has no @data"),
        ("@relation x\n@data\n1\n", {}, "before any @attribute"),
        ("@relation x\n@attribute a numeric\n@data\n", {}, "and no sample"),
        ("@relation x\n@attribute a numeric\n@data\n1,2\n", {}, "line 4: has 2 values, but"),
        ("@relation x\n@attribute a numeric\n@data\n{0 1}\n", {}, "sparse row"),
        ("@relation x\n@attribute a wibble\n@data\n1\n", {}, "line 2: is not an attribute"),
        ("@relation x\nwhat\n@data\n1\n", {}, "neither @attribute nor @data"),
    ],
)  # fmt: skip
def test_refused(text, options, words):
    with pytest.raises(DatasetFileError) as caught:
        read(text, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04rest", "is a zip file; unpack it"),
        (b"\x1f\x8brest", "is packed as .gz, but cannot be unpacked"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "is a binary file"),
        (b"\0\1\2\3" * 9, "binary file"),
        (b"PAR1 and no more", "is not a Parquet file"),
    ],
)
def test_binary_files(content, words):
    with pytest.raises(DatasetFileError, match=words):
        read(content)


def test_unreadable_paths(tmp_path):
    with pytest.raises(DatasetFileError, match="cannot be read: Is a directory"):
        read_table(tmp_path)
    with pytest.raises(DatasetFileError, match="cannot be read: No such file"):
        read_table(tmp_path / "nothing.csv")


@pytest.mark.parametrize("option", ["ignore", "numeric", "nominal", "text"])
def test_unknown_columns_have_near_matches(option):
    with pytest.raises(UnknownColumnError, match="no column 'leg'; did you mean 'legs'"):
        read(ANIMALS, **{option: ["leg"]})
    with pytest.raises(UnknownColumnError, match="no column 'xyz'; the columns are name, legs"):
        read(ANIMALS, id_column="xyz")


@pytest.mark.parametrize(
    ("options", "name"), [({"format": "xls"}, "format"), ({"delimiter": "ab"}, "delimiter")]
)
def test_bad_options(options, name):
    with pytest.raises(InvalidParameterError, match=name):
        read(ANIMALS, **options)


def test_matrix_scales_numbers_and_counts_a_difference_as_one():
    table = read("x,color,milk\n1,red,yes\n3,blue,no\n5,red,no\n")
    X = table.matrix("standard")
    assert X[:, 0].mean() == pytest.approx(0)
    assert X[:, 0].std() == pytest.approx(1)
    assert np.linalg.norm(X[0, 1:3] - X[1, 1:3]) == pytest.approx(1)
    assert X[:, 3].tolist() == [1, 0, 0]
    assert table.matrix("minmax")[:, 0].tolist() == [0, 0.5, 1]
    assert table.matrix("none")[:, 0].tolist() == [1, 3, 5]
    encoder = TableEncoder().fit(table)
    assert encoder.feature_names_ == ("x", "color = blue", "color = red", "milk")
    assert table.feature_names == encoder.feature_names_
    assert encoder.notes_ == (
        "Numeric columns are scaled to mean 0 and standard deviation 1.",
        "A difference in a nominal or binary column counts 1.",
    )
    with pytest.raises(InvalidParameterError, match="scale"):
        table.matrix("log")


def test_missing_values_are_filled_in_and_it_is_said():
    table = read("x,c,t,d\n1,a,yes,2020-01-01\n3,a,yes,2020-01-03\n,b,,\n9,,no,2020-01-09\n")
    encoder = TableEncoder(scale="none").fit(table)
    assert encoder.notes_[0] == (
        "Missing values are filled in: x 3 (1 sample), c a value of its own (1 sample), t yes "
        "(1 sample) and d 2020-01-03 (1 sample)."
    )
    names = list(encoder.feature_names_)
    X = encoder.transform(table)
    assert X[2, names.index("x")] == 3
    assert X[3, names.index("c = no value")] > 0
    assert X[2, names.index("t")] == 1
    again = pickle.loads(pickle.dumps(encoder))
    new = read("x,c,t,d\n?,?,?,?\n100,b,no,2020-02-01\n", **again.arguments_)
    np.testing.assert_equal(again.transform(new)[0, :2].tolist(), [3.0, X[0, 1] * 0])
    with pytest.raises(MissingValuesError, match="'x' has no value for 1 sample, first for sam"):
        TableEncoder(impute="none").fit(table)
    assert read("x,c\n1,a\n2,b\n3,b\n?,?\n", impute="frequent").feature_names == (
        "x", "c = a", "c = b")  # fmt: skip
    assert read("x,y\n1,a\n2,b\n?,b\n", impute="level").feature_names[1] == "x is missing"


def test_huge_numbers_cannot_be_scaled():
    with pytest.raises(TableColumnError, match="cannot be scaled"):
        read("x,y\n1e308,1\n-1e308,2\n").matrix()


def test_texts_become_topics_or_weights_of_words():
    table = read("x,story\n1,the cat sat on the mat\n2,a dog ate all of my food\n3,?\n")
    assert kinds(table)["story"] == "text"
    X = table.matrix()
    assert np.linalg.norm(X[:2, 1:], axis=1) == pytest.approx(1)
    assert np.abs(X[2, 1:]).sum() == 0
    words = TableEncoder("words").fit(table)
    assert words.feature_names_ == ("x", "story: ate", "story: cat", "story: dog", "story: food",
                                    "story: mat", "story: sat")  # fmt: skip
    weights = words.transform(table)
    assert issparse(weights)
    assert weights[:2, 1:].power(2).sum(axis=1) == pytest.approx(1)
    with pytest.raises(ClustraintError, match="no words"):
        read("x,story\n1,a\n2,b\n", text=["story"]).matrix()


def test_rules_speak_of_the_columns_of_the_file():
    table = read(ANIMALS)
    assert Rule("milk & legs == 4").scope(table).tolist() == [True, False, True, False]
    assert Rule('color == "white"').scope(table).tolist() == [False, True, True, False]
    assert Rule("color == ?").scope(table).tolist() == [False, False, False, True]
    assert Rule('name == "hen"').scope(table).tolist() == [False, True, False, False]
    nominal = read(ANIMALS, nominal=["legs"])
    assert Rule("legs == 4").scope(nominal).tolist() == [True, False, True, False]


def test_trees_take_the_table():
    table = read(ANIMALS, nominal=["legs"])
    tree = ClusteringTree(2, min_samples_leaf=1)
    c = Constraints(4, must_link=[(0, 2)], cannot_link=[(0, 1)], names=table.names)
    labels = tree.fit(table, constraints=c).labels_
    assert labels[0] == labels[2] != labels[1]
    assert tree.predict(table).tolist() == labels.tolist()
    found = ClusteringTree(min_samples_leaf=1).explain(table, ["m", "o", "m", "o"])
    assert "milk" in found.rules_[0].formula or "legs" in found.rules_[0].formula
    pickle.loads(pickle.dumps(tree))


def test_kmedoids_take_the_nominal_columns():
    table = read("color,milk\nred,yes\nblue,no\nred,no\nblue,no\n")
    c = Constraints(4, rules=[Rule("milk", exactly=True)])
    model = AttributeKMedoids(2, random_state=0).fit(table.nominal(), constraints=c)
    assert model.labels_.tolist() == [0, 1, 1, 1]
    assert pickle.loads(pickle.dumps(model)).predict(table.nominal()).tolist() == [0, 1, 1, 1]
    with pytest.raises(ClustraintError, match="column 'weight' is numeric"):
        read("weight,milk\n1,yes\n2,no\n").nominal()


def test_an_encoder_reads_another_file_in_the_same_way():
    table = read("name,x,color,milk\na,1,red,yes\nb,2,blue,no\nc,4,red,no\n")
    encoder = TableEncoder(scale="none").fit(table)
    again = pickle.loads(pickle.dumps(encoder))
    other = read("name,x,color,milk\nq,7,green,0\nr,7,red,0\n", **again.arguments_)
    assert again.transform(other).round(1).tolist() == [[7, 0, 0, 0], [7, 0, 0.7, 0]]
    with pytest.raises(TableColumnError, match="is nominal, but was numeric in fit"):
        again.transform(read("name,x,color,milk\nq,u,green,0\nr,u,red,0\ns,w,red,1\n"))
    with pytest.raises(UnknownColumnError, match="no column 'milk'"):
        again.transform(read("name,x,color\nq,7,green\nr,8,red\n"))


def test_names_serve_constraint_files(tmp_path):
    (tmp_path / "c.txt").write_text("dog = cow\n#1 != carp\n")
    c = Constraints.read(tmp_path / "c.txt", names=read(ANIMALS).names)
    assert c.cannot_link.tolist() == [[1, 3]]
