"""The tables: numbers, standardised, with the classes that clusters are compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Table:
    """Samples as methods see them, their classes, and columns that rules may speak of."""

    X: FloatArray
    y: NDArray[np.int64]
    nominal: dict[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


def numbers(name: str, classes: tuple[str, ...] = ()) -> Table:
    """Return a table of numbers, of some of its classes only where these are named."""
    data = load(name)
    rows = np.isin(data.y, classes) if classes else np.ones(data.n_samples, bool)
    return _table(np.asarray(data.X, np.float64)[rows], data.y[rows])


def categories(name: str) -> Table:
    """Return a nominal table, a column for each value."""
    data = load(name)
    cells = np.array([[str(value) for value in row] for row in data.X])
    nominal = dict(zip(data.feature_names, cells.T, strict=True))
    return _table(OneHotEncoder(sparse_output=False).fit_transform(cells), data.y, nominal)


def animals() -> Table:
    """Return the animals; each column of few values counts as nominal."""
    data = load("animals")
    few = {
        name: column.astype(int).astype(str)
        for name, column in zip(data.feature_names, data.X.T, strict=True)
        if len(np.unique(column)) <= 8
    }
    return _table(np.asarray(data.X, np.float64), data.y, few)


def texts(name: str, n_components: int, level: int, groups: tuple[str, ...] = ()) -> Table:
    """Return texts by latent semantic analysis, their classes the first parts of their paths."""
    data = load(name)
    classes = np.array(["/".join(path.split("/")[:level]) for path in data.y])
    rows = np.isin(classes, groups) if groups else np.ones(data.n_samples, bool)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    X = TruncatedSVD(n_components, random_state=0).fit_transform(words.fit_transform(data.X[rows]))
    return _table(X, classes[rows])


def drawn(make: Callable[..., Any], **options: Any) -> Table:
    """Return a table that scikit-learn draws."""
    return _table(*make(300, random_state=0, **options))


def _table(X: FloatArray, y: NDArray[Any], nominal: dict[str, NDArray[Any]] | None = None) -> Table:
    varying = X[:, X.std(axis=0) > 0]
    _, classes = np.unique(y, return_inverse=True)
    return Table(StandardScaler().fit_transform(varying), classes.astype(np.int64), nominal or {})


GROUPS = ("comp/graphics", "comp/os-ms-windows-misc", "comp/windows-x")
TABLES: dict[str, Callable[[], Table]] = {
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
# Whoever tunes a method looks at the first half alone.
NAMES = sorted(TABLES, key=str.lower)
TUNED = tuple(NAMES[: len(NAMES) // 2])


@cache
def table(name: str) -> Table:
    """Return a table by name."""
    return TABLES[name]()
