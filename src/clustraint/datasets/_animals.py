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
        One sample for each species or breed, with its `names`. `y` is the group that people know
        (mammal, bird, …), `paths` the place in the taxonomy.

    Notes
    -----
    Columns of 0 and 1 tell of adults whether they have or are

    - ``milk`` for their young; a coat of ``hair`` or fur, be it thin; ``feathers``; a skin of
      ``scales``; ``antennae``; ``fins``; teeth in their jaws (``toothed``); a ``backbone``;
    - able to fly well (``flies``); in or on water for much of their time (``aquatic``); by nature
      eaters of animals for the most part (``predator``); using venom (``venomous``);
      ``warm_blooded``; ``domestic``; laying or shedding ``eggs``; and whether what they breathe is
      air (``breathes``).

    ``legs`` are counted with claws, but without wings, arms and flippers. ``mass_kg`` and
    ``length_cm`` are typical, ``lifespan_years`` can well be reached; all are rounded. The length
    is that of head and body of mammals, of the shell of snails and mussels, the width of crabs,
    starfish and jellyfish, and the whole length of others without legs and antennae.

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
