"""Bad input is one clear sentence on stderr and exit code 2, and nothing is left behind."""

import errno
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from clustraint.exceptions import OutputFileError
from clustraint.files import write_whole
from tests.commands import COMMAND, Run, call, run_installed

GOOD = "name,x,y\ndog,1,1\nwolf,2,1\ntrout,8,9\ncarp,9,9\n"
FILES = {
    "good.csv": GOOD,
    "pairs.txt": "dog = wolf\n",
    "wrong.txt": "dog = wolve\n",
    "against.txt": "dog = wolf\nwolf = carp\ndog != carp\n",
    "rule.txt": "together: milk\n",
    "triplet.txt": "dog, wolf | carp\n",
    "sentence.txt": "dog is like wolf\n",
    "twice.csv": GOOD + "dog,3,3\n",
    "empty.csv": "",
    "header.csv": "name,x\n",
    "one.csv": "name,x,y\ndog,1,2\n",
    "binary.csv": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "excel.csv": b"PK\x03\x04\x14\0",
    "latin.csv": "name,x\nBär,1\nUhu,2\n".encode("latin-1"),
    "nan.csv": "x,y\nnan,?\nNA,\n",
    "huge.csv": "x,y\n1,2\n123456789012345678901234567890,3\n",
    "digits.jsonl": '{"x": 1}\n{"x": 1' + "0" * 5000 + "}\n",
    "infinite.csv": "x,y\n1,2\n-inf,3\n",
    "wide.csv": "x,y\n1e200,2\n-1e200,3\n1,1\n",
    "ragged.csv": "name,x\ndog,1\nwolf,2,3\n",
    "numbers.csv": "1,2\n3,4\n",
    "holes.csv": "name,x,y\ndog,1,\nwolf,2,1\ntrout,8,9\n",
    "labels.csv": "id,cluster\ndog,0\nwolff,1\n",
    "short.csv": "cluster\n0\n1\n",
    "no.parquet": b"PAR1 nothing else",
}


class Case(NamedTuple):
    arguments: str
    words: str


CASES = [
    Case("cluster none.csv -k 2", "none.csv: cannot be read: No such file"),
    Case("cluster good.csv -k 2 --id nam", "no column 'nam'; did you mean 'name'?"),
    Case("cluster good.csv -k 2 --ignore z", "no column 'z'; the columns are name, x, y"),
    Case("cluster good.csv -k 2 --text nmae", "no column 'nmae'; did you mean 'name'?"),
    Case("cluster good.csv -k 2 --numeric name", "'name' cannot be numeric: it holds 'dog'"),
    Case("cluster good.csv -k 2 -c wrong.txt", "no sample is called 'wolve'; did you mean 'wolf'"),
    Case("cluster good.csv -k 2 -c wrong.txt --ignore name", "--id COLUMN"),
    Case("cluster good.csv -k 2 -c rule.txt", "names 'milk', which is not a column"),
    Case("cluster good.csv -k 2 -c none.txt", "none.txt: cannot be read: No such file"),
    Case("cluster good.csv -k 2 -c good.csv", "good.csv"),
    Case("cluster good.csv -k 2 -c folder", "a constraint file ends in .txt, .csv, .json"),
    Case("cluster good.csv -k 2 -c sentence.txt", "sentence.txt, line 1: a line reads"),
    Case("cluster good.csv -k 2 -c against.txt", "2 must-links link them"),
    Case("cluster empty.csv -k 2", "empty.csv: is empty"),
    Case("cluster header.csv -k 2", "holds column names only"),
    Case("cluster one.csv -k 2", "one.csv holds one sample, but at least two samples are needed"),
    Case("cluster binary.csv -k 2", "binary.csv: is a binary file"),
    Case("cluster excel.csv -k 2", "is a zip file; unpack it"),
    Case("cluster no.parquet -k 2", "is not a Parquet file"),
    Case("cluster good.csv -k 2 --delimiter ;", "perhaps commas do"),
    Case("cluster latin.csv -k 2 --encoding utf-8", "line 2: is not utf-8 text (byte 0xe4)"),
    Case("cluster good.csv -k 2 --encoding undefined", "--encoding must be a text encoding that"),
    Case("cluster good.csv -k 2 --impute guess", "--impute must be 'auto', 'frequent'"),
    Case("cluster good.csv -k 2 --duplicates some", "--duplicates must be 'first', 'all'"),
    Case(
        "cluster good.csv -k 2 --encoding klingon", "--encoding must be a text encoding that Python"
    ),
    Case("cluster good.csv -k 2 --format xls", "--format must be 'csv', 'tsv'"),
    Case("cluster nan.csv -k 2", "no column to cluster by: 'x' has no values"),
    Case("cluster digits.jsonl -k 2", "digits.jsonl, line 2: holds a number of too many digits"),
    Case("cluster wide.csv -k 2", "which cannot be scaled"),
    Case("cluster ragged.csv -k 2", "line 3: has 3 values, but there are 2 columns"),
    Case("cluster holes.csv -k 2 --impute none", "has no value for 1 sample, first for sample 0"),
    Case("cluster . -k 2", "cannot be read: Is a directory"),
    Case("cluster good.csv -k many", "a range such as 2-8, or auto, but is 'many'"),
    Case("cluster good.csv -k 9", "9 clusters cannot be made of 4 samples"),
    Case("cluster good.csv -k 0", "-k must be a whole number from 1 up"),
    Case("cluster good.csv -k 8-2", "a range such as 2-8, or auto, but is '8-2'"),
    Case("cluster good.csv -k 2 -m recom", "no method 'recom'; did you mean 'recon'"),
    Case(
        "cluster good.csv -k 2 -m tree -c triplet.txt",
        "tree does not accept triplets; "
        "use best, mixture, propagation, recon, ihac or bihac instead",
    ),
    Case("cluster good.csv -k 2 --scale log", "--scale must be 'standard', 'minmax' or"),
    Case("cluster good.csv -k 2 -o folder", "folder cannot be written: it is a folder"),
    Case("cluster good.csv -k 2 -o none/labels.csv", "cannot be written: No such file"),
    Case("cluster good.csv -k 2 --save folder", "folder cannot be written"),
    Case("cluster good.csv -k 2 -o /dev/full", "cannot be written: No space left on device"),
    Case("cluster", "Missing argument"),
    Case("clustr good.csv", "Did you mean 'cluster'"),
    Case("cluster good.csv --wrong", "--wrong"),
    Case("check good.csv", "there is nothing to check: name a constraint file (-c FILE)."),
    Case("check -c pairs.txt -c wrong.txt", "name the table they are about"),
    Case("check -c none.txt", "none.txt: cannot be read: No such file"),
    Case("check good.csv -c wrong.txt", "did you mean 'wolf'"),
    Case("check none.csv -c pairs.txt", "none.csv: cannot be read"),
    Case("check -c pairs.txt --repair folder", "folder cannot be written: it is a folder"),
    Case("check -c pairs.txt --repair none/out.txt", "out.txt: cannot be written"),
    Case(
        "convert pairs.txt out.xml",
        "the name of a constraint file ends in .txt, .csv or .json, not in .xml",
    ),
    Case("convert pairs.txt none/out.json", "cannot be written: No such file"),
    Case("convert none.txt out.json", "cannot be read"),
    Case("explain good.csv labels.csv", "no sample is called 'wolff'; did you mean 'wolf'?"),
    Case("explain good.csv short.csv", "has 2 labels for 4 samples"),
    Case("explain good.csv clusters", "there is no file 'clusters', and"),
    Case("explain good.csv binary.csv", "binary file"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "place"
    (place / "folder").mkdir(parents=True)
    for name, content in FILES.items():
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(place)
    return place


def check(done, words, where=""):
    assert done.code == 2, f"{where}: {done}"
    assert "Traceback" not in done.err, where
    assert done.err.startswith("clustraint: "), f"{where}: {done.err}"
    assert done.err.count("\n") == 1, f"{where}: {done.err}"
    assert words in done.err, f"{where}: {done.err}"


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("case", CASES, ids=[case.arguments for case in CASES])
def test_one_sentence(folder, capsys, case):
    before = names(folder)
    check(call(capsys, *case.arguments.split()), case.words)
    assert names(folder) == before


def test_all_of_it_through_the_installed_command(folder, tmp_path):
    rows = "".join(f"sample number {i},{i % 7},{i % 5}\n" for i in range(3000))
    (folder / "long.csv").write_text(f"name,x,y\n{rows}")
    before = names(folder)
    runs = [Run(case.arguments.split(), folder) for case in CASES]
    words = [case.words for case in CASES]

    def add(arguments, told, **options):
        runs.append(Run(arguments.split(), folder, **options))
        words.append(told)

    add("cluster - -k 2", "standard input: is empty")
    add("cluster - -k 2", "binary file", stdin=str(folder / "binary.csv"))
    add("cluster good.csv -k 2", "No space left on device", stdout="/dev/full")
    add("cluster good.csv -k 2 --json", "No space left on device", stdout="/dev/full")
    add("cluster good.csv -k 2", "broken pipe", stdout="closed")
    add("cluster good.csv -k 2 -o -", "broken pipe", stdout="closed")
    add("check -c pairs.txt --json", "broken pipe", stdout="closed")
    # A disk on which there is room for so much and no more.
    add("cluster long.csv -k 2 -q -o out.csv", "out.csv cannot be written: File too", limit=4096)
    add("cluster long.csv -k 2 -q --save m.skops", "cannot be written: File too", limit=4096)
    warm = ["check -c pairs.txt"]
    done_runs = run_installed(runs, tmp_path, warm)
    for run, told, done in zip(runs, words, done_runs, strict=True):
        check(done, told, " ".join(run.arguments))
    assert names(folder) == before


def test_a_process_of_its_own(folder):
    done = subprocess.run(
        [COMMAND, "cluster", "good.csv", "-k", "2", "--id", "nam"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "did you mean 'name'?" in done.stderr


@pytest.mark.parametrize("place", ["before", "after"])
def test_debug_shows_the_traceback(folder, place):
    arguments = ["cluster", "good.csv", "--id", "nam"]
    arguments = ["--debug", *arguments] if place == "before" else [*arguments, "--debug"]
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    assert "Traceback" in done.stderr
    assert "UnknownColumnError" in done.stderr


def test_no_permission_to_read(folder, capsys, monkeypatch):
    def refuse(self, *arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(Path, "open", refuse)
    check(call(capsys, "cluster", "good.csv", "-k", 2), "good.csv: cannot be read: Permission den")


def test_no_permission_to_write(folder, capsys, monkeypatch):
    def refuse(self, content):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    done = call(capsys, "cluster", "good.csv", "-k", 2, "-o", "new.csv")
    check(done, "new.csv cannot be written: Permission denied")
    assert not (folder / "new.csv").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_no_permission_for_real(folder, capsys):
    (folder / "good.csv").chmod(0)
    check(call(capsys, "cluster", "good.csv", "-k", 2), "cannot be read: Permission denied")


def test_a_file_that_was_there_stays_as_it_was(folder, monkeypatch):
    target = folder / "labels.csv"
    target.write_text("old")

    def fail(self, content):
        open(self, "wb").close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fail)
    before = names(folder)
    with pytest.raises(OutputFileError, match="No space left on device"):
        write_whole(target, b"new")
    assert names(folder) == before
    assert target.read_text() == "old"


def test_ctrl_c_leaves_no_half_file(folder, monkeypatch):
    def stop(self, content):
        open(self, "wb").close()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", stop)
    before = names(folder)
    with pytest.raises(KeyboardInterrupt):
        write_whole(folder / "new.csv", b"new")
    assert names(folder) == before


def test_a_link_stays_a_link(folder):
    (folder / "link.csv").symlink_to(folder / "real.csv")
    write_whole(folder / "link.csv", b"new")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_bytes() == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="open files have no names")
def test_a_pipe_behind_a_name_is_written_to(folder):
    reading, writing = os.pipe()
    write_whole(f"/dev/fd/{writing}", b"new")
    os.close(writing)
    assert os.read(reading, 9) == b"new"
    os.close(reading)


def test_interrupted(folder):
    os.mkfifo(folder / "slow.csv")
    done = subprocess.Popen(
        [COMMAND, "cluster", "slow.csv", "-k", "2", "-o", "l.csv"],
        stderr=subprocess.PIPE,
        text=True,
    )
    with open(folder / "slow.csv", "w"):  # opens when the command reads, and gives it nothing
        time.sleep(0.1)
        done.send_signal(2)
        _, told = done.communicate(timeout=60)
    assert (done.returncode, told) == (130, "clustraint: interrupted\n")
    assert not (folder / "l.csv").exists()


def test_an_unexpected_error_is_a_sentence_too(folder, capsys, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("something odd\nin two lines")

    monkeypatch.setattr("clustraint.tables.read_table", fail)
    check(call(capsys, "cluster", "good.csv"), "RuntimeError: something odd in two lines (--debug")


def test_warnings_are_sentences(folder, capsys):
    (folder / "self.txt").write_text("dog = dog\ndog = wolf\n")
    done = call(capsys, "cluster", "good.csv", "-k", 2, "-c", "self.txt", "-q")
    assert done.code == 0
    assert done.err.startswith("clustraint: note: self.txt, line 1: a sample is linked to itself")
    assert done.err.count("\n") == 1
