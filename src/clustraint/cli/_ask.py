"""`clustraint ask`: questions whose answers help most, one at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options, _shown
from clustraint.cli._command import Output
from clustraint.cli._console import console, error_console, working, write_json
from clustraint.cli._question import KEYS, print_question
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from clustraint.wording import counted, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from clustraint.active import AnswerFile, Session
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

UNDO, STOP = "undo", "stop"
# The strategy that does best on known tables, and the one that takes texts too.
BEST, KLEIN = "expected-change", "klein"
# With fewer answers, a choice of the clustering by those held out is left to chance.
ENOUGH_TO_CHOOSE = 30
BY_MODEL = ("expected-change", "uncertainty")
# From this doubt on, an answer is shown as improbable.
DOUBTFUL = 0.5
# After so many answers, the progress is shown.
PROGRESS_EVERY = 10
REPLIES = {
    "y": "yes",
    "yes": "yes",
    "n": "no",
    "no": "no",
    "s": "don't know",
    "skip": "don't know",
    "don't know": "don't know",
    "dont know": "don't know",
    "u": UNDO,
    "undo": UNDO,
    "q": STOP,
    "quit": STOP,
    "stop": STOP,
}


def ask(
    data: _options.TableOptions,
    n_clusters: _options.RequiredClusters,
    n_questions: Annotated[
        int,
        typer.Option("-n", "--questions", min=1, metavar="N", help="Maximum number of questions."),
    ] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File for the answers, as constraints (default: the name of DATA with "
            ".answers.txt, in this folder).",
        ),
        Output(
            "a file of answers",
            _options.CONSTRAINT_ENDINGS,
            lambda values: Path(f"{Path(values['data']).stem}.answers.txt"),
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How questions are chosen: klein, explore-consolidate, min-max, uncertainty, "
            f"super-instances or expected-change (default: {BEST}; {KLEIN} for texts).",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--method",
            metavar="NAME",
            help=f"Method to cluster with (default: mixture, and best from {ENOUGH_TO_CHOOSE} "
            f"answers on; complete-linkage with {KLEIN}).",
        ),
    ] = None,
    who: Annotated[
        str, typer.Option(metavar="NAME", help="Your name, to be noted with each answer.")
    ] = "",
    constraint_files: _options.ConstraintFiles = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the id and cluster of each sample to this CSV file at the end.",
        ),
        _options.LabelsOutput,
    ] = None,
    scale: _options.Scale = "standard",
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Ask whether pairs of samples belong together, and cluster by the answers.

    Type y, n, s (don't know), u (undo) or q (stop for now), or the whole word, and press Enter.
    Each answer is saved before the next question. Run the same command again to continue.
    """
    from clustraint.active import AnswerFile

    if data.data == "-":
        raise ClustraintError("ask reads answers from standard input: give DATA as a file.")
    silent = quiet or as_json
    with working("reading", silent):
        table = data.read()
        constraints = _options.read_constraints(constraint_files, table)
        assert output is not None  # its mark has a default
        file = AnswerFile(output, table.n_samples, table.names, table.source)
        interview = Interview(
            table,
            constraints,
            n_clusters,
            n_questions,
            scale,
            file,
            strategy=strategy,
            method=method,
            who=who,
        )
    file.write()
    out = error_console() if silent else console()
    _converse(interview, out, silent)
    _finish(interview, labels, as_json, quiet)


class Interview:
    """A session about the rows of a table, and what is needed to show and to end it."""

    def __init__(
        self,
        table: SampleTable,
        constraints: Constraints,
        n_clusters: int,
        n_questions: int,
        scale: str,
        file: AnswerFile,
        *,
        strategy: str | None,
        method: str | None,
        who: str,
    ) -> None:
        from clustraint.active import STRATEGIES
        from clustraint.checks import check_choice
        from clustraint.metric.distances import samples_and_metric

        if table.n_samples < 2:
            raise ClustraintError(f"{table.source} holds one sample, but a question is about two.")
        if len(constraints.triplets):
            raise ClustraintError(
                "ask takes must-links, cannot-links and rules, but triplets are given; "
                "leave them out."
            )
        self.table, self.constraints, self.file = table, constraints, file
        self.n_clusters, self.n_questions = n_clusters, n_questions
        chosen: Any = scale
        self.X, self.metric = samples_and_metric(table.matrix(chosen))
        is_text = self.metric == "precomputed"
        self.strategy = check_choice(
            "strategy", strategy or (KLEIN if is_text else BEST), STRATEGIES
        )
        if is_text and self.strategy != KLEIN:
            raise ClustraintError(
                f"the strategy {self.strategy} takes tables of numbers and categories, but "
                f"{table.source} holds texts; the strategy {KLEIN} takes these."
            )
        self.method = method
        self.session = self._begin(who)

    def _begin(self, who: str) -> Session:
        from clustraint.active import Session
        from clustraint.cluster import ConstrainedMixture

        mixture = ConstrainedMixture(self.n_clusters, random_state=0)
        options: dict[str, Any] = {"metric": self.metric} if self.strategy == KLEIN else {}
        if self.strategy in BY_MODEL:
            # Whatever clusters in the end, the next question should not wait for it.
            options["model"] = mixture
        try:
            return Session(
                self.strategy,
                self.X,
                n_clusters=self.n_clusters,
                n_queries=self.n_questions,
                constraints=self.constraints.expand_rules(self.table),
                answers=self.file,
                estimator=self._estimator(mixture),
                who=who,
                **options,
            )
        except InconsistentConstraintsError as error:
            raise ClustraintError(f"{self._sources} contradict each other: {error}") from None

    @property
    def _sources(self) -> str:
        answers, constraints = f"the answers in {self.file.path}", "the constraints"
        return listed(
            [answers] * bool(self.file) + [constraints] * bool(self.constraints.n_constraints)
        )

    def _estimator(self, mixture: Any) -> Any:
        """Return what clusters by the answers, None if the questions of Klein do."""
        from clustraint.workflow import methods

        if self.method is None:
            return None if self.strategy == KLEIN else mixture
        takers = [
            name
            for name, method in methods().items()
            if method.view == "matrix" and {"must_link", "cannot_link"} <= method.kinds
        ]
        if self.method not in takers:
            raise ClustraintError(
                f"the method must cluster by must-links and cannot-links: {listed(takers)}, "
                f"but is {self.method!r:.60}."
            )
        return methods()[self.method].make(self.n_clusters, 0)

    def labels(self) -> NDArray[np.int32]:
        """Return the clusters that follow from the answers and the constraints.

        Klein's questions have clusters of their own, unless there is more than answers to them.
        """
        import numpy as np

        from clustraint.cluster import (
            ActiveCompleteLinkage,
            BestClusterer,
            ConstrainedCompleteLinkage,
        )

        session = self.session
        is_few = session.constraints.n_constraints < ENOUGH_TO_CHOOSE
        if self.method is not None or (is_few and session.has_estimator):
            return np.asarray(session.labels(), np.int32)
        if self.strategy != KLEIN:
            best = BestClusterer(self.n_clusters, random_state=0)
            return np.asarray(best.fit(self.X, constraints=session.constraints).labels_, np.int32)
        if self.constraints.n_constraints or session.unused:
            model: Any = ConstrainedCompleteLinkage(self.n_clusters, metric=self.metric)
            return np.asarray(model.fit(self.X, constraints=session.constraints).labels_)
        model = ActiveCompleteLinkage(self.n_clusters, self.n_questions, metric=self.metric)
        answers = [exchange.answer for exchange in session.history]
        return np.asarray(model.fit(self.X, answers=answers).labels_)


def _converse(interview: Interview, out: Console, silent: bool) -> None:
    """Ask until no question is left or somebody has had enough."""
    session = interview.session
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    replies = _replies(out if at_terminal else None)
    shows = at_terminal or not silent
    if shows:
        _greet(interview, out)
    try:
        while (query := session.question) is not None:
            if shows:
                number = len(session.history) + 1
                print_question(out, interview.table, query, number, interview.n_questions)
            reply = next(replies, STOP)
            if reply == STOP:
                break
            message = _take_back(session) if reply == UNDO else session.answer(reply).answer
            if shows:
                out.print(f"[bold]{message}[/]")
                _print_progress(session, out)
    except KeyboardInterrupt:
        if shows:
            path = escape(str(interview.file.path))
            out.print(f"\nThe answers are in {path}.", soft_wrap=True)
        raise


def _print_progress(session: Session, out: Console) -> None:
    """Say now and then what answers have changed, so that one knows when to stop."""
    if session.has_estimator and session.history and len(session.history) % PROGRESS_EVERY == 0:
        progress = session.progress(PROGRESS_EVERY)
        if progress is not None:
            out.print(f"[dim]{progress}[/]")


def _greet(interview: Interview, out: Console) -> None:
    path = escape(str(interview.file.path))
    out.print(f"Answers go to {path}; press Enter after each.", soft_wrap=True)
    if n_before := len(interview.file):
        out.print(f"{counted(n_before, 'answer')} from before.")
    history = interview.session.history
    if n_entailed := sum(exchange.source == "constraints" for exchange in history):
        out.print(f"{counted(n_entailed, 'question')} answered by the constraints.")


def _take_back(session: Session) -> str:
    answer = session.undo()
    return "there is no answer to take back" if answer is None else f"took back: {answer.answer}"


def _replies(terminal: Console | None) -> Iterator[str]:
    """Yield what the lines of standard input say; at a terminal, others may be typed again."""
    # Not single keys: of a "yes" typed slowly, the s would be the next answer.
    for number, line in enumerate(sys.stdin or (), start=1):
        words = " ".join(line.lower().replace("’", "'").split())
        if words in REPLIES:
            yield REPLIES[words]
        elif terminal is not None:
            terminal.print(f"[dim]{KEYS}[/]")
        elif words:
            raise ClustraintError(
                f"standard input, line {number}: an answer is y, n, s (don't know), u (undo) or q "
                f"(stop), not {line.strip()!r:.60}; the answers before it are kept."
            )


def _finish(interview: Interview, path: Path | None, as_json: bool, quiet: bool) -> None:
    """Cluster by the answers, and show and write the clusters."""
    import numpy as np

    from clustraint.evaluation import constraint_satisfaction
    from clustraint.tables import write_labels

    table = interview.table
    with working("clustering", quiet or as_json):
        labels = interview.labels()
        # With the rules themselves, not the pairs that they stand for in the session.
        constraints = interview.constraints | interview.file.constraints(table.n_samples)
        report = constraint_satisfaction(constraints, labels, table)
    clusters, counts = np.unique(labels, return_counts=True)
    sizes = dict(zip(clusters.tolist(), counts.tolist(), strict=True))
    written = {"answers": str(interview.file.path)}
    if path is not None:
        write_labels(path, table, labels.tolist())
        written["labels"] = str(path)
    if as_json:
        write_json(
            _exchanges(interview)
            | {
                "sizes": {str(cluster): size for cluster, size in sizes.items()},
                "constraints": _shown.satisfaction_as_json(report),
                "written": written,
                "labels": dict(zip(table.ids, labels.tolist(), strict=True)),
            }
        )
        return
    if not quiet:
        console().print(f"\n{_ending(interview)}\n", soft_wrap=True)
        _shown.print_bars(sizes)
        _shown.print_satisfaction(report)
        _print_people(interview)
    _shown.print_written(written, quiet)


def _print_people(interview: Interview) -> None:
    """Show answers that the model finds improbable, and how far people agree."""
    ids, session = interview.table.ids, interview.session
    doubts = session.doubts() if session.has_estimator else []
    for answer, doubt in doubts:
        if doubt >= DOUBTFUL:
            first, second = escape(ids[answer.first]), escape(ids[answer.second])
            words = f"{answer.answer} to {first} and {second}"
            console().print(f"Improbable: {words}, wrong with probability {doubt:.0%}.")
    for each in interview.file.agreement():
        people = [escape(name) or "somebody" for name in (each.first, each.second)]
        who = f"{people[0]} and {people[1]}" if each.first != each.second else people[0]
        again = "" if each.first != each.second else ", asked again"
        equal = f"{each.n_equal:,} of {counted(each.n_pairs, 'pair')}"
        console().print(f"{who}{again}: the same answer for {equal}.")


def _ending(interview: Interview) -> str:
    session = interview.session
    if session.question is not None:
        return "Stopped; run the same command again to continue. Until then:"
    n_answered, most = len(session.history), interview.n_questions
    enough = "" if n_answered == most else "; no others are needed"
    return f"Done: {n_answered:,} of {counted(most, 'question')} answered{enough}."


def _exchanges(interview: Interview) -> dict[str, Any]:
    """Return questions and answers, and the question that would be next."""
    ids, session = interview.table.ids, interview.session
    questions = [
        {
            "first": ids[answer.first],
            "second": ids[answer.second],
            "answer": answer.answer,
            "by": source,
            "drawn": drawn,
        }
        for answer, source, drawn in session.history
    ]
    query = session.question
    following = query and {"first": ids[query.first], "second": ids[query.second]}
    return {
        "data": interview.table.source,
        "samples": interview.table.n_samples,
        "questions": questions,
        "next": following,
    }
