"""Errors are called by their public place, and survive pickling."""

import pickle

import pytest

from clustraint import Constraints, exceptions


def test_errors_are_called_by_their_public_place():
    for name in exceptions.__all__:
        assert getattr(exceptions, name).__module__ == "clustraint.exceptions"
        assert getattr(exceptions, name).__qualname__ == name


def test_errors_can_be_pickled_with_their_witness():
    constraints = Constraints(
        3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], names=list("abc")
    )
    with pytest.raises(exceptions.InconsistentConstraintsError) as caught:
        constraints.check()
    same = pickle.loads(pickle.dumps(caught.value))
    assert type(same) is exceptions.InconsistentConstraintsError
    assert str(same) == str(caught.value)
    assert same.witness == caught.value.witness == constraints


def test_errors_about_the_number_of_clusters_can_be_pickled():
    with pytest.raises(exceptions.TooFewClustersError) as caught:
        Constraints(2, cannot_link=[(0, 1)]).check(n_clusters=1)
    same = pickle.loads(pickle.dumps(caught.value))
    assert type(same) is exceptions.TooFewClustersError
    assert (str(same), same.witness) == (str(caught.value), caught.value.witness)


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConstraintShapeError("must_link", 2, "the shape is (3,)"),
        exceptions.SampleIndexError("must_link", 0, 9, 3),
        exceptions.RepeatedSampleError("cannot_link row 0", 1, "why"),
        exceptions.InvalidWeightError("must_link", "that of row 0 is nan"),
        exceptions.InvalidNameError("there are 2 names for 3 samples"),
        exceptions.DuplicateNameError("dog", 0, 2),
        exceptions.UnknownNameError("dgo", ["dog", "wolf"]),
        exceptions.InvalidLabelsError("y"),
        exceptions.RuleSyntaxError("a &", 4, "the formula ends too early"),
        exceptions.UnknownAttributeError("mlik", "mlik", ["milk"]),
        exceptions.RuleColumnError("milk", "milk", "is odd"),
        exceptions.ConstraintFileError("a.txt", 3, "odd"),
        exceptions.NewickSyntaxError("((a,b);", 7, "a parenthesis is missing"),
    ],
)
def test_every_error_can_be_pickled(error):
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error)
    assert str(same) == str(error)
    assert vars(same) == vars(error)
