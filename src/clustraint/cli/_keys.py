"""Answers by single keys, at a terminal, from people who may type whole words all the same."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

UNDO, STOP, FULL = "undo", "stop", "full"
# Each key, what it says, and the rest of the words that begin with it.
KEYS = {
    "y": ("yes", ("es",)),
    "n": ("no", ("o",)),
    "s": ("don't know", ("kip", "top")),
    "d": ("don't know", ("on't know", "ont know")),
    "u": (UNDO, ("ndo",)),
    "f": (FULL, ("ull",)),
    "q": (STOP, ("uit",)),
}
# What a word says that means something else than its first letter.
WORDS = {"stop": (UNDO, STOP)}
END = ("\x04", "")
# Within so many seconds, a letter belongs to the word before it; later it may be an answer.
SAME_WORD = 0.7


class KeyPress(NamedTuple):
    """A character, "" for the end of the input, and when it came in seconds."""

    character: str
    time: float


def key_replies(presses: Iterable[KeyPress]) -> Iterator[str]:
    r"""Yield what keys say: each at once, without the rest of a word that is typed after it.

    Only ``n`` after ``u``, and ``u`` after ``f``, may be the next letter of a word or another key:
    the time tells.

    Examples
    --------
    >>> typed = "yes\nnsy"
    >>> list(key_replies(KeyPress(each, place) for place, each in enumerate(typed)))
    ['yes', 'no', "don't know", 'yes']
    """
    word, before = "", float("-inf")
    rest: tuple[str, ...] = ()
    for character, moment in presses:
        if character in END:
            yield STOP
            return
        character = "'" if character == "’" else character.lower()
        left = tuple(each[1:] for each in rest if each.startswith(character))
        if left and (character not in KEYS or len(word) > 1 or moment - before < SAME_WORD):
            word, rest, before = word + character, left, moment
            if "" in rest:
                yield from WORDS.get(word, ())
            continue
        if character in KEYS:
            reply, rest = KEYS[character]
            word, before = character, moment
            yield reply
        elif character.isspace():
            word, rest = "", ()


@contextlib.contextmanager
def terminal_keys() -> Iterator[Iterator[KeyPress]]:
    """Give the keys that are pressed at the terminal of standard input, unechoed.

    Raises
    ------
    ImportError, OSError
        Where terminals have no such mode.
    """
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def presses() -> Iterator[KeyPress]:
        pending = b""
        while True:
            pending += (piece := os.read(descriptor, 1))
            if not piece:
                yield KeyPress("", time.monotonic())
                return
            with contextlib.suppress(UnicodeDecodeError):
                character, pending = pending.decode(), b""
                yield KeyPress(character, time.monotonic())
            pending = b"" if len(pending) > 3 else pending

    try:
        # Not the default, which forgets keys that were pressed while questions were prepared.
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield presses()
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
