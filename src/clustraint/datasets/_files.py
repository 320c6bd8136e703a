"""Files of data: where they are looked for, and how they are read."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import platformdirs
from numpy.typing import NDArray

from clustraint.datasets._catalogue import Entry, describe
from clustraint.datasets._dataset import Dataset, size
from clustraint.exceptions import DatasetFileError
from clustraint.tables.delimited import TableContentError, read_rows
from clustraint.wording import excerpt

VARIABLE = "CLUSTRAINT_DATA"
FOLDERS = {".csv": ("uci", ""), ".jsonl.gz": ("text", "")}
# What a name may look like as a part of a path, so that none leads out of the folder.
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
WHOLE = re.compile(r"-?\d{1,15}")
MISSING = ("", "?")
TRUTH = {"true": 1.0, "false": 0.0}


def folders() -> list[Path]:
    """Return the folders in which data are looked for, first the user's own."""
    chosen = os.environ.get(VARIABLE)
    return ([Path(chosen).expanduser()] if chosen else []) + [cache_folder()]


def cache_folder() -> Path:
    """Return the folder for what was downloaded."""
    return Path(platformdirs.user_cache_dir("clustraint"), "data")


def find_file(name: str) -> Path | None:
    """Return the file of that name in the first folder that has one."""
    if not PLAIN.fullmatch(name):
        return None
    for folder in folders():
        for suffix, places in FOLDERS.items():
            for place in places:
                path = folder / place / f"{name}{suffix}"
                if path.is_file():
                    return path
    return None


def file_names() -> list[str]:
    """Return the names of all files of data that can be found."""
    estimates: dict[str, None] = {}
    for folder in folders():
        for suffix, places in FOLDERS.items():
            for place in places:
                for path in sorted((folder / place).glob(f"*{suffix}")):
                    estimates[path.name.removesuffix(suffix)] = None
    return [name for name in estimates if PLAIN.fullmatch(name)]


def read_file(path: Path, name: str, entry: Entry | None = None) -> Dataset:
    """Return what a file holds.

    Parameters
    ----------
    path : Path
        A table, ``.csv``, or texts, ``.jsonl.gz``.
    name : str
        What the data set is called.
    entry : Entry, optional
        What the catalogue says of it; the file must be of that size. A file that is not in the
        catalogue says by itself what it holds.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetFileError
        If the file cannot be read or holds something else than it should.
    """
    listed = _listed(path, name)
    try:
        _check_digest(path, listed)
        read = _read_texts if path.name.endswith(".jsonl.gz") else _read_table
        data, kind = read(path, name, entry, listed)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DatasetFileError(path, 0, f"cannot be read ({error}).") from error
    return finished(data, entry or own_entry(path, data, kind), str(path))


def own_entry(path: Path, data: Dataset, kind: str) -> Entry:
    """Return an entry for a file that is not in the catalogue."""
    return Entry(
        data.name,
        data.n_samples,
        data.n_features,
        data.n_classes,
        kind,
        f"the file {path.name}",
        "not stated",
    )


def finished(data: Dataset, entry: Entry, origin: str) -> Dataset:
    """Return the data with their description, or say that they are not what they should be."""
    sizes = data.n_samples, data.n_features, data.n_classes
    if sizes != entry.size:
        raise DatasetFileError(
            origin,
            0,
            f"holds {size(*sizes)}, but {entry.name!r} has {size(*entry.size)}; give a table of "
            "your own another name.",
        )
    return replace(data, description=describe(entry, origin, data))


def _listed(path: Path, name: str) -> dict[str, Any]:
    """Return what the index of the file's folder says of it, if there is one."""
    for folder in (path.parent, path.parent.parent):
        index = folder / "index.json"
        if index.is_file():
            try:
                content = json.loads(index.read_text(encoding="utf-8"))
                records = [*content.get("tables", ()), *content.get("texts", ())]
                return next((dict(each) for each in records if each["name"] == name), {})
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                problem = f"is not an index of datasets ({type(error).__name__}: {error})."
                raise DatasetFileError(index, 0, problem) from error
    return {}


def _check_digest(path: Path, listed: dict[str, Any]) -> None:
    wanted = listed.get("sha256")
    if wanted and hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
        raise DatasetFileError(
            path, 0, "differs from its sha256 in index.json; fetch it again, or correct the index."
        )


class _Columns(NamedTuple):
    """Which columns of a table are what."""

    features: list[int]
    target: int
    identifiers: list[int]
    labels: list[int]


def _read_table(
    path: Path, name: str, entry: Entry | None, listed: dict[str, Any]
) -> tuple[Dataset, str]:
    header, rows = _read_rows(path)
    columns = _assign_columns(path, header, entry, listed)
    texts = list(zip(*rows, strict=True))
    X, kind = _features(path, header, texts, columns.features, entry.kind if entry else "")
    data = Dataset(
        name,
        X,
        _classes(path, texts[columns.target]),
        tuple(header[place] for place in columns.features),
        names=unique_names(texts[columns.identifiers[0]]) if columns.identifiers else None,
        labels={header[place]: _classes(path, texts[place]) for place in columns.labels},
    )
    return data, kind


def _read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header of a table, and its rows."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    try:
        lines = list(read_rows(text))
    except TableContentError as error:
        raise DatasetFileError(path, error.line, str(error)) from error
    header = lines[0][1] if lines else []
    rows = [row for _, row in lines[1:]]
    for line, row in lines[1:]:
        if len(row) != len(header):
            problem = f"has {len(row)} values, but the header has {len(header)}."
            raise DatasetFileError(path, line, problem)
    if len(header) < 2 or not rows:
        raise DatasetFileError(
            path, 0, "must hold a header, a feature and a class at least, and a row of them."
        )
    if len(set(header)) < len(header):
        raise DatasetFileError(path, 1, "names two columns alike.")
    return header, rows


def _assign_columns(
    path: Path, header: list[str], entry: Entry | None, listed: dict[str, Any]
) -> _Columns:
    target = header.index("class") if "class" in header else len(header) - 1
    identifiers = listed.get("id_columns") or (entry.id_columns if entry else ("name",))
    labels = listed.get("label_columns") or (entry.label_columns if entry else ())
    places = [
        [place for place, column in enumerate(header) if column in chosen and place != target]
        for chosen in (identifiers, labels)
    ]
    other = {target, *places[0], *places[1]}
    features = [place for place in range(len(header)) if place not in other]
    if not features:
        raise DatasetFileError(path, 1, "names no feature.")
    return _Columns(features, target, *places)


def _features(
    path: Path, header: list[str], texts: Sequence[Sequence[str]], places: list[int], kind: str
) -> tuple[NDArray[Any], str]:
    """Return the features, and of what kind they are where that is not said."""
    if kind == "nominal":
        return _object_table([_nominal(texts[place]) for place in places]), kind
    columns = [_numbers(texts[place]) for place in places]
    strange = [place for place, column in zip(places, columns, strict=True) if column is None]
    if not strange:
        return np.column_stack([np.asarray(column, np.float64) for column in columns]), (
            kind or "numeric"
        )
    if kind:
        raise DatasetFileError(
            path, 0, f"must hold finite numbers in column {header[strange[0]]!r}."
        )
    mixed = [
        _nominal(texts[place]) if column is None else _with_none(column)
        for place, column in zip(places, columns, strict=True)
    ]
    return _object_table(mixed), "nominal" if len(strange) == len(places) else "mixed"


def _numbers(values: Iterable[str]) -> list[float] | None:
    """Return texts as numbers, or None if one of them is no finite number."""
    numbers = []
    for value in values:
        text = value.strip()
        try:
            number = math.nan if text in MISSING else _number(text)
        except ValueError:
            return None
        numbers.append(number)
    return numbers


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = TRUTH.get(text.lower(), math.nan)
    if not math.isfinite(number):
        raise ValueError
    return number


def _nominal(values: Iterable[str]) -> list[str | None]:
    return [None if value.strip() in MISSING else value for value in values]


def _with_none(column: Iterable[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in column]


def _object_table(columns: Sequence[Sequence[Any]]) -> NDArray[Any]:
    table = np.empty((len(columns[0]), len(columns)), object)
    for place, column in enumerate(columns):
        table[:, place] = column
    return table


def _classes(path: Path, values: Sequence[str]) -> NDArray[Any]:
    """Return labels as whole numbers if all are, and else as texts."""
    texts = [value.strip() for value in values]
    for row, text in enumerate(texts):
        if text in MISSING:
            raise DatasetFileError(path, 0, f"has no class in row {row + 1}.")
    if all(map(WHOLE.fullmatch, texts)):
        return np.array(texts, np.int64)
    return np.array(texts)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with a number behind one that was there before."""
    taken, unique = set(names), []
    seen: set[str] = set()
    for name in names:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name} ({number})"
        seen.add(candidate)
        unique.append(candidate)
    return tuple(unique)


def _read_texts(
    path: Path, name: str, entry: Entry | None, listed: dict[str, Any]
) -> tuple[Dataset, str]:
    names, paths, texts = [], [], []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line, content in enumerate(file, start=1):
            record = _record(path, line, content)
            names.append(record["id"])
            paths.append(record["path"])
            texts.append(record["text"])
    if not texts:
        raise DatasetFileError(path, 0, "holds no texts.")
    X = np.empty(len(texts), object)
    X[:] = texts
    data = Dataset(name, X, np.array(paths), names=unique_names(names), paths=tuple(paths))
    return data, "text"


def _record(path: Path, line: int, content: str) -> dict[str, str]:
    try:
        record = json.loads(content)
    except ValueError:
        raise DatasetFileError(path, line, f"is not JSON: {excerpt(content)!r}.") from None
    wanted = ("id", "path", "text")
    if not isinstance(record, dict) or not all(isinstance(record.get(key), str) for key in wanted):
        raise DatasetFileError(path, line, "must be an object with texts 'id', 'path' and 'text'.")
    return record
