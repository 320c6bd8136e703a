"""Any table as named columns: what rules, trees, k-medoids and reports read.

All that is known of arrays, sparse matrices and frames is here: to others a table is `Columns`.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from clustraint.exceptions import (
    ClustraintError,
    NominalValueError,
    TableColumnError,
    UnknownColumnError,
)
from clustraint.typing import AnyArray, BoolArray, IntArray

ColumnKind: TypeAlias = Literal["number", "text", "nothing", "mixed", "other"]

NUMBERS = "buif"
TIMES = "mM"
# Integers of a smaller range are counted instead of sorted.
SMALL_RANGE = 2**16


class Column:
    """A column of any table; what is not asked for is not read.

    Parameters
    ----------
    name : str
        The name.
    cells : 1-D array, series of pandas or polars, or sparse matrix of one column
        The values; None, nan, NA, NaT, null and masked ones are missing.
    nominal : bool, default=False
        Whether numbers are only names, and have no distances.

    Examples
    --------
    >>> color = Column("color", np.array(["red", None, "blue", "red"], dtype=object))
    >>> color
    Column('color', text)
    >>> color.values.tolist(), color.missing.tolist()
    (['red', 'blue', 'red'], [False, True, False, False])
    >>> color.levels.tolist(), color.codes.tolist()
    (['blue', 'red'], [1, -1, 0, 1])
    """

    def __init__(self, name: str, cells: Any, *, nominal: bool = False) -> None:
        self.name = name
        self._cells = cells
        self._is_nominal = nominal

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.kind})"

    @property
    def kind(self) -> ColumnKind:
        """What the values are; truth values are numbers, "nothing" is a column without values."""
        return self._content[0]

    @property
    def values(self) -> AnyArray:
        """The values that are not missing, in the order of the samples; texts are strings."""
        return self._content[1]

    @property
    def missing(self) -> BoolArray:
        """Which samples have no value, of shape (n_samples,)."""
        return self._content[2]

    @property
    def levels(self) -> AnyArray:
        """The different values: by the order of the categories, else sorted, else as they come."""
        return self._coded[0]

    @property
    def codes(self) -> IntArray:
        """The place of each value among the levels, -1 where it is missing."""
        return self._coded[1]

    @cached_property
    def categories(self) -> list[Any] | None:
        """All values in their order, if the type of the column lists them, otherwise None."""
        if self._is_nominal:
            return sorted(set(self.values.tolist()))
        listed: Any = getattr(getattr(self._cells, "dtype", None), "categories", None)
        # Those of a polars Categorical are shared by all of its kind, and have no order.
        return listed.to_list() if hasattr(listed, "to_list") else None

    def to_numpy(self) -> AnyArray:
        """Return all cells as an array, in which no missing value has become a number.

        Examples
        --------
        >>> Column("legs", np.array([4.0, np.nan])).to_numpy()
        array([ 4., nan])
        """
        cells = self._cells
        # polars makes nan of the nulls among integers; its 1.0 crashes where it converts times.
        if hasattr(cells, "null_count") and (cells.null_count() or cells.dtype.is_temporal()):
            return np.fromiter(cells.to_list(), dtype=object, count=len(cells))
        return _dense(cells)

    @cached_property
    def _content(self) -> tuple[ColumnKind, AnyArray, BoolArray]:
        values, missing = _present(self._cells)
        if values.ndim > 1:  # polars' structs and arrays of equal length become rows
            return "other", values, missing
        if values.dtype.kind in "UT":
            values = values.astype(object)
        absent = _absent(values)
        if absent is not None and absent.any():
            missing = missing.copy()
            missing[~missing] = absent
            values = values[~absent]
        return *_classified(values), missing

    @cached_property
    def _coded(self) -> tuple[AnyArray, IntArray]:
        cells = self._cells
        if np.ma.isMaskedArray(cells):
            codes = np.full(len(cells), -1, np.int64)
            present = ~np.ma.getmaskarray(cells)
            levels, codes[present] = Column(self.name, cells.data[present])._coded
            return levels, codes
        if hasattr(cells, "factorize") and cells.dtype.kind not in NUMBERS:
            try:
                codes, distinct = cells.factorize()
            except TypeError:  # a value that cannot be hashed, which the error below names
                pass
            else:
                return _in_order(distinct.tolist(), codes, self.categories)
        values = self.to_numpy()
        if values.dtype.kind in NUMBERS + TIMES:
            return _number_codes(values)
        return _in_order(*_distinct(values.tolist(), self.name), self.categories)


class Columns:
    """A table as named columns, none of which is read before it is asked for.

    Rules, trees, k-medoids and reports take it as they take any table. `read_columns` makes it.

    Parameters
    ----------
    names : sequence of str
        One name for each column; a pandas frame may use a name twice.
    table : frame, array, CSR or CSC matrix, or tuple of 1-D arrays
        The cells; a tuple holds the columns.
    nominal : collection of str
        Columns of a tuple whose numbers are only names.
    n_features : int, optional
        Columns from this one on only rules read, by their name; by default there are none.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, without those that only rules read.
    aside : tuple of str
        The names of those.

    Examples
    --------
    >>> columns = read_columns({"legs": [4, 2, None], "milk": [True, False, False]})
    >>> columns
    Columns(3 × 2: legs, milk)
    >>> columns["legs"].values.tolist(), columns[:2].shape
    ([4, 2], (2, 2))
    """

    def __init__(
        self,
        names: Sequence[str],
        table: Any,
        *,
        nominal: Sequence[str] = (),
        n_features: int | None = None,
    ) -> None:
        n_features = len(names) if n_features is None else n_features
        self.names = tuple(names[:n_features])
        self.aside = tuple(names[n_features:])
        self._table = table
        self._nominal = tuple(nominal)

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and columns there are."""
        table = self._table
        n_samples = len(table[0]) if isinstance(table, tuple) else table.shape[0]
        return int(n_samples), len(self.names)

    @property
    def numbers(self) -> Any:
        """The array or sparse matrix, if the table is one of numbers or truth values, else None."""
        table = self._table
        is_array = isinstance(table, np.ndarray) and not np.ma.isMaskedArray(table)
        return table if (is_array or _is_sparse(table)) and table.dtype.kind in NUMBERS else None

    def places(self, name: str) -> list[int]:
        """Return the places of all columns of a name, with those that only rules read.

        Examples
        --------
        >>> read_columns(np.ones((2, 3))).places("x2")
        [2]
        """
        everything = enumerate((*self.names, *self.aside))
        return [place for place, each in everything if each == name]

    def pick(self, places: Sequence[int]) -> Iterator[Column]:
        """Yield the columns at some places, from 0.

        Examples
        --------
        >>> [column.name for column in read_columns(np.ones((2, 3))).pick([0, 2])]
        ['x0', 'x2']
        """
        everything, table = (*self.names, *self.aside), self._table
        if _is_sparse(table):
            # All at once: to pick a column of rows, the whole matrix is searched.
            table = table[:, list(places)].tocsc()
        for index, place in enumerate(places):
            name = everything[place]
            yield Column(
                name,
                table[:, [index]] if _is_sparse(table) else _cells(table, place),
                nominal=name in self._nominal,
            )

    def read(self, place: int) -> Column:
        """Return the column at a place, from 0.

        Examples
        --------
        >>> read_columns(np.array([[7.0], [np.nan]])).read(0).missing
        array([False,  True])
        """
        return next(self.pick([place]))

    def renamed(self, names: Sequence[str]) -> Columns:
        """Return the same columns under other names.

        Examples
        --------
        >>> read_columns(np.ones((2, 2))).renamed(["legs", "milk"])
        Columns(2 × 2: legs, milk)
        """
        names_of = dict(zip(self.names, names, strict=True))
        nominal = [names_of[name] for name in self._nominal if name in names_of]
        return Columns(
            (*names, *self.aside), self._table, nominal=nominal, n_features=len(self.names)
        )

    def to_frame(self) -> Any:
        """Return the same as a polars DataFrame, whose names of columns every estimator sees.

        Examples
        --------
        >>> read_columns(np.array([[4, 1], [2, 0]]), ["legs", "milk"]).to_frame().columns
        ['legs', 'milk']
        """
        import polars as pl

        cells = (column.to_numpy() for column in self)
        return pl.DataFrame(
            [
                pl.Series(name, values.tolist() if values.dtype == object else values, strict=False)
                for name, values in zip(self.names, cells, strict=True)
            ]
        )

    def __getitem__(self, key: Any) -> Any:
        """Return the column of a name, or some rows as `Columns`."""
        if isinstance(key, str):
            return self._named(key)
        # scikit-learn picks rows of what it does not know by X[rows, ...].
        rows = key[0] if isinstance(key, tuple) else key
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = np.flatnonzero(rows) if rows.dtype.kind == "b" else rows
        table = self._table
        if isinstance(table, tuple):
            chosen: Any = tuple(cells[rows] for cells in table)
        else:
            chosen = table.iloc[rows] if hasattr(table, "iloc") else table[rows]
        names = (*self.names, *self.aside)
        return Columns(names, chosen, nominal=self._nominal, n_features=len(self.names))

    def _named(self, name: str) -> Column:
        places = self.places(name)
        if not places:
            raise UnknownColumnError(name, (*self.names, *self.aside), "X")
        if len(places) > 1:
            raise TableColumnError(name, "is there twice; give each column a name of its own")
        return self.read(places[0])

    def __iter__(self) -> Iterator[Column]:
        return self.pick(range(len(self.names)))

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"Columns({len(self):,} × {len(self.names)}: {', '.join(self.names)})"


def read_columns(X: Any, feature_names: Sequence[str] | None = None) -> Columns:
    """Return any table as named columns, without copying it.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A `SampleTable`, a pandas or polars frame, a mapping of names to 1-D arrays, anything that
        numpy reads as a 2-D array or as an array of named fields, or scipy sparse.
    feature_names : sequence of str, optional
        Names of the columns of an array; ``x0``, ``x1``, … if left out.

    Returns
    -------
    Columns

    Examples
    --------
    >>> columns = read_columns(np.array([[1.0, 7.0], [np.nan, 8.0]]))
    >>> columns.names
    ('x0', 'x1')
    >>> columns["x0"].missing
    array([False,  True])
    >>> read_columns([[4, "red"], [2, "blue"]], ["legs", "color"])["color"].levels.tolist()
    ['blue', 'red']
    """
    if hasattr(X, "as_columns"):
        X = X.as_columns()
    if isinstance(X, Columns):
        _check_same_names(feature_names, X.names)
        return X
    if is_frame(X):
        names = [str(name) for name in X.columns]
        _check_same_names(feature_names, names)
        return Columns(names, X)
    if _is_sparse(X):
        names = _array_names(X.shape, feature_names)
        return Columns(names, X if X.format in ("csr", "csc") else X.tocsc())
    if isinstance(X, Mapping):
        return _from_mapping(X, feature_names)
    array = _as_array(X)
    if array.dtype.names:
        return _from_mapping({name: array[name] for name in array.dtype.names}, feature_names)
    return Columns(_array_names(array.shape, feature_names), array)


def is_frame(X: Any) -> bool:
    """Tell whether `X` is a frame of pandas, polars or the like, with columns of several types."""
    # `shape` comes first: asking a polars LazyFrame for `columns` warns, and it has no shape.
    return all(hasattr(X, trait) for trait in ("shape", "columns", "dtypes", "__getitem__"))


def has_columns(X: Any) -> bool:
    """Tell whether a table has columns with names and kinds of their own, unlike an array.

    Examples
    --------
    >>> has_columns(read_columns({"legs": [4, 2]})), has_columns(np.ones((2, 1)))
    (True, False)
    """
    return isinstance(X, Columns) or hasattr(X, "as_columns") or is_frame(X)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsc")


def _from_mapping(X: Mapping[str, Any], feature_names: Sequence[str] | None) -> Columns:
    names = [str(name) for name in X]
    _check_same_names(feature_names, names)
    cells = tuple(_as_array(each) for each in X.values())
    if not cells or any(each.ndim != 1 for each in cells) or len({*map(len, cells)}) > 1:
        raise ClustraintError(
            "X must be a table of shape (n_samples, n_features), but is a mapping whose values are "
            "not 1-D arrays of the same length."
        )
    return Columns(names, cells)


def _as_array(X: Any) -> AnyArray:
    if isinstance(X, np.ma.MaskedArray):
        return X
    # Rows of mixed values would all become text if numpy chose the type.
    return np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)


def _check_same_names(feature_names: Sequence[str] | None, names: Sequence[str]) -> None:
    if feature_names is not None and _checked_names(feature_names, len(names)) != list(names):
        raise ClustraintError(
            "feature_names differ from the names of X's columns; leave feature_names out, "
            "or rename the columns."
        )


def _array_names(shape: tuple[int, ...], feature_names: Sequence[str] | None) -> list[str]:
    if len(shape) != 2:
        raise ClustraintError(
            f"X must be a table of shape (n_samples, n_features), but has shape {shape}; "
            "give a DataFrame or a 2-D array, such as X.reshape(-1, 1) for a single column."
        )
    if feature_names is None:
        return [f"x{place}" for place in range(shape[1])]
    names = _checked_names(feature_names, shape[1])
    if len(set(names)) < len(names):
        repeated = next(name for place, name in enumerate(names) if name in names[:place])
        raise ClustraintError(f"feature_names must be unique, but {repeated!r} is there twice.")
    return names


def _checked_names(feature_names: Sequence[str], n_features: int) -> list[str]:
    if isinstance(feature_names, str) or not hasattr(feature_names, "__iter__"):
        raise ClustraintError(
            f"feature_names must be a sequence of texts, but is {feature_names!r}."
        )
    names = list(feature_names)
    if len(names) != n_features:
        raise ClustraintError(
            f"feature_names must hold one name for each of the {n_features} columns of X, "
            f"but holds {len(names)}."
        )
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise ClustraintError(
                f"feature_names must be texts, but entry {place} is {name!r}; "
                "turn the names into texts with str."
            )
    return names


def _cells(table: Any, place: int) -> Any:
    if isinstance(table, tuple):
        return table[place]
    if hasattr(table, "iloc"):  # pandas may use a name for several columns
        return table.iloc[:, place]
    return table[table.columns[place]] if is_frame(table) else table[:, place]


def _dense(cells: Any) -> AnyArray:
    """Return cells as an array whose neighbours are neighbours in memory, to pass over it often."""
    return np.ascontiguousarray(cells.toarray()[:, 0] if _is_sparse(cells) else cells)


def _present(cells: Any) -> tuple[AnyArray, BoolArray]:
    """Return the cells that their maker does not call missing, and where it does."""
    # Missing values go before the change to numpy, which would turn large integers into floats.
    if hasattr(cells, "drop_nulls"):
        return cells.drop_nulls().to_numpy(), cells.is_null().to_numpy()
    if hasattr(cells, "dropna"):
        return cells.dropna().to_numpy(), cells.isna().to_numpy()
    values = _dense(cells)
    if np.ma.is_masked(cells):
        missing = np.array(np.ma.getmaskarray(cells))
        return values[~missing], missing
    return values, np.zeros(len(values), np.bool_)


def _absent(values: AnyArray) -> BoolArray | None:
    """Return which values mean that there is none; None if the type has no such values."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values), dtype=np.bool_)
    if values.dtype.kind == "O":
        return np.fromiter(map(is_missing, values), dtype=np.bool_, count=len(values))
    return None


def is_missing(value: Any) -> bool:
    """Tell whether a cell holds None, nan, NA, NaT or a Decimal that is no number."""
    if value is None:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA is neither equal nor unequal to itself
        return True
    except ValueError:  # an array in a cell
        return False


def _classified(values: AnyArray) -> tuple[ColumnKind, AnyArray]:
    if not len(values):
        return "nothing", values
    if values.dtype.kind != "O":
        return "number" if values.dtype.kind in NUMBERS else "other", values
    kinds = {_kind_of_type(each) for each in set(map(type, values))}
    if kinds == {"number"}:
        # numpy's scalars round the number they are compared with to their own precision.
        values = np.array(list(map(_plain, values)), dtype=object)
    if "other" in kinds:
        return "other", values
    return kinds.pop() if len(kinds) == 1 else "mixed", values


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python, and anything else as it is."""
    is_number = isinstance(value, np.generic) and _kind_of_type(type(value)) == "number"
    return value.item() if is_number else value


def _kind_of_type(value_type: type) -> ColumnKind:
    if issubclass(value_type, str):
        return "text"
    # numpy counts time spans among the integers.
    if issubclass(value_type, np.timedelta64):
        return "other"
    return "number" if issubclass(value_type, numbers.Real | Decimal | np.bool_) else "other"


def _number_codes(values: AnyArray) -> tuple[AnyArray, IntArray]:
    if values.dtype.kind in "bui" and len(values):
        lowest = values.min()
        if int(values.max()) - int(lowest) < SMALL_RANGE:
            steps = values.astype(np.int64) - np.int64(lowest)
            occurs = np.bincount(steps) > 0
            levels = (np.flatnonzero(occurs) + np.int64(lowest)).astype(values.dtype)
            return levels, (np.cumsum(occurs) - 1)[steps]
    levels, codes = np.unique(values, return_inverse=True)
    # nan and NaT are sorted to the end, and are one level.
    if len(levels) and levels[-1] != levels[-1]:
        levels, codes = levels[:-1], np.where(codes == len(levels) - 1, -1, codes)
    return levels, codes


def _distinct(cells: list[Any], name: str) -> tuple[list[Any], IntArray]:
    """Return the different values as they come, and the place of each cell among them."""
    places: dict[Any, int] = {}
    codes: list[int] = []
    for sample, value in enumerate(cells):
        try:
            codes.append(places.setdefault(value, len(places)))
        except TypeError:
            raise NominalValueError(name, sample, value) from None
    return list(places), np.array(codes, np.int64)


def _in_order(
    distinct: list[Any], codes: IntArray, categories: list[Any] | None
) -> tuple[AnyArray, IntArray]:
    """Return levels and codes of values that are numbered as they come, -1 where missing."""
    present = dict.fromkeys(value for value in distinct if not is_missing(value))
    if categories is not None:
        ordered = [value for value in categories if value in present]
    else:
        try:
            ordered = sorted(present)
        except TypeError:  # values of several kinds
            ordered = list(present)
    levels = np.empty(len(ordered), object)
    levels[:] = list(map(_plain, ordered))
    place_of = {value: place for place, value in enumerate(ordered)}
    # One more at the end, for what has the code -1 already.
    places = np.array([*(place_of.get(value, -1) for value in distinct), -1], np.int64)
    return levels, places[codes]
