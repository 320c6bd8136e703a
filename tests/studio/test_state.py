"""The state is a fold over what nobody has taken back: undo, redo, several people."""

import numpy as np
import pytest

from clustraint.constraints import Constraints
from clustraint.exceptions import ContradictionError, StudioRequestError
from clustraint.studio._log import EventLog
from clustraint.studio._state import State
from tests.studio.desk import blobs, open_studio, say, settled, working


def held_by(studio):
    """Return all that holds, without when it was said."""
    state = studio.state
    return (
        [(event.person, event.kind, event.body) for event in state.live],
        state.settings,
        state.names,
    )


def random_action(studio, person, rng, number):
    """Say something at random that contradicts nothing."""
    a, b, c = rng.choice(10, 3, replace=False).tolist()
    actions = (
        ("together", {"rows": [a, b]}),
        ("apart", {"rows": [a], "from": [10 + b]}),
        ("closer", {"rows": [a, b, 20 + c]}),
        ("answer", {"rows": [a, 20 + b], "answer": ["no", "don't know"][number % 2]}),
        ("n_clusters", {"n_clusters": 3 + number % 2}),
        ("name", {"cluster": 0, "name": f"name {number}"}),
        ("note", {"text": str(number)}),
        ("method", {"method": "mixture"}),
    )
    kind, body = actions[rng.integers(len(actions))]
    return studio.say(f"command {person} {number}", person, kind, body)


def test_thirty_actions_and_thirty_undos_give_the_first_state(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    with working() as studio:
        first = held_by(studio)
        for number in range(30):
            random_action(studio, "Ann", rng, number)
        last = held_by(studio)
        for number in range(30):
            assert studio.say(f"undo no {number}", "Ann", "undo", {})
        assert held_by(studio) == first
        assert studio.say("undo too much", "Ann", "undo", {}) == []
        for number in range(30):
            assert studio.say(f"redo no {number}", "Ann", "redo", {})
        assert held_by(studio) == last
        assert studio.say("redo too much", "Ann", "redo", {}) == []


def test_nobodys_undo_takes_back_anothers(global_random_seed):
    """Against a model: one list of what each person has done and can do again."""
    rng = np.random.default_rng(global_random_seed)
    done, undone = {"Ann": [], "Ben": []}, {"Ann": [], "Ben": []}
    with working() as studio:
        for number in range(60):
            person = ("Ann", "Ben")[rng.integers(2)]
            turn = rng.random()
            if turn < 0.5:
                (event,) = random_action(studio, person, rng, number)
                done[person].append((event.seq, event))
                undone[person].clear()
            elif turn < 0.8:
                studio.say(f"undo no {number}", person, "undo", {})
                if done[person]:
                    undone[person].append(done[person].pop())
            else:
                studio.say(f"redo no {number}", person, "redo", {})
                if undone[person]:
                    done[person].append(undone[person].pop())
            held = sorted(seq for each in done.values() for seq, _ in each)
            assert [event.seq for event in studio.state.live] == held


def test_a_redo_that_contradicts_by_now_is_refused():
    with working() as studio:
        say(studio, "together", {"rows": [0, 1]}, "Ann")
        say(studio, "undo", {}, "Ann")
        say(studio, "apart", {"rows": [0], "from": [1]}, "Ben")
        with pytest.raises(ContradictionError) as caught:
            studio.say("redo again", "Ann", "redo", {})
        assert [link["person"] for link in caught.value.chain] == ["Ann", "Ben"]


def test_a_group_is_one_event_and_one_undo():
    with working() as studio:
        before = settled(studio)
        events = say(studio, "together", {"rows": list(range(15))})
        assert len(events) == 1
        assert len(np.unique(settled(studio)[:15])) == 1
        say(studio, "undo")
        assert (settled(studio) == before).all()


def test_everybodys_statements_can_be_taken_back_by_name_and_that_undone():
    with working() as studio:
        (event,) = say(studio, "together", {"rows": [0, 11]}, "Ann")
        say(studio, "retract", {"seq": event.seq}, "Ben")
        assert studio.state.statements == ()
        with pytest.raises(StudioRequestError, match="taken back already"):
            say(studio, "retract", {"seq": event.seq}, "Ben")
        say(studio, "undo", {}, "Ben")
        assert [each.seq for each in studio.state.statements] == [event.seq]


def test_the_state_of_the_file_is_the_state_that_was(tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path = tmp_path / "a.studio"
    with working(path) as studio:
        for number in range(12):
            random_action(studio, "Ann", rng, number)
        last, labels = held_by(studio), settled(studio)
        number = studio.shown.id
    with working(path) as studio:
        assert held_by(studio) == last
        # Shown as they were, without another fit.
        assert (settled(studio) == labels).all()
        assert studio.shown.id == number
    assert EventLog(path).events()[-1].seq == 12


STATEMENTS = [
    ("together", {"rows": [3, 1, 2]}, {"must_link": [(1, 2), (1, 3)]}),
    ("apart", {"rows": [1], "from": [4]}, {"cannot_link": [(1, 4)]}),
    (
        "apart",
        {"rows": [1, 2], "from": [4, 5]},
        {"must_link": [(1, 2)], "cannot_link": [(1, 4), (1, 5)]},
    ),
    ("closer", {"rows": [4, 2, 0]}, {"triplets": [(2, 4, 0)]}),
    ("answer", {"rows": [5, 0], "answer": "yes"}, {"must_link": [(0, 5)]}),
    ("answer", {"rows": [5, 0], "answer": "no"}, {"cannot_link": [(0, 5)]}),
    ("answer", {"rows": [5, 0], "answer": "don't know"}, {}),
    (
        "own",
        {"rows": [0, 1, 2, 3]},
        {"must_link": [(0, 1), (0, 2), (0, 3)], "cannot_link": [(0, 4), (0, 5)]},
    ),
]
SIX = b"name,x\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\n"


@pytest.mark.parametrize(("kind", "body", "parts"), STATEMENTS)
def test_what_a_statement_says_as_constraints(kind, body, parts):
    studio = open_studio(content=SIX, n_clusters=2)
    studio.worker.start()
    studio.say("a command", "Ann", kind, body)
    assert studio.constraints == Constraints(6, **parts, names=tuple("abcdef"))
    studio.end()


def test_bits_say_the_same_as_row_numbers():
    studio = open_studio(content=SIX, n_clusters=2)
    studio.worker.start()
    studio.say("a command", "Ann", "together", {"rows": {"bits": "Jg=="}})
    assert studio.constraints.must_link.tolist() == [[1, 2], [1, 5]]
    studio.end()


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("together", {"rows": [1]}, "at least 2 samples"),
        ("together", {}, "list of row numbers"),
        ("apart", {"rows": [1], "from": [1]}, "apart from itself"),
        ("apart", {"rows": [1]}, "list of row numbers"),
        ("closer", {"rows": [1, 2]}, "three different"),
        ("closer", {"rows": [1, 2, 2]}, "three different"),
        ("own", {"rows": list(range(30))}, "nobody to keep them apart from"),
        ("rule", {"rule": "x >"}, "expected"),
        ("rule", {"rule": "z > 1"}, "not a column"),
        ("rule", {"rule": "x > 1000"}, "holds for no sample"),
        ("rule", {"rule": "x < 1000", "exactly": True}, "holds for all samples"),
        ("answer", {"rows": [1, 2], "answer": "maybe"}, "an answer must be"),
        ("merge", {"clusters": [0]}, "two clusters"),
        ("merge", {"clusters": [0, 77]}, "no cluster 77"),
        ("split", {"cluster": 77}, "no cluster 77"),
        ("name", {"cluster": 0, "name": "x" * 100}, "at most 80"),
        ("n_clusters", {"n_clusters": 0}, "whole number"),
        ("n_clusters", {"n_clusters": 31}, "the number of samples"),
        ("method", {"method": "magic"}, "no method"),
        ("columns", {"roles": {"x": "leave", "y": "leave"}}, "at least one column"),
        ("columns", {"roles": {"name": "leave"}}, "names the samples"),
        ("columns", {"roles": {"q": "leave"}}, "q"),
        ("columns", {"kinds": {"x": "colour"}}, "one of"),
        ("take", {"clustering": 77}, "no clustering 77"),
        ("together", {"rows": [1, 2], "weight": -1}, "weight"),
        ("retract", {"seq": 9}, "not there"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_is_not_kept(kind, body, words):
    with working() as studio:
        with pytest.raises(StudioRequestError, match=words) as caught:
            studio.say("a command", "Ann", kind, body)
        assert "\n\n" not in str(caught.value)
        assert studio.events == []


def test_an_unclear_rule_names_its_place():
    with working() as studio, pytest.raises(StudioRequestError) as caught:
        studio.say("a command", "Ann", "rule", {"rule": "x >"})
    assert caught.value.column == 4


def test_the_same_statements_have_the_same_fingerprint():
    with working() as studio:
        empty = studio.state.fingerprint
        say(studio, "together", {"rows": [0, 1]})
        one = studio.state.fingerprint
        say(studio, "name", {"cluster": 0, "name": "a"})
        assert studio.state.fingerprint == one
        say(studio, "undo")
        say(studio, "undo")
        assert studio.state.fingerprint == empty
        say(studio, "together", {"rows": [1, 0]}, "Ben")
        assert studio.state.fingerprint == one


def test_statements_follow_names_into_another_table(tmp_path):
    path = tmp_path / "a.studio"
    with working(path) as studio:
        say(studio, "together", {"rows": [0, 11]})
    lines = blobs().decode().splitlines()
    content = "\n".join([lines[0], *reversed(lines[1:])]).encode()
    with working(path, content=content, ignore=("colour",)) as studio:
        names = studio.base.names
        (row,) = studio.constraints.must_link.tolist()
        assert {names[sample] for sample in row} == {"s0", "s11"}


def test_a_state_of_no_events_is_empty():
    studio = open_studio()
    assert isinstance(studio.state, State)
    assert studio.constraints.n_constraints == 0
