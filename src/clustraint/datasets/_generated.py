"""Generators under the names by which `load` knows them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from clustraint.datasets._catalogue import CATALOGUE, describe
from clustraint.datasets._dataset import Dataset
from clustraint.datasets._rule_clusters import make_rule_clusters
from clustraint.datasets._shapes import make_cell_walls, make_circles, make_storm_clouds, make_xor
from clustraint.datasets._text_hierarchies import make_text_hierarchy
from clustraint.exceptions import InvalidParameterError

GENERATORS: dict[str, Callable[..., Any]] = {
    "circles": make_circles,
    "cell-walls": make_cell_walls,
    "xor": make_xor,
    "storm-clouds": make_storm_clouds,
    "rule-clusters": make_rule_clusters,
    "text-hierarchy": make_text_hierarchy,
}


def generate(name: str, options: dict[str, Any]) -> Dataset:
    """Return what a generator makes, from seed 0 where no other is given."""
    maker = GENERATORS[name]
    check_options(name, options, list(inspect.signature(maker).parameters))
    made = maker(**{"random_state": 0, **options})
    data = _DATASETS.get(name, _of_samples)(name, made)
    shown = ", ".join(f"{key}={value!r:.40}" for key, value in options.items())
    origin = f"clustraint.datasets.{maker.__name__}({shown or 'random_state=0'})"
    return replace(data, description=describe(CATALOGUE[name], origin, data))


def check_options(name: str, options: dict[str, Any], present: list[str]) -> None:
    """Raise if there is an option that the data set does not have."""
    unknown = [option for option in options if option not in present]
    if unknown:
        wanted = f"among {', '.join(present)}" if present else "left out"
        raise InvalidParameterError(f"an option of {name!r}", unknown[0], wanted)


def _of_samples(name: str, made: Any) -> Dataset:
    X, y = made
    return Dataset(name, X, y, ("x", "y"))


def _of_rule_clusters(name: str, made: Any) -> Dataset:
    columns = tuple(f"x{place}" for place in range(made.X.shape[1]))
    return Dataset(name, made.X.astype(np.float64), made.y, columns, rules=made.rules)


def _of_text_hierarchy(name: str, made: Any) -> Dataset:
    columns = tuple(f"word{place}" for place in range(made.X.shape[1]))
    return Dataset(name, made.X.astype(np.float64), np.array(made.paths), columns, paths=made.paths)


_DATASETS: dict[str, Callable[[str, Any], Dataset]] = {
    "rule-clusters": _of_rule_clusters,
    "text-hierarchy": _of_text_hierarchy,
}
