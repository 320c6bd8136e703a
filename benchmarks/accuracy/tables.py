"""The tables: numbers, standardised, with the classes that clusters are compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_circles, make_moons
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from clustraint.datasets import load

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AccuracyTable:
    """Samples as methods see them, their classes, and the columns that rules may speak of.

    A column that rules may speak of has two values, of which the larger is above 0.
    """

    X: FloatArray
    y: NDArray[np.int64]
    binary: tuple[int, ...] = ()

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


def numbers(name: str, classes: tuple[str, ...] = ()) -> AccuracyTable:
    """Return a table of numbers, of some of its classes only where these are named."""
    data = load(name)
    rows = np.isin(data.y, classes) if classes else np.ones(data.n_samples, bool)
    return _table(np.asarray(data.X, np.float64)[rows], data.y[rows])


def categories(name: str) -> AccuracyTable:
    """Return a nominal table, a column for each value."""
    data = load(name)
    cells = np.array([[str(value) for value in row] for row in data.X])
    return _table(OneHotEncoder(sparse_output=False).fit_transform(cells), data.y, ruled=True)


def animals() -> AccuracyTable:
    """Return the animals, most columns of which are yes or no."""
    data = load("animals")
    return _table(np.asarray(data.X, np.float64), data.y, ruled=True)


def texts(name: str, n_components: int, level: int, groups: tuple[str, ...] = ()) -> AccuracyTable:
    """Return texts by latent semantic analysis, their classes the first parts of their paths."""
    data = load(name)
    classes = np.array(["/".join(path.split("/")[:level]) for path in data.y])
    rows = np.isin(classes, groups) if groups else np.ones(data.n_samples, bool)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    X = TruncatedSVD(n_components, random_state=0).fit_transform(words.fit_transform(data.X[rows]))
    return _table(X, classes[rows])


def drawn(make: Callable[..., Any], **options: Any) -> AccuracyTable:
    """Return a table that scikit-learn draws."""
    return _table(*make(300, random_state=0, **options))


def _table(X: FloatArray, y: NDArray[Any], *, ruled: bool = False) -> AccuracyTable:
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])
    _, classes = np.unique(y, return_inverse=True)
    binary = [column for column in range(X.shape[1]) if len(np.unique(X[:, column])) == 2]
    return AccuracyTable(X, classes.astype(np.int64), tuple(binary) if ruled else ())


GROUPS = ("comp/graphics", "comp/os-ms-windows-misc", "comp/windows-x")
TABLES: dict[str, Callable[[], AccuracyTable]] = {
    "animals": animals,
    "breast cancer": lambda: numbers("breast-cancer-wisconsin"),
    "circles": lambda: drawn(make_circles, noise=0.06, factor=0.5),
    "digits": lambda: numbers("digits"),
    "digits 3, 8, 9": lambda: numbers("digits-389"),
    "ecoli": lambda: numbers("ecoli"),
    "glass": lambda: numbers("glass"),
    "heart": lambda: numbers("heart-statlog"),
    "ionosphere": lambda: numbers("ionosphere"),
    "iris": lambda: numbers("iris"),
    "letters I, J, L": lambda: numbers("letters-ijlt", ("I", "J", "L")),
    "newsgroups": lambda: texts("20newsgroups-mini", 20, 4, GROUPS),
    "segment": lambda: numbers("image-segmentation"),
    "soybean": lambda: categories("soybean-large"),
    "two moons": lambda: drawn(make_moons, noise=0.08),
    "wine": lambda: numbers("wine"),
    "WOS-1000": lambda: texts("wos-1000", 40, 1),
    "yeast": lambda: numbers("yeast"),
}
# The first half is for tuning, the other for checking; `ScoredMethod.tuned_on` says who kept to it.
NAMES = sorted(TABLES, key=str.lower)
TUNED = tuple(NAMES[: len(NAMES) // 2])


@cache
def table(name: str) -> AccuracyTable:
    """Return a table by name."""
    return TABLES[name]()
