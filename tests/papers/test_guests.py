"""Methods that are not the papers': registered by name, they run the cells of comparisons too."""

import numpy as np
import pytest

from clustraint.base import ConstrainedClusterer
from clustraint.exceptions import NoFeasibleClusteringError, UnknownMethodError
from clustraint.workflow import Method, methods, register, unregister
from papers import PAPERS, paper, reproduce
from papers._exceptions import UnsuitableMethodError
from papers._guests import solve, with_methods


class Halves(ConstrainedClusterer):
    """Cuts the samples in half by their first feature, whatever the constraints."""

    constraint_kinds = ("must_link", "cannot_link")

    def _check_parameters(self, n_samples):
        pass

    def _fit(self, X, constraints):
        self.labels_ = (X[:, 0] > np.median(X[:, 0])).astype(np.int64)


class Reluctant(Halves):
    """Finds clusters where there is nothing to obey."""

    def _fit(self, X, constraints):
        if constraints.n_constraints:
            raise NoFeasibleClusteringError("no clustering satisfies all constraints.")
        super()._fit(X, constraints)


class Joiner(Halves):
    """Takes must-links alone, which no paper gives alone."""

    constraint_kinds = ("must_link",)


@pytest.fixture
def registered():
    for name, estimator in (("halves", Halves), ("reluctant", Reluctant), ("joiner", Joiner)):
        register(Method(name, estimator))
    yield
    for name in ("halves", "reluctant", "joiner"):
        unregister(name)


def guests(which):
    return [each.name for each in which.experiments if each.beside]


def test_a_method_joins_every_comparison_whose_constraints_it_takes(registered):
    joined = {each.name: guests(each) for each in with_methods(map_of(PAPERS), ["halves"])}
    assert joined == {
        "attribute": [
            "table-2-halves",
            "figure-2-halves",
            "figure-3-halves",
            "figure-4-halves",
            "figure-5-halves",
            "animals-halves",
        ],
        "beyond": [],
        "bihac": [],
        "ccl": ["figure-8-halves", "figure-9-halves", "figure-11-halves"],
        "clusilc": ["figure-5-halves"],
        "recon": [],
    }


def map_of(names):
    return [paper(name) for name in names]


def test_papers_without_guests_are_as_they_were(registered):
    (plain,) = with_methods([paper("ccl")], [])
    assert plain == paper("ccl")
    (joined,) = with_methods([paper("ccl")], ["halves", "halves", "mixture"])
    assert joined.claims == plain.claims
    assert joined.experiments[: len(plain.experiments)] == plain.experiments
    assert len(guests(joined)) == 6


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_guest_is_shown_beside_the_papers_own_and_moves_no_verdict(registered, tmp_path, n_jobs):
    small = {"size": "quick", "cells": 2, "only": "figure-8", "n_jobs": n_jobs}
    (plain,) = reproduce(["ccl"], folder=tmp_path / "plain", **small)
    (joined,) = reproduce(["ccl"], folder=tmp_path, methods=["halves"], **small)
    assert (plain.run.done, joined.run.done) == (2, 4)
    assert joined.page.judged == plain.page.judged
    rows = joined.page.results.frame("figure-8-halves")
    assert set(rows["method"]) == {"halves"}
    assert rows["cri"].between(0, 1).all()
    text = joined.path.read_text()
    assert "How does halves do in figure-8?" in text
    means = (tmp_path / "ccl" / "figure-8-halves-means.csv").read_text().splitlines()
    assert means[0].startswith("table,CCL,active CCL,")
    assert means[0].endswith(",halves")
    drawn = (tmp_path / "ccl" / "figure-8-halves.svg").read_text()
    assert "halves" in drawn
    assert "CCL" in drawn


def test_the_papers_own_cells_are_not_run_again_for_a_guest(registered, tmp_path):
    small = {"size": "quick", "cells": 1, "only": "figure-8", "folder": tmp_path, "n_jobs": 1}
    reproduce(["ccl"], **small)
    (joined,) = reproduce(["ccl"], methods=["halves"], **small)
    assert (joined.run.kept, joined.run.done) == (1, 1)
    (again,) = reproduce(["ccl"], methods=["halves"], **small)
    assert (again.run.kept, again.run.done) == (2, 0)


def test_a_guest_can_run_alone(registered, tmp_path):
    only = {"size": "quick", "cells": 1, "only": "figure-8-halves", "folder": tmp_path}
    (done,) = reproduce(["ccl"], methods=["halves"], n_jobs=1, **only)
    assert done.run.done == 1
    assert (tmp_path / "ccl" / "figure-8-halves.svg").exists()


def test_constraints_that_a_guest_cannot_satisfy_are_a_failure_of_its_own(registered):
    challenge = paper("ccl").experiment("figure-8").challenge
    method = methods()["reluctant"]
    (free,) = solve(challenge, method, table="circles", n_pairs=0, repeat=0)
    (bound,) = solve(challenge, method, table="circles", n_pairs=10, repeat=0)
    assert (free["failed"], bound["failed"]) == (False, True)
    assert "cri" in free
    assert "cri" not in bound


@pytest.mark.parametrize(
    ("name", "experiment", "parameters", "method", "own", "score"),
    [
        (
            "attribute",
            "animals",
            {"table": "animals", "kind": "exactly", "repeat": 0},
            "attribute-kmedoids",
            "ten starts",
            "ari",
        ),
        (
            "bihac",
            "figures-9-10",
            {"collection": "generated", "setting": 1, "per_class": 2, "repeat": 0},
            "bihac",
            "biHAC",
            "h_correlation",
        ),
        (
            "ccl",
            "figure-8",
            {"table": "xor", "n_pairs": 30, "repeat": 1},
            "complete-linkage",
            "CCL",
            "cri",
        ),
        (
            "ccl",
            "figure-11",
            {"table": "iris", "n_pairs": 25, "repeat": 1},
            "complete-linkage",
            "CCL",
            "cri",
        ),
        (
            "clusilc",
            "figure-5",
            {
                "table": "iris",
                "n_pairs": 50,
                "repeat": 0,
                "n_folds": 10,
                "methods": "tree",
            },
            "tree",
            "tree",
            "cv_rand",
        ),
        (
            "recon",
            "figure-4",
            {"table": "iris", "share": 0.5, "repeat": 0},
            "recon",
            "ReCon + Euclidean",
            "f",
        ),
    ],
)
def test_a_guest_that_is_the_papers_own_method_scores_as_that_does(
    name, experiment, parameters, method, own, score
):
    experiment = paper(name).experiment(experiment)
    challenge = experiment.challenge
    ours = [
        record[score] for record in experiment.run(**parameters) if record[challenge.method] == own
    ]
    records = list(solve(challenge, methods()[method], **parameters))
    assert [record[score] for record in records] == ours
    assert len(ours) > 0
    assert set(challenge.scores) <= set(records[0])


def test_rules_become_pairs_for_a_guest_that_takes_only_those(registered):
    challenge = paper("attribute").experiment("animals").challenge
    parameters = {"table": "animals", "kind": "together", "repeat": 0}
    records = list(solve(challenge, methods()["cop-kmeans"], **parameters))
    assert len(records) == 64
    assert {record["way"] for record in records} == {"cop-kmeans"}
    assert all(-1 <= record["ari"] <= 1 for record in records)


def test_methods_that_cannot_take_part_are_explained(registered, tmp_path):
    with pytest.raises(
        UnknownMethodError, match="there is no method 'halfs'; did you mean 'halves'"
    ):
        reproduce(["ccl"], folder=tmp_path, methods=["halfs"])
    with pytest.raises(
        UnsuitableMethodError, match=r"joiner cannot take part .* it takes must_link"
    ):
        reproduce(folder=tmp_path, methods=["joiner"])
    with pytest.raises(UnsuitableMethodError, match="mixture cannot take part"):
        reproduce(["bihac"], folder=tmp_path, methods=["mixture"])
