"""Tables of samples as what estimators take: numbers, nominal values, or mixed columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from clustraint.checks import check_choice
from clustraint.exceptions import MissingValuesError, TableColumnError
from clustraint.machine import check_memory
from clustraint.tables._sample_table import IMPUTES, Impute, SampleTable, Scale, date_parts
from clustraint.tables._table_column import FLOAT_KINDS, TableColumn
from clustraint.tables._texts import TextTopics
from clustraint.typing import FloatArray
from clustraint.wording import counted, excerpt, listed, number_text

View = Literal["matrix", "words", "nominal", "frame"]

VIEWS = ("matrix", "words", "nominal", "frame")
SCALES = ("standard", "minmax", "none")
# Above so many numbers a matrix that is mostly 0 is made sparse.
MOST_DENSE = 50_000_000
# Two different values are then one apart.
HOT = np.sqrt(0.5)
NO_VALUE = "no value"


class TableEncoder(TransformerMixin, BaseEstimator):
    r"""Turn tables that `read_table` gives into what an estimator takes, as in a pipeline.

    Parameters
    ----------
    view : {"matrix", "words", "nominal", "frame"}, default="matrix"
        "matrix": numbers for Euclidean distances, in which texts are topics; "words": the same, but
        each word of a text is a feature, for `BiHAC`; "nominal": values that are equal or not, for
        `AttributeKMedoids`; "frame": columns of several kinds, for `ClusteringTree`.
    scale : {"standard", "minmax", "none"}, default="standard"
        How to scale the numeric columns of a matrix, see `SampleTable.matrix`.
    impute : {"auto", "frequent", "level", "none"}, optional
        What to take where a value is missing. "auto": the median of numbers and dates, the more
        frequent of two values, and in categories a level of its own. "frequent": the most frequent
        category as well. "level": as "auto", and a feature for each column of numbers that says
        whether the value is missing. "none": refuse missing values. By default what `read_table`
        was asked for, "auto" if nothing. A "frame" keeps missing values.

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
    >>> table = read_table(io.BytesIO(b"legs,color\n4,red\n2,blue\n0,red\n?,red\n"))
    >>> encoder = TableEncoder(scale="minmax").fit(table)
    >>> encoder.feature_names_
    ('legs', 'color = blue', 'color = red')
    >>> encoder.transform(table).round(1)
    array([[1. , 0. , 0.7],
           [0.5, 0.7, 0. ],
           [0. , 0. , 0.7],
           [0.5, 0. , 0.7]])
    >>> encoder.notes_[0]
    'Missing values are filled in: legs 2 (1 sample).'
    """

    def __init__(
        self, view: View = "matrix", *, scale: Scale = "standard", impute: Impute | None = None
    ) -> None:
        self.view = view
        self.scale = scale
        self.impute = impute

    def fit(self, X: SampleTable, y: Any = None) -> Self:
        r"""Learn means, values and words, and what to take for missing values.

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
        self.impute_ = X.impute if self.impute is None else self.impute
        check_choice("view", self.view, VIEWS)
        check_choice("scale", self.scale, SCALES)
        check_choice("impute", self.impute_, IMPUTES)
        self.columns_ = tuple((column.name, column.kind) for column in X.columns)
        self.arguments_ = X.arguments
        self._parts = {
            column.name: [part.name.rsplit(": ", 1)[1] for part in date_parts(column)]
            for column in X.columns
            if column.kind == "date"
        }
        if self.view == "frame":
            self.feature_names_: tuple[str, ...] = X.as_columns(self._parts).names
            self.notes_: tuple[str, ...] = ()
            return self
        self._imputers = {column.name: self._imputer(column) for column in X.columns}
        filled = self._filled(X)
        if self.view == "nominal":
            self.feature_names_ = filled.nominal().names
            self.notes_ = self._missing_notes(X)
            return self
        self._codecs = [codec for column in filled.columns for codec in self._codecs_of(column)]
        self.feature_names_ = tuple(name for codec in self._codecs for name in codec.names)
        self.notes_ = (*self._missing_notes(X), *self._notes())
        return self

    def rescale(self, scaling: Mapping[str, tuple[float, float]]) -> None:
        r"""Scale columns otherwise than the samples of `fit` say, as where these are a few of many.

        Parameters
        ----------
        scaling : dict of str to (float, float)
            For numeric columns, what is subtracted, and what the rest is divided by.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import TableEncoder, read_table
        >>> table = read_table(io.BytesIO(b"legs\n4\n2\n"))
        >>> encoder = TableEncoder().fit(table)
        >>> encoder.rescale({"legs": (2.0, 4.0)})
        >>> encoder.transform(table).ravel()
        array([0.5, 0. ])
        """
        for codec in self._codecs:
            if isinstance(codec, _Numbers) and codec.column in scaling:
                shift, factor = scaling[codec.column]
                codec.shift, codec.factor = float(shift), float(factor)

    def _imputer(self, column: TableColumn) -> Any:
        """Return the value that stands for a missing one; None where it is not needed."""
        if column.kind in ("text", "vector"):
            return None
        if column.n_missing and self.impute_ == "none":
            sample = int(np.argmax(column.missing))
            raise MissingValuesError(column.name, column.n_missing, sample)
        if column.kind in ("numeric", "date"):
            return float(np.median(column.values[~column.missing]))
        if column.kind == "binary":
            return float(np.mean(column.values[~column.missing]) > 0.5)
        if self.impute_ == "frequent" or not isinstance(column.levels[0], str):
            counts = Counter(column.values[~column.missing].tolist())
            return max(column.levels, key=lambda level: counts[level])
        return NO_VALUE

    def _filled(self, table: SampleTable) -> SampleTable:
        """Return a table in which no value is missing that could be filled in."""
        columns = tuple(self._filled_column(column) for column in table.columns)
        return replace(table, columns=columns)

    def _filled_column(self, column: TableColumn) -> TableColumn:
        value = self._imputers.get(column.name)
        if not column.n_missing or value is None:
            return column
        if self.impute_ == "none":
            sample = int(np.argmax(column.missing))
            raise MissingValuesError(column.name, column.n_missing, sample)
        values = column.values.copy()
        values[column.missing] = value
        filled = TableColumn(column.name, column.kind, values)
        filled.was_missing = column.missing
        return filled

    def _codecs_of(self, column: TableColumn) -> list[Any]:
        if column.kind == "date":
            names = self._parts[column.name]
            codecs: list[Any] = [
                _DatePart(column.name, name, CODECS[part.kind](part, self.scale), len(names))
                for name, part in zip(names, date_parts(column, names), strict=True)
            ]
        elif column.kind == "text":
            codecs = [_Text(column, in_words=self.view == "words")]
        else:
            codecs = [CODECS[column.kind](column, self.scale)]
        if self.impute_ == "level" and column.kind in FLOAT_KINDS and column.was_missing.any():
            codecs.append(_Missing(column))
        return codecs

    def _missing_notes(self, table: SampleTable) -> tuple[str, ...]:
        """Return a sentence on what stands for missing values."""
        remarks = []
        for column in table.columns:
            value = self._imputers[column.name]
            if not column.n_missing or value is None:
                continue
            shown = f"{value!r}" if isinstance(value, str) else number_text(float(value))
            if column.kind == "binary":
                shown = "yes" if value else "no"
            elif column.kind == "date":
                shown = str(np.datetime64(int(value), "D"))
            elif value == NO_VALUE:
                shown = "a value of its own"
            remarks.append(f"{column.name} {shown} ({counted(column.n_missing, 'sample')})")
        if not remarks:
            return ()
        more = f" and {counted(len(remarks) - 5, 'more column')}" if len(remarks) > 5 else ""
        shown = f"{', '.join(remarks[:5])}{more}" if more else listed(remarks)
        return (f"Missing values are filled in: {shown}.",)

    def _notes(self) -> tuple[str, ...]:
        kinds = {kind for _, kind in self.columns_}
        notes = []
        if kinds & {"numeric", "date"}:
            notes.append(SCALING[self.scale])
        if kinds & {"nominal", "binary"} and kinds & {"numeric", "text", "date", "vector"}:
            notes.append("A difference in a nominal or binary column counts 1.")
        if any(len(parts) > 1 for parts in self._parts.values()):
            notes.append("The parts of a date, such as year and weekday, count as one column.")
        notes += [codec.note for codec in self._codecs if isinstance(codec, _Text | _Vectors)]
        return tuple(notes)

    def transform(self, X: SampleTable) -> Any:
        r"""Return the samples as the view has them.

        Parameters
        ----------
        X : SampleTable
            Samples with the columns of `fit`, in any order; a nominal value that was not there
            differs from all, and a missing value is filled in as in `fit`.

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
        if self.view == "frame":
            return table.as_columns(self._parts)
        table = self._filled(table)
        return table.nominal() if self.view == "nominal" else self._matrix(table)

    def _same_columns(self, X: SampleTable) -> SampleTable:
        if [(column.name, column.kind) for column in X.columns] == list(self.columns_):
            return X
        columns = tuple(_as_kind(X.column(name), kind) for name, kind in self.columns_)
        return replace(X, columns=columns)

    def _matrix(self, table: SampleTable) -> Any:
        columns = {column.name: column for column in table.columns}
        is_sparse = any(isinstance(codec, _Text) and codec.in_words for codec in self._codecs)
        is_sparse |= table.n_samples * len(self.feature_names_) > MOST_DENSE
        # Two of each: the parts, and the whole.
        n_values = table.n_samples * (len(columns) if is_sparse else len(self.feature_names_))
        check_memory(
            f"the numbers of {table.n_samples:,} samples",
            16 * n_values,
            None,
            "take fewer samples or columns, or files that are read in chunks",
        )
        parts = [codec.encode(columns[codec.column], is_sparse) for codec in self._codecs]
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


def _as_kind(column: TableColumn, kind: str) -> TableColumn:
    """Return a column as the kind that it had in `fit`, where it can be that."""
    wanted: Any = kind
    if column.kind == wanted:
        return column
    if not column.n_distinct:
        empty: Any = np.full(len(column.missing), np.nan if kind in FLOAT_KINDS else None)
        return TableColumn(column.name, wanted, empty if kind in FLOAT_KINDS else empty.astype("O"))
    numbers = column.kind in ("numeric", "binary")
    if numbers and kind == "numeric":
        return TableColumn(column.name, wanted, column.values)
    if numbers and kind == "binary":
        if np.isin(column.values[~column.missing], (0.0, 1.0)).all():
            return TableColumn(column.name, wanted, column.values)
    elif not numbers and column.kind in TEXT_LIKE and kind in TEXT_LIKE:
        return TableColumn(column.name, wanted, column.values)
    raise TableColumnError(
        column.name,
        f"is {column.kind}, but was {kind} in fit; read the file with the arguments of the fitted "
        "encoder: read_table(path, **encoder.arguments_)",
    )


TEXT_LIKE = ("nominal", "text", "identifier")


class _Numbers:
    """A numeric or binary column, scaled."""

    def __init__(self, column: TableColumn, scale: Scale) -> None:
        self.column = column.name
        self.names: tuple[str, ...] = (column.name,)
        self.shift, self.factor = 0.0, 1.0
        if column.kind == "numeric":
            with np.errstate(over="ignore", invalid="ignore"):
                self.shift, self.factor = SCALERS[scale](column.values)
            if not np.isfinite(self.shift) or not np.isfinite(self.factor):
                shown = excerpt(str(np.abs(column.values).max()))
                problem = f"holds numbers as large as {shown}, which cannot be scaled"
                raise TableColumnError(column.name, f"{problem}; make them smaller, or ignore it")

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
        self.column = column.name
        self.levels = column.levels
        self.names = tuple(f"{column.name} = {level}" for level in self.levels)

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        codes = column.codes(self.levels)
        rows = np.flatnonzero(codes >= 0)
        hot = np.full(len(rows), HOT)
        shape = (len(codes), len(self.levels))
        encoded = sparse.csr_array((hot, (rows, codes[rows])), shape=shape)
        return encoded if is_sparse else encoded.toarray()


class _DatePart:
    """A part of a column of dates; all parts together count as one column."""

    def __init__(self, column: str, part: str, codec: Any, n_parts: int) -> None:
        self.column, self.part, self.codec = column, part, codec
        self.names = codec.names
        self.weight = 1 / np.sqrt(n_parts)

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        encoded = self.codec.encode(date_parts(column, [self.part])[0], is_sparse)
        return encoded * self.weight


class _Missing:
    """Whether a value was missing before it was filled in."""

    def __init__(self, column: TableColumn) -> None:
        self.column = column.name
        self.names = (f"{column.name} is missing",)

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        was_missing = column.was_missing.astype(np.float64)[:, np.newaxis]
        return sparse.csr_array(was_missing) if is_sparse else was_missing


class _Vectors:
    """Lists of numbers, compared by the angle between them; a missing one is 0."""

    def __init__(self, column: TableColumn, scale: Scale) -> None:
        self.column = column.name
        self.width = column.values.shape[1]
        self.names = tuple(f"{column.name}[{place}]" for place in range(self.width))
        self.note = f"Vectors of {column.name} are scaled to length 1."

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        if column.values.shape[1] != self.width:
            problem = f"holds lists of {column.values.shape[1]} numbers, but of {self.width} in fit"
            raise TableColumnError(column.name, problem)
        values = np.nan_to_num(column.values)
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        scaled = values / np.where(lengths > 0, lengths, 1.0)
        return sparse.csr_array(scaled) if is_sparse else scaled


class _Text:
    """A column of texts, as topics or, in words, with a feature for each; a missing text is 0."""

    def __init__(self, column: TableColumn, *, in_words: bool) -> None:
        self.column, self.in_words = column.name, in_words
        self.topics = TextTopics(column.name, texts_of(column))
        words, languages = self.topics.words, listed(self.topics.languages, empty="")
        stopped = f" without {languages} stop words" if languages else ""
        if in_words:
            self.names = tuple(f"{column.name}: {word}" for word in words)
            what = f"tf-idf weights of {counted(len(words), 'word')}{stopped}"
        else:
            n_topics = self.topics.n_topics
            self.names = tuple(f"{column.name}: topic {number + 1}" for number in range(n_topics))
            n_words = counted(len(words), "word")
            what = f"{counted(n_topics, 'topic')} of {n_words}{stopped}, of length 1 each"
        self.note = f"Texts of {column.name} become {what}."

    def encode(self, column: TableColumn, is_sparse: bool) -> Any:
        texts = texts_of(column)
        if self.in_words:
            return self.topics.weights(texts)
        topics = self.topics.topics(texts)
        return sparse.csr_array(topics) if is_sparse else topics


def texts_of(column: TableColumn) -> Sequence[str]:
    """Return the texts of a column, "" where one is missing."""
    return ["" if value is None else str(value) for value in column.values]


CODECS: dict[str, Any] = {
    "numeric": _Numbers,
    "binary": _Numbers,
    "nominal": _Nominal,
    "vector": _Vectors,
}
