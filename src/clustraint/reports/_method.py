"""How a clustering was made, so that it can be made again."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from clustraint.reports._subject import Subject
from clustraint.reports._words import short


class Parameter(NamedTuple):
    """A parameter of an estimator."""

    name: str
    value: str


class Method(NamedTuple):
    """An estimator: its name, its parameters and its seed."""

    name: str
    parameters: list[Parameter]
    seed: str


def method_of(subject: Subject) -> Method | None:
    """Return how the clusters were made, where an estimator is known."""
    estimator = subject.estimator
    if estimator is None:
        return None
    found: dict[str, Any] = {}
    if hasattr(estimator, "get_params"):
        found = estimator.get_params(deep=False)
        # As they stand in the signature, what matters most first.
        order = [*inspect.signature(type(estimator)).parameters]
        found = {name: found[name] for name in sorted(found, key=order.index)}
    parameters = [Parameter(name, short(repr(value), 200)) for name, value in found.items()]
    return Method(type(estimator).__name__, parameters, _seed(found))


def _seed(parameters: dict[str, Any]) -> str:
    """Say where chance came from."""
    if "random_state" not in parameters:
        return "It draws nothing at random."
    seed = parameters["random_state"]
    if seed is None:
        return "No seed was set (random_state=None), so another run may give other clusters."
    return f"The seed is random_state={short(repr(seed))}."
