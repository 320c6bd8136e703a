"""Every estimator says what it does with rows in chunks: it fits them, or names Coarse."""

import inspect
from importlib import import_module

import numpy as np
import pytest

import clustraint.cluster
import clustraint.metric
from clustraint import Coarse, ConstrainedCompleteLinkage
from clustraint.base import ConstrainedClusterer, ConstraintTaker
from clustraint.exceptions import NotInChunksError
from clustraint.metric import DiscriminantMetric
from clustraint.rows import ArrayRows, ChunkedLabels
from tests.rows.engines import da, dd, pd

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
]

ESTIMATORS = sorted(
    {
        member
        for package in (clustraint.cluster, clustraint.metric)
        for name in package.__all__
        if inspect.isclass(member := getattr(import_module(package.__name__), name))
        and issubclass(member, ConstraintTaker)
    },
    key=lambda member: member.__name__,
)
IN_CHUNKS = {"AttributeKMedoids", "COPKMeans", "Coarse", "ConstrainedMixture"}


def made(estimator):
    """Return an estimator of two clusters."""
    if estimator is Coarse:
        return Coarse(ConstrainedCompleteLinkage(2), 50, random_state=0)
    options = {"n_clusters": 2, "random_state": 0, "view": DiscriminantMetric(1)}
    known = inspect.signature(estimator).parameters
    return estimator(**{name: value for name, value in options.items() if name in known})


def test_estimators_are_discovered():
    names = {estimator.__name__ for estimator in ESTIMATORS}
    assert {"ActiveCompleteLinkage", "BiHAC", "PCKMeans", "ReCon", "RelativeMetric"} <= names
    assert {each.__name__ for each in ESTIMATORS if each.takes_chunks} == IN_CHUNKS


@pytest.mark.parametrize(
    "estimator",
    [each for each in ESTIMATORS if not each.takes_chunks],
    ids=lambda each: each.__name__,
)
def test_methods_that_need_all_rows_say_so_before_they_read_one(estimator):
    def read(block_info=None):
        raise AssertionError("a chunk was read")

    never = da.map_blocks(read, chunks=((5, 5), (2,)), dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(NotInChunksError, match=r"Coarse\(\w+\(\.\.\.\)\) clusters represent"):
        made(estimator).fit(never)


@pytest.mark.parametrize(
    "estimator",
    [
        each
        for each in ESTIMATORS
        if issubclass(each, ConstrainedClusterer) and each.__name__ != "ActiveCompleteLinkage"
    ],
    ids=lambda each: each.__name__,
)
def test_predictions_are_lazy_and_those_of_memory(estimator, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = np.concatenate([rng.integers(0, 3, (20, 3)), rng.integers(20, 23, (20, 3))]).astype(float)
    known = [0, 0, 0, *[None] * 17, 1, 1, 1, *[None] * 17]
    model = made(estimator).fit(X, known)
    if not hasattr(model, "predict"):
        pytest.skip(f"{estimator.__name__} of complete linkage has no predict")
    expected = model.predict(X).tolist()
    near = model.predict(ArrayRows(X, 7))
    assert isinstance(near, ChunkedLabels)
    assert np.asarray(near).tolist() == expected
    far = model.predict(da.from_array(X, chunks=(9, 2)))
    assert far.chunks == ((9, 9, 9, 9, 4),)
    assert far.compute().tolist() == expected
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = made(estimator).fit(frame, known)
    lazy = named.predict(dd.from_pandas(frame, npartitions=3))
    assert not isinstance(lazy, np.ndarray)
    assert np.asarray(lazy.compute()).tolist() == named.predict(frame).tolist()
