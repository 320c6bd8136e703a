"""Tables of samples as what estimators take: numbers, nominal values, or mixed columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    MissingValuesError,
    TableColumnError,
)
from clustraint.tables._sample_table import Kind, SampleTable, Scale, TableColumn
from clustraint.typing import FloatArray
from clustraint.wording import excerpt

View = Literal["matrix", "nominal", "frame"]

VIEWS = ("matrix", "nominal", "frame")
SCALES = ("standard", "minmax", "none")
# Above so many numbers a matrix that is mostly 0 is made sparse.
MOST_DENSE = 50_000_000
# Two different values are then one apart.
HOT = np.sqrt(0.5)


class TableEncoder(TransformerMixin, BaseEstimator):
    r"""Turn tables that `read_table` gives into what an estimator takes, as in a pipeline.

    Parameters
    ----------
    view : {"matrix", "nominal", "frame"}, default="matrix"
        "matrix": numbers for Euclidean distances; "nominal": values that are equal or not, for
        `AttributeKMedoids`; "frame": columns of several kinds, for `ClusteringTree`.
    scale : {"standard", "minmax", "none"}, default="standard"
        How to scale the numeric columns of a matrix, see `SampleTable.matrix`.

    Attributes
    ----------
    columns_ : tuple of (str, str)
        The columns and their kinds.
    feature_names_ : tuple of str
        One name for each column of what `transform` gives.
    notes_ : tuple of str
        What `transform` does, each a sentence.
    arguments_ : dict
        The arguments by which `read_table` reads another file of this kind.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import TableEncoder, read_table
    >>> table = read_table(io.BytesIO(b"legs,color\n4,red\n2,blue\n0,red\n"))
    >>> encoder = TableEncoder(scale="minmax").fit(table)
    >>> encoder.feature_names_
    ('legs', 'color = blue', 'color = red')
    >>> encoder.transform(table).round(1)
    array([[1. , 0. , 0.7],
           [0.5, 0.7, 0. ],
           [0. , 0. , 0.7]])
    """

    def __init__(self, view: View = "matrix", *, scale: Scale = "standard") -> None:
        self.view = view
        self.scale = scale

    def fit(self, X: SampleTable, y: Any = None) -> Self:
        r"""Learn means, values and words.

        Parameters
        ----------
        X : SampleTable
            The samples.
        y : None
            Ignored.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import TableEncoder, read_table
        >>> TableEncoder().fit(read_table(io.BytesIO(b"legs\n4\n2\n"))).feature_names_
        ('legs',)
        """
        if self.view not in VIEWS:
            raise InvalidParameterError("view", self.view, f"one of {', '.join(VIEWS)}")
        if self.scale not in SCALES:
            raise InvalidParameterError("scale", self.scale, f"one of {', '.join(SCALES)}")
        self.columns_ = tuple((column.name, column.kind) for column in X.columns)
        self.arguments_ = X.arguments
        if self.view != "matrix":
            columns = X.nominal() if self.view == "nominal" else X.as_columns()
            self.feature_names_: tuple[str, ...] = columns.names
            self.notes_: tuple[str, ...] = ()
            return self
        _refuse_missing(X)
        self._codecs = [CODECS[column.kind](column, self.scale) for column in X.columns]
        self.feature_names_ = tuple(name for codec in self._codecs for name in codec.names)
        self.notes_ = self._notes()
        return self

    def _notes(self) -> tuple[str, ...]:
        kinds = {kind for _, kind in self.columns_}
        notes = []
        if "numeric" in kinds:
            notes.append(SCALING[self.scale])
        if kinds & {"nominal", "binary"} and kinds & {"numeric", "text"}:
            notes.append("A difference in a nominal or binary column counts 1.")
        if "text" in kinds:
            n_words = sum(len(c.names) for c in self._codecs if isinstance(c, _Text))
            notes.append(f"Texts become tf-idf weights of {n_words:,} words, of length 1 each.")
        return tuple(notes)

    def transform(self, X: SampleTable) -> Any:
        r"""Return the samples as the view has them.

        Parameters
        ----------
        X : SampleTable
            Samples with the columns of `fit`, in any order; a nominal value that was not there
            differs from all.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import TableEncoder, read_table
        >>> encoder = TableEncoder().fit(read_table(io.BytesIO(b"legs\n4\n2\n")))
        >>> encoder.transform(read_table(io.BytesIO(b"legs\n3\n5\n")))
        array([[0.],
               [2.]])
        """
        check_is_fitted(self)
        table = self._same_columns(X)
        if self.view == "nominal":
            return table.nominal()
        if self.view == "frame":
            return table.as_columns()
        _refuse_missing(table)
        return self._matrix(table)

    def _same_columns(self, X: SampleTable) -> SampleTable:
        if [(column.name, column.kind) for column in X.columns] == list(self.columns_):
            return X
        columns = tuple(_as_kind(X.column(name), kind) for name, kind in self.columns_)
        return SampleTable(X.source, columns, X.left_out, X.names, X.n_samples)

    def _matrix(self, table: SampleTable) -> Any:
        is_sparse = any(isinstance(codec, _Text) for codec in self._codecs)
        is_sparse |= table.n_samples * len(self.feature_names_) > MOST_DENSE
        parts = [
            codec.encode(column, is_sparse)
            for codec, column in zip(self._codecs, table.columns, strict=True)
        ]
        return sparse.hstack(parts, format="csr") if is_sparse else np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        r"""Return the names of the features, as scikit-learn has them.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import TableEncoder, read_table
        >>> encoder = TableEncoder().fit(read_table(io.BytesIO(b"legs\n4\n2\n")))
        >>> encoder.get_feature_names_out()
        array(['legs'], dtype=object)
        """
        check_is_fitted(self)
        return np.array(self.feature_names_, object)


SCALING = {
    "standard": "Numeric columns are scaled to mean 0 and standard deviation 1.",
    "minmax": "Numeric columns are scaled to the range from 0 to 1.",
    "none": "Numeric columns are not scaled.",
}


def _refuse_missing(table: SampleTable) -> None:
    for column in table.columns:
        if column.n_missing and column.kind != "text":
            sample = int(np.argmax(column.missing))
            raise MissingValuesError(column.name, column.n_missing, sample)


def _as_kind(column: TableColumn, kind: str) -> TableColumn:
    """Return a column as the kind that it had in `fit`, where it can be that."""
    wanted: Any = kind
    if column.kind == wanted:
        return column
    numbers = column.values.dtype.kind == "f"
    if numbers and kind == "numeric":
        return TableColumn(column.name, wanted, column.values)
    if numbers and kind == "binary":
        if np.isin(column.values[~column.missing], (0.0, 1.0)).all():
            return TableColumn(column.name, wanted, column.values)
    elif not numbers and kind in ("nominal", "text"):
        return TableColumn(column.name, wanted, column.values)
    raise TableColumnError(
        column.name,
        f"is {column.kind}, but was {kind} in fit; read the file with the arguments of the fitted "
        "encoder: read_table(path, **encoder.arguments_)",
    )


class _Numbers:
    """A numeric or binary column, scaled."""

    def __init__(self, column: TableColumn, scale: Scale) -> None:
        self.names: tuple[str, ...] = (column.name,)
        self.shift, self.factor = 0.0, 1.0
        if column.kind == "numeric":
            with np.errstate(over="ignore", invalid="ignore"):
                self.shift, self.factor = SCALERS[scale](column.values)
            if not np.isfinite(self.shift) or not np.isfinite(self.factor):
                shown = excerpt(str(np.abs(column.values).max()))
                problem = f"holds numbers as large as {shown}, which cannot be scaled"
                raise TableColumnError(column.name, f"{problem}; make them smaller, or drop it")

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        scaled = ((column.values - self.shift) / self.factor)[:, np.newaxis]
        return sparse.csr_array(scaled) if is_sparse else scaled


def _standard(values: FloatArray) -> tuple[float, float]:
    return float(values.mean()), float(values.std()) or 1.0


def _minmax(values: FloatArray) -> tuple[float, float]:
    return float(values.min()), float(values.max() - values.min()) or 1.0


SCALERS: dict[str, Callable[[FloatArray], tuple[float, float]]] = {
    "standard": _standard,
    "minmax": _minmax,
    "none": lambda values: (0.0, 1.0),
}


class _Nominal:
    """A nominal column, each value a feature."""

    def __init__(self, column: TableColumn, scale: Scale) -> None:
        self.levels = sorted(set(column.values.tolist()), key=lambda each: (str(type(each)), each))
        self.names = tuple(f"{column.name} = {level}" for level in self.levels)

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        place = {level: number for number, level in enumerate(self.levels)}
        codes = np.array([place.get(value, -1) for value in column.values.tolist()], np.int64)
        rows = np.flatnonzero(codes >= 0)
        hot = np.full(len(rows), HOT)
        shape = (len(codes), len(self.levels))
        encoded = sparse.csr_array((hot, (rows, codes[rows])), shape=shape)
        return encoded if is_sparse else encoded.toarray()


class _Text:
    """A column of texts, each word a feature; a missing text has no words."""

    def __init__(self, column: TableColumn, scale: Scale) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer()
        try:
            self._vectorizer.fit(_texts(column))
        except ValueError:
            raise ClustraintError(
                f"column {excerpt(column.name)!r} holds no words of two letters or more to compare "
                "texts by; drop it, or declare it nominal."
            ) from None
        words = self._vectorizer.get_feature_names_out()
        self.names = tuple(f"{column.name}: {word}" for word in words)

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        return sparse.csr_array(self._vectorizer.transform(_texts(column)))


def _texts(column: TableColumn) -> list[str]:
    return ["" if value is None else str(value) for value in column.values]


CODECS: dict[Kind, Any] = {
    "numeric": _Numbers,
    "binary": _Numbers,
    "nominal": _Nominal,
    "text": _Text,
}
