"""Strategies by name, and how the questions of one begin."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar

from clustraint.active._balanced import BalancedPairs
from clustraint.active._expected_change import ExpectedChange
from clustraint.active._explore import ExploreConsolidate
from clustraint.active._merges import KleinMerges
from clustraint.active._min_max import MinMax
from clustraint.active._protocol import Questions
from clustraint.active._super_instances import SuperInstances
from clustraint.active._uncertainty import NormalisedUncertainty
from clustraint.checks import check_choice
from clustraint.exceptions import InvalidParameterError

Strategy: TypeAlias = Callable[..., Any]
AnyStrategy = TypeVar("AnyStrategy", bound=Strategy)

STRATEGIES: dict[str, Strategy] = {
    "klein": KleinMerges,
    "explore-consolidate": ExploreConsolidate,
    "min-max": MinMax,
    "uncertainty": NormalisedUncertainty,
    "super-instances": SuperInstances,
    "expected-change": ExpectedChange,
    "balanced": BalancedPairs,
}


def register_strategy(name: str) -> Callable[[AnyStrategy], AnyStrategy]:
    """Give a strategy a name by which sessions find it.

    A strategy is a generator function of the samples and its own parameters: it yields each `Query`
    and is sent its `Answer`, or None when nobody answers any more. Where much is to be prepared, it
    is a class: its constructor takes the samples and parameters, and its method ``questions()`` is
    the generator, which a session begins anew when an answer is taken back. One that has parameters
    `constraints` and `model` gets those of the session, the latter from its `estimator`.

    Parameters
    ----------
    name : str
        The name, which no other strategy has.

    Examples
    --------
    >>> from clustraint.active import STRATEGIES, Query, Session, register_strategy
    >>> @register_strategy("neighbours")
    ... def neighbours(X, n_queries=20):
    ...     for row in range(min(n_queries, len(X) - 1)):
    ...         answer = yield Query(row, row + 1)
    ...         if answer is None:
    ...             break
    >>> Session("neighbours", [[0.0], [1.0], [9.0]], n_queries=5).question
    Query(first=0, second=1, distance=None, drawn='strategy')
    >>> del STRATEGIES["neighbours"]
    """
    if not isinstance(name, str) or name in STRATEGIES:
        raise InvalidParameterError("name", name, f"a text other than {', '.join(STRATEGIES)}")

    def register(strategy: AnyStrategy) -> AnyStrategy:
        STRATEGIES[name] = strategy
        return strategy

    return register


def beginning(
    strategy: str | Strategy, X: Any, offers: dict[str, Any], **parameters: Any
) -> Callable[[], Questions]:
    """Return what begins the questions of a strategy, as often as it is called.

    Of what is offered it gets the parameters that it has.
    """
    if isinstance(strategy, str):
        strategy = STRATEGIES[check_choice("strategy", strategy, STRATEGIES)]
    if not callable(strategy):
        raise InvalidParameterError("strategy", strategy, "a name or a generator function")
    names = inspect.signature(strategy).parameters
    parameters = {name: offers[name] for name in offers if name in names} | parameters
    if inspect.isgeneratorfunction(strategy):
        return partial(strategy, X, **parameters)
    questions: Callable[[], Questions] = strategy(X, **parameters).questions
    return questions
