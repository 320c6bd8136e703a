"""The same seed gives the same bits, however many threads linear algebra has."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from clustraint import ConstrainedMixture, Constraints, Rule
from clustraint.machine import one_thread
from tests.estimators import estimators, made

ROOT = Path(__file__).parents[2]
LIMITS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def problem(name, kinds):
    """Enough samples and columns that linear algebra shares the work out among its threads."""
    rng = np.random.default_rng(0)
    # A dot product is shared out from some ten thousand terms on.
    n_samples, n_features = (60, 12_000) if name == "BiHAC" else (300, 120)
    y = np.repeat([0, 1, 2], n_samples // 3)
    X = rng.normal(size=(n_samples, n_features)) * rng.uniform(0.1, 3, size=n_features)
    X += y[:, None] * rng.normal(size=n_features) / 10
    constraints = Constraints(n_samples)
    if "must_link" in kinds:
        constraints |= Constraints.from_labels(y, n_pairs=60, random_state=0)
    if "triplets" in kinds:
        constraints |= Constraints.from_labels(y, n_triplets=1000, random_state=0)
    return X, y, constraints


def fitted(name):
    model = made(name, n_init=2)
    X, y, constraints = problem(name, model.constraint_kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "ActiveCompleteLinkage":
            return model.fit(X, oracle=lambda a, b: bool(y[a] == y[b]))
        if name == "AttributeKMedoids":
            return model.fit(X > 0, constraints=Constraints(300, rules=[Rule("x0 & x1")]))
        return model.fit(X, constraints=constraints)


def digest(model):
    """A short text of all numbers that a fitted estimator holds."""
    parts = []
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype != object:
            parts.append((name, hashlib.sha256(np.ascontiguousarray(value)).hexdigest()[:12]))
        elif name.endswith("_") and isinstance(value, float):
            parts.append((name, value.hex()))
    return parts


def digests(n_threads):
    environment = {**os.environ, **dict.fromkeys(LIMITS, str(n_threads))}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, __file__], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_estimator_gives_the_same_bits_on_one_thread_and_on_two():
    one, two = digests(1), digests(2)
    assert set(one) == set(estimators())
    assert all(one.values())
    assert {name: two[name] for name in one} == one


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_the_limit_ends_with_the_last_who_needs_it():
    before = blas_threads()
    first_is_out, second_is_in = threading.Event(), threading.Event()
    inside = []

    def first():
        with one_thread():
            assert second_is_in.wait(60)
        first_is_out.set()

    def second():
        with one_thread():
            second_is_in.set()
            assert first_is_out.wait(60)
            inside.extend(blas_threads())

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(first), pool.submit(second)]:
            each.result()
    assert set(inside) == {1}
    assert blas_threads() == before


def test_the_limit_ends_where_a_fit_fails():
    before = blas_threads()
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedMixture(2).fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert blas_threads() == before


if __name__ == "__main__":
    print(json.dumps({name: digest(fitted(name)) for name in estimators()}))
