"""Names and cells never make a terminal do anything, whichever command shows them."""

import contextlib
import io
import json

import pytest

from clustraint.cli import _app, main
from clustraint.tables import read_table
from clustraint.wording import visible_text
from clustraint.workflow import ClusterModel, cluster_table

# Sets the title (OSC), clears and colours (CSI), rings, goes back, turns the direction around.
TRICKS = ("\x1b]0;owned\x07", "\x1b[5;41m", "\x9b5;41m", "\x1bc", "\b", "\u202e", "\u2066")
TRICK = "".join(TRICKS)
# What no style of ours contains.
ACTS = ("\x1b]", "\x07", "\x1b[5;41m", "\x9b", "\x1bc", "\b", "\u202e", "\u2066")


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self):
        return True


def shown(*arguments, stdin=None, monkeypatch=None):
    """Return the exit code of a command at a terminal, and what the terminal got."""
    out = Terminal()
    if stdin is not None:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        pytest.raises(SystemExit) as stop,
    ):
        main([str(each) for each in arguments])
    return stop.value.code, out.getvalue()


def check(text):
    for act in ACTS:
        assert act not in text, repr(act)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    names = [f"{TRICK}{name}" for name in ("dog", "wolf", "trout", "carp")]
    cells = [
        f'"{name}",{x},{TRICK}{"ab"[x > 5]}'
        for name, x in zip(names, "1289", strict=True)
        for x in [int(x)]
    ]
    table = "\n".join([f'"name{TRICK}",size,color{TRICK}', *cells, ""])
    (tmp_path / "t.csv").write_bytes(table.encode())
    (tmp_path / f"n{TRICK}.csv").write_bytes(table.encode())
    quoted = [json.dumps(name) for name in names]
    pairs = {"must_link": [names[:2], names[2:]], "cannot_link": [names[::2], names[1::2]]}
    (tmp_path / "k.json").write_text(json.dumps(pairs))
    (tmp_path / "bad.json").write_text(json.dumps({"must_link": [[names[0], f"{TRICK}ghost"]]}))
    contrary = {"must_link": [names[:2]], "cannot_link": [names[:2]]}
    (tmp_path / "contrary.json").write_text(json.dumps(contrary))
    (tmp_path / "l.csv").write_text("\n".join(["id,cluster", *(f'"{n}",{TRICK}' for n in names)]))
    ClusterModel.of(cluster_table(read_table("t.csv"), None, 2)).save("m.skops")
    (tmp_path / "k.txt").write_text(f'{quoted[0]} = "{TRICK}nobody"\n')
    return tmp_path


COMMANDS = {
    "cluster": ["t.csv", "-k", 2, "-c", "k.json", "-m", "tree"],
    "predict": ["m.skops", "t.csv"],
    "check": ["t.csv", "-c", "k.json"],
    "ask": ["t.csv", "-k", 2, "-n", 2],
    "compare": ["t.csv", "-k", 2, "-c", "k.json", "-m", "tree", "--splits", 1],
    "explain": ["t.csv", f"color{TRICK}"],
    "convert": ["k.json", f"o{TRICK}.txt"],
    "datasets": ["animals"],
}


def test_every_command_that_shows_data_is_tried():
    assert {each.__name__ for each in _app.COMMANDS} - set(COMMANDS) == {
        "demo",
        "studio",
        "version",
    }


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, as_json, monkeypatch):
    words = [command, *COMMANDS[command], *["--json"] * as_json]
    code, text = shown(*words, stdin="y\nn\n", monkeypatch=monkeypatch)
    assert code == 0, text
    check(text)
    if command in ("cluster", "check", "ask", "explain"):
        spelled = r"\u001b" if as_json else r"\x1b]0;owned\x07"
        assert spelled in text


ERRORS = [
    ["cluster", f"none{TRICK}.csv"],
    ["cluster", f"n{TRICK}.csv", "-k", 9],
    ["cluster", "t.csv", "--id", f"no{TRICK}"],
    ["cluster", "t.csv", "-m", f"no{TRICK}"],
    ["cluster", "t.csv", "-k", 2, "-c", "bad.json"],
    ["cluster", "t.csv", "-k", 2, "-c", "contrary.json"],
    ["cluster", "t.csv", "-k", 2, "-o", f"none/{TRICK}.csv"],
    ["check", "t.csv", "-c", "k.txt"],
    ["check", "t.csv", "-c", "contrary.json"],
    ["explain", "t.csv", f"none{TRICK}"],
    ["datasets", f"none{TRICK}"],
    [f"none{TRICK}"],
    ["--debug", "cluster", f"none{TRICK}.csv"],
]


@pytest.mark.parametrize("words", ERRORS, ids=lambda words: visible_text(" ".join(map(str, words))))
def test_errors(words):
    code, text = shown(*words)
    assert code in (1, 2)
    check(text)
    assert r"\x1b" in text


def test_a_table_on_standard_output(monkeypatch, capsys):
    words = ["cluster", "t.csv", "-k", 2, "-o", "-", "--raw"]
    code, text = shown(*words)
    assert code == 0
    check(text)
    # A file gets what is in the table.
    with pytest.raises(SystemExit):
        main([str(each) for each in words])
    assert TRICK in capsys.readouterr().out


def test_json_holds_what_was_in_the_table():
    text = shown("cluster", "t.csv", "-k", 2, "--json")[1]
    assert next(iter(json.loads(text)["labels"])) == f"{TRICK}dog"


def test_a_carriage_return_cannot_hide_what_was_before_it():
    assert r"none\rhidden" in shown("datasets", "none\rhidden")[1]


def test_styles_of_our_own_stay():
    assert "\x1b[1m" in shown("cluster", "t.csv", "-k", 2)[1]


@pytest.mark.parametrize("text", ["plain", "ümläut 漢字 👩‍🔬", "two\nlines", "a\ttab"])
def test_other_texts_stay(text):
    assert visible_text(text) == text


def test_a_line_says_when_something_is_compiled():
    from numba.core import event

    from clustraint.cli._console import Patience, compiling

    line = Patience("reading")
    assert not compiling
    assert line.__rich__().plain == "reading … "
    with event.trigger_event("numba:compile"):
        assert line.__rich__().plain == "reading … (compiling, first run only)"
    assert not compiling
