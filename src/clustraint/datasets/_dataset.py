"""What a data set is, and what is known of one that is not loaded."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import ClustraintError
from clustraint.files import write_whole

if TYPE_CHECKING:
    from clustraint.constraints import Rule
    from clustraint.hierarchy import Hierarchy
    from clustraint.tables import SampleTable


@dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """Samples, their classes, and where they come from.

    Parameters
    ----------
    name : str
        What `load` calls it.
    X : ndarray or csr_array of shape (n_samples, n_features), or ndarray of shape (n_samples,)
        Numbers as float64, missing ones nan; of a table with nominal columns an object array of
        texts and floats, missing ones None; of texts a one-dimensional object array of str.
    y : ndarray of int64 or str of shape (n_samples,)
        The class of each sample; of texts, the whole path.
    feature_names : tuple of str
        One name for each column of `X`; none for texts.
    names : tuple of str, or None
        Unique names of the samples, where they have any.
    paths : tuple of str, or None
        The class of each sample in a tree of classes, parts separated by "/".
    labels : mapping of str to ndarray
        Further columns that are neither features nor the class.
    rules : tuple of Rule
        Rules that hold for whole classes, where the data come with any.
    description : str
        Size, source and licence.

    Examples
    --------
    >>> from clustraint.datasets import load
    >>> animals = load("animals")
    >>> animals.paths[animals.names.index("wolf")]
    'vertebrates/mammals/carnivores'
    """

    name: str
    X: Any
    y: NDArray[Any]
    feature_names: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    labels: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    description: str = ""

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the samples to a CSV file: their names, columns and classes.

        Parameters
        ----------
        path : str or PathLike
            The file.

        Raises
        ------
        OutputFileError
            If it cannot be written; nothing is left behind then.
        ClustraintError
            If the samples are a sparse matrix, which is no table for people.

        Examples
        --------
        >>> import tempfile
        >>> from clustraint.datasets import load
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     load("iris").write(f"{folder}/iris.csv").read_text().splitlines()[1]
        '5.1,3.5,1.4,0.2,Iris-setosa'
        """
        if hasattr(self.X, "tocsr"):
            raise ClustraintError(f"the data set {self.name!r} is a sparse matrix, not a table.")
        names = list(self.feature_names) or ["text"]
        columns = [self.X] if self.X.ndim == 1 else list(self.X.T)
        if self.names is not None:
            names, columns = ["name", *names], [self.names, *columns]
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow([*names, "class"])
        for row in zip(*columns, self.y, strict=True):
            writer.writerow(["" if _is_missing(cell) else _plain(cell) for cell in row])
        return write_whole(path, buffer.getvalue().encode())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.y)

    @property
    def n_features(self) -> int | None:
        """Number of columns, None for texts."""
        return None if self.X.ndim == 1 else int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of distinct classes."""
        return len(np.unique(self.y))

    @property
    def hierarchy(self) -> Hierarchy:
        """The tree of the classes: of their paths, or two levels where there are none."""
        # Trees come with compiled code, which a table alone does not need.
        from clustraint.hierarchy import Hierarchy

        if self.paths is None:
            return Hierarchy.from_labels(self.y, names=self.names)
        return Hierarchy.from_paths(self.paths, names=self.names)

    def table(self, **options: Any) -> SampleTable:
        """Return the samples as a table for `cluster_table`, with the classes left out.

        Parameters
        ----------
        **options
            Arguments of `clustraint.tables.read_table`.

        Examples
        --------
        >>> from clustraint.datasets import load
        >>> load("animals").table().column("class").note
        'is the answer'
        """
        from clustraint.tables import read_table

        columns: dict[str, Any] = {}
        if self.names is not None:
            columns["name"] = np.array(self.names, object)
            options.setdefault("id_column", "name")
        if self.X.ndim == 1:
            columns["text"] = self.X
            options.setdefault("text", "text")
        else:
            X = self.X.toarray() if hasattr(self.X, "toarray") else self.X
            columns |= {name: X[:, place] for place, name in enumerate(self.feature_names)}
        columns["class"] = self.y
        answers = {"class", *self.labels}
        columns |= self.labels
        table = read_table(columns, **options)
        chosen = {name for value in options.values() for name in np.atleast_1d(value).tolist()}
        kept = tuple(c for c in table.columns if c.name not in answers or c.name in chosen)
        left_out = [c for c in (*table.columns, *table.left_out) if c not in kept]
        noted = [c.noted("is the answer") if c.name in answers - chosen else c for c in left_out]
        return replace(table, source=self.name, columns=kept, left_out=tuple(noted))

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}: {size(self.n_samples, self.n_features, self.n_classes)})"


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is loaded.

    Parameters
    ----------
    name : str
        What `load` calls it.
    n_samples, n_features, n_classes : int or None
        Its size; there are no features in texts, and no numbers of a file that is not in the
        catalogue until it is loaded.
    kind : str
        "numeric", "binary", "nominal", "mixed", "counts" or "text"; "" where it is not known.
    source : str
        Where the data come from.
    licence : str
        On what terms.
    origin : str
        What `load` would read: a file, "scikit-learn", "generated" or "clustraint"; "" for none.
    problem : str
        Why it cannot be loaded here and now without a download; "" if it can.

    Examples
    --------
    >>> from clustraint.datasets import list_datasets
    >>> next(info for info in list_datasets() if info.name == "animals").origin
    'clustraint'
    """

    name: str
    n_samples: int | None
    n_features: int | None
    n_classes: int | None
    kind: str
    source: str
    licence: str
    origin: str
    problem: str = ""

    @property
    def available(self) -> bool:
        """Whether it can be loaded without a download."""
        return bool(self.origin)


def size(n_samples: int, n_features: int | None, n_classes: int) -> str:
    """Return a size in words."""
    extent = f"{n_samples:,} texts" if n_features is None else f"{n_samples:,} × {n_features:,}"
    return f"{extent}, {n_classes} classes"


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell


def _plain(cell: Any) -> Any:
    """Return a number without a needless fraction."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return int(cell)
    return cell
