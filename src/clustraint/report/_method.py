"""How a clustering was made, so that it can be made again."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from clustraint.plot import Subject
from clustraint.wording import short_text


class Parameter(NamedTuple):
    """A parameter of an estimator."""

    name: str
    value: str


class UsedMethod(NamedTuple):
    """An estimator: its name, its parameters and its seed."""

    name: str
    parameters: list[Parameter]
    seed: str


def method_of(subject: Subject) -> UsedMethod | None:
    """Return how the clusters were made, where an estimator is known."""
    estimator = subject.estimator
    if estimator is None:
        return None
    values: dict[str, Any] = {}
    if hasattr(estimator, "get_params"):
        values = estimator.get_params(deep=False)
        # As they stand in the signature, what matters most first.
        order = [*inspect.signature(type(estimator)).parameters]
        values = {name: values[name] for name in sorted(values, key=order.index)}
    parameters = [Parameter(name, short_text(repr(value), 200)) for name, value in values.items()]
    return UsedMethod(type(estimator).__name__, parameters, _seed(values))


def _seed(parameters: dict[str, Any]) -> str:
    """Say where chance came from."""
    if "random_state" not in parameters:
        return "It is deterministic."
    seed = parameters["random_state"]
    if seed is None:
        return "No seed was set (random_state=None), so another run may give different clusters."
    return f"The seed is random_state={short_text(repr(seed))}."
