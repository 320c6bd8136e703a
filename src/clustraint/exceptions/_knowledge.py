"""Constraints that cannot be read, or that do not hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clustraint.exceptions._base import ClustraintError, ClustraintWarning
from clustraint.wording import counted, excerpt, near_matches

if TYPE_CHECKING:
    from clustraint.constraints import Constraints


class ConstraintShapeError(ClustraintError):
    """Constraints that are not rows of whole numbers of the right width."""

    def __init__(self, kind: str, width: int, problem: str) -> None:
        super().__init__(
            f"{kind} must be rows of {width} sample numbers (integers), but {problem}."
        )


class ConstraintSizeError(ClustraintError):
    """Constraints that are about more samples, or fewer, than there are."""

    def __init__(self, n_constrained: int, n_samples: int, whose: str = "X") -> None:
        super().__init__(
            f"constraints are about {counted(n_constrained, 'sample')}, but {whose} has "
            f"{n_samples:,}; make them for these samples, or select the rows that they are about."
        )


class ConstraintFormError(ClustraintError):
    """Something that people might take for constraints, but that cannot be read as such."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"constraints cannot be read: {problem.removesuffix('.')}. Give Constraints, rows such "
            "as (0, 5, 'same') or ('dog', 'eel', 'different'), a DataFrame with the columns a, b "
            "and kind, or the path of a .txt, .csv or .json file."
        )


class MisalignedNamesError(ClustraintError):
    """Named constraints and a DataFrame whose index does not say which row is which sample."""

    def __init__(self, problem: str, name: str, label: str) -> None:
        super().__init__(
            f"constraints name their samples ({excerpt(name)!r}, …), but the labels in the index "
            f"of X ({excerpt(label)!r}, …) {problem}: set the names as the index of X or, if its "
            "rows are in the order of the constraints, reset it by X.reset_index(drop=True)."
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


class ChangedAnswersError(ClustraintError):
    """A file of answers that somebody else has changed since it was read."""

    def __init__(self, path: object, lines: Sequence[str]) -> None:
        unwritten = f" ({'; '.join(lines)})" if lines else ""
        super().__init__(
            f"{path} has been changed by another program since it was read, so this was not "
            f"written{unwritten}; nothing in the file is lost. Start again to go on from what it "
            "holds now."
        )


class ConstraintFileError(ClustraintError):
    """A constraint file that cannot be read; `line` counts from 1, 0 for the file as a whole."""

    def __init__(self, path: object, line: int, problem: str) -> None:
        self.path = str(path)
        self.line = line
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")


class DroppedConstraintWarning(ClustraintWarning):
    """A constraint was left out because it says nothing."""


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


class InvalidAnswerError(ClustraintError):
    """Something other than an answer to a question."""

    def __init__(self, value: object) -> None:
        super().__init__(
            "an answer must be 'yes', 'no' or 'don't know' (or True, False or None), but is "
            f"{value!r:.60}."
        )


class InvalidTripletAnswerError(ClustraintError):
    """An odd one out that was not asked about."""

    def __init__(self, value: object, samples: tuple[int, ...]) -> None:
        names = ", ".join(map(str, samples))
        super().__init__(
            f"the odd one out must be one of the samples {names}, or None if nobody knows, but is "
            f"{value!r:.60}."
        )


class NoQuestionError(ClustraintError):
    """An answer when no question is left."""

    def __init__(self) -> None:
        super().__init__("no question is left to answer; undo() takes the last answer back.")


class NoEstimatorError(ClustraintError):
    """Clusters, or a strategy that goes by them, without a clusterer."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs an estimator: any clusterer that takes must-links and cannot-links, "
            "such as ConstrainedMixture."
        )


class NotAnsweredError(ClustraintError):
    """An answer that nobody gave, to be taken back or asked for again."""

    def __init__(self, pair: tuple[int, int] | None) -> None:
        who = "any samples" if pair is None else f"samples {pair[0]} and {pair[1]}"
        super().__init__(f"nobody has answered a question about {who} yet; `answers` lists all.")


class UnexpectedAnswerError(ClustraintError):
    """Answers that are not to the questions that these samples and parameters lead to."""

    def __init__(self, number: int, pair: tuple[int, int], asked: tuple[int, int] | None) -> None:
        question = (
            f"question {number} is about samples {asked[0]} and {asked[1]}"
            if asked
            else f"there are only {number - 1} questions"
        )
        super().__init__(
            f"answer {number} is about samples {pair[0]} and {pair[1]}, but {question}: give the "
            "answers in the order of the questions, with the same samples and parameters, or "
            "leave this answer and those after it out."
        )
