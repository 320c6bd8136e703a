"""Vectors that stand for the samples, and the columns beside them."""

import json

import numpy as np
import pytest

from clustraint.tables import read_table
from clustraint.workflow import cluster_names, cluster_table, explain


def lines_of(length, seed):
    """Return 40 samples in two groups by their vectors, and in two others by their language."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(2, length))
    return [
        {
            "id": f"d{place}",
            "lang": ("en", "de")[place // 2 % 2],
            "embedding": (4 * centers[place % 2] + rng.normal(size=length)).tolist(),
        }
        for place in range(40)
    ]


@pytest.fixture(name="path")
def documents(tmp_path, global_random_seed):
    lines = lines_of(32, global_random_seed)
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_what_is_beside_an_embedding_is_left_out_and_said(path):
    table = read_table(path)
    assert [column.name for column in table.columns] == ["embedding"]
    assert table.column("lang").note == ("the vectors of 'embedding' say what samples are (only=)")
    assert [column.name for column in table.shown] == ["lang"]


def test_it_is_used_where_it_is_asked_for(path):
    by_only = read_table(path, only=["lang", "embedding"])
    by_kind = read_table(path, nominal="lang")
    for table in (by_only, by_kind):
        assert [column.name for column in table.columns] == ["lang", "embedding"]


def test_clusters_are_those_of_the_vectors(path):
    clustering = cluster_table(read_table(path), n_clusters=2)
    labels = clustering.labels
    assert set(labels[::2]) != set(labels[1::2])
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1
    explanation = explain(clustering)
    assert not explanation.descriptions
    assert all(len(names) == 3 for names in explanation.examples.values())
    assert "typical: d" in str(explanation)
    assert cluster_names(clustering, explanation) == {0: "cluster 0", 1: "cluster 1"}


def test_short_vectors_are_a_column_like_others(tmp_path, global_random_seed):
    path = tmp_path / "short.jsonl"
    path.write_text("\n".join(map(json.dumps, lines_of(4, global_random_seed))))
    assert [column.name for column in read_table(path).columns] == ["lang", "embedding"]
