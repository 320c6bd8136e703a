"""Two studios on one file, and `ask` beside a studio: one serves, nothing is lost."""

import contextlib
import http.client
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from clustraint.active import AnswerFile
from clustraint.studio._log import EventLog

pytest.importorskip("uvicorn")
COMMAND = (sys.executable, "-c", "from clustraint.cli import main; main()")
TABLE = "name,size,weight\ndog,3,30\nwolf,4,40\ncow,9,700\ntrout,1,2\ncarp,2,5\neel,2,4\n"
N_PROCESSES = 4


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def start(folder):
    """Start commands in the folder; all of them are ended afterwards."""
    started = []

    def begin(*arguments):
        started.append(
            subprocess.Popen(
                [*COMMAND, *arguments],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "CLUSTRAINT_COMPILE": "auto"},
            )
        )
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def status_of(link):
    address = urlsplit(link)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=120)
    with contextlib.closing(connection):
        connection.request("GET", f"/?{address.query}")
        return connection.getresponse().status


def test_of_two_studios_that_start_at_once_one_serves_and_both_tell_its_link(start):
    studios = [start("studio", "t.csv", "--no-browser") for _ in range(2)]
    links = [studio.stdout.readline().strip() for studio in studios]
    assert links[0] == links[1] != "", [studio.stderr.read() for studio in studios]
    assert status_of(links[0]) == 303
    (other,) = [s for s in studios if _ends(s)]
    assert other.returncode == 0
    assert other.stderr.read() == ""


def _ends(process):
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        return False
    return True


def claim(path, number, barrier, results):
    barrier.wait(60)
    log = EventLog(path)
    is_mine = log.claim("", f"http://127.0.0.1:{number}/")
    log.append(f"command {number}", "somebody", [("answer", {"number": number}, None)])
    log.close()
    results.put((number, is_mine))


def test_a_new_file_is_made_once_and_claimed_by_one(tmp_path):
    forked = multiprocessing.get_context("fork")
    for attempt in range(5):
        path = tmp_path / f"{attempt}.studio"
        barrier, results = forked.Barrier(N_PROCESSES), forked.Queue()
        processes = [
            forked.Process(target=claim, args=(path, number, barrier, results))
            for number in range(N_PROCESSES)
        ]
        for process in processes:
            process.start()
        outcomes = [results.get(timeout=60) for _ in processes]
        for process in processes:
            process.join()
        (owner,) = [number for number, is_mine in outcomes if is_mine]
        log = EventLog(path)
        assert log.meta()["server"] == f"http://127.0.0.1:{owner}/"
        assert {event.body["number"] for event in log.events()} == set(range(N_PROCESSES))
        log.close()


def test_questions_in_a_terminal_beside_a_studio(start, folder):
    studio = start("studio", "t.csv", "--no-browser")
    link = studio.stdout.readline().strip()
    assert link, studio.stderr.read()
    ask = start("ask", "t.csv", "-k", "2", "-n", "3", "--json", "-o", "a.txt")
    output, errors = ask.communicate("n\n" * 3, timeout=300)
    assert ask.returncode == 0, errors
    assert json.loads(output)["labels"]
    assert len(AnswerFile(folder / "a.txt", 6, ["dog", "wolf", "cow", "trout", "carp", "eel"])) == 3
    # The studio's own file holds no answers as text, and stays as it is.
    wrong = start("ask", "t.csv", "-k", "2", "-n", "3", "-o", "t.studio")
    _, errors = wrong.communicate("n\n" * 3, timeout=300)
    assert wrong.returncode == 2
    assert "t.studio" in errors
    assert "Traceback" not in errors
    assert status_of(link) == 303
    with contextlib.closing(sqlite3.connect(folder / "t.studio")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
