"""Data by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clustraint.datasets import _openml
from clustraint.datasets._animals import load_animals
from clustraint.datasets._builtin import BUILTIN, DERIVED
from clustraint.datasets._catalogue import CATALOGUE, Entry
from clustraint.datasets._dataset import Dataset, DatasetInfo
from clustraint.datasets._files import VARIABLE, file_names, find_file, finished, folders, read_file
from clustraint.datasets._generated import GENERATORS, check_options, generate
from clustraint.exceptions import DatasetNotFoundError, InvalidParameterError


def load(name: str, *, download: bool = True, **options: Any) -> Dataset:
    """Return a data set by its name.

    Parameters
    ----------
    name : str
        One of `list_datasets`, or of a file of yours, see Notes.
    download : bool, default=True
        Whether to ask OpenML for a table that is not found elsewhere.
    **options
        Arguments of the generator, such as `random_state`, which is 0 where it is not given; other
        data have none.

    Returns
    -------
    Dataset
        Its `description` states size, source and licence.

    Raises
    ------
    DatasetNotFoundError
        If there is no data set of that name, or its file is found nowhere.
    DatasetFileError
        If its file cannot be read, or does not hold what the catalogue says.

    Notes
    -----
    A table or collection of texts is the first that is found of

    1. a file in the folder that the environment variable ``CLUSTRAINT_DATA`` names, then one in
       the user's cache: ``uci/NAME.csv``, ``text/NAME.jsonl.gz``, or the same without a folder;
    2. a part of a larger table that is found so;
    3. scikit-learn's own copy, or what is computed;
    4. OpenML's copy, which is put into the user's cache.

    A CSV file has a header; the column ``class``, or else the last, is the class, a column ``name``
    the names of the samples (one that occurs again gets a number), and an empty value or ``?`` is
    missing. A JSONL file holds an object with ``id``, ``path`` and ``text`` in each line. Where
    there is an ``index.json``, its ``id_columns``, ``label_columns`` and ``sha256`` hold.

    Examples
    --------
    >>> load("balance-scale")
    Dataset('balance-scale': 625 × 4, 3 classes)
    >>> load("circles", random_state=7).X.shape
    (150, 2)
    """
    if not isinstance(name, str):
        raise InvalidParameterError("name", name, "the name of a data set, a text")
    if name in GENERATORS:
        return generate(name, options)
    check_options(name, options, [])
    if name == "animals":
        return load_animals()
    entry, path = CATALOGUE.get(name), find_file(name)
    if path is not None:
        return read_file(path, name, entry)
    if entry is None:
        raise DatasetNotFoundError(name, _looked("a file of that name"), names=_all_names())
    return _without_file(entry, download)


def _without_file(entry: Entry, download: bool) -> Dataset:
    if entry.name in BUILTIN:
        make, origin = BUILTIN[entry.name]
        return finished(make(), entry, origin)
    if entry.name in DERIVED:
        return _derived(entry, download)
    if entry.openml is None or not download:
        raise DatasetNotFoundError(entry.name, _looked_for(entry))
    try:
        path = _openml.download(entry)
    except (OSError, ValueError) as error:
        answer = f"OpenML has not given it ({error!s:.300})"
        raise DatasetNotFoundError(entry.name, _looked_for(entry), answer) from error
    return read_file(path, entry.name, entry)


def _derived(entry: Entry, download: bool) -> Dataset:
    whole_name, part_of = DERIVED[entry.name]
    try:
        whole = load(whole_name, download=download)
    except DatasetNotFoundError as error:
        raise DatasetNotFoundError(entry.name, _looked_for(entry), error.answer) from error
    origin = whole.description.rpartition("Read from: ")[2]
    return finished(replace(part_of(whole), name=entry.name), entry, f"{origin} (a part of it)")


def _looked_for(entry: Entry) -> str:
    """Tell which files were looked for, and where."""
    whole = [CATALOGUE[DERIVED[entry.name][0]].file] if entry.name in DERIVED else []
    return _looked(" and ".join([entry.file, *whole]))


def _looked(what: str) -> str:
    *chosen, cached = map(str, folders())
    if chosen:
        return f"looked for {what} in {VARIABLE}={chosen[0]} and in {cached}"
    return f"looked for {what} in {cached}, as {VARIABLE} is not set"


def _all_names() -> list[str]:
    return list(dict.fromkeys([*CATALOGUE, *file_names()]))


def list_datasets() -> list[DatasetInfo]:
    """Return what is known of each data set, those of the catalogue first.

    Returns
    -------
    list of DatasetInfo
        Also of files in the folder of ``CLUSTRAINT_DATA`` and in the cache that the catalogue does
        not name. Nothing is read or downloaded for it.

    Examples
    --------
    >>> known = {info.name: info for info in list_datasets()}
    >>> known["circles"].origin, known["letter-recognition"].n_samples
    ('generated', 20000)
    """
    return [_info(name) for name in _all_names()]


def _info(name: str) -> DatasetInfo:
    entry = CATALOGUE.get(name)
    origin = _origin(name)
    if entry is None:
        return DatasetInfo(name, None, None, None, "", f"the file {origin}", "not stated", origin)
    problem = "" if origin else _problem(entry)
    about = (entry.kind, entry.source, entry.licence)
    return DatasetInfo(name, *entry.size, *about, origin, problem)


def _origin(name: str) -> str:
    """Return what would be read without a download."""
    if name in GENERATORS:
        return "generated"
    if name == "animals":
        return "clustraint"
    if path := find_file(name):
        return str(path)
    if name in BUILTIN:
        return BUILTIN[name][1].partition(",")[0]
    return _origin(DERIVED[name][0]) if name in DERIVED else ""


def _problem(entry: Entry) -> str:
    whole = CATALOGUE[DERIVED[entry.name][0]] if entry.name in DERIVED else entry
    way = "load would ask OpenML for it" if whole.openml else "OpenML does not have it"
    return f"{_looked_for(entry)}; {way}"
