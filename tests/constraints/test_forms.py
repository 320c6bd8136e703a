"""Constraints in whatever form people have them, on the rows that they mean."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import ConstrainedCompleteLinkage, Constraints, COPKMeans, Rule
from clustraint.constraints import as_constraints
from clustraint.exceptions import (
    ClustraintError,
    ConstraintFileError,
    ConstraintFormError,
    ConstraintSizeError,
    DroppedConstraintWarning,
    MisalignedNamesError,
    UnknownNameError,
)
from tests.strategies_constraints import constraint_sets, members

NAMES = ("dog", "wolf", "trout", "eel")
FRAME = pd.DataFrame({"x": [0.0, 1.0, 8.0, 9.0]}, index=list(NAMES))
EXPECTED = Constraints(
    4, must_link=[(0, 1)], cannot_link=[(0, 2)], names=NAMES, cannot_link_weights=[0.5]
)
BY_NAME = {"a": ["dog", "dog"], "b": ["wolf", "trout"], "kind": ["same", "different"]}
FORMS = {
    "rows": [("dog", "wolf", "same"), ("dog", "trout", "different", 0.5)],
    "truth values": [("dog", "wolf", True), ("dog", "trout", False, 0.5)],
    "kinds": [["dog", "wolf", "must-link"], ["dog", "trout", "cannot_link", 0.5]],
    "lines": ["dog = wolf", "0.5 * dog != trout"],
    "mixed": ["dog = wolf", ("trout", "dog", "!=", 0.5)],
    "text": "dog = wolf\n0.5 * dog != trout\n",
    "dict": {
        "must_link": [("dog", "wolf")],
        "cannot_link": [("dog", "trout")],
        "cannot_link_weights": [0.5],
    },
    "dicts": [
        {"a": "dog", "b": "wolf", "kind": "ml"},
        {"a": "dog", "b": "trout", "kind": "CL", "weight": 0.5},
    ],
    "pandas": pd.DataFrame({**BY_NAME, "weight": [None, 0.5]}),
    "polars": pl.DataFrame({**BY_NAME, "weight": [None, 0.5]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_say_the_same(form):
    assert as_constraints(FORMS[form], FRAME) == EXPECTED


@pytest.mark.parametrize("form", FORMS)
def test_estimators_take_every_form(form):
    model = ConstrainedCompleteLinkage(2).fit(FRAME, constraints=FORMS[form])
    assert model.constraint_report_.constraints == EXPECTED


def test_rows_by_number_rules_and_triplets():
    stated = as_constraints(
        [(0, 1, "same"), np.array([2, 3, False], object), "0, 1 | 3", Rule("milk", exactly=True)],
        X=4,
    )
    assert stated == Constraints(
        4, [(0, 1)], [(2, 3)], [(0, 1, 3)], rules=[Rule("milk", exactly=True)]
    )
    frame = pd.DataFrame(
        {"kind": ["triplet", "together", "same"], "a": [0, "milk", 1], "b": [1, None, 2.0]}
    ).assign(c=[3, None, None])
    assert as_constraints(frame, np.zeros((4, 2))) == Constraints(
        4, [(1, 2)], triplets=[(0, 1, 3)], rules=[Rule("milk")]
    )


def test_groups():
    groups = pd.DataFrame(
        {"animal": ["dog", "wolf", "eel", "trout"], "group": ["m", "m", "f", None]}
    )
    stated = as_constraints(groups, FRAME)
    assert stated == Constraints.from_labels(["m", "m", None, "f"], names=NAMES)
    assert as_constraints(groups.assign(animal=[0, 1, 3, 2]), 4).n_constraints == 2


def test_paths(tmp_path):
    path = tmp_path / "knowledge.csv"
    EXPECTED.write(path)
    for form in (path, str(path)):
        assert as_constraints(form, FRAME) == EXPECTED
    (tmp_path / "rows.txt").write_text("0 = 1\n")
    assert as_constraints(tmp_path / "rows.txt", 9) == Constraints(9, [(0, 1)])
    with pytest.raises(ConstraintFileError, match="cannot be read"):
        COPKMeans(2).fit(FRAME, constraints=tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (3, "there is 3"),
        ([(0, 1)], r"row 0: there is \(0, 1\)"),
        ([(0, 1, "same"), (0, 1, 2)], "there is no kind '2'"),
        ([(0, 1, "sane")], "there is no kind 'sane'"),
        ([(0, 1, "together")], "is not a kind of pair"),
        ([(0, 9, "same")], "row 0: there is no row 9"),
        ([(0, "dog", "same")], "'dog' is a name"),
        ({"must_link": [(0, 1, 2)]}, "must_link row 0: there is"),
        ({"mustlink": []}, "there is a part 'mustlink'"),
        (pd.DataFrame({"a": [0], "b": [1]}), "the columns of the table are a, b"),
        (["0 ! 1"], "row 0: "),
    ],
    ids=repr,
)
def test_what_cannot_be_read(form, problem):
    with pytest.raises(ConstraintFormError, match=problem) as error:
        as_constraints(form, 4)
    assert "Give Constraints, rows such as (0, 5, 'same')" in str(error.value)


# Named samples are found in DataFrames


@given(constraint_sets(min_samples=4, max_samples=7, weighted=True, named=False), st.data())
def test_shuffled_frames(constraints, data):
    n_samples = len(constraints)
    names = [f"sample {letter}" for letter in "abcdefg"[:n_samples]]
    named = Constraints(n_samples, names=names) | constraints
    order = data.draw(st.permutations(range(n_samples)))
    frame = pd.DataFrame({"x": range(n_samples)}, index=names).iloc[order]
    aligned = as_constraints(named, frame)
    assert aligned.names == tuple(frame.index)
    assert aligned == named[order]
    assert len(members(aligned)) == len(members(named))


@given(st.permutations(range(6)))
def test_estimators_cluster_the_same_samples_whatever_their_order(order):
    names = list("abcdef")
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]}, index=names)
    c = Constraints(6, must_link=[(0, 5)], cannot_link=[(0, 1)], names=names)
    shuffled = frame.iloc[order]
    model = ConstrainedCompleteLinkage(2).fit(shuffled, constraints=c)
    cluster = dict(zip(shuffled.index, model.labels_, strict=True))
    assert cluster["a"] == cluster["f"] != cluster["b"]
    assert model.constraint_report_.constraints.names == tuple(shuffled.index)
    pairs = c.expand_rules(shuffled)
    assert pairs.names == tuple(shuffled.index)


def test_numbers_as_labels():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0]}, index=[103, 101, 102])
    assert as_constraints([(101, 102, "same")], frame).must_link.tolist() == [[1, 2]]
    with pytest.raises(ConstraintFormError, match="no sample is called '2'"):
        as_constraints([(101, 2, "same")], frame)
    named = Constraints(3, must_link=[(0, 1)], names=["101", "102", "103"])
    assert as_constraints(named, frame).must_link.tolist() == [[1, 2]]


def test_a_part_of_the_samples():
    c = Constraints(4, must_link=[(0, 1), (2, 3)], names=NAMES)
    with pytest.warns(DroppedConstraintWarning, match="1 constraint about 1 sample that X does"):
        part = as_constraints(c, FRAME.iloc[[3, 0, 1]])
    assert part == Constraints(3, must_link=[(1, 2)], names=["eel", "dog", "wolf"])


def test_what_cannot_be_aligned():
    c = Constraints(4, must_link=[(0, 1)], names=NAMES)
    for index, problem in [
        (["dog", "wolf", "trout", "cat"], r"\('cat', …\) are others"),
        (["dog", "dog", "trout", "eel"], "are not unique"),
        ([2, 0, 1, 3], "are numbered, but not in order"),
    ]:
        with pytest.raises(MisalignedNamesError, match=problem):
            COPKMeans(2).fit(FRAME.set_axis(index), constraints=c)
    with pytest.raises(MisalignedNamesError):
        c.expand_rules(FRAME.set_axis(["dog", "wolf", "trout", "cat"]))


def test_numbers_of_rows_need_no_names():
    c = Constraints(4, must_link=[(0, 1)], names=NAMES)
    for X in (FRAME.reset_index(drop=True), FRAME.to_numpy(), pl.DataFrame({"x": [1, 2, 3, 4]})):
        assert as_constraints(c, X) is c
    # A part of a numbered frame, as cross-validation makes it, comes with its constraints.
    assert as_constraints(c, FRAME.set_axis([9, 4, 2, 7])) is c
    plain = Constraints(4, must_link=[(0, 1)])
    assert as_constraints(plain, FRAME.iloc[::-1]) is plain
    with pytest.raises(ConstraintSizeError):
        as_constraints(plain, FRAME.iloc[:3])


# Lines of text


@pytest.mark.parametrize(
    ("line", "same", "different"),
    [
        ("0 = 1 = 2", [(0, 1), (1, 2)], []),
        ("0 != 1 = 2", [(1, 2)], [(0, 1)]),
        ("0 != 1 != 2 != 0", [], [(0, 1), (1, 2), (0, 2)]),
        ("same: 0, 1, 2  # a group", [(0, 1), (1, 2)], []),
        ("Group: 0, 1", [(0, 1)], []),
        ("different: 0, 1, 2", [], [(0, 1), (0, 2), (1, 2)]),
        ("#0 = #2 #3", [(0, 2)], []),
        ("sample 0 = sample 2", [(0, 2)], []),
        ("#0 = 1 is a comment", [], []),
    ],
)
def test_lines(line, same, different):
    if line.endswith("comment"):
        with pytest.raises(ConstraintFormError):
            as_constraints(line, 4)
        line = "# 0 = 1 is a comment"
    assert as_constraints(line, 4) == Constraints(4, same, different)


def test_a_weight_is_that_of_each_pair():
    stated = as_constraints("0.5 * same: 0, 1, 2", 3)
    assert stated.must_link_weights.tolist() == [0.5, 0.5]


@given(constraint_sets(named=True))
def test_every_constraint_that_is_described_can_be_read(constraints):
    names = constraints.names
    X = len(constraints) if names is None else pd.DataFrame({"x": [0] * len(names)}, index=names)
    assert as_constraints(list(constraints.describe()), X) == constraints


def test_numbers_that_are_no_names_are_not_rows():
    with pytest.raises(ConstraintFormError, match="no sample is called '1'; row 1 is written #1"):
        as_constraints(["dog = 1"], FRAME)
    assert as_constraints(["dog = #1"], FRAME).must_link.tolist() == [[0, 1]]
    with pytest.raises((ConstraintFormError, UnknownNameError), match="'dgo'"):
        as_constraints([("dgo", "wolf", "same")], FRAME)
    assert issubclass(ConstraintFormError, ClustraintError)
