"""The log keeps what it has acknowledged, once."""

import os
import sqlite3
import stat

import numpy as np
import pytest

from clustraint.exceptions import StudioFileError
from clustraint.studio import _log
from clustraint.studio._log import Event, EventLog, live

LINK = ("together", {"rows": [0, 1]}, None)


def test_what_is_appended_is_there_when_the_file_is_opened_again(tmp_path):
    path = tmp_path / "a.studio"
    log = EventLog(path)
    (event,) = log.append("command-1", "Ann", [LINK])
    # Not closed: whoever is killed closes nothing.
    again = EventLog(path).events()
    assert again == [event]
    assert (event.seq, event.person, event.body) == (1, "Ann", {"rows": [0, 1]})


def test_a_command_that_comes_twice_is_kept_once():
    log = EventLog(":memory:")
    first = log.append("command-1", "Ann", [LINK, LINK])
    assert log.append("command-1", "Ann", [LINK, LINK]) == first
    assert len(log.events()) == 2


def test_a_command_is_kept_whole_or_not_at_all():
    log = EventLog(":memory:")
    with pytest.raises(TypeError):
        log.append("command-1", "Ann", [LINK, ("together", {"rows": {1, 2}}, None)])
    with pytest.raises(StudioFileError):
        log.append("command-1", "Ann", [LINK, ("retract", {}, 99)])
    assert log.events() == []
    assert log.append("command-2", "Ann", [LINK])[0].seq == 1


def test_commits_wait_for_the_disk(tmp_path):
    log = EventLog(tmp_path / "a.studio")
    pragma = {
        name: log._database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous")
    }
    assert pragma == {"journal_mode": "wal", "synchronous": 2}
    mode = stat.S_IMODE(os.stat(tmp_path / "a.studio").st_mode)
    assert mode & 0o077 == 0


def test_a_full_disk_is_one_sentence_and_nothing_is_kept():
    log = EventLog(":memory:")
    log.append("command-1", "Ann", [LINK])
    pages = log._database.execute("PRAGMA page_count").fetchone()[0]
    log._database.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StudioFileError, match="full"):
        log.append("command-2", "Ann", [("note", {"text": "x" * 100_000}, None)])
    assert [event.command for event in log.events()] == ["command-1"]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda path: path.write_bytes(b"name,x\na,1\n"), "not a database"),
        (lambda path: sqlite3.connect(path).execute("CREATE TABLE t (x)"), "another program"),
        (lambda path: path.mkdir(), "folder|directory"),
    ],
)
def test_other_files_are_refused(tmp_path, write, words):
    path = tmp_path / "a.studio"
    write(path)
    with pytest.raises(StudioFileError, match=words):
        EventLog(path)


def test_clusterings_come_back_as_they_were():
    log = EventLog(":memory:")
    start, labels = np.random.default_rng(0).normal(size=(3, 2)), np.array([2, 0, 1, -1, 300])
    kept = log.keep(4, "print", {"method": "cop-kmeans"}, start, labels)
    again = log.clustering(kept.id)
    assert (again.seq, again.fingerprint, again.about) == (4, "print", {"method": "cop-kmeans"})
    assert (again.start == start).all()
    assert (again.labels == labels).all()
    assert log.clustering_by("print").id == kept.id
    assert log.clustering(99) is None
    assert log.clustering_by("other") is None


def test_old_clusterings_are_thinned_but_for_those_that_were_taken(monkeypatch):
    monkeypatch.setattr(_log, "MOST_KEPT", 3)
    log = EventLog(":memory:")
    log.append("command-1", "Ann", [("take", {"clustering": 2}, None)])
    for number in range(8):
        log.keep(number, str(number), {}, None, np.zeros(2, np.int64))
    kept = [each["id"] for each in log.clusterings()]
    assert 2 in kept
    assert kept[-3:] == [6, 7, 8]
    assert len(kept) <= 5


def event(seq, retracts=None):
    kind = "together" if retracts is None else "retract"
    return Event(seq, f"c{seq}", 0.0, "Ann", kind, {}, retracts)


@pytest.mark.parametrize(
    ("events", "held"),
    [
        ([event(1), event(2)], [1, 2]),
        ([event(1), event(2, 1)], [2]),
        ([event(1), event(2, 1), event(3, 2)], [1, 3]),
        ([event(1), event(2, 1), event(3, 2), event(4, 3)], [2, 4]),
        ([event(1), event(2, 1), event(3, 1), event(4, 2)], [3, 4]),
    ],
)
def test_a_retraction_may_be_taken_back(events, held):
    assert [each.seq for each in live(events)] == held
