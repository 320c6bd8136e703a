"""Nothing of ours depends on, or changes, what belongs to the whole process."""

import csv
import decimal
import gc
import io
import locale
import os
import random
import signal
import sys
import warnings
from contextlib import contextmanager

import matplotlib
import numpy as np
import pytest
from sklearn import get_config
from threadpoolctl import threadpool_info

from clustraint import Constraints, Hierarchy, Report, Rule, plot
from clustraint.active import Session
from clustraint.metric import PropagatedEmbedding, RelativeMetric
from clustraint.tables import read_table
from clustraint.workflow import cluster_table, compare, explain, methods

TEXT = "name,x,y,kind\n" + "".join(
    f"s{i},{i % 7 + 10 * (i % 2)},{i * i % 11},{'ab'[i % 2]}\n" for i in range(24)
)


def everything(folder):
    """Do what people do with a table; return what comes of it."""
    table = read_table(io.BytesIO(TEXT.encode()), id_column="name")
    labels = [i % 2 for i in range(24)]
    pairs = Constraints.from_labels(labels, n_pairs=20, random_state=0, names=table.names)
    pairs |= Constraints(24, rules=[Rule("kind == 'a'")], names=table.names)
    for suffix in (".txt", ".csv", ".json"):
        pairs.write(folder / f"constraints{suffix}")
        assert Constraints.read(folder / f"constraints{suffix}", names=table.names) == pairs
    outcome = []
    for method in ("cop-kmeans", "mixture", "propagation", "tree", "complete-linkage", "best"):
        clustering = cluster_table(table, pairs, 2, method=method, random_state=0)
        outcome.append(clustering.labels.tolist())
        outcome.append(str(explain(clustering).descriptions[0]))
    result = compare(table, pairs, 2, methods=["cop-kmeans", "tree"], n_splits=2)
    outcome.append(str(result))
    X = np.array([[i % 7 + 10.0 * (i % 2), i * i % 11] for i in range(24)])
    triplets = Constraints.from_labels(labels, n_triplets=20, random_state=0)
    outcome.append(RelativeMetric().fit(X, constraints=triplets).feature_weights_.tolist())
    embedding = PropagatedEmbedding(2, n_neighbors=4).fit(X, constraints=triplets).embedding_
    outcome.append(embedding.round(9).tolist())
    outcome.append(Hierarchy.from_triplets(triplets.triplets, 24).to_newick())
    session = Session("min-max", X, n_clusters=2, n_queries=4)
    while (query := session.question) is not None:
        session.answer(labels[query.first] == labels[query.second])
    outcome.append([tuple(answer) for answer in session.answers])
    model = methods()["recon"].make(2).fit(X, constraints=triplets)
    Report(X, model, constraints=triplets).save(folder / "report.html")
    plot.clusters(X, model)
    plot.dendrogram(model)
    matplotlib.pyplot.close("all")
    return outcome


def state():
    """What belongs to the process, in a form that can be compared."""
    return {
        "csv": (csv.field_size_limit(), tuple(csv.list_dialects())),
        "locale": locale.setlocale(locale.LC_ALL),
        "numpy errors": np.geterr(),
        "numpy printing": {k: v for k, v in np.get_printoptions().items() if k != "formatter"},
        "numpy random": str(np.random.get_state(legacy=False)),
        "random": random.getstate(),
        "warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "recursion": sys.getrecursionlimit(),
        "threads": sorted((pool["filepath"], pool["num_threads"]) for pool in threadpool_info()),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "decimal": str(decimal.getcontext()),
        "gc": (gc.isenabled(), gc.get_threshold()),
        "matplotlib": dict(matplotlib.rcParams),
        "scikit-learn": get_config(),
        "hooks": (sys.excepthook, sys.displayhook),
    }


@pytest.fixture(autouse=True)
def without_windows():
    matplotlib.use("Agg")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    matplotlib.use("Agg")
    return everything(tmp_path_factory.mktemp("usual"))


def test_nothing_is_changed(usual, tmp_path):
    before = state()
    assert everything(tmp_path) == usual
    after = state()
    assert {name for name in before if before[name] != after[name]} == set()


@contextmanager
def csv_limit():
    before = csv.field_size_limit(3)
    yield
    csv.field_size_limit(before)


@contextmanager
def printing():
    with np.printoptions(precision=1, threshold=2, suppress=True, legacy="1.13"):
        yield


@contextmanager
def comma():
    before = locale.setlocale(locale.LC_ALL)
    wanted = ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C")
    for name in wanted:
        try:
            locale.setlocale(locale.LC_ALL, name)
            break
        except locale.Error:
            continue
    yield
    locale.setlocale(locale.LC_ALL, before)


@contextmanager
def short_decimals():
    with decimal.localcontext() as context:
        context.prec = 2
        yield


@contextmanager
def seeds():
    random.seed(1)
    np.random.seed(1)
    yield


@pytest.mark.parametrize(
    "strange",
    [
        lambda: np.errstate(all="raise"),
        csv_limit,
        printing,
        comma,
        short_decimals,
        seeds,
    ],
    ids=["numpy raises", "csv limit", "numpy prints", "locale", "decimals", "seeds"],
)
def test_nothing_depends_on_it(strange, usual, tmp_path):
    with strange():
        assert everything(tmp_path) == usual
