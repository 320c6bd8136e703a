"""Everything that clustraint raises or warns with, one class per failure."""

from __future__ import annotations

import difflib
import numbers
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustraint.constraints import Constraints, Rule

__all__ = [
    "BranchSizeError",
    "ClustraintError",
    "ClustraintWarning",
    "ConstraintFileError",
    "ConstraintShapeError",
    "DatasetFileError",
    "DatasetNotFoundError",
    "DifferentSamplesError",
    "DroppedConstraintWarning",
    "DuplicateNameError",
    "EmptyClusterWarning",
    "EmptyScopeError",
    "EmptyScopeWarning",
    "HugeDifferenceError",
    "InconsistentConstraintsError",
    "InvalidAnswerError",
    "InvalidDistanceError",
    "InvalidDistanceMatrixError",
    "InvalidHierarchyError",
    "InvalidLabelsError",
    "InvalidNameError",
    "InvalidParameterError",
    "InvalidWeightError",
    "LargeResultWarning",
    "MissingPackageError",
    "MissingValuesError",
    "NewickSyntaxError",
    "NoAllowedMergeError",
    "NoFeasibleClusteringError",
    "NoMethodError",
    "NoNumberOfClustersError",
    "NominalValueError",
    "NotClusteredError",
    "NotEnoughMemoryError",
    "NotTestableError",
    "NothingToMeasureError",
    "OutputFileError",
    "OverlappingRulesError",
    "RepeatedSampleError",
    "ResultsFileError",
    "RuleColumnError",
    "RuleSyntaxError",
    "SampleIndexError",
    "TableColumnError",
    "TooFewClustersError",
    "UnclusteredSampleError",
    "UnexpectedAnswerError",
    "UnknownAttributeError",
    "UnknownColumnError",
    "UnknownExperimentError",
    "UnknownMethodError",
    "UnknownNameError",
    "UnknownPaperError",
    "UnlearnableMetricWarning",
    "UnreachableCutError",
    "UnsupportedConstraintsError",
]


def _rebuild(kind: type[Exception], message: str, state: dict[str, Any]) -> Exception:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


class ClustraintError(ValueError):
    """Base of every error that clustraint raises on purpose."""

    # Messages are built in the constructors, so unpickling must not run these again.
    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), self.__dict__)


class ClustraintWarning(UserWarning):
    """Base of every warning that clustraint gives."""


def near_matches(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'dog' or 'dogs'?"``, or nothing where no name is near."""
    close = difflib.get_close_matches(name[:200], list(known)[:10_000], n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def excerpt(text: str, position: int = 0, width: int = 60) -> str:
    """Return at most `width` characters of `text` around `position`."""
    start = excerpt_start(text, position, width)
    stop = start + width
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def excerpt_start(text: str, position: int, width: int = 60) -> int:
    """Return where the excerpt around `position` begins."""
    return max(0, min(position - width // 2, len(text) - width))


class ConstraintShapeError(ClustraintError):
    """Constraints that are not rows of whole numbers of the right width."""

    def __init__(self, kind: str, width: int, problem: str) -> None:
        super().__init__(
            f"{kind} must be rows of {width} sample numbers (integers), but {problem}."
        )


class SampleIndexError(ClustraintError):
    """A sample number outside the data."""

    def __init__(self, kind: str, row: int, sample: int, n_samples: int) -> None:
        super().__init__(
            f"{kind} row {row} names sample {sample}, but samples are numbered "
            f"0 to {n_samples - 1} (n_samples={n_samples})."
            if n_samples
            else f"{kind} row {row} names sample {sample}, but there are no samples."
        )


class RepeatedSampleError(ClustraintError):
    """A constraint, or a selection of rows, that names one sample twice."""

    def __init__(self, where: str, sample: object, reason: str) -> None:
        super().__init__(f"{where} names sample {sample} twice: {reason}.")


class InvalidWeightError(ClustraintError):
    """Weights that are not one finite positive number for each constraint."""

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(
            f"{kind}_weights must hold a finite number above 0 for each constraint, but {problem}."
        )


class InvalidNameError(ClustraintError):
    """Sample names that cannot serve as names."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"names must be one text for each sample, but {problem}.")


class DuplicateNameError(ClustraintError):
    """One name for two samples."""

    def __init__(self, name: str, first: int, second: int) -> None:
        super().__init__(
            f"names must be unique, but samples {first} and {second} are both called "
            f"{excerpt(name)!r}."
        )


class UnknownNameError(ClustraintError):
    """A sample name that is not among the names of the data."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(f"no sample is called {excerpt(name)!r}{near_matches(name, names)}")


class InvalidLabelsError(ClustraintError):
    """Labels from which the constraints asked for cannot be drawn."""


class RuleSyntaxError(ClustraintError):
    """A formula that cannot be read; `column` counts from 1."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text = text
        self.column = column
        offset = min(column - 1, len(text))
        start = excerpt_start(text, offset)
        shown = "".join(c if c.isprintable() else " " for c in excerpt(text, offset))
        caret = " " * (offset - start + (1 if start else 0)) + "^"
        super().__init__(f"{problem} at column {column}:\n  {shown}\n  {caret}")


class UnknownAttributeError(ClustraintError):
    """A formula that names a column that the data do not have."""

    def __init__(self, name: str, rule: str, columns: Sequence[str]) -> None:
        hint = near_matches(name, columns)
        if not hint:
            hint = f"; the columns are {excerpt(', '.join(columns[:50]), width=200)}"
        super().__init__(
            f"rule {excerpt(rule)!r} names {excerpt(name)!r}, which is no column{hint}"
        )


class RuleColumnError(ClustraintError):
    """A column that holds something else than the formula asks of it."""

    def __init__(self, rule: str, column: str, problem: str) -> None:
        super().__init__(f"rule {excerpt(rule)!r}: column {excerpt(column)!r} {problem}.")


class ConstraintFileError(ClustraintError):
    """A constraint file that cannot be read; `line` counts from 1, 0 for the file as a whole."""

    def __init__(self, path: object, line: int, problem: str) -> None:
        self.path = str(path)
        self.line = line
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")


class NewickSyntaxError(ClustraintError):
    """A Newick text that cannot be read; `position` counts characters from 1."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.position = position
        super().__init__(
            f"{problem} at character {position} of the Newick text, near "
            f"{excerpt(text, position - 1)!r}."
        )


class InvalidHierarchyError(ClustraintError):
    """Input that does not describe one rooted tree over the samples."""


class UnreachableCutError(ClustraintError):
    """A number of clusters that no cut of the hierarchy has."""


class BranchSizeError(UnreachableCutError):
    """Too few branches of a hierarchy that are large enough."""

    def __init__(self, n_clusters: int, min_branch_size: float, reached: int) -> None:
        super().__init__(
            f"min_branch_size={min_branch_size:g} leaves {reached} "
            f"cluster{'s' * (reached != 1)}, but n_clusters={n_clusters} are wanted; lower it, or "
            'set it to "auto".'
        )


class InconsistentConstraintsError(ClustraintError):
    """Constraints that contradict each other.

    Attributes
    ----------
    witness : Constraints
        A minimal contradictory part: without any one of its members it is consistent.
    """

    def __init__(self, message: str, witness: Constraints) -> None:
        super().__init__(message)
        self.witness = witness


class TooFewClustersError(InconsistentConstraintsError):
    """Constraints that hold together, but not with so few clusters."""


class OverlappingRulesError(InconsistentConstraintsError):
    """Rules that want a sample in two clusters."""

    def __init__(
        self, first: Rule, second: Rule, shared: str, witness: Constraints, outside: str = ""
    ) -> None:
        rules = f"rules '{excerpt(str(first))}' and '{excerpt(str(second))}'"
        problem = (
            f"{outside} is in scope of the first only and may not join the cluster of the second"
            if outside
            else "the clusters of two exactly rules have no sample in common"
        )
        super().__init__(f"{rules} both hold for {shared}, but {problem}.", witness)


class UnsupportedConstraintsError(ClustraintError):
    """Kinds of constraint that a method does not take."""

    def __init__(
        self,
        method: str,
        taken: Sequence[str],
        refused: Sequence[str],
        takers: Mapping[str, Sequence[str]],
    ) -> None:
        others = sorted({taker for kind in refused for taker in takers[kind]})
        way_out = f"; {' or '.join(others)} would take them" if others else ""
        super().__init__(
            f"{method} takes {', '.join(taken)}, but the constraints hold {', '.join(refused)}"
            f"{way_out}."
        )


class NoFeasibleClusteringError(ClustraintError):
    """No assignment of samples to clusters keeps all hard constraints, or none was found.

    Attributes
    ----------
    sample : int or None
        A sample that could not be placed.
    blockers : tuple of int
        The samples that kept it out of every cluster.
    witness : Constraints or None
        The proof that there is no assignment: constraints that so few clusters cannot keep.
    """

    def __init__(
        self,
        message: str,
        sample: int | None = None,
        blockers: Sequence[int] = (),
        witness: Constraints | None = None,
    ) -> None:
        super().__init__(message)
        self.sample = sample
        self.blockers = tuple(blockers)
        self.witness = witness


class NoAllowedMergeError(ClustraintError):
    """Clusters of which no two may merge, as each merge would violate a triplet.

    Attributes
    ----------
    n_clusters : int
        How many clusters were left.
    violated : Constraints
        A triplet that the merge of the closest two would violate.
    """

    def __init__(self, n_clusters: int, violated: Constraints) -> None:
        self.n_clusters = n_clusters
        self.violated = violated
        a, b, c = map(violated.name_of, violated.triplets[0].tolist())
        super().__init__(
            f"{n_clusters} clusters are left and each merge of two violates a triplet: that of the "
            f"closest, {a}, {b} | {c}; use dead_end='merge' or 'stop', or ReCon, which keeps all "
            "triplets that hold together."
        )


class InvalidParameterError(ClustraintError):
    """A parameter of an estimator that it cannot work with."""

    def __init__(self, name: str, value: object, wanted: str) -> None:
        super().__init__(f"{name} must be {wanted}, but is {value!r:.60}.")


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.0f} GB" if size >= 1e11 else f"{size / 1e9:.3g} GB"


class NotEnoughMemoryError(ClustraintError):
    """Something that does not fit into memory, found out before it is made."""

    def __init__(
        self, what: str, needed: float, limit: float, is_chosen: bool, way_out: str
    ) -> None:
        bound = "max_memory allows" if is_chosen else "there is"
        super().__init__(
            f"{what} need {_gigabytes(needed)} of memory, but {bound} {_gigabytes(limit)}; "
            f"{way_out}."
        )


class InvalidDistanceError(ClustraintError):
    """A distance that is no finite number from 0 up."""

    def __init__(self, first: int, second: int, value: float, metric: object) -> None:
        if metric == "precomputed":
            source, way_out = "precomputed", "correct the matrix"
        else:
            source = f"by metric={metric!r:.60}"
            way_out = "change these samples, or choose another metric"
        super().__init__(
            f"the distance of samples {first} and {second} is {value} ({source}), but must be a "
            f"finite number from 0 up; {way_out}."
        )


class InvalidDistanceMatrixError(ClustraintError):
    """A matrix that is no table of distances between the samples."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            'with metric="precomputed", X must be the square, symmetric matrix of the distances '
            f"between all samples, with 0 on the diagonal, but {problem}."
        )


class InvalidAnswerError(ClustraintError):
    """What was said to a question, but is no answer."""

    def __init__(self, value: object) -> None:
        super().__init__(
            "an answer must be 'yes', 'no' or 'don't know' (or True, False or None), but is "
            f"{value!r:.60}."
        )


class UnexpectedAnswerError(ClustraintError):
    """Answers that are not to the questions that these samples and parameters lead to."""

    def __init__(self, number: int, given: tuple[int, int], asked: tuple[int, int] | None) -> None:
        question = (
            f"question {number} is about samples {asked[0]} and {asked[1]}"
            if asked
            else f"there are only {number - 1} questions"
        )
        super().__init__(
            f"answer {number} is about samples {given[0]} and {given[1]}, but {question}: give the "
            "answers in the order of the questions, with the same samples and parameters, or "
            "leave this answer and those after it out."
        )


class NominalValueError(ClustraintError):
    """A cell of a table that holds nothing which could be equal to another."""

    def __init__(self, column: str, sample: int, value: Any) -> None:
        self.column = column
        self.sample = sample
        self.value = value
        missing = value is None or (value.__hash__ is not None and value != value)
        number = isinstance(value, numbers.Real)
        shown = str(value) if number else f"a {type(value).__name__}"
        found = "no value (NaN)" if missing else shown
        super().__init__(
            f"X must hold texts, truth values or finite numbers, but column {excerpt(column)!r} "
            f"holds {found} at sample {sample}; fill it in, or leave the sample or column out."
        )


class TableColumnError(ClustraintError):
    """A column that a tree cannot test: not numeric or nominal, or not what it was in `fit`."""

    def __init__(self, column: str, problem: str) -> None:
        self.column = column
        super().__init__(f"column {excerpt(column)!r} of X {problem}.")


class MissingPackageError(ClustraintError, ImportError):
    """Something that takes a package which is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} takes {package}, which is not installed; "
            f"install it by: pip install 'clustraint[{extra}]'."
        )


class EmptyScopeError(ClustraintError):
    """An `exactly` rule, which asks for a cluster, without a sample to put there."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(
            f"rule '{excerpt(str(rule))}' holds for no sample, so that its cluster would be empty; "
            "correct it, or leave it out."
        )


class EmptyScopeWarning(ClustraintWarning):
    """A `together` rule that says nothing about any sample."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(f"rule '{excerpt(str(rule))}' holds for no sample and has no effect.")


class EmptyClusterWarning(ClustraintWarning):
    """Clusters without samples, where there are too few different ones to fill them."""

    def __init__(self, empty: Sequence[int], n_clusters: int) -> None:
        listed = excerpt(", ".join(map(str, empty)))
        super().__init__(
            f"{len(empty)} of {n_clusters} clusters stay empty ({listed}): every sample that may "
            "join them equals a medoid; ask for fewer clusters."
        )


class HugeDifferenceError(ClustraintError):
    """Samples so far apart that their squared distance is no number any more."""

    def __init__(self, column: int) -> None:
        super().__init__(
            "X must hold values whose squared differences are finite, but those of column "
            f"{column} (from 0) are not; scale that column."
        )


class UnlearnableMetricWarning(ClustraintWarning):
    """Triplets under which the best metric has all weights 0."""

    def __init__(self) -> None:
        super().__init__(
            "no weights of the features satisfy the triplets better than weights of 0 do, so all "
            "are set to 1; the triplets may contradict the features or each other."
        )


class LargeResultWarning(ClustraintWarning):
    """Something very large is about to be listed."""

    def __init__(self, what: str, count: int) -> None:
        super().__init__(f"listing {count:,} {what}; this takes about {count * 32 / 1e9:.1f} GB.")


# Above this many rows a listing is announced before it is made.
MANY_ROWS = 10**7


def announce(what: str, count: int) -> None:
    """Warn, beforehand, of a listing of `count` rows if it is long."""
    if count > MANY_ROWS:
        warnings.warn(LargeResultWarning(what, count), stacklevel=4)


class DroppedConstraintWarning(ClustraintWarning):
    """A constraint that says nothing was left out."""


class UnknownPaperError(ClustraintError):
    """A paper that clustraint does not reproduce."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"there is no paper '{name:.60}'{near_matches(name, known)}; "
            f"the papers are {', '.join(known)}."
        )


class UnknownExperimentError(ClustraintError):
    """An experiment that a paper does not have."""

    def __init__(self, name: str, paper: str, known: Sequence[str]) -> None:
        super().__init__(
            f"{paper} has no experiment '{name:.60}'{near_matches(name, known)}; "
            f"its experiments are {', '.join(known)}."
        )


class ResultsFileError(ClustraintError):
    """A file of results that cannot be opened."""

    def __init__(self, path: str, cause: Exception) -> None:
        super().__init__(f"results cannot be kept in {path}: {cause}.")


class OutputFileError(ClustraintError):
    """A file that cannot be written."""

    def __init__(self, path: object, problem: str) -> None:
        self.path = str(path)
        super().__init__(f"{path} cannot be written: {problem}.")


class NotClusteredError(ClustraintError):
    """An estimator that says of no sample to which cluster it belongs."""

    def __init__(self, estimator: str) -> None:
        super().__init__(
            f"{estimator} has no labels_ to report on; call its fit first, or give labels."
        )


class NotTestableError(ClustraintError):
    """A claim that cannot be tested with the data at hand."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


class DifferentSamplesError(ClustraintError):
    """Things to be compared that are not about the same samples."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"what is compared must be about the same samples, but {problem}.")


class UnclusteredSampleError(ClustraintError):
    """A sample that a clustering leaves out, and that is to be scored."""

    def __init__(self, name: str, sample: int) -> None:
        super().__init__(
            f"{name} must hold a cluster for each sample, but holds -1, None or nan at sample "
            f"{sample}; give such samples clusters of their own, or leave them out of the score."
        )


class NothingToMeasureError(ClustraintError):
    """A score of which there is no instance to count."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}.")


class DatasetNotFoundError(ClustraintError):
    """A data set that is not known by that name, or whose file is found nowhere.

    Attributes
    ----------
    name : str
        The name asked for.
    looked : str
        Where it was looked for.
    answer : str
        What came of a download, "" if there was none.
    """

    def __init__(self, name: str, looked: str, answer: str = "", known: Iterable[str] = ()) -> None:
        self.name = name
        self.looked = looked
        self.answer = answer
        known = list(known)
        if known:
            hint = near_matches(name, known) or "; clustraint.datasets.list_datasets() names all."
            super().__init__(f"there is no data set {excerpt(name)!r} ({looked}){hint}")
        else:
            told = f"; {answer}" if answer else ""
            super().__init__(
                f"the data set {name!r} is not at hand: {looked}{told}; set CLUSTRAINT_DATA to a "
                "folder that holds it."
            )


class DatasetFileError(ClustraintError):
    """A file of data that cannot be read; `line` counts from 1, 0 for the file as a whole."""

    def __init__(self, path: object, line: int, problem: str) -> None:
        self.path = str(path)
        self.line = line
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")


class UnknownColumnError(ClustraintError):
    """A column that a file does not have."""

    def __init__(self, name: str, columns: Iterable[str], source: object) -> None:
        known = list(columns)
        listed = f"; the columns are {excerpt(', '.join(known[:50]), width=200)}"
        hint = near_matches(name, known) or listed
        super().__init__(f"{source}: there is no column {excerpt(name)!r}{hint}")


class MissingValuesError(ClustraintError):
    """Missing values in a table for a method that cannot do without them."""

    def __init__(self, column: str, count: int, sample: int) -> None:
        self.column = column
        super().__init__(
            f"column {excerpt(column)!r} has no value for {count:,} "
            f"sample{'s' * (count != 1)}, first for sample {sample}; fill them in, drop the "
            "column, or take a clustering tree, which lives with missing values."
        )


class UnknownMethodError(ClustraintError):
    """A method that there is not."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"there is no method '{name:.60}'{near_matches(name, known) or ';'} "
            f"the methods are {', '.join(known)}."
        )


class NoMethodError(ClustraintError):
    """Knowledge and data that no method takes together."""

    def __init__(self, obstacles: Mapping[str, str]) -> None:
        self.obstacles = dict(obstacles)
        told = "; ".join(f"{name} {obstacle}" for name, obstacle in obstacles.items())
        start = "no method takes all of this: " if len(obstacles) > 1 else ""
        super().__init__(f"{start}{told}.")


class NoNumberOfClustersError(ClustraintError):
    """A method that has to be told how many clusters to find."""

    def __init__(self, method: str) -> None:
        super().__init__(f"{method} has to know how many clusters to find: give -k (n_clusters).")
