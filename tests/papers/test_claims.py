"""Verdicts on hand-made results: each kind, several tables, readings, and runs that are missing."""

from dataclasses import replace

import pytest

from papers import Claims, Experiment, Paper, Scope, Verdict, estimate
from papers._criteria import about, above, at_least, at_most, below, between, equal, unclear
from papers._estimate import Estimate, exact
from tests.papers.handmade import results_with

TABLES = ("wine", "iris", "zoo")
REPEATS = {"quick": 2, "full": 5}


def grid(size):
    for repeat in range(REPEATS[size]):
        for table in TABLES:
            yield {"table": table, "repeat": repeat}


EXPERIMENT = Experiment("gains", "Gains?", "Five.", lambda **_: (), grid, lambda results: ())
PAPER = Paper("toy", "Toy", "Nobody.", "Nothing.", (), (EXPERIMENT,), ())
EACH = Scope(("gains",), tables=TABLES)


def claim(*checks, scope=EACH, **changes):
    """Return a claim that the gain is above 0 and meets more checks, table by table."""
    claims = Claims()

    @claims("a gain", "it gains", "section 1", scope, "0.2", **changes)
    def _(rows):
        """The gain is above 0 and of that size."""
        gain = estimate("the gain", rows["gain"])
        yield above(gain)
        yield from (check(gain) for check in checks)
        yield "As in the paper."

    return claims[0]


def gains(size="full", absent=(), **values):
    """Return results: the gain of each table, a little different from run to run."""

    def record(table, repeat):
        if table in absent:
            return "missing"
        return [{"gain": values.get(table, 0.2) + 0.001 * (repeat % 2), "way": "paper"}]

    return results_with(PAPER, size, gains=record)


def about_a_fifth(gain):
    return about(gain, "0.2")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({}, Verdict.HOLDS),
        ({"wine": 0.9}, Verdict.DIRECTION),
        ({"wine": -0.2}, Verdict.FAILS),
        ({"wine": -0.2, "iris": 0.9}, Verdict.FAILS),
        # An effect of nothing is none, however often it was measured.
        ({"wine": -0.0005}, Verdict.FAILS),
    ],
)
def test_sign_and_size_make_the_verdict(values, verdict):
    finding = claim(about_a_fifth).test(gains(**values))
    assert finding.verdict == verdict
    assert finding.explanation.endswith("As in the paper.")
    assert [each.name for each in finding.estimates] == [
        "wine: the gain",
        "iris: the gain",
        "zoo: the gain",
    ]


def test_a_sentence_says_which_table_and_why():
    finding = claim(about_a_fifth).test(gains(wine=0.9))
    assert finding.explanation == (
        "By the gain it holds for iris 0.200 (0.200 to 0.201) and zoo 0.200 (0.200 to 0.201). "
        "Wine: the gain is 0.900 (0.900 to 0.901), not between half and twice 0.2. As in the paper."
    )
    assert finding.ours == (
        "the gain: wine 0.900 (0.900 to 0.901), iris 0.200 (0.200 to 0.201), "
        "zoo 0.200 (0.200 to 0.201)"
    )


def test_ours_is_the_figure_that_decides():
    def half(gain):
        return at_least(replace(gain, name="the gain again"), "0.5")

    assert claim(half, tables=("wine", "zoo")).test(gains(wine=0.9)).ours == (
        "the gain: wine 0.900 (0.900 to 0.901); the gain again: zoo 0.200 (0.200 to 0.201)"
    )


@pytest.mark.parametrize(
    ("least", "values", "verdict"),
    [
        (2, {"wine": -1}, Verdict.HOLDS),
        (2, {"wine": -1, "iris": 0.9}, Verdict.DIRECTION),
        (2, {"wine": -1, "iris": -1}, Verdict.FAILS),
    ],
)
def test_a_claim_may_be_about_most_tables(least, values, verdict):
    assert claim(about_a_fifth, least=least).test(gains(**values)).verdict == verdict


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, Verdict.UNTESTABLE),
        ({"least": 2}, Verdict.HOLDS),
        ({"tables": ("zoo",)}, Verdict.UNTESTABLE),
        ({"across": True}, Verdict.UNTESTABLE),
    ],
)
def test_a_table_that_is_not_here_decides_nothing(changes, verdict):
    finding = claim(**changes).test(gains(absent=("zoo",)))
    assert finding.verdict == verdict
    assert "There are no results for zoo." in finding.explanation
    assert "could not be run" not in finding.explanation


def test_what_fails_elsewhere_fails_without_an_absent_table():
    assert claim().test(gains(wine=-1, absent=("zoo",))).verdict == Verdict.FAILS


@pytest.mark.parametrize("values", [{}, {"wine": -1}])
def test_a_verdict_needs_its_runs(values):
    finding = claim().test(gains("quick", **values))
    assert finding.verdict == Verdict.PENDING
    assert finding.words == "not enough runs (2 of 5)"
    assert finding.explanation.startswith("not enough runs (2 of 5); so far: ")
    assert finding.estimates
    nothing = results_with(PAPER)
    assert claim().test(nothing).explanation == "not enough runs (0 of 5)"


def test_one_run_less_than_all_is_not_enough():
    def record(table, repeat):
        return None if (table, repeat) == ("iris", 3) else [{"gain": 0.2}]

    finding = claim().test(results_with(PAPER, gains=record))
    assert finding.explanation.startswith("not enough runs (4 of 5)")
    finding = claim(tables=("wine",)).test(results_with(PAPER, gains=record))
    assert finding.verdict != Verdict.PENDING


def test_data_that_stand_in_say_what_they_gave():
    stand_in = claim(about_a_fifth, stand_in="Wine stands in for beer.")
    for values, outcome in (({}, Verdict.HOLDS), ({"wine": -1}, Verdict.FAILS)):
        finding = stand_in.test(gains(**values))
        assert (finding.verdict, finding.outcome) == (Verdict.ELSEWHERE, outcome)
        assert finding.words == f"on other data: {outcome}"
        assert finding.explanation.startswith("Wine stands in for beer. ")


def test_facts_are_checked():
    fact = claim(by_construction=True)
    assert fact.by_construction
    assert fact.test(gains()).verdict == Verdict.CHECKED
    assert fact.test(gains(wine=-1)).verdict == Verdict.FAILS


def test_other_readings_stand_beside_and_move_no_verdict():
    def record(table, repeat):
        return [{"gain": 0.2, "way": "paper"}, {"gain": -0.2, "way": "ours"}]

    results = results_with(PAPER, gains=record)
    scope = replace(EACH, main={"way": "paper"}, beside={"our way": {"way": "ours"}})
    finding = claim(scope=scope).test(results)
    assert finding.verdict == Verdict.HOLDS
    (ours,) = finding.beside
    assert (ours.name, ours.verdict) == ("our way", Verdict.FAILS)
    assert "-0.200" in ours.ours


def test_a_claim_that_nothing_decides_has_its_reason():
    claims = Claims()
    claims.untestable("fast", "it is fast", "section 9", "Our fit takes milliseconds.")
    finding = claims[0].test(gains())
    assert finding.verdict == Verdict.UNTESTABLE
    assert finding.explanation == "Our fit takes milliseconds."


def test_a_computation_that_fails_is_hidden_only_where_runs_are_missing():
    claims = Claims()

    @claims("fragile", "it works", "section 1", EACH)
    def _(rows):
        """Rows of a column that nobody has."""
        yield above(estimate("nothing", rows["absent"]))

    assert claims[0].test(gains("quick")).explanation == "not enough runs (2 of 5)"
    with pytest.raises(KeyError):
        claims[0].test(gains())


# A criterion, a value that meets it (one that equals the bound first), and one that does not.
NUMBERS = [
    (lambda x: at_least(x, "0.65"), (0.65, 0.645, 0.9), (0.6449, 0.6, float("nan"))),
    (lambda x: at_most(x, "0.83"), (0.83, 0.8349, -1), (0.8351, 1, float("inf"), float("nan"))),
    (lambda x: between(x, "0.0", "0.2"), (0.2, 0.0, 0.249, -0.05), (0.25, -0.06, float("nan"))),
    (lambda x: equal(x, "37,200"), (37200, 37199.6), (37201, 37199.4, float("nan"))),
    (lambda x: equal(x, "1.0"), (1.0, 0.95), (0.949, 1.05)),
    (lambda x: about(x, "0.15"), (0.15, 0.3, 0.075), (0.301, 0.074, -0.15, float("nan"))),
    (lambda x: about(x, "1087"), (1087, 2174, 543.5, 840), (2175, 543)),
    (lambda x: about(x, "-0.2"), (-0.2, -0.4, -0.1), (0.2, -0.5)),
]


@pytest.mark.parametrize(("criterion", "meeting", "failing"), NUMBERS)
def test_a_value_that_equals_the_printed_figure_meets_it(criterion, meeting, failing):
    for value in meeting:
        assert criterion(exact("it", value)).meets, value
    for value in failing:
        n = 0 if value != value else 1
        assert not criterion(Estimate("it", value, value, value, n)).meets, value
    assert not criterion(exact("it", meeting[0])).is_sign


@pytest.mark.parametrize(
    ("low", "high", "n", "side"),
    [
        (0.1, 0.3, 5, "above"),
        (-0.3, -0.1, 5, "below"),
        (-0.1, 0.1, 5, "unclear"),
        # An end that is the bound, to the last digits, is not beyond it.
        (0.0, 0.3, 5, "unclear"),
        (1e-12, 0.3, 5, "unclear"),
        (-0.3, 0.0, 5, "unclear"),
        (0.0, 0.0, 5, "unclear"),
        # One run has no interval, none has no figure.
        (0.1, 0.1, 1, None),
        (float("nan"), float("nan"), 0, None),
    ],
)
def test_an_interval_is_beyond_a_bound_as_a_whole_or_not_at_all(low, high, n, side):
    measured = Estimate("it", (low + high) / 2, low, high, n)
    for name, criterion in (("above", above), ("below", below), ("unclear", unclear)):
        check = criterion(measured)
        assert check.is_sign
        assert check.meets == (name == side)
    moved = Estimate("it", 2 + (low + high) / 2, 2 + low, 2 + high, n)
    assert above(moved, 2.0).meets == (side == "above")
