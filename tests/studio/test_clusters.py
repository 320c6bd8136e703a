"""Clusters go on from those shown; what is previewed is what happens."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from clustraint import Constraints
from clustraint.exceptions import StudioRequestError
from clustraint.rows import Representatives
from clustraint.studio._clusters import continued, stand_ins
from clustraint.studio._log import KeptClustering
from clustraint.studio._views import state_view
from tests.studio.desk import blobs, say, settled, working


def preview(studio, kind, body):
    *_, future = studio.preview("Ann", kind, body)
    return future.result(120)


@pytest.mark.parametrize("method", ["auto", "cop-kmeans", "mixture", "tree"])
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("together", {"rows": [0, 1, 10, 11]}),
        ("apart", {"rows": [0], "from": [1, 2]}),
        ("own", {"rows": [0, 1, 2]}),
        ("rule", {"rule": 'colour == "red"'}),
        ("merge", {"clusters": [0, 1]}),
        ("split", {"cluster": 0}),
        ("pure", {"cluster": 1}),
        ("n_clusters", {"n_clusters": 5}),
        ("answer", {"rows": [0, 29], "answer": "yes"}),
    ],
)
def test_what_would_move_moves_and_one_undo_takes_it_back(method, kind, body):
    with working() as studio:
        say(studio, "method", {"method": method})
        before = settled(studio)
        would_be = preview(studio, kind, body)
        assert (settled(studio) == before).all()
        say(studio, kind, body)
        assert studio.problem is None
        assert (settled(studio) == would_be).all()
        assert studio.shown.about["moved"] == (would_be != before).sum()
        say(studio, "undo")
        assert (settled(studio) == before).all()
        say(studio, "redo")
        assert (settled(studio) == would_be).all()


@pytest.mark.parametrize("method", ["auto", "cop-kmeans"])
def test_statements_hold_in_the_clusters(method):
    with working(content=blobs(n_each=20), ignore=("colour",)) as studio:
        say(studio, "method", {"method": method})
        say(studio, "together", {"rows": [0, 25]})
        say(studio, "apart", {"rows": [41], "from": [42]})
        say(studio, "own", {"rows": [44, 45]})
        labels = settled(studio)
        assert studio.problem is None
        assert labels[0] == labels[25]
        assert labels[41] != labels[42]
        assert (np.flatnonzero(labels == labels[44]) == [44, 45]).all()


def test_merged_and_split_clusters():
    with working(n_clusters=2) as studio:
        largest = int(np.argmax(np.bincount(settled(studio))))
        say(studio, "split", {"cluster": largest})
        assert studio.state.settings.n_clusters == 3
        assert adjusted_rand_score(settled(studio), np.repeat([0, 1, 2], 10)) == 1
        say(studio, "undo")
        assert studio.state.settings.n_clusters == 2
        say(studio, "merge", {"clusters": np.unique(settled(studio)).tolist()})
        assert len(np.unique(settled(studio))) == 1
        with pytest.raises(StudioRequestError, match="said to belong together"):
            say(studio, "split", {"cluster": int(settled(studio)[0])})


def kept(labels):
    return KeptClustering(7, 0, 0.0, "", {}, None, np.asarray(labels))


def fitted(labels):
    from clustraint.studio._clusters import FittedClusters

    return FittedClusters(np.asarray(labels), None, {}, None, None)


def test_numbers_are_kept_however_a_method_permutes_them(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = rng.integers(5, size=200)
    other = rng.permutation(5)[labels]
    assert (continued(fitted(other), kept(labels), {}).labels == labels).all()
    assert continued(fitted(other), kept(labels), {}).about["moved"] == 0


def test_a_new_cluster_gets_no_number_that_has_a_name():
    before = kept([0, 0, 0, 1, 1, 1])
    after = continued(fitted([0, 0, 1, 2, 2, 2]), before, {2: "was another"})
    assert after.labels.tolist() == [0, 0, 3, 1, 1, 1]


def test_one_pair_moves_few_samples_by_k_means(global_random_seed):
    X, _ = make_blobs(3000, 4, centers=6, cluster_std=2.5, random_state=global_random_seed % 1000)
    lines = ["a,b,c,d", *(",".join(f"{x:.4f}" for x in row) for row in X)]
    content = "\n".join(lines).encode()
    rng = np.random.default_rng(global_random_seed)
    with working(content=content, n_clusters=6) as studio:
        say(studio, "method", {"method": "cop-kmeans"})
        # The first one may still settle what a fresh start left open.
        for number in range(4):
            before = settled(studio)
            pair = rng.choice(3000, 2, replace=False).tolist()
            say(studio, "together", {"rows": pair})
            moved = settled(studio) != before
            moved[pair] = False
            assert number == 0 or moved.mean() <= 0.01


def test_a_tighter_start_is_offered_and_taking_it_moves_what_was_said():
    X, _ = make_blobs(300, 2, centers=8, cluster_std=1.0, random_state=1)
    content = "\n".join(["a,b", *(f"{x:.4f},{y:.4f}" for x, y in X)]).encode()
    with working(content=content, n_clusters=8) as studio:
        say(studio, "method", {"method": "cop-kmeans"})
        # Must-links drag centres away; taken back, the shape of the start is still theirs.
        for row in range(0, 60, 2):
            say(studio, "together", {"rows": [row, row + 1]})
        studio.worker.urgent(lambda: studio._seek_better(studio.shown)).result(120)
        if studio.better is None:
            pytest.skip("no better start here")
        before, offer = settled(studio), studio.better
        say(studio, "take", {"clustering": offer["clustering"]})
        assert (settled(studio) != before).sum() == offer["moves"]


def literal_stand_ins(home, constraints):
    """Return who shares a stand-in, sample by sample: same home, and the same was said of both."""
    n_samples = len(constraints)
    must = constraints.component_labels
    closed = constraints.closure()
    apart = [set() for _ in range(n_samples)]
    for first, second in closed.cannot_link.tolist():
        apart[first].add(must[second])
        apart[second].add(must[first])
    sizes = np.bincount(must)
    return [
        ("one of", must[row]) if sizes[must[row]] > 1 else tuple(sorted(apart[row]))
        for row in range(n_samples)
    ]


def test_stand_ins_share_only_what_was_said_of_both(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(60, 2))
    few = Representatives.of(X, 8, random_state=0)
    y = rng.integers(3, size=60)
    constraints = Constraints.from_labels(y, n_pairs=12, random_state=int(rng.integers(2**31)))
    standing = stand_ins(few, constraints)
    said_of = literal_stand_ins(few.home, constraints)
    owner = few.rows[few.home]
    effective = [said_of[row] or said_of[owner[row]] for row in range(60)]
    for one in range(60):
        for other in range(one):
            shares = standing.home[one] == standing.home[other]
            alike = few.home[one] == few.home[other] and effective[one] == effective[other]
            assert shares == alike
    # What holds for the stand-ins holds for all.
    standing.constraints(constraints).check()
    assert (standing.home[standing.rows] == np.arange(len(standing.rows))).all()


def three_blob_classes(n_samples, seed):
    """Return samples of three classes, each of three blobs that are not next to each other."""
    rng = np.random.default_rng(seed)
    centres = rng.permutation([(x, y) for x in (0, 10, 20) for y in (0, 10, 20)])
    blob = rng.integers(9, size=n_samples)
    X = centres[blob] + rng.normal(0, 1.0, (n_samples, 2))
    return X, blob // 3


def as_csv(X):
    return "\n".join(["a,b", *(f"{x:.4f},{y:.4f}" for x, y in X)]).encode()


def test_many_samples_are_clustered_through_representatives():
    X, y = three_blob_classes(3000, 0)
    with working(content=as_csv(X), n_clusters=3) as studio:
        assert "representatives" in studio.shown.about["reason"]
        group = np.flatnonzero(y == 0).tolist()
        say(studio, "together", {"rows": group})
        assert len(np.unique(settled(studio)[group])) == 1
        say(studio, "own", {"rows": group})
        label = settled(studio)[group[0]]
        assert (np.flatnonzero(settled(studio) == label) == group).all()


@pytest.mark.slow
def test_sixty_true_answers_are_enough_for_classes_of_three_blobs():
    X, y = three_blob_classes(20_000, 0)
    with working(content=as_csv(X), n_clusters=3) as studio:
        before = adjusted_rand_score(y, settled(studio))
        for _ in range(60):
            question = studio.question(60).result(300)["question"]
            if question is None:
                break
            first, second = question["rows"]
            answer = "yes" if y[first] == y[second] else "no"
            say(studio, "answer", {"rows": [first, second], "answer": answer})
        after = adjusted_rand_score(y, settled(studio))
    assert before < 0.6
    assert after >= 0.95


def test_a_state_that_grows_old_while_it_is_made_does_not_say_that_it_is_new(monkeypatch):
    # The page fetches no state again that has the revision it heard of.
    with working() as studio:
        undoable = studio.undoable

        def meanwhile_others_cluster():
            studio.publish("clusters", clustering=99, moved=0)
            return undoable()

        before = studio.revision
        monkeypatch.setattr(studio, "undoable", meanwhile_others_cluster)
        assert state_view(studio)["revision"] <= before < studio.revision


def test_an_unforeseen_failure_is_told_and_does_not_cluster_for_ever(monkeypatch):
    with working() as studio:
        with monkeypatch.context() as patch:
            patch.setattr(studio.log, "clustering_by", {}.__getitem__)
            say(studio, "together", {"rows": [0, 29]})
        assert studio.problem
        assert studio.status["running"] is None
        say(studio, "together", {"rows": [0, 10]})
        assert studio.problem is None
        assert len(set(studio.shown.labels[[0, 10, 29]])) == 1
