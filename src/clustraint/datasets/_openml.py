"""Tables from OpenML, kept in the user's cache as files like any other."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from clustraint.datasets._catalogue import Entry
from clustraint.datasets._files import cache_folder, read_file
from clustraint.files import replace

ADDRESS = "https://www.openml.org/api/v1/json/data/{}"
# Seconds without an answer after which there is no network.
PATIENCE = 10.0


def open_url(address: str) -> bytes:
    """Return what an address holds."""
    if not address.startswith("https://"):
        raise OSError(f"{address:.80} is not an https address")
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        content: bytes = answer.read()
    return content


def download(entry: Entry) -> Path:
    """Fetch a table into the user's cache, and return its file.

    Raises
    ------
    OSError, ValueError
        If there is no network, or what was fetched is not that table (as `DatasetFileError`).
    """
    text = _as_csv(entry, *_fetch(entry))
    # Read before it gets its name, so that the cache never holds a wrong table.
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, Path(entry.file).name)
        draft.write_text(text, encoding="utf-8", newline="")
        read_file(draft, entry.name, entry)
    target = cache_folder() / entry.file
    target.parent.mkdir(parents=True, exist_ok=True)
    replace(target, text.encode())
    return target


def _fetch(entry: Entry) -> tuple[dict[str, Any], str]:
    """Return what OpenML says of a table, and its ARFF text."""
    assert entry.openml is not None
    answer = json.loads(open_url(ADDRESS.format(entry.openml.number)))
    try:
        about: dict[str, Any] = answer["data_set_description"]
        content = open_url(about["url"].replace("http://", "https://", 1))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("the answer is not the description of a dataset") from error
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if about.get("md5_checksum", digest) != digest:
        raise ValueError("the table came damaged")
    return about, content.decode("utf-8")


def _as_csv(entry: Entry, about: dict[str, Any], arff: str) -> str:
    """Return the table as our own files hold it: features, then the class."""
    from scipy.io.arff import loadarff

    assert entry.openml is not None
    try:
        values, meta = loadarff(io.StringIO(arff))
    except NotImplementedError as error:
        raise ValueError(f"the table cannot be read ({error})") from error
    target = entry.openml.target or about.get("default_target_attribute")
    if target not in meta.names():
        raise ValueError(f"the table has no column {target!r}")
    identifier = entry.openml.id_column
    ignored = {*_listed(about.get("ignore_attribute")), *_listed(about.get("row_id_attribute"))}
    features = [n for n in meta.names() if n not in {target, identifier, *ignored}]
    chosen = [identifier] * (identifier in meta.names()) + features + [target]
    header = ["name"] * (identifier in meta.names()) + features + ["class"]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_text(row[column]) for column in chosen] for row in values)
    return table.getvalue()


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return "" if value == b"?" else value.decode("utf-8")
    number = float(value)
    if number != number:
        return ""
    return str(int(number)) if number.is_integer() else repr(number)
