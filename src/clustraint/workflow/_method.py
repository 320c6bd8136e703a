"""The methods by name: clustraint's own, those of other packages, and whatever is registered."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeAlias

from clustraint.cluster import (
    IHAC,
    AttributeKMedoids,
    BestClusterer,
    BiHAC,
    ClusteringTree,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    ConstraintPropagation,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
)
from clustraint.constraints import PAIR_KINDS, RULE_KINDS
from clustraint.exceptions import (
    BrokenMethodWarning,
    InvalidParameterError,
    TakenMethodNameError,
)

AUTO = "auto"
ENTRY_POINTS = "clustraint.methods"
PAIRS = frozenset(PAIR_KINDS)
RULES = frozenset(RULE_KINDS)
View: TypeAlias = Literal["matrix", "words", "nominal", "frame"]
MATRICES = ("matrix", "words")


@dataclass(frozen=True, eq=False)
class Method:
    """A method by name: an estimator, and what part of a table it takes.

    Which kinds of constraints it accepts, whether it reads texts and whether it needs the number
    of clusters is asked of the estimator: its `constraint_kinds`, its tag for sparse input and
    the default of its `n_clusters`.

    Parameters
    ----------
    name : str
        The name; one word.
    estimator : type
        A class derived from `clustraint.base.ConstrainedClusterer`.
    view : {"matrix", "words", "nominal", "frame"}, default="matrix"
        What of a table it takes: numbers, in which texts are topics; numbers with a sparse column
        for each word of a text; binary and nominal columns only; or all columns as they are, also
        with missing values. See `clustraint.tables.TableEncoder`.
    idea : str, default=""
        What it does, in a few words.
    all_pairs : bool, default=False
        Whether it holds the distances between all pairs of samples in memory.
    parameters : mapping, default={}
        Parameters of the estimator, where they differ from its defaults.
    text_parameters : mapping, optional
        The same for tables that hold texts; by default `parameters`.

    Examples
    --------
    >>> from clustraint import BiHAC
    >>> from clustraint.workflow import Method
    >>> method = Method("biihac", BiHAC, parameters={"enforce": True})
    >>> sorted(method.kinds), method.reads_texts, method.needs_n_clusters
    (['triplets'], True, False)
    """

    name: str
    estimator: type[Any]
    view: View = "matrix"
    idea: str = ""
    all_pairs: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    text_parameters: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name.split() != [self.name] or self.name == AUTO:
            raise InvalidParameterError("name", self.name, f"one word other than '{AUTO}'")
        if "constraints" not in _arguments(getattr(self.estimator, "fit", None)) or not hasattr(
            self.estimator, "constraint_kinds"
        ):
            wanted = "a class derived from clustraint.base.ConstrainedClusterer"
            raise InvalidParameterError("estimator", self.estimator, wanted)
        if self.view not in (*MATRICES, "nominal", "frame"):
            raise InvalidParameterError(
                "view", self.view, "'matrix', 'words', 'nominal' or 'frame'"
            )

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of constraints accepted; rules count as pairs where pairs are accepted."""
        own = frozenset(self.estimator.constraint_kinds)
        return own | RULES if own >= PAIRS else own

    @property
    def expands_rules(self) -> bool:
        """Whether rules have to become pairs first: a matrix has lost the columns they name."""
        return self.view in MATRICES or not RULES & set(self.estimator.constraint_kinds)

    @property
    def reads_texts(self) -> bool:
        """Whether it accepts texts, which become topics or weights of words."""
        return self.view in MATRICES

    @property
    def needs_n_clusters(self) -> bool:
        """Whether it has to be given the number of clusters."""
        n_clusters = _arguments(self.estimator).get("n_clusters")
        return n_clusters is not None and n_clusters.default is not None

    def make(
        self,
        n_clusters: int | None = None,
        random_state: int | None = None,
        *,
        of_texts: bool = False,
    ) -> Any:
        """Return the estimator, not fitted.

        Examples
        --------
        >>> from clustraint.workflow import methods
        >>> methods()["cop-kmeans"].make(3, random_state=0)
        COPKMeans(n_clusters=3, random_state=0)
        """
        for_texts = of_texts and self.text_parameters is not None
        chosen = dict(self.text_parameters or {}) if for_texts else dict(self.parameters)
        accepted = _arguments(self.estimator)
        values = {"n_clusters": n_clusters, "random_state": random_state}
        chosen |= {name: value for name, value in values.items() if name in accepted}
        return self.estimator(**chosen)


def _arguments(function: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters if callable(function) else {}


_registry: dict[str, Method] = {}


def register(method: Method) -> Method:
    """Make a method known by its name: to `choose`, `compare` and the command line.

    Registering the same class again, as a notebook does when a cell runs twice, replaces it.
    Other packages need not call this: they announce a `Method` as an entry point of the group
    ``clustraint.methods``.

    Parameters
    ----------
    method : Method
        The method.

    Returns
    -------
    Method
        The same.

    Raises
    ------
    TakenMethodNameError
        If another method has that name.

    See Also
    --------
    unregister : the opposite.

    Examples
    --------
    >>> from clustraint import BiHAC
    >>> from clustraint.workflow import Method, methods, register, unregister
    >>> method = register(Method("biihac", BiHAC, parameters={"enforce": True}))
    >>> methods()["biihac"] is method
    True
    >>> unregister("biihac")
    """
    if not isinstance(method, Method):
        raise InvalidParameterError("method", method, "a Method")
    owner, own = _registry.get(method.name, method).estimator, method.estimator
    if (owner.__module__, owner.__qualname__) != (own.__module__, own.__qualname__):
        raise TakenMethodNameError(method.name, owner)
    _registry[method.name] = method
    return method


def unregister(name: str) -> None:
    """Forget a method, if there is one of that name.

    Examples
    --------
    >>> from clustraint.workflow import unregister
    >>> unregister("nothing of that name")
    """
    _registry.pop(name, None)


def methods() -> dict[str, Method]:
    """Return all methods by name: clustraint's own, then those of others.

    Entry points of other packages are loaded by the first call.

    Warns
    -----
    BrokenMethodWarning
        If one of them cannot be loaded.

    Examples
    --------
    >>> from clustraint.workflow import methods
    >>> list(methods())[:3]
    ['best', 'mixture', 'propagation']
    """
    _load_entry_points()
    return dict(_registry)


@cache
def _load_entry_points() -> None:
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            register(entry.load())
        # Whatever a stranger's module raises must not keep others from their clusters.
        except Exception as error:
            package = entry.dist.name if entry.dist else "unknown"
            warnings.warn(
                BrokenMethodWarning(entry.name, entry.value, package, error), stacklevel=3
            )


for _method in (
    Method("best", BestClusterer, idea="the clustering that best predicts held-out constraints"),
    Method(
        "mixture",
        ConstrainedMixture,
        idea="Gaussian clusters in which every constraint is evidence that may be wrong",
    ),
    Method(
        "propagation",
        ConstraintPropagation,
        idea="clusters of any shape on a neighbour graph along which constraints spread",
    ),
    Method("pc-kmeans", PCKMeans, idea="k-means that pays for the pairs it violates"),
    Method(
        "mpc-kmeans", MPCKMeans, idea="k-means that also learns from pairs which columns matter"
    ),
    Method("cop-kmeans", COPKMeans, idea="k-means that satisfies every must-link and cannot-link"),
    Method(
        "complete-linkage",
        ConstrainedCompleteLinkage,
        idea="a hierarchy in which each pair also pulls or pushes its neighbours",
        all_pairs=True,
    ),
    Method("recon", ReCon, idea="a hierarchy that satisfies every triplet"),
    Method("tree", ClusteringTree, "frame", "a decision tree whose leaves are clusters"),
    Method(
        "attribute-kmedoids", AttributeKMedoids, "nominal", "k-medoids that satisfies every rule"
    ),
    Method(
        "ihac",
        IHAC,
        "words",
        idea="a hierarchy whose merges avoid violating triplets",
        all_pairs=True,
        parameters={"metric": "euclidean"},
        text_parameters={},
    ),
    Method(
        "bihac",
        BiHAC,
        "words",
        idea="a hierarchy that learns from triplets how much each column counts",
        all_pairs=True,
    ),
):
    register(_method)
