"""Bad input to constrained and asking complete link: the right result or a clear error."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import squareform

from clustraint import ActiveCompleteLinkage, ConstrainedCompleteLinkage, Constraints, Rule, machine
from clustraint.exceptions import (
    ClustraintError,
    InconsistentConstraintsError,
    InvalidAnswerError,
    InvalidDistanceError,
    InvalidDistanceMatrixError,
    InvalidParameterError,
    NoFeasibleClusteringError,
    NominalValueError,
    NotEnoughMemoryError,
    UnexpectedAnswerError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
BOTH = pytest.mark.parametrize("kind", [ConstrainedCompleteLinkage, ActiveCompleteLinkage])


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.0}, "n_clusters must be a whole number"),
        ({"n_clusters": True}, "n_clusters must be a whole number"),
        ({"metric": 3}, "metric must be a name or a function of two samples, but is 3"),
        ({"max_memory": -1}, "max_memory must be a number from 0 up"),
        ({"max_memory": "1 GB"}, "max_memory must be a number from 0 up"),
    ],
)
def test_bad_parameters(kind, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        kind(**parameters).fit(X)


@pytest.mark.parametrize("n_queries", [-1, 1.5, None])
def test_bad_number_of_questions(n_queries):
    with pytest.raises(InvalidParameterError, match="n_queries must be a whole number from 0 up"):
        ActiveCompleteLinkage(2, n_queries).fit(X)


@BOTH
def test_an_unknown_metric_names_the_known_ones(kind):
    with pytest.raises(ValueError, match="euclidaen"):
        kind(metric="euclidaen").fit(X)


@BOTH
def test_more_clusters_than_samples(kind):
    with pytest.raises(ClustraintError, match="n_samples=4 should be >= n_clusters=5"):
        kind(5).fit(X)


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(kind, value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        kind().fit(bad)


@BOTH
def test_missing_nominal_values(kind):
    frame = pd.DataFrame({"colour": ["red", None, "blue"], "form": ["flat", "flat", "round"]})
    with pytest.raises(NominalValueError, match="column 'colour' holds no value"):
        kind(metric="hamming").fit(frame)
    with pytest.raises(ClustraintError, match="at least 1 feature"):
        kind(metric="hamming").fit(frame[[]])


@BOTH
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((3, 2)), "has the shape (3, 2)"),
        (np.eye(3), "sample 0 is at 1 from itself"),
        ([[0, 1], [2, 0]], "the entry (1, 0) is 2 and the entry (0, 1) is 1"),
    ],
)
def test_matrices_that_hold_no_distances(kind, matrix, message):
    with pytest.raises(InvalidDistanceMatrixError, match=re.escape(message)):
        kind(1, metric="precomputed").fit(matrix)


@BOTH
def test_negative_and_undefined_distances(kind):
    with pytest.raises(InvalidDistanceError, match=r"samples 1 and 2 is -3.0 \(precomputed"):
        kind(metric="precomputed").fit(squareform([1.0, 2.0, -3.0], checks=False))
    with pytest.raises(InvalidDistanceError, match=r"0 and 1 is inf \(by metric='euclidean'"):
        kind().fit(np.array([[0.0], [1e200]]))
    with pytest.raises(InvalidDistanceError, match="choose another metric"):
        kind(metric="correlation").fit(np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]]))


@BOTH
def test_zero_vectors_under_cosine_are_far_from_all(kind):
    model = kind(2, metric="cosine").fit(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.1]]))
    assert model.labels_.tolist() == [0, 1, 1]
    assert model.merge_distances_[-1] == 1


@BOTH
def test_distances_that_do_not_fit(kind):
    many = np.zeros((1000, 2))
    limit = 1e6
    with pytest.raises(
        NotEnoughMemoryError,
        match=r"distances of 1,000 samples need 0.004 GB of memory, but max_memory allows "
        r"0.001 GB; give X as float32, which halves it",
    ):
        kind(max_memory=limit).fit(many)
    with pytest.raises(NotEnoughMemoryError, match=r"need 0.002 GB .* take fewer samples"):
        kind(max_memory=limit).fit(many.astype(np.float32))


def test_nothing_is_allocated_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 1e9)
    with pytest.raises(NotEnoughMemoryError, match=r"need 4,000 GB of memory, but there is 1 GB"):
        ConstrainedCompleteLinkage().fit(np.zeros((1_000_000, 1)))


def test_memory_that_is_not_known_is_not_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "absent")
    assert machine.available_memory() == machine._physical_memory()
    monkeypatch.setattr(machine.os, "sysconf", lambda name: int("unknown"))
    assert machine.available_memory() is None
    assert ConstrainedCompleteLinkage().fit(X).labels_.tolist() == [0, 0, 1, 1]


def test_constraints_that_do_not_fit():
    model = ConstrainedCompleteLinkage()
    with pytest.raises(ClustraintError, match="about 3 samples, but X has 4"):
        model.fit(X, constraints=Constraints(3))
    with pytest.raises(ClustraintError, match="constraints cannot be read"):
        model.fit(X, constraints=[(0, 1)])
    with pytest.raises(UnsupportedConstraintsError, match="but the constraints hold triplets"):
        model.fit(X, constraints=Constraints(4, triplets=[(0, 1, 2)]))
    with pytest.raises(UnsupportedConstraintsError, match=r"AttributeKMedoids or .* would take"):
        model.fit(X, constraints=Constraints(4, rules=[Rule("x0")]))


def test_contradictions_come_with_a_witness():
    known = Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2), (0, 3)])
    with pytest.raises(InconsistentConstraintsError) as caught:
        ConstrainedCompleteLinkage().fit(X, constraints=known)
    assert caught.value.witness.cannot_link.tolist() == [[0, 2]]


def test_must_links_that_leave_too_few_groups():
    known = Constraints(4, must_link=[(0, 1), (1, 2), (2, 3)])
    model = ConstrainedCompleteLinkage(1).fit(X, constraints=known)
    assert model.labels_.tolist() == [0] * 4
    with pytest.raises(NoFeasibleClusteringError, match="must-links leave 1 group of samples"):
        ConstrainedCompleteLinkage(2).fit(X, constraints=known)


def test_everybody_apart():
    pairs = [(i, j) for i in range(4) for j in range(i)]
    known = Constraints(4, cannot_link=pairs)
    assert ConstrainedCompleteLinkage(4).fit(X, constraints=known).constraint_report_.all_satisfied
    model = ConstrainedCompleteLinkage(1).fit(X, constraints=known)
    assert model.n_forced_merges_ == 3
    assert model.constraint_report_["cannot_link"].violated == 6


@pytest.mark.parametrize("answer", ["maybe", "Yes", 1, 0, 2.0, [], np.nan, "do not know"])
def test_what_is_no_answer(answer):
    model = ActiveCompleteLinkage(1, n_queries=9)
    with pytest.raises(InvalidAnswerError, match="an answer must be 'yes', 'no' or 'don't know'"):
        model.fit(X, oracle=lambda first, second: answer)
    query = model.next_query(X)
    with pytest.raises(InvalidAnswerError):
        model.next_query(X, [(query.first, query.second, answer)])


@pytest.mark.parametrize("row", ["yes", (0, 1), (0, 1, 2, "yes"), None, (0.5, 1, "yes")])
def test_rows_that_are_no_answers(row):
    with pytest.raises(InvalidAnswerError):
        ActiveCompleteLinkage(1, n_queries=9).next_query(X, [row])


def test_answers_to_other_questions():
    model = ActiveCompleteLinkage(1, n_queries=9)
    query = model.next_query(X)
    assert (query.first, query.second) == (2, 3)
    with pytest.raises(
        UnexpectedAnswerError,
        match="answer 1 is about samples 0 and 3, but question 1 is about samples 2 and 3",
    ):
        model.fit(X, answers=[(0, 3, "yes")])
    answers = model.fit(X, oracle=lambda first, second: True).queries_
    extra = [*answers, (0, 1, "no")]
    with pytest.raises(UnexpectedAnswerError, match=f"there are only {len(answers)} questions"):
        model.next_query(X, extra)
    # The samples of an answer may stand in either order.
    swapped = [(second, first, said) for first, second, said in answers]
    assert model.fit(X, answers=swapped).queries_ == answers


def test_an_oracle_that_cannot_be_asked():
    with pytest.raises(InvalidParameterError, match="oracle must be a function of two sample"):
        ActiveCompleteLinkage().fit(X, oracle="yes")


def test_an_oracles_own_error_is_passed_on():
    def oracle(first, second):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ActiveCompleteLinkage(1).fit(X, oracle=oracle)


@BOTH
@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_equal_samples(kind, n_samples):
    for n_clusters in range(1, n_samples + 1):
        model = kind(n_clusters).fit(np.ones((n_samples, 2)))
        assert len(np.unique(model.labels_)) == n_clusters
        assert not model.merge_distances_.any()


@pytest.mark.parametrize(
    "error",
    [
        NotEnoughMemoryError("this", 2e9, 1e9, False, "take less"),
        InvalidDistanceError(0, 1, -1.0, "cosine"),
        InvalidDistanceMatrixError("is odd"),
        InvalidAnswerError("perhaps"),
        UnexpectedAnswerError(3, (0, 1), None),
    ],
)
def test_errors_survive_pickling(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
