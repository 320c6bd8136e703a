"""Constraint files that cannot be read: each is an error that says where and why."""

import os
import time
from pathlib import Path

import pytest

from clustraint import Constraints
from clustraint.exceptions import (
    ClustraintError,
    ConstraintFileError,
    DroppedConstraintWarning,
    DuplicateNameError,
    InvalidNameError,
)
from tests.constraints.test_files import ANIMALS, SUFFIXES, TEXTS, pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bad constraint files")


@pytest.fixture
def fail(folder):
    """Read a text or bytes as a file of a format, and return the error."""

    def fail(suffix, content, **arguments):
        path = folder / f"bad{suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ConstraintFileError) as caught:
            Constraints.read(path, **arguments)
        error = caught.value
        where = f"{path}, line {error.line}: " if error.line else f"{path}: "
        assert error.path == str(path)
        assert str(error).startswith(where)
        assert len(str(error)) < len(where) + 500
        return error

    return fail


LINE = "a line reads 'a = b', 'a != b', 'a, b | c', 'same: a, b, c', 'different: a, b, c', 'tog"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("dog", LINE),
        ("dog wolf", "not 'dog wolf'."),
        ("dog =", LINE),
        ("= dog", LINE),
        ("dog = wolf = ", LINE),
        ("dog = wolf, fox", LINE),
        ("same: dog", LINE),
        ("same, dog: wolf", LINE),
        ("*", LINE),
        ("dog, wolf", LINE),
        ("dog | wolf", LINE),
        ("dog, wolf, fox", LINE),
        ("dog, wolf | fox, trout", LINE),
        ("dog | wolf, fox", LINE),
        ('dog "wolf" = fox', LINE),
        ("0.5 *", LINE),
        ("0.5 * dog", LINE),
        ("2 * 2 * dog = wolf", LINE),
        ('"2" * dog = wolf', LINE),
        ("milk: together", LINE),
        ('"together": milk', LINE),
        ("dog = wolf: fox", LINE),
        ("dog ! wolf", "'!' is out of place (a name that holds it stands in double quotes): '! wo"),
        ("dog = \0", r"'\x00' is out of place"),
        ('dog = "wolf', "a quoted name never ends: '\"wolf'."),
        ('dog = wo"lf # fox', "a quoted name never ends: '\"lf # fox'."),
        (
            r'dog = "\q"',
            r"""'"\\q"' is not a text in double quotes as in JSON (Invalid \escape).""",
        ),
        (r'"\ud800" = dog', "no sample is called '\\ud800'."),
        ("dgo = wolf", "no sample is called 'dgo'; did you mean 'dog'?"),
        ('" dog" = wolf', "no sample is called ' dog'; did you mean 'dog'?"),
        ("xyz = wolf", "no sample is called 'xyz'."),
        ('"1" = wolf', "no sample is called '1'."),
        ("dog = 1", "no sample is called '1'; row 1 is written #1."),
        ("dog = #5", "there is no row 5; rows are numbered 0 to 4."),
        ("dog = -1", "no sample is called '-1'; row -1 is written #-1."),
        ("dog = #" + "9" * 5000, "there is no row " + "9" * 60 + "…; rows"),
        ("dog = " + "9" * 5000, "no sample is called '" + "9" * 60 + "…'; row 9"),
        ("dog != dog", "'dog' occurs twice: no sample can be apart from itself."),
        ("dog != #0", "'#0' occurs twice: no sample can be apart from itself."),
        ("dog, dog | wolf", "'dog' occurs twice: a triplet compares three different samples."),
        ("dog, wolf | wolf", "'wolf' occurs twice: a triplet compares three different samples."),
        ("dog, wolf | dog", "'dog' occurs twice: a triplet compares three different samples."),
        ("0 * dog = wolf", "a weight must be a finite number above 0, not '0'."),
        ("-1 * dog != wolf", "a weight must be a finite number above 0, not '-1'."),
        ("nan * dog, wolf | fox", "a weight must be a finite number above 0, not 'nan'."),
        ("inf * dog = wolf", "a weight must be a finite number above 0, not 'inf'."),
        ("1e999 * dog = wolf", "a weight must be a finite number above 0, not '1e999'."),
        ("1e-999 * dog = wolf", "a weight must be a finite number above 0, not '1e-999'."),
        ("half * dog = wolf", "a weight must be a finite number above 0, not 'half'."),
        ("0 * dog = dog", "a weight must be a finite number above 0, not '0'."),
        ("2 * together: milk", "a rule has no weight: '2 * together: milk'."),
        ("* exactly: milk", "a rule has no weight: '* exactly: milk'."),
        ("Together: milk", "there is no kind of rule 'Together'; did you mean 'together'?"),
        ("exacty: a != b", "there is no kind of rule 'exacty'; did you mean 'exactly'?"),
        ("together:", "the rule is empty"),
        ("together: # milk", "the rule is empty"),
        (
            "together: milk &",
            "expected a name, 'not' or '(', found the end of the rule at column 7",
        ),
        ("together: color == 'red # blue", "a quoted value never ends"),
        ("together: a " + "& a" * 40_000, "a rule may have 100,000 characters"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_lines_of_text(line, problem, fail):
    for end in ("\n", "\r\n", "\r"):
        error = fail(".txt", f"# animals{end}{end}{line}{end}dog = wolf{end}", names=ANIMALS)
        assert error.line == 3
        assert problem in str(error)


COLUMNS = (
    "the first line must name the columns kind, a, b, c, weight, separated by commas, each once"
)


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        ("", 0, COLUMNS),
        ("\n\n", 0, COLUMNS),
        ("must_link,dog,wolf", 1, "but is 'must_link,dog,wolf'; or a sample and its group, clu"),
        ("kind;a;b\n", 1, "but is 'kind;a;b'; or a"),
        ("\nkind,a\n", 2, COLUMNS),
        ("a,b,c\n", 1, COLUMNS),
        ("kind,a,b,b\n", 1, COLUMNS),
        ("kind,a,b,d\n", 1, COLUMNS),
        ("kind,a,b,\n", 1, COLUMNS),
        ("kind,a,b\n\nmust_link,dog,wolf,\n", 3, "there are 4 cells, but the first line names 3"),
        ("kind,a,b\nmustlink,dog,wolf\n", 2, "there is no kind 'mustlink'; did you mean 'must_li"),
        ("kind,a,b\n,dog,wolf\n", 2, "there is no kind ''; kinds are must_link, cannot_link, trip"),
        ("a,b,kind\ndog\n", 2, "there is no kind ''"),
        ("kind,a,b\nmust_link,dog\n", 2, "a sample is missing."),
        ("kind,a,b\nmust_link,,dog\n", 2, "a sample is missing."),
        ("kind,a,b\nmust_link, ,dog\n", 2, "a sample is missing."),
        ("kind,a,b\ntriplets,dog,wolf\n", 2, "a sample is missing."),
        (
            "kind,a,b,c\nmust_link,dog,wolf,fox\n",
            2,
            "must_link leaves column c empty, but it holds 'fox'.",
        ),
        (
            "kind,a,b\ntogether,dog,wolf\n",
            2,
            "together leaves column b empty, but it holds 'wolf'.",
        ),
        ("kind,a,b,weight\ntogether,milk,,1\n", 2, "a rule has no weight, but there is '1'."),
        ("kind,a,b\ntogether,\n", 2, "the rule is empty"),
        ("kind,a,b\ntogether,milk &\n", 2, "expected a name, 'not' or '('"),
        ("kind,a,b,weight\nmust_link,dog,wolf,0\n", 2, "a finite number above 0, not '0'."),
        ("kind,a,b,weight\nmust_link,dog,wolf,-1\n", 2, "a finite number above 0, not '-1'."),
        ("kind,a,b,weight\nmust_link,dog,wolf,nan\n", 2, "a finite number above 0, not 'nan'."),
        ("kind,a,b,weight\nmust_link,dog,wolf,inf\n", 2, "a finite number above 0, not 'inf'."),
        ("kind,a,b,weight\nmust_link,dog,wolf,much\n", 2, "a finite number above 0, not 'much'."),
        ('kind,a,b,weight\nmust_link,dog,wolf,"0,5"\n', 2, "a finite number above 0, not '0,5'."),
        ("kind,a,b\nmust_link,dgo,wolf\n", 2, "no sample is called 'dgo'; did you mean 'dog'?"),
        ("kind,a,b\nmust_link,dog,#5\n", 2, "there is no row 5; rows are numbered 0 to 4."),
        ("kind,a,b\nmust_link,dog,1\n", 2, "no sample is called '1'; row 1 is written #1."),
        ("kind,a,b\nmust_link,dog,#" + "9" * 5000, 2, "there is no row 999"),
        ("kind,a,b\ncannot_link,dog,dog\n", 2, "'dog' occurs twice: no sample can be apart"),
        ("kind,a,b,c\ntriplets,dog,wolf,dog\n", 2, "'dog' occurs twice: a triplet compares"),
        ('kind,a,b\nmust_link,"a\nb",dog\nmust_link,dog,dgo', 2, r"no sample is called 'a\nb'."),
        (
            'kind,a,b\nmust_link,dog,wolf\nmust_link,"dog\n\n,wolf',
            3,
            "is not CSV (a quoted cell never",
        ),
        ('kind,a,b\nmust_link,"dog"s,wolf', 2, "is not CSV (text follows a cell in quotes)."),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_tables(table, line, problem, fail):
    error = fail(".csv", table, names=ANIMALS)
    assert error.line == line
    assert problem in str(error)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "is not JSON (Expecting value)."),
        ('{\n"must_link": [\n[0, 1],\nx]}', 4, "is not JSON (Expecting value)."),
        ('{"names": ["a\nb"]}', 1, "is not JSON (Invalid control character at)."),
        ("{} {}", 1, "is not JSON (Extra data)."),
        ("[" * 100_000, 0, "is nested too deeply."),
        ('{"rules": ' * 100_000, 0, "is nested too deeply."),
        ("[]", 0, "an object in braces is expected."),
        ("5", 0, "an object in braces is expected."),
        ("NaN", 0, "an object in braces is expected."),
        ('{"must_links": []}', 0, "there is no part 'must_links'; did you mean 'must_link'"),
        ('{"xyz": []}', 0, "there is no part 'xyz'; parts are n_samples, names, must_link,"),
        ('{"must_link": [], "must_link": []}', 0, "'must_link' occurs twice in one object."),
        ('{"must_link": {}}', 0, "must_link must be a list."),
        ('{"must_link": null}', 0, "must_link must be a list."),
        ('{"rules": "milk"}', 0, "rules must be a list."),
        ('{"names": "dog"}', 0, "names must be a list."),
        ('{"names": ["dog", 5]}', 0, "name 1 is 5"),
        ('{"names": ["dog", "fox", "dog"]}', 0, "samples 0 and 2 are both called 'dog'."),
        ('{"names": ["\\ud800"]}', 0, "half a surrogate pair"),
        ('{"names": ["dog"], "n_samples": 2}', 0, "there are 1 names for 2 samples."),
        ('{"n_samples": -1}', 0, "n_samples must be a whole number from 0, not -1."),
        ('{"n_samples": 1.0}', 0, "n_samples must be a whole number from 0, not 1.0."),
        ('{"n_samples": true}', 0, "n_samples must be a whole number from 0, not True."),
        ('{"n_samples": "5"}', 0, "n_samples must be a whole number from 0, not '5'."),
        ('{"n_samples": %s}' % ("9" * 5000), 0, "n_samples must be a whole number from 0, not 99"),
        ('{"must_link": [[0, 1], 5]}', 0, "must_link[1]: a list of 2 names or row numbers is exp"),
        ('{"must_link": [["dog"]]}', 0, "must_link[0]: a list of 2 names or row numbers"),
        ('{"cannot_link": [[0, 1, 2]]}', 0, "cannot_link[0]: a list of 2 names or row numbers"),
        ('{"triplets": [[0, 1]]}', 0, "triplets[0]: a list of 3 names or row numbers"),
        ('{"triplets": ["dog"]}', 0, "triplets[0]: a list of 3 names or row numbers"),
        ('{"must_link": [[0, true]]}', 0, "must_link[0]: True is neither a name nor a row number."),
        ('{"must_link": [[0, 1.0]]}', 0, "must_link[0]: 1.0 is neither a name nor a row number."),
        ('{"must_link": [[0, null]]}', 0, "must_link[0]: None is neither a name nor a row number."),
        ('{"must_link": [["dgo", 1]]}', 0, "must_link[0]: no sample is called 'dgo'; did you mean"),
        ('{"must_link": [["0", 1]]}', 0, "must_link[0]: no sample is called '0'."),
        ('{"must_link": [[0, 5]]}', 0, "must_link[0]: there is no row 5; rows are numbered 0 to 4"),
        ('{"must_link": [[0, -1]]}', 0, "must_link[0]: there is no row -1;"),
        ('{"must_link": [[0, %s]]}' % ("9" * 5000), 0, "must_link[0]: there is no row 9999"),
        (
            '{"names": ["dog"], "must_link": [[0, 1]]}',
            0,
            "must_link[0]: there is no row 1 among 1 n",
        ),
        (
            '{"names": ["x", "y"], "must_link": [[0, 1]]}',
            0,
            "must_link[0]: no sample is called 'x'",
        ),
        (
            '{"cannot_link": [[0, 1], [2, 2]]}',
            0,
            "cannot_link[1]: 2 occurs twice: no sample can be",
        ),
        ('{"triplets": [[0, "dog", 2]]}', 0, "triplets[0]: 'dog' occurs twice: a triplet compares"),
        (
            '{"must_link": [[0, 1]], "must_link_weights": []}',
            0,
            "there are 0 must_link_weights for 1",
        ),
        ('{"must_link": [[0, 1]], "must_link_weights": 1}', 0, "must_link_weights must be a list."),
        ('{"triplets_weights": [1]}', 0, "there are 1 triplets_weights for 0 rows."),
        *(
            (
                f'{{"must_link": [[0, 1]], "must_link_weights": [{weight}]}}',
                0,
                f"must_link[0]: a weight must be a finite number above 0, not {shown}",
            )
            for weight, shown in [
                ("0", "0."),
                ("-0.5", "-0.5."),
                ("NaN", "nan."),
                ("Infinity", "inf."),
                ("1e999", "inf."),
                ("9" * 5000, "9999"),
                ('"1"', "'1'."),
                ("true", "True."),
                ("null", "None."),
                ("[]", "[]."),
            ]
        ),
        (
            '{"rules": ["milk"]}',
            0,
            'rules[0]: {"together": formula} or {"exactly": formula} is exp',
        ),
        ('{"rules": [{}]}', 0, "rules[0]: "),
        ('{"rules": [{"together": 5}]}', 0, "rules[0]: "),
        ('{"rules": [{"together": "a", "exactly": "b"}]}', 0, "rules[0]: "),
        ('{"rules": [{"together": "a"}, {"exactly": "(b"}]}', 0, "rules[1]: expected a comparison"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_objects(text, line, problem, fail):
    error = fail(".json", text, names=ANIMALS)
    assert error.line == line
    assert problem in str(error)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_and_row_numbers_do_not_mix(suffix, fail):
    error = fail(suffix, pairs(suffix, 0, 1, 0, "dog"))
    assert "'dog' is a name, but elsewhere there are row numbers; give the names of" in str(error)
    assert "put numbers that are names in quotes" in str(error)
    assert error.line == {".txt": 2, ".csv": 3, ".json": 0}[suffix]


def test_missing_cells_where_nobody_gives_names(fail):
    assert "a sample is missing." in str(fail(".csv", "kind,a,b\nmust_link,dog,\n"))
    assert "a sample is missing." in str(fail(".csv", "kind,a,b\nmust_link,0,\n"))


@pytest.mark.parametrize(("suffix", "line"), [(".txt", 2), (".json", 0)])
def test_names_that_no_file_could_hold(suffix, line, fail):
    half = {".txt": '"dog" = "x"\n"\\ud800" = dog', ".json": '{"must_link": [["dog", "\\ud800"]]}'}
    error = fail(suffix, half[suffix])
    assert error.line == line
    assert r"'\ud800' holds half a surrogate pair." in str(error)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_number_of_samples_must_agree(suffix, fail):
    text = pairs(suffix, "dog", "wolf", "dog", "fox")
    for count in (0, 2, 4):
        error = fail(suffix, text, n_samples=count)
        assert f"it is about 3 samples, but {count} are expected" in str(error)
        assert "give the names of all (names=)" in str(error)
    assert "no sample is called 'fox'" in str(fail(suffix, text, names=["dog", "wolf"]))


def test_the_number_of_samples_in_json_must_agree(fail):
    for text in ('{"n_samples": 3}', '{"names": ["dog", "wolf", "fox"]}'):
        assert "it is about 3 samples, but 5 are expected" in str(fail(".json", text, n_samples=5))
    assert "it is about 3 samples, but 5 are" in str(
        fail(".json", '{"n_samples": 3}', names=ANIMALS)
    )
    text = '{"n_samples": 3, "must_link": [["dog", "wolf"]]}'
    assert "it is about 2 samples, but 3 are expected" in str(fail(".json", text))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("row", [10**8, 10**18, 10**30])
def test_row_numbers_that_are_hard_to_believe(suffix, row, fail):
    error = fail(suffix, pairs(suffix, 0, 1, 0, row))
    assert f"the row number {row} is very large; give n_samples if there are" in str(error)
    assert f"there is no row {row}; rows are numbered" in str(
        fail(suffix, pairs(suffix, 0, 1, 0, row), n_samples=min(row, 10**18))
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_negative_rows_where_nobody_counts_them(suffix, fail):
    error = fail(suffix, pairs(suffix, 0, 1, 0, -7))
    assert "there is no row -7; rows are numbered 0 to 1." in str(error)
    error = fail(suffix, pairs(suffix, 0, 1, 0, 1), n_samples=0)
    assert "there is no row 0; there are no samples." in str(error)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_huge_numbers_of_samples_take_no_memory(suffix, tmp_path):
    path = tmp_path / f"huge{suffix}"
    huge = Constraints(10**18, must_link=[(5, 10**18 - 1)], cannot_link=[(0, 1)])
    huge.write(path)
    assert Constraints.read(path, n_samples=10**18) == huge


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_must_link_of_a_sample_with_itself_is_dropped(suffix, tmp_path):
    path = tmp_path / f"self{suffix}"
    path.write_text(pairs(suffix, "dog", "wolf", "fox", "fox"), encoding="utf-8")
    place = {".txt": ", line 2: ", ".csv": ", line 3: ", ".json": ": must_link[1]: "}[suffix]
    with pytest.warns(DroppedConstraintWarning) as caught:
        constraints = Constraints.read(path)
    assert constraints == Constraints(3, must_link=[(0, 1)], names=["dog", "wolf", "fox"])
    said = "a sample is linked to itself; that says nothing and is left out (1 such row)."
    assert [str(warning.message) for warning in caught] == [f"{path}{place}{said}"]
    assert caught[0].filename == __file__


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_characters(suffix, encoding, fail):
    error = fail(suffix, TEXTS[suffix].encode(encoding), names=ANIMALS)
    assert error.line == 1
    assert "is not UTF-8 text (byte 0x" in str(error)
    assert "save the file as UTF-8." in str(error)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_latin_letters(suffix, line_end, mark, fail):
    text = TEXTS[suffix].replace("\n", line_end).replace("fins", "f\xefns")
    error = fail(suffix, mark + text.encode("latin-1"), names=ANIMALS)
    assert "is not UTF-8 text (byte 0xef); save the file as UTF-8." in str(error)
    assert "\xef" in text.split(line_end)[error.line - 1]


def seconds_of(call):
    began = time.process_time()
    call()
    return time.process_time() - began


@pytest.mark.parametrize(
    ("suffix", "start", "units"),
    [
        (".txt", "", ["x", "x = ", '"', "#"]),
        (".txt", "together: ", ["x", "x & ", "'", "("]),
        (".csv", "", ["x", "x,", '"']),
        (".csv", "kind,a,b\nmust_link,", ["x", "x,", '"']),
        (".json", "", ["x", "[", "1", '"', '{"a":']),
        (".json", '{"must_link": [[', ["1", "1,", '"", ', "["]),
    ],
    ids=range(6),
)
def test_lines_of_ten_megabytes_are_refused_quickly(suffix, start, units, fail):
    for unit in units:
        content = (start + unit * (10**7 // len(unit))).encode()
        # On a busy machine even CPU time varies, upwards: one of three tries shows what it takes.
        assert any(seconds_of(lambda: fail(suffix, content)) < 2 for _ in range(3))  # noqa: B023


def test_lines_just_short_enough_are_read_quickly(folder):
    path = folder / "long.txt"
    for line in [
        " " * 190_000 + "= a",
        "a" + " " * 190_000 + "b",
        '"' + "\\" * 190_000,
        "a=" * 99_000,
        "together:" + "'\\" * 90_000,
    ]:
        path.write_text(line, encoding="utf-8")
        began = time.process_time()
        with pytest.raises(ConstraintFileError):
            Constraints.read(path)
        assert time.process_time() - began < 2


def test_a_name_of_many_is_looked_for_quickly(fail):
    names = [f"sample {i}" for i in range(100_000)]
    began = time.process_time()
    assert "did you mean" in str(fail(".txt", "sample 5 = sampel 7", names=names))
    assert time.process_time() - began < 2


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_is_no_file(suffix, tmp_path):
    path = tmp_path / f"folder{suffix}"
    path.mkdir()
    with pytest.raises(ConstraintFileError, match=r"cannot be read: .+\.") as caught:
        Constraints.read(path)
    assert (caught.value.path, caught.value.line) == (str(path), 0)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_not_there(suffix, tmp_path):
    with pytest.raises(ConstraintFileError, match=r"cannot be read: No such file or directory\."):
        Constraints.read(tmp_path / f"nothing{suffix}")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "secret.txt"
    path.write_text("dog = wolf", encoding="utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):  # nothing is forbidden to root

        def refuse(path):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ConstraintFileError, match=r"cannot be read: Permission denied\."):
        Constraints.read(path)


@pytest.mark.parametrize(("name", "suffix"), [("a.yaml", ".yaml"), ("a", ""), ("a.txt.gz", ".gz")])
def test_unknown_suffixes(name, suffix, tmp_path):
    (tmp_path / name).write_text("dog = wolf", encoding="utf-8")
    with pytest.raises(ConstraintFileError) as caught:
        Constraints.read(tmp_path / name)
    assert f"a constraint file ends in .txt, .csv, .json, not in {suffix!r}." in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"names": ["dog", "wolf", "dog"]}, DuplicateNameError),
        ({"names": ["dog", "wolf"], "n_samples": 3}, InvalidNameError),
        ({"names": ["dog", 5]}, InvalidNameError),
        ({"names": "dog"}, InvalidNameError),
        ({"n_samples": -1}, ClustraintError),
        ({"n_samples": 1.5}, ClustraintError),
        ({"n_samples": True}, ClustraintError),
    ],
)
def test_bad_arguments_are_no_fault_of_the_file(arguments, error, tmp_path):
    path = tmp_path / "good.txt"
    path.write_text("dog = wolf", encoding="utf-8")
    with pytest.raises(error) as caught:
        Constraints.read(path, **arguments)
    assert not isinstance(caught.value, ConstraintFileError)
