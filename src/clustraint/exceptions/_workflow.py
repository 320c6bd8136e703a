"""Methods that are not there or do not fit, and comparisons that cannot be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clustraint.exceptions._base import ClustraintError, ClustraintWarning
from clustraint.wording import counted, excerpt, near_matches


class UnknownMethodError(ClustraintError):
    """There is no such method."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(
            f"there is no method '{name:.60}'{near_matches(name, names) or ';'} "
            f"the methods are {', '.join(names)}."
        )


class TakenMethodNameError(ClustraintError):
    """A name for a method that another method has already."""

    def __init__(self, name: str, estimator: type) -> None:
        owner = f"{estimator.__module__}.{estimator.__qualname__}"
        super().__init__(f"the method '{name:.60}' is already {owner}; choose another name.")


class BrokenMethodWarning(ClustraintWarning):
    """A method that another package announces, but that cannot be loaded."""

    def __init__(self, name: str, target: str, package: str, error: Exception) -> None:
        super().__init__(
            f"the method '{name}' of the package {package} ({target}) is left out, as it cannot be "
            f"loaded: {type(error).__name__}: {error}"
        )


class NoMethodError(ClustraintError):
    """Constraints and data that no method accepts together."""

    def __init__(self, obstacles: Mapping[str, str]) -> None:
        self.obstacles = dict(obstacles)
        reasons = "; ".join(f"{name} {obstacle}" for name, obstacle in obstacles.items())
        start = "no method accepts all of this: " if len(obstacles) > 1 else ""
        super().__init__(f"{start}{reasons}.")


class NoNumberOfClustersError(ClustraintError):
    """A method that needs to know how many clusters to find."""

    def __init__(self, method: str) -> None:
        super().__init__(f"{method} needs to know how many clusters to find (n_clusters=).")


class TooFewSamplesError(ClustraintError):
    """A table of fewer than two samples."""

    def __init__(self, source: str) -> None:
        super().__init__(f"{source} holds one sample, but at least two samples are needed.")


class TooManyClustersError(ClustraintError):
    """More clusters than samples."""

    def __init__(self, n_clusters: int, n_samples: int) -> None:
        super().__init__(
            f"{counted(n_clusters, 'cluster')} cannot be made of {counted(n_samples, 'sample')}."
        )


class TooFewConstraintsError(ClustraintError):
    """Too few constraints to fit methods with some and to score them by others."""

    def __init__(self, n_constraints: int) -> None:
        verb = "is" if n_constraints == 1 else "are"
        super().__init__(
            "comparing methods needs at least two constraints, one to fit with and one to hold "
            f"out, but there {verb} {n_constraints} (constraints=)."
        )


class NothingToHoldOutError(ClustraintError):
    """Constraints that follow from the others, whichever of them are held out."""

    def __init__(self, n_splits: int) -> None:
        where = "the only split" if n_splits == 1 else f"each of {n_splits} splits"
        super().__init__(
            f"no constraint can be held out: in {where}, the held-out constraints follow from "
            "the others; add constraints, or hold out another share of them (holdout=)."
        )


class NoComparisonError(ClustraintError):
    """Methods none of which finds clusters."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"no method finds clusters: {problem}")


class UnusedClusterNameWarning(ClustraintWarning):
    """A name in a file for which there is no cluster."""

    def __init__(self, path: object, name: str) -> None:
        super().__init__(f"{path}: no cluster is called {excerpt(name)!r} now.")


class ModelFileError(ClustraintError):
    """A file that is not a saved model, or not one to be used here."""

    def __init__(self, path: object, problem: str) -> None:
        self.path = str(path)
        super().__init__(f"{path} {problem}.")
