"""Data that need no file: scikit-learn's own, a full factorial, and parts of other tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustraint.datasets._dataset import Dataset

IRIS_COLUMNS = ("sepal_length", "sepal_width", "petal_length", "petal_width")
WINE_COLUMNS = (
    "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols",
    "flavanoids", "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue",
    "od280_od315", "proline",
)  # fmt: skip
SCALE_COLUMNS = ("left_weight", "left_distance", "right_weight", "right_distance")
FISHER = "scikit-learn, with two rows as Fisher published them, where UCI's differ"


def _iris() -> Dataset:
    from sklearn.datasets import load_iris

    bunch = load_iris()
    classes = np.array([f"Iris-{name}" for name in bunch.target_names])
    return Dataset("iris", bunch.data, classes[bunch.target], IRIS_COLUMNS)


def _wine() -> Dataset:
    from sklearn.datasets import load_wine

    bunch = load_wine()
    return Dataset("wine", bunch.data, bunch.target.astype(np.int64) + 1, WINE_COLUMNS)


def _breast_cancer() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    columns = tuple(str(name).replace(" ", "_") for name in bunch.feature_names)
    classes = np.asarray(bunch.target_names)[bunch.target]
    return Dataset("breast-cancer-wisconsin", bunch.data, classes, columns)


def _digits() -> Dataset:
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset(
        "digits", bunch.data, bunch.target.astype(np.int64), tuple(map(str, bunch.feature_names))
    )


def _balance_scale() -> Dataset:
    X = np.array(list(product(range(1, 6), repeat=4)), np.float64)
    tips = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]).astype(np.int64)
    return Dataset("balance-scale", X, np.array(["R", "B", "L"])[tips + 1], SCALE_COLUMNS)


# Where no file is found: what serves instead, and what that is called.
BUILTIN: dict[str, tuple[Callable[[], Dataset], str]] = {
    "iris": (_iris, FISHER),
    "wine": (_wine, "scikit-learn"),
    "breast-cancer-wisconsin": (_breast_cancer, "scikit-learn"),
    "digits": (_digits, "scikit-learn"),
    "balance-scale": (_balance_scale, "generated"),
}


def _rows_of(data: Dataset, rows: NDArray[Any]) -> Dataset:
    """Return some samples of a table."""
    labels = {name: values[rows] for name, values in data.labels.items()}
    return replace(data, X=data.X[rows], y=data.y[rows], labels=labels)


def _binary_legs(data: Dataset) -> Dataset:
    place = data.feature_names.index("legs")
    legs = data.X[:, [place]]
    numbers = np.unique(legs)
    columns = (data.X[:, :place], legs == numbers, data.X[:, place + 1 :])
    names = list(data.feature_names)
    names[place : place + 1] = [f"legs_{number:.0f}" for number in numbers]
    return replace(data, X=np.hstack(columns).astype(np.float64), feature_names=tuple(names))


# Tables that are parts of others: which, and how they are made of them.
DERIVED: dict[str, tuple[str, Callable[[Dataset], Dataset]]] = {
    "digits-389": ("pendigits", lambda data: _rows_of(data, np.isin(data.y, (3, 8, 9)))),
    "letters-ijlt": (
        "letter-recognition",
        lambda data: _rows_of(data, np.isin(data.y, list("IJLT"))),
    ),
    "pendigits-train": ("pendigits", lambda data: _rows_of(data, np.arange(7494))),
    "soybean-large": (
        "soybean-large-all",
        lambda data: _rows_of(data, np.array([None not in row for row in data.X.tolist()])),
    ),
    "zoo-binary": ("zoo", _binary_legs),
}
