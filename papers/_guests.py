"""Methods that are not the paper's: the cells of its comparisons, run by anything registered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn.utils import get_tags

from clustraint import Constraints
from clustraint.exceptions import NoFeasibleClusteringError, UnknownMethodError
from clustraint.workflow import Method, methods
from papers._drawing import curves, legend, panels
from papers._exceptions import NotTestableError, UnsuitableMethodError
from papers._experiment import Drawing, Experiment, Parameter, Record, ShownTable
from papers._paper import Paper
from papers._timing import timed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from papers._results import Results


@dataclass(frozen=True)
class Problem:
    """What each method of a cell is given, and how the paper scores what it makes of it.

    Attributes
    ----------
    X : array, sparse matrix or data frame
        The samples.
    constraints : Constraints
        What is known of them.
    n_clusters : int
        How many clusters to find.
    seed : int
        The source of randomness.
    score : callable
        Called with the fitted estimator; gives the paper's measures.
    fields : mapping
        What tells the problems of one cell apart.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints
    >>> problem = Problem(np.zeros((4, 1)), Constraints(4), 2, 0, lambda model: {"rand": 1.0})
    >>> problem.score(None)
    {'rand': 1.0}
    """

    X: Any
    constraints: Constraints
    n_clusters: int
    seed: int
    score: Callable[[Any], Record]
    fields: Record = field(default_factory=dict)


@dataclass(frozen=True)
class Challenge:
    """How the methods of an experiment are compared, so that others can take part.

    Attributes
    ----------
    problems : callable
        Called with the parameters of a cell; gives the problems that each method solves there.
    kinds : tuple of str
        The kinds of constraints that the problems hold.
    scores : mapping of str to str
        The fields that are compared, with what they are called.
    panels : tuple of str
        The fields that tell the panels of a figure apart.
    x : str
        The field along which the curves run.
    method : str
        The field that names the method.
    where : mapping
        Fields that the paper's own records must have to be compared.
    of_texts : bool
        Whether the samples are texts, as sparse matrices.

    Examples
    --------
    >>> from papers import paper
    >>> paper("ccl").experiment("figure-8").challenge.kinds
    ('must_link', 'cannot_link')
    """

    problems: Callable[..., Iterable[Problem]]
    kinds: tuple[str, ...]
    scores: Mapping[str, str]
    panels: tuple[str, ...]
    x: str
    method: str = "method"
    where: Mapping[str, Parameter] = field(default_factory=dict)
    of_texts: bool = False

    def takes(self, method: Method) -> bool:
        """Return whether a method can take part.

        Examples
        --------
        >>> from clustraint.workflow import methods
        >>> from papers import paper
        >>> paper("ccl").experiment("figure-8").challenge.takes(methods()["bihac"])
        False
        """
        if not set(self.kinds) <= method.kinds:
            return False
        # The papers' texts are sparse matrices of words.
        return not self.of_texts or bool(get_tags(method.make(2)).input_tags.sparse)


def with_methods(papers: Sequence[Paper], names: Sequence[str]) -> list[Paper]:
    """Return the papers with an experiment more for each challenge that a method can take part in.

    Parameters
    ----------
    papers : sequence of Paper
        The papers; experiments and claims of their own stay as they are.
    names : sequence of str
        Methods by the name under which they are registered.

    Returns
    -------
    list of Paper
        The papers with their guests.

    Raises
    ------
    UnknownMethodError
        If no method has that name.
    UnsuitableMethodError
        If a method can take part in no experiment of these papers.

    Examples
    --------
    >>> from papers import paper
    >>> (ccl,) = with_methods([paper("ccl")], ["mixture"])
    >>> [each.name for each in ccl.experiments if each.beside]
    ['figure-8-mixture', 'figure-9-mixture', 'figure-11-mixture']
    """
    registered = methods()
    for name in names:
        if name not in registered:
            raise UnknownMethodError(name, list(registered))
        challenges = [
            each.challenge for paper in papers for each in paper.experiments if each.challenge
        ]
        if not any(challenge.takes(registered[name]) for challenge in challenges):
            raise UnsuitableMethodError(name, sorted(registered[name].kinds))
    chosen = [registered[name] for name in dict.fromkeys(names)]
    return [_with_guests(paper, chosen) for paper in papers]


def _with_guests(paper: Paper, chosen: Sequence[Method]) -> Paper:
    guests = [
        _guest(experiment, experiment.challenge, method)
        for experiment in paper.experiments
        for method in chosen
        if experiment.challenge and experiment.challenge.takes(method)
    ]
    return replace(paper, experiments=(*paper.experiments, *guests))


def _guest(experiment: Experiment, challenge: Challenge, method: Method) -> Experiment:
    """Return an experiment of its own, on which no result and no verdict of the paper's depends."""
    name = f"{experiment.name}-{method.name}"
    idea = f" ({method.idea})" if method.idea else ""
    return Experiment(
        name,
        f"How does {method.name} do in {experiment.name}?",
        f"Not the paper's: {method.name}{idea} on the samples and constraints of "
        f"{experiment.name}, with the paper's own methods on the same cells beside it. No claim "
        "rests on it.",
        # The method itself, not its name: another process may not know what was registered here.
        partial(solve, challenge, method),
        experiment.grid,
        partial(_show, experiment, challenge, name),
        beside=experiment.name,
    )


def solve(challenge: Challenge, method: Method, **parameters: Parameter) -> Iterator[Record]:
    """Yield what a method makes of each problem of a cell."""
    for problem in challenge.problems(**parameters):
        model = method.make(problem.n_clusters, problem.seed, of_texts=challenge.of_texts)
        record = {challenge.method: method.name, **problem.fields}
        X, constraints = _as_taken(problem, method)
        try:
            _, seconds = timed(partial(model.fit, X, constraints=constraints))
        except NoFeasibleClusteringError:
            yield {**record, "failed": True}
        else:
            yield {**record, "failed": False, "fit_seconds": seconds, **problem.score(model)}


def _as_taken(problem: Problem, method: Method) -> tuple[Any, Constraints]:
    """Return samples and constraints as the method takes them: numbers and pairs, if need be."""
    constraints = problem.constraints
    if constraints.rules and method.expands_rules:
        constraints = constraints.expand_rules(problem.X)
    return problem.X.astype("float64") if method.view == "matrix" else problem.X, constraints


def _show(
    experiment: Experiment, challenge: Challenge, guest: str, results: Results
) -> Iterator[Drawing | ShownTable]:
    frame = _side_by_side(experiment, challenge, guest, results)
    for place, (score, label) in enumerate(challenge.scores.items()):
        rows = frame[frame[score].notna()]
        name = guest if place == 0 else f"{guest}-{score}"
        caption = f"{label} by method, mean and 95 % bootstrap band of the cells that both ran."
        yield Drawing(name, caption, _figure(rows, challenge, score, label))
        means = rows.pivot_table(
            index=list(challenge.panels), columns=challenge.method, values=score, sort=False
        )
        table = means.round(3).rename_axis(columns=None).reset_index()
        yield ShownTable(f"{name}-means", f"Mean {label} of the same cells.", table)


def _side_by_side(
    experiment: Experiment, challenge: Challenge, guest: str, results: Results
) -> DataFrame:
    """Return the guest's records, and the paper's own of the same cells as far as there are any."""
    from pandas import concat

    frame = results.frame(guest)
    cell = list(next(experiment.cells(results.size)).parameters)
    try:
        own = results.frame(experiment.name)
    except NotTestableError:
        return frame
    for name, value in challenge.where.items():
        own = own[own[name] == value]
    own = own.merge(frame[cell].drop_duplicates(), on=cell)
    return concat((own, frame), ignore_index=True)


def _figure(rows: DataFrame, challenge: Challenge, score: str, label: str) -> Figure:
    parts = list(rows.groupby(list(challenge.panels), sort=False))
    styles = {str(name): place for place, name in enumerate(dict.fromkeys(rows[challenge.method]))}
    figure, axes = panels([", ".join(map(str, values)) for values, _ in parts])
    for panel, (_, part) in zip(axes, parts, strict=True):
        curves(panel, part, x=challenge.x, y=score, by=challenge.method, styles=styles)
        panel.set(xlabel=challenge.x.removeprefix("n_").replace("_", " "), ylabel=label)
    legend(figure, axes, columns=3)
    return figure
