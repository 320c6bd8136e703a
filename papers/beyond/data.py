"""Tables, texts and animals, and what is stated of them."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import minmax_scale

from clustraint import Constraints, Hierarchy
from clustraint.datasets import load as load_own
from clustraint.datasets import make_text_hierarchy
from clustraint.hierarchy import read_hierarchy
from papers._data import dataset

MOST_ROWS = 600
# The twelve tables of the ClusILC paper.
TWELVE = (
    "iris",
    "hayes-roth",
    "wine",
    "glass",
    "heart-statlog",
    "ecoli",
    "liver-disorders",
    "ionosphere",
    "balance-scale",
    "yeast",
    "image-segmentation",
    "pendigits-train",
)
TOPICS = ("a/b", "a/c", "a/d", "e/f", "e/g", "h/i", "h/j", "k")


class ClassedSamples(NamedTuple):
    """Samples with their classes."""

    X: Any
    y: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """How many classes there are, which every method is told."""
        return int(self.y.max()) + 1


@lru_cache(maxsize=16)
def table(name: str, scaled: bool = False) -> ClassedSamples:
    """Return a table, drawn down where it is large; `scaled` brings columns to 0 … 1."""
    data = dataset(name)
    X, y = np.asarray(data.X, np.float64), np.unique(data.y, return_inverse=True)[1]
    if len(X) > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False))
        X, y = X[chosen], np.unique(y[chosen], return_inverse=True)[1]
    return ClassedSamples(minmax_scale(X) if scaled else X, y.astype(np.int64))


@lru_cache(maxsize=2)
def animals(form: str) -> ClassedSamples:
    """Return the animals: "flags" (truth values), "numbers", "mixed" (a frame) or "scaled"."""
    from pandas import DataFrame

    data = load_own("animals")
    y = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
    flags = np.array([set(np.unique(column)) <= {0.0, 1.0} for column in data.X.T])
    if form == "flags":
        names = [name for name, is_flag in zip(data.feature_names, flags, strict=True) if is_flag]
        return ClassedSamples(DataFrame(data.X[:, flags].astype(int), columns=names), y)
    if form == "numbers":
        return ClassedSamples(data.X[:, ~flags], y)
    if form == "scaled":
        return ClassedSamples(minmax_scale(data.X), y)
    frame = DataFrame(data.X, columns=list(data.feature_names))
    for name in frame.columns[flags]:
        frame[name] = np.where(frame[name] > 0, "yes", "no")
    return ClassedSamples(frame, y)


def ontology(chosen: NDArray[np.int64]) -> Constraints:
    """Return the informative triplets of an ontology about some of the animals."""
    names = load_own("animals").names or ()
    file: Any = files("clustraint.datasets").joinpath("animals.obo")
    few = Constraints.from_hierarchy(read_hierarchy(file, [names[row] for row in chosen]))
    return Constraints(len(names), triplets=chosen[few.triplets])


def taxonomy(chosen: NDArray[np.int64]) -> Hierarchy:
    """Return the true hierarchy of some of the animals."""
    paths = load_own("animals").paths or ()
    return Hierarchy.from_paths([paths[row] for row in chosen])


def texts(rng: np.random.Generator) -> tuple[Any, Hierarchy, NDArray[np.str_]]:
    """Return generated documents as counts of words, their hierarchy and their topics."""
    paths = np.repeat(TOPICS, 12)
    made = make_text_hierarchy(list(paths), n_words=600, topic_share=0.3, random_state=rng)
    return made.X, Hierarchy.from_paths(list(paths)), paths


def with_noise(
    constraints: Constraints, share: float, rng: np.random.Generator
) -> tuple[Constraints, NDArray[np.bool_]]:
    """Return triplets of which a share is turned round, and which."""
    triplets = constraints.triplets.copy()
    wrong = rng.permutation(len(triplets)) < round(share * len(triplets))
    triplets[wrong] = triplets[wrong][:, [0, 2, 1]]
    return Constraints(constraints.n_samples, triplets=triplets), wrong
