"""Results that no change of speed may change: ``python -m tests.frozen`` writes them anew.

Only where an algorithm is meant to give something else is the file to be written again.
"""

import json
import string
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs

from clustraint import ClusteringTree, Constraints, COPKMeans, Hierarchy
from clustraint.evaluation import h_correlation

RECORD = Path(__file__).parent / "frozen.json"
SIGNS = string.digits + string.ascii_letters


def text_of(labels):
    """One sign for each label."""
    return "".join(SIGNS[label] for label in labels)


def blobs(n_samples, n_features, n_clusters, spread, n_pairs, seed):
    X, y = make_blobs(
        n_samples, n_features, centers=n_clusters, cluster_std=spread, random_state=seed
    )
    return X, Constraints.from_labels(y, n_pairs=n_pairs, random_state=seed)


def kmeans(assignment, n_features, n_clusters, spread, n_pairs, form=np.asarray):
    X, constraints = blobs(300, n_features, n_clusters, spread, n_pairs, seed=n_clusters)
    model = COPKMeans(n_clusters, assignment=assignment, n_init=3, random_state=0)
    model.fit(form(X), constraints=constraints)
    return {"labels": text_of(model.labels_), "inertia": float(f"{model.inertia_:.6g}")}


def tree(n_pairs, spread, **parameters):
    X, constraints = blobs(240, 5, 4, spread, n_pairs, seed=n_pairs)
    # Ties between columns, a coarse one, and values that are missing.
    X[:, 3] = np.round(X[:, 3])
    X[:, 4] = X[:, 0]
    X[::17, 1] = np.nan
    model = ClusteringTree(4, **parameters).fit(X, constraints=constraints)
    nodes = model.tree_
    return {
        "labels": text_of(model.labels_),
        "features": nodes.feature.tolist(),
        "thresholds": [float(f"{value:.9g}") for value in nodes.threshold],
        "rules": len(" ".join(map(str, model.rules_))),
    }


def agreement(n_samples, seed):
    """Two trees of clusters merged at random, the one rather deep."""
    rng = np.random.default_rng(seed)
    return float(f"{h_correlation(_merged(n_samples, rng, 2), _merged(n_samples, rng, 40)):.12g}")


def _merged(n_samples, rng, reach):
    clusters, parents = list(range(n_samples)), [-1] * (2 * n_samples - 1)
    for merged in range(n_samples, 2 * n_samples - 1):
        for _ in range(2):
            place = int(rng.integers(max(0, len(clusters) - reach), len(clusters)))
            parents[clusters.pop(place)] = merged
        clusters.append(merged)
    return Hierarchy(parents)


def cases():
    """Each case by its name, as a call."""
    made = {}
    for assignment in ("auto", "instance", "component", "exact", "soft"):
        for shape in ((2, 3, 3.0, 40), (16, 10, 4.0, 60), (64, 24, 3.0, 30), (4, 6, 1.0, 0)):
            made[f"COPKMeans {assignment} {shape}"] = lambda a=assignment, s=shape: kmeans(a, *s)
        made[f"COPKMeans {assignment} float32"] = lambda a=assignment: kmeans(
            a, 16, 10, 4.0, 60, np.float32
        )
        made[f"COPKMeans {assignment} sparse"] = lambda a=assignment: kmeans(
            a, 16, 10, 4.0, 60, csr_array
        )
    for n_pairs in (0, 20, 120, 600):
        for options in (
            {},
            {"label_reuse": "any", "max_leaves": 30},
            {"beam_width": 3, "max_leaves": 12},
            {"gamma": 0.9},
        ):
            made[f"ClusteringTree {n_pairs} {options}"] = lambda n=n_pairs, o=options: tree(
                n, 4.0, **o
            )
    for seed in range(4):
        made[f"h_correlation {seed}"] = lambda s=seed: agreement(60 + 40 * s, s)
    return made


if __name__ == "__main__":
    lines = [
        f"{json.dumps(name)}: {json.dumps(call(), separators=(',', ':'))}"
        for name, call in cases().items()
    ]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
