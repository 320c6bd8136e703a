"""Merges and questions stay what they were: made once, before the kernels became faster.

`frozen/merges.json` holds a digest of the merges and the sum of the distances of each case. Only
where a result is meant to change, write it anew: ``python -m tests.cluster.test_frozen_merges``.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from clustraint import ActiveCompleteLinkage, ConstrainedCompleteLinkage, Constraints, ReCon
from clustraint.kernels import agglomeration
from clustraint.metric.distances import distance_triangle

RECORD = Path(__file__).parent / "frozen" / "merges.json"


def classes(n_samples, spread, seed, n_classes=4, n_features=6, digits=None):
    """Samples of classes that overlap more the larger the spread; few digits make ties."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    X = rng.uniform(-10, 10, (n_classes, n_features))[y]
    X = X + spread * rng.standard_normal((n_samples, n_features))
    return (X if digits is None else X.round(digits)), y


def recon(n_samples, spread, n_triplets, seed=0, digits=None, n_pairs=0, linkage="centroid"):
    X, y = classes(n_samples, spread, seed, digits=digits)
    constraints = Constraints.from_labels(y, n_triplets=n_triplets, random_state=seed)
    if n_pairs:
        constraints |= Constraints.from_labels(y, n_pairs=n_pairs, random_state=seed)
    return ReCon(4, linkage=linkage).fit(X, constraints=constraints)


def recon_nested(n_samples, n_triplets, seed=0):
    """Triplets of a hierarchy that has nothing to do with the samples: most tests fail."""
    X, _ = classes(n_samples, 1.0, seed)
    tree = ReCon(4).fit(np.random.default_rng(seed + 1).normal(size=(n_samples, 3))).hierarchy_
    triplets = tree.sample_triplets(n_triplets, np.random.default_rng(seed))
    return ReCon(4, cut="last").fit(X, constraints=Constraints(n_samples, triplets=triplets))


def complete(n_samples, n_pairs, seed=0, digits=None, dtype=np.float64):
    X, y = classes(n_samples, 4.0, seed, digits=digits)
    constraints = Constraints.from_labels(y, n_pairs=n_pairs, random_state=seed)
    return ConstrainedCompleteLinkage(4).fit(X.astype(dtype), constraints=constraints)


def asked(n_samples, n_queries, seed=0, digits=None):
    """Questions of which some get no answer."""
    X, y = classes(n_samples, 4.0, seed, digits=digits)

    def oracle(first, second):
        return None if (first + second) % 7 == 0 else bool(y[first] == y[second])

    return ActiveCompleteLinkage(4, n_queries).fit(X, oracle=oracle)


CASES = {
    "ReCon, classes apart": lambda: recon(600, 1.0, 600),
    "ReCon, classes that overlap": lambda: recon(500, 8.0, 500),
    "ReCon, classes that overlap more": lambda: recon(400, 30.0, 400, seed=1),
    "ReCon, few triplets": lambda: recon(500, 8.0, 60, seed=2),
    "ReCon, many triplets": lambda: recon(300, 8.0, 3_000, seed=3),
    "ReCon, ties": lambda: recon(400, 4.0, 400, seed=4, digits=0),
    "ReCon, Ward": lambda: recon(400, 8.0, 400, seed=5, linkage="ward"),
    "ReCon, pairs too": lambda: recon(400, 8.0, 300, seed=6, n_pairs=200),
    "ReCon, another hierarchy": lambda: recon_nested(300, 600),
    "ReCon, another hierarchy, few triplets": lambda: recon_nested(400, 150, seed=7),
    "complete link": lambda: complete(500, 0),
    "complete link, pairs": lambda: complete(500, 300),
    "complete link, many components": lambda: complete(600, 900, seed=1),
    "complete link, ties": lambda: complete(400, 100, seed=2, digits=0),
    "complete link, float32": lambda: complete(400, 400, seed=3, dtype=np.float32),
    "questions": lambda: asked(500, 60),
    "questions about everything": lambda: asked(60, 200, seed=1),
    "questions, ties": lambda: asked(300, 90, seed=2, digits=0),
}


def single(seed, digits):
    X, _ = classes(500, 4.0, seed, digits=digits)
    distances, _ = distance_triangle(X, "euclidean", None)
    return agglomeration.agglomerate(distances, len(X), agglomeration.SINGLE)


def described(model):
    """Return what a fitted model came to: its merges, labels and questions."""
    questions = [str(answer) for answer in getattr(model, "queries_", [])]
    return {
        "merges": digest(model.hierarchy_.parents),
        "labels": digest(model.labels_),
        "questions": hashlib.sha256("\n".join(questions).encode()).hexdigest()[:16],
        "height": float(model.merge_distances_.sum()),
    }


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array, "<i8").tobytes()).hexdigest()[:16]


def results():
    single_links = {
        name: {"merges": digest(merges), "height": float(heights.sum())}
        for name, (merges, heights) in {
            "single link": single(0, None),
            "single link, ties": single(1, 0),
        }.items()
    }
    return {name: described(case()) for name, case in CASES.items()} | single_links


@pytest.fixture(scope="module")
def record():
    return json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_merges_are_what_they_were(name, record):
    today, before = described(CASES[name]()), record[name]
    assert today.pop("height") == pytest.approx(before.pop("height"), rel=1e-9)
    assert today == before


if __name__ == "__main__":
    RECORD.write_text(json.dumps(results(), indent=1) + "\n", encoding="utf-8")
