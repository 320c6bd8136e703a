"""Contradictions: the sentence, the chain, and ways out that lead out."""

import uuid

import pytest

from clustraint.exceptions import ContradictionError
from tests.studio.desk import say, visiting, working


def refused(studio, kind, body, person="Ann"):
    before = studio.events
    with pytest.raises(ContradictionError) as caught:
        studio.say(str(uuid.uuid4()), person, kind, body)
    assert studio.events == before
    return caught.value


def take_each_way(prepare, kind, body):
    """Take each way out in a studio of its own; all must lead to statements that hold together."""
    with working() as studio:
        prepare(studio)
        ways = refused(studio, kind, body).ways_out
    assert ways[0]["leave"]
    assert len(ways) > 1
    for way in ways[1:]:
        with working() as studio:
            prepare(studio)
            before = len(studio.events)
            events = say(studio, kind, body, drop=way["drop"], settings=way["settings"] or None)
            assert len({event.command for event in events}) == 1
            assert len(studio.events) == before + len(events)
            studio.constraints.expand_rules(studio.table).check(studio.state.settings.n_clusters)
            assert studio.problem is None
            say(studio, "undo")
            assert len(studio.state.statements) == before
    return ways


def test_a_chain_of_three():
    def prepare(studio):
        say(studio, "together", {"rows": [0, 1]}, "Ann")
        say(studio, "together", {"rows": [1, 2]}, "Ben")

    with working() as studio:
        prepare(studio)
        error = refused(studio, "apart", {"rows": [0], "from": [2]})
    assert str(error) == "s0 and s2 cannot be linked, but 2 must-links link them: s0 = s1 = s2."
    assert [(link["seq"], link["rows"], link["person"]) for link in error.chain] == [
        (1, [0, 1], "Ann"),
        (2, [1, 2], "Ben"),
        (None, [0, 2], "Ann"),
    ]
    assert [link["mine"] for link in error.chain] == [False, False, True]
    ways = take_each_way(prepare, "apart", {"rows": [0], "from": [2]})
    assert [way["drop"] for way in ways] == [[], [1], [2]]
    assert ways[2]["text"] == "Keep mine, drop s1 = s2"
    assert ways[2]["about"][0]["person"] == "Ben"


def test_what_was_said_twice_is_dropped_twice():
    def prepare(studio):
        say(studio, "together", {"rows": [0, 1]}, "Ann")
        say(studio, "answer", {"rows": [1, 0], "answer": "yes"}, "Ben")

    ways = take_each_way(prepare, "apart", {"rows": [0], "from": [1]})
    assert sorted(ways[1]["drop"]) == [1, 2]


def test_groups_rules_and_clusters_are_links_of_a_chain():
    def prepare(studio):
        say(studio, "together", {"rows": [0, 1, 2, 3]})
        say(studio, "rule", {"rule": "x > 5"})
        say(studio, "together", {"rows": [3, 12]})

    with working() as studio:
        prepare(studio)
        error = refused(studio, "apart", {"rows": [1], "from": [15]})
    assert {link["statement"] for link in error.chain} == {"together", "rule", "apart"}
    take_each_way(prepare, "apart", {"rows": [1], "from": [15]})


def test_too_few_clusters_offer_more():
    def prepare(studio):
        say(studio, "n_clusters", {"n_clusters": 2})
        say(studio, "apart", {"rows": [0], "from": [10]})
        say(studio, "apart", {"rows": [10], "from": [20]})

    with working() as studio:
        prepare(studio)
        error = refused(studio, "apart", {"rows": [0], "from": [20]})
    more = [way for way in error.ways_out if way["settings"]]
    assert [way["settings"] for way in more] == [{"n_clusters": 3}]
    for way in error.ways_out[1:]:
        with working() as studio:
            prepare(studio)
            body = {"rows": [0], "from": [20]}
            say(studio, "apart", body, drop=way["drop"], settings=way["settings"] or None)
            assert studio.problem is None


def test_fewer_clusters_than_statements_need_are_refused():
    with working() as studio:
        say(studio, "apart", {"rows": [0], "from": [10]})
        refused(studio, "n_clusters", {"n_clusters": 1})


def test_triplets_contradict_each_other_too():
    with working() as studio:
        say(studio, "closer", {"rows": [0, 1, 2]})
        error = refused(studio, "closer", {"rows": [1, 2, 0]})
    assert [link["kind"] for link in error.chain] == ["closer", "closer"]


def test_the_page_is_told_with_409_and_the_preview_without():
    with visiting() as visitor:
        visitor.say("together", {"rows": [0, 1]})
        answer = visitor.say("apart", {"rows": [0], "from": [1]})
        assert answer.status_code == 409
        preview = visitor.post(
            "/api/preview", {"kind": "apart", "body": {"rows": [0], "from": [1]}}
        )
        assert preview.status_code == 200
        assert preview.json()["contradiction"]["sentence"] == answer.json()["sentence"]
        assert visitor.state()["seq"] == 1
