"""A small table of animals, written for clustraint."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np

from clustraint.datasets._catalogue import CATALOGUE
from clustraint.datasets._dataset import Dataset
from clustraint.datasets._files import finished

FILE = "animals.csv"


def load_animals() -> Dataset:
    """Return the table of animals.

    Returns
    -------
    Dataset
        One sample for each species, with its `names`. `X` holds 0 or 1 for each thing that an
        adult has or does, the number of its legs, its typical mass in kilograms, length in
        centimetres (of the body, without tail feathers, legs or feelers) and greatest age in
        years, all rounded. `y` is the group that people know (mammal, bird, …), `paths` the place
        in the taxonomy.

    Examples
    --------
    >>> animals = load_animals()
    >>> wolf = dict(zip(animals.feature_names, animals.X[animals.names.index("wolf")]))
    >>> wolf["milk"].item(), wolf["legs"].item(), wolf["mass_kg"].item()
    (1.0, 4.0, 40.0)
    """
    text = files("clustraint.datasets").joinpath(FILE).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    records = [dict(zip(header, row, strict=True)) for row in rows]
    columns = [column for column in header if column not in ("name", "class", "path")]
    data = Dataset(
        "animals",
        np.array([[float(record[column]) for column in columns] for record in records]),
        np.array([record["class"] for record in records]),
        tuple(columns),
        names=tuple(record["name"] for record in records),
        paths=tuple(record["path"] for record in records),
    )
    return finished(data, CATALOGUE["animals"], f"clustraint/datasets/{FILE}")
