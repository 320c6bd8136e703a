"""Single keys at a terminal, and words that are typed all the same."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

from clustraint.cli._keys import KeyPress, key_replies
from tests.commands import COMMAND

TABLE = "name,size,weight,kind\n" + "".join(
    f"a{n},{n % 7},{n * n % 11},{'xyz'[n % 3]}\n" for n in range(30)
)


def replies(typed, pause=0.1):
    return list(key_replies(KeyPress(each, place * pause) for place, each in enumerate(typed)))


@pytest.mark.parametrize("pause", [0.01, 0.1, 3.0])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ynsq", ["yes", "no", "don't know", "stop"]),
        ("yes", ["yes"]),
        ("no", ["no"]),
        ("yes\nno\nskip\n", ["yes", "no", "don't know"]),
        ("YES no", ["yes", "no"]),
        ("don't know\ny", ["don't know", "yes"]),
        ("don’t knowy", ["don't know", "yes"]),
        ("yy nn", ["yes", "yes", "no", "no"]),
        ("ys", ["yes", "don't know"]),
        ("stop", ["don't know", "undo", "stop"]),
        ("x?1 \t\n", []),
        ("y\x04", ["yes", "stop"]),
    ],
)
def test_keys_and_words(typed, expected, pause):
    assert replies(typed, pause) == expected


def test_only_the_time_tells_a_word_from_keys():
    assert replies("undo", 0.1) == ["undo"]
    assert replies("un", 2.0) == ["undo", "no"]
    assert replies("full\ny", 0.1) == ["full", "yes"]


class Terminal:
    """A command at a terminal of 80 columns, and all that it printed, without colours.

    The whole conversation has one deadline; whoever waits in vain is told what was printed.
    """

    def __init__(self, words, folder, seconds=60):
        self.end = time.monotonic() + seconds
        self.printed = b""
        self.seen = 0
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        sized = {key: os.environ[key] for key in os.environ if key not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            words, cwd=folder, env=sized, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.ours)

    @property
    def text(self):
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", self.printed.decode(errors="replace"))

    def press(self, keys):
        os.write(self.ours, keys)

    def until(self, words):
        """Return what is printed after what was returned before, up to some words."""
        while (place := self.text.find(words, self.seen)) < 0:
            assert self._read(), f"there is no {words!r} in:\n{self.text}"
        begin, self.seen = self.seen, place + len(words)
        return self.text[begin : self.seen]

    def code(self):
        """Return the code with which the command ends."""
        while self._read():
            pass
        try:
            return self.process.wait(max(1, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            pytest.fail(f"it does not end after:\n{self.text}")

    def _read(self):
        """Wait for more; return whether there may be more."""
        left = self.end - time.monotonic()
        if left <= 0 or not select.select([self.ours], [], [], left)[0]:
            return False
        try:
            more = os.read(self.ours, 4096)
        except OSError:  # so Linux says that nobody writes any more
            return False
        self.printed += more
        return bool(more)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals here")
def test_a_conversation_at_a_terminal(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    words = [COMMAND, "ask", "t.csv", "-k", "2", "-n", "3", "--ignore", "kind"]
    with Terminal(words, tmp_path) as terminal:
        assert "Question 1 of 3" in terminal.until("q stop")
        terminal.press(b"f")
        in_full = terminal.until("q stop")
        assert "Question 1 of 3" in in_full
        assert "kind (not used)" in in_full
        terminal.press(b"yes\r")
        terminal.until("Question 2 of 3")
        terminal.until("q stop")
        terminal.press(b"n")
        terminal.until("Question 3 of 3")
        terminal.until("q stop")
        terminal.press(b"q")
        assert "Stopped; run the same command again" in terminal.until("Next: ")
        assert terminal.code() == 0
    lines = (tmp_path / "t.answers.txt").read_text().splitlines()
    assert " = " in lines[1]
    assert " != " in lines[2]
