import math

import numpy as np
import pytest

from clustraint.exceptions import (
    ClustraintError,
    ConstraintShapeError,
    DuplicateNameError,
    InvalidHierarchyError,
    InvalidLabelsError,
    InvalidNameError,
    RepeatedSampleError,
    SampleIndexError,
    UnreachableCutError,
)
from clustraint.hierarchy import Hierarchy


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([], "needs at least one sample"),
        ([[2, 2, -1]], "one row of node numbers"),
        ([[2, 2], [-1]], "one row of node numbers"),
        ([2.0, 2.0, -1.0], "one row of node numbers"),
        ([True, False], "one row of node numbers"),
        (["a"], "one row of node numbers"),
        ([2**70, -1], "one row of node numbers"),
        ([0], "the last node, 0, must be the root"),
        ([2, 2, 3], "the last node, 2, must be the root and have the parent -1, not 3"),
        ([-1, 2, -1], "node 0 must have .* not -1: only the last node is the root"),
        ([3, 3, 2, -1], "node 2 must have a parent between 3 and 3, not 2"),
        ([3, 3, 3, 1, -1], "node 3 must have .* not 1: parents come after children"),
        ([9, 2, -1], "node 0 must have a parent between 1 and 2, not 9"),
        (np.array([2**64 - 1, 2, 0], dtype=np.uint64), "the last node"),
        ([1, -1], "inner node 1 has only one child"),
        ([3, 3, 4, 5, 5, -1], "inner node 4 has only one child"),
        ([2, 2, 4, 4, -1], "node 3 has no children but comes after inner node 2"),
    ],
)
def test_bad_parents(parents, message):
    with pytest.raises(InvalidHierarchyError, match=message):
        Hierarchy(parents)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"names": ["a"]}, InvalidNameError, "there are 1 names for 2 samples"),
        ({"names": "ab"}, InvalidNameError, "but names is 'ab'"),
        ({"names": 5}, InvalidNameError, "but names is 5"),
        ({"names": ["a", 1]}, InvalidNameError, "name 1 is 1"),
        ({"names": ["a", "a"]}, DuplicateNameError, "0 and 1 are both called 'a'"),
        ({"node_names": ["a", "b"]}, InvalidHierarchyError, "node_names must be 1 texts"),
        ({"node_names": 5}, InvalidHierarchyError, "node_names must be 1 texts"),
        ({"node_names": [None]}, InvalidHierarchyError, "node_names must be 1 texts"),
        ({"heights": [1, 2]}, InvalidHierarchyError, "heights must be 1 numbers"),
        ({"heights": ["a"]}, InvalidHierarchyError, "heights must be 1 numbers"),
        ({"heights": [[1], [1, 2]]}, InvalidHierarchyError, "heights must be 1 numbers"),
        ({"heights": [math.nan]}, InvalidHierarchyError, "finite, but row 0 is nan"),
    ],
)
def test_bad_names_and_heights(arguments, error, message):
    with pytest.raises(error, match=message):
        Hierarchy([2, 2, -1], **arguments)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1, 1]], r"shape \(n_samples - 1, 4\)"),
        ([0, 1, 1, 2], r"shape \(n_samples - 1, 4\)"),
        ([[0, 1, 1, 2], [0]], "rows of different lengths"),
        ([["a", "b", "c", "d"]], "hold numbers"),
        ([[0, 1.5, 1, 2]], r"row 0 has \[0.0, 1.5\], but both clusters"),
        ([[0, math.nan, 1, 2]], "row 0 has .* but both clusters must be samples"),
        ([[-1, 1, 1, 2]], "row 0 has .* but both clusters must be samples"),
        ([[0, 1, 1, 2], [2, 4, 1, 3]], "row 1 has .* but both clusters must be samples"),
        ([[0, 0, 1, 2]], "row 0 has .* but a cluster is merged only once"),
        ([[0, 1, 1, 2], [1, 2, 1, 3]], "row 1 has .* but a cluster is merged only once"),
        ([[0, 1, -1, 2]], r"row 0 has \[-1.*\], but the height must be 0 or more"),
        ([[0, 1, math.nan, 2]], "the height must be 0 or more"),
        ([[0, 1, math.inf, 2]], "heights must be finite"),
    ],
)
def test_bad_linkages(matrix, message):
    with pytest.raises(InvalidHierarchyError, match=message):
        Hierarchy.from_linkage(matrix)


@pytest.mark.parametrize(
    ("paths", "separator", "message"),
    [
        ([], "/", "there are no samples"),
        ("rec/autos", "/", "one text for each sample, not 'rec/autos'"),
        (5, "/", "one text for each sample, not 5"),
        (["a", None], "/", "the path of sample 1 must be a text, not None"),
        (["a", "/a"], "/", "'/a' of sample 1 has an empty part"),
        (["a/"], "/", "has an empty part"),
        (["a//b"], "/", "has an empty part"),
        (["a"], "", "separator must be a text"),
        (["a"], None, "separator must be a text"),
    ],
)
def test_bad_paths(paths, separator, message):
    with pytest.raises(InvalidHierarchyError, match=message):
        Hierarchy.from_paths(paths, separator)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("abc", "one label for each sample, but is 'abc'"),
        (np.array(3), "one label for each sample"),
        (5, "one label for each sample"),
        ([[1, 2], [1, 2]], r"holds \[1, 2\]"),
        (np.zeros((2, 2)), "one label for each sample"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(InvalidLabelsError, match=message):
        Hierarchy.from_labels(labels)


def test_no_labels():
    with pytest.raises(InvalidHierarchyError, match="there are no samples"):
        Hierarchy.from_labels([])


@pytest.mark.parametrize(
    ("triplets", "error", "message"),
    [
        ([(0, 1)], ConstraintShapeError, r"the shape is \(1, 2\)"),
        ([0, 1, 2], ConstraintShapeError, r"the shape is \(3,\)"),
        ([(0, 1, 2), (0,)], ConstraintShapeError, "the rows are not equally long"),
        ([(0.0, 1.0, 2.0)], ConstraintShapeError, "these are decimal numbers"),
        ([(True, False, True)], ConstraintShapeError, "these are truth values"),
        ([(0, 1, 2), (0, 1, 4)], SampleIndexError, "row 1 names sample 4"),
        ([(0, -1, 2)], SampleIndexError, "row 0 names sample -1"),
        ([(0, 1, 2), (0, 0, 2)], RepeatedSampleError, "row 1 names sample 0 twice"),
        ([(3, 1, 1)], RepeatedSampleError, "row 0 names sample 1 twice"),
    ],
)
def test_bad_triplets(triplets, error, message):
    with pytest.raises(error, match=message):
        Hierarchy([4, 4, 4, 4, -1]).displays(triplets)


@pytest.mark.parametrize("nodes", [5, -1, 0.5, True, "a", [[0], [1, 2]]])
def test_bad_nodes(nodes):
    hierarchy = Hierarchy([4, 4, 4, 4, -1])
    with pytest.raises(InvalidHierarchyError, match=r"^b "):
        hierarchy.meet(0, nodes)
    with pytest.raises(InvalidHierarchyError, match=r"^node "):
        hierarchy.children(nodes)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(InvalidHierarchyError, match=r"broadcast, not \(2,\) and \(3,\)"):
        Hierarchy([3, 3, 3, -1]).meet([0, 1], [0, 1, 2])


@pytest.mark.parametrize("n_clusters", [0, -1, 5, 2.0, True, None, "2", np.bool_(True)])
def test_bad_n_clusters(n_clusters):
    with pytest.raises(UnreachableCutError, match="n_clusters must be a whole number from 1 to 4"):
        Hierarchy([4, 4, 4, 4, -1]).cut(n_clusters)


@pytest.mark.parametrize("min_size", [0, 1.5, True, None])
def test_bad_min_size(min_size):
    with pytest.raises(UnreachableCutError, match="min_size must be a whole number from 1 up"):
        Hierarchy([4, 4, 4, 4, -1]).cut(4, min_size)


def test_numpy_integers_are_whole_numbers():
    assert Hierarchy([2, 2, -1]).cut(np.int32(2), np.uint8(1)).tolist() == [0, 1]


@pytest.mark.parametrize("n_triplets", [-1, 1.0, True])
def test_bad_numbers_of_triplets(n_triplets):
    with pytest.raises(InvalidHierarchyError, match="n_triplets must be a whole number"):
        Hierarchy.from_labels([0, 0, 1]).sample_triplets(n_triplets)


def test_bad_triplets_to_build_from():
    with pytest.raises(InvalidHierarchyError, match="n_samples is 0"):
        Hierarchy.from_triplets([], 0)
    with pytest.raises(SampleIndexError, match="row 0 names sample 3"):
        Hierarchy.from_triplets([(0, 1, 3)], 3)
    with pytest.raises(InvalidNameError, match="2 names for 3 samples"):
        Hierarchy.from_triplets([(0, 1, 2)], 3, names=["a", "b"])


def test_a_star_has_no_triplets_to_draw():
    with pytest.raises(InvalidHierarchyError, match="displays no triplets"):
        Hierarchy([3, 3, 3, -1]).sample_triplets(1)


@pytest.mark.parametrize("random_state", [-1, 1.5, True, "seed"])
def test_bad_random_states(random_state):
    with pytest.raises(ClustraintError, match="random_state must be"):
        Hierarchy.from_labels([0, 0, 1]).sample_triplets(1, random_state)


def test_heights_that_no_linkage_can_hold():
    with pytest.raises(InvalidHierarchyError, match=r"the negative height -1\.0"):
        Hierarchy([3, 3, 4, 4, -1], heights=[-1, 2]).to_linkage()
    largest = np.finfo(np.float64).max
    with pytest.raises(InvalidHierarchyError, match="too large"):
        Hierarchy([3, 3, 4, 4, -1], heights=[largest, largest]).to_linkage()
