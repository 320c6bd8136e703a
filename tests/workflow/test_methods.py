"""Methods are known by name: those of others appear wherever clustraint's own do."""

import io
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from clustraint import Constraints, COPKMeans
from clustraint.base import ConstrainedClusterer
from clustraint.exceptions import (
    BrokenMethodWarning,
    InvalidParameterError,
    NoMethodError,
    TakenMethodNameError,
)
from clustraint.tables import read_table
from clustraint.workflow import (
    Method,
    cluster_table,
    compare,
    explain,
    methods,
    register,
    unregister,
)
from clustraint.workflow import _method as method_module

TABLE = b"name,x,y\ndog,1,1\nwolf,2,1\ntrout,8,9\ncarp,9,9\n"
PAIRS = {"must_link": [(0, 1), (2, 3)], "cannot_link": [(0, 2), (1, 3)]}


class MustLinkComponents(ConstrainedClusterer):
    """Clusters are what must-links tie together."""

    constraint_kinds = ("must_link", "cannot_link")

    def _check_parameters(self, n_samples):
        pass

    def _fit(self, X, constraints):
        self.labels_ = constraints.components.labels


@pytest.fixture
def own():
    method = register(Method("components", MustLinkComponents, idea="must-link components"))
    yield method
    unregister("components")


@pytest.fixture
def table():
    return read_table(io.BytesIO(TABLE))


@pytest.fixture
def constraints():
    return Constraints(4, **PAIRS)


def test_a_registered_method_clusters_compares_and_explains(own, table, constraints):
    assert methods()["components"] is own
    assert own.kinds == {"must_link", "cannot_link", "together", "exactly"}
    assert not own.needs_n_clusters
    clustering = cluster_table(table, constraints, method="components")
    assert clustering.labels.tolist() == [0, 0, 1, 1]
    assert clustering.choice.reason == "as requested"
    assert "x <= 5" in str(explain(clustering))
    comparison = compare(table, constraints, 2, n_splits=3)
    assert "components" in {row["method"] for row in comparison.table()}


def test_auto_does_not_choose_it_where_another_would_do(own, table, constraints):
    assert cluster_table(table, constraints, 2).choice.method.name == "cop-kmeans"


def test_what_it_does_not_accept_is_refused_with_a_way_out(own, table):
    triplets = Constraints(4, triplets=[(0, 1, 2)])
    with pytest.raises(NoMethodError, match="components does not accept triplets; use best"):
        cluster_table(table, triplets, 2, method="components")


def test_the_same_class_may_be_registered_again(own):
    again = register(Method("components", MustLinkComponents))
    assert methods()["components"] is again


def test_a_name_belongs_to_one_estimator(own):
    with pytest.raises(TakenMethodNameError, match=r"'tree' is already clustraint\.cluster"):
        register(Method("tree", MustLinkComponents))
    with pytest.raises(TakenMethodNameError, match="'components' is already"):
        register(Method("components", COPKMeans))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("auto", COPKMeans), "name must be one word other than 'auto', but is 'auto'"),
        (("two words", COPKMeans), "name must be one word"),
        (("", COPKMeans), "name must be one word"),
        (("mine", object), "estimator must be a class derived from clustraint.base"),
        (("mine", "COPKMeans"), "estimator must be a class derived from"),
        (("mine", COPKMeans, "columns"), "view must be 'matrix', 'words', 'nominal' or 'frame'"),
    ],
)
def test_what_is_no_method_is_refused(arguments, words):
    with pytest.raises(InvalidParameterError, match=words):
        Method(*arguments)
    with pytest.raises(InvalidParameterError, match="method must be a Method"):
        register(arguments)


def test_parameters_differ_from_the_defaults():
    method = Method("slow", COPKMeans, parameters={"n_init": 7}, text_parameters={"n_init": 3})
    assert method.make(4, 5).get_params()["n_init"] == 7
    assert method.make(4, 5, of_texts=True).n_init == 3
    assert (method.make(4, 5).n_clusters, method.make(4, 5).random_state) == (4, 5)


PLUGIN = '''
from clustraint.base import ConstrainedClusterer
from clustraint.workflow import Method

class Halves(ConstrainedClusterer):
    """Clusters are the first and the last samples."""

    constraint_kinds = ("must_link", "cannot_link")

    def _check_parameters(self, n_samples):
        pass

    def _fit(self, X, constraints):
        n_samples = len(X)
        self.labels_ = [0] * (n_samples // 2) + [1] * (n_samples - n_samples // 2)

METHOD = Method("halves", Halves, idea="the first and the last samples")
'''


def install(folder, name, entry_points):
    """Put a package where Python finds it, as pip would."""
    (folder / f"{name}.py").write_text(PLUGIN)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[clustraint.methods]\n{entry_points}\n")


def test_a_method_of_another_package_is_on_the_command_line(tmp_path):
    install(tmp_path, "halving", "halves = halving:METHOD")
    (tmp_path / "t.csv").write_bytes(TABLE)
    (tmp_path / "k.txt").write_text("dog = wolf\ntrout = carp\ndog != trout\nwolf != carp\n")
    paths = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    program = textwrap.dedent("""
        import sys
        from clustraint.cli import main
        for words in (
            "cluster t.csv -m halves --labels-only -o -",
            "compare t.csv -k 2 -c k.txt -o -",
        ):
            try: main(words.split())
            except SystemExit as stop: assert not stop.code
    """)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "dog,0,x <= 5\nwolf,0,x <= 5\ntrout,1,x > 5\ncarp,1,x > 5\n" in done.stdout
    assert "\nhalves," in done.stdout


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere:METHOD", "ModuleNotFoundError: No module named 'nowhere'"),
        ("halving:OTHER", "AttributeError"),
        ("halving:Halves", "InvalidParameterError: method must be a Method"),
    ],
)
def test_a_broken_package_is_a_warning_that_names_it(tmp_path, monkeypatch, target, words):
    before = set(methods())
    install(tmp_path, "halving", f"halves = {target}")
    monkeypatch.syspath_prepend(str(tmp_path))
    method_module._load_entry_points.cache_clear()
    with pytest.warns(BrokenMethodWarning) as caught:
        assert set(methods()) == before
    assert str(caught[0].message).startswith(
        f"the method 'halves' of the package halving ({target}) is left out, as it cannot be loaded"
    )
    assert words in str(caught[0].message)
    sys.modules.pop("halving", None)


def test_explain_takes_any_table():
    X = np.array([[1.0], [2.0], [8.0], [9.0]])
    assert explain(X, ["a", "a", "b", "b"]).descriptions[0].formula == "x0 <= 5"


def test_explain_takes_a_column_which_its_rules_leave_out(table):
    explanation = explain(table, "y")
    assert {each.cluster for each in explanation.descriptions} == {1, 9}
    assert all("y" not in each.formula for each in explanation.descriptions)


@pytest.mark.parametrize("labels", [None, [0, 0, 1, 1]])
def test_explain_wants_labels_exactly_where_there_are_none(table, labels):
    subject = table if labels is None else cluster_table(table, n_clusters=2)
    with pytest.raises(InvalidParameterError, match="labels must be"):
        explain(subject, labels)


def test_explain_draws_from_very_many_samples(monkeypatch):
    from clustraint.workflow import _explanation

    monkeypatch.setattr(_explanation, "MOST_EXPLAINED", 50)
    values = np.arange(200.0)
    explanation = explain(values[:, None], (values > 99).astype(int))
    assert (explanation.n_samples, explanation.fidelity) == (50, 1.0)
    assert sum(each.n_samples for each in explanation.descriptions) == 50
