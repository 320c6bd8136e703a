"""`clustraint ask`: questions whose answers help most, one at a time."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options, _shown
from clustraint.cli._command import Output
from clustraint.cli._console import console, error_console, say, working, write_json
from clustraint.cli._keys import FULL, STOP, UNDO, key_replies, terminal_keys
from clustraint.cli._question import KEYS, print_question
from clustraint.exceptions import ClustraintError
from clustraint.wording import counted, share_text

if TYPE_CHECKING:
    from rich.console import Console

    from clustraint.active import Session
    from clustraint.workflow import Clustering, Interview

# From this doubt on, an answer is shown as improbable.
DOUBTFUL = 0.5
# No model is surer than this, whatever its rounding says.
ALMOST_SURE = 0.999
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
    "f": FULL,
    "full": FULL,
    "q": STOP,
    "quit": STOP,
    "stop": STOP,
}


def ask(
    data: _options.AskedTableOptions,
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
            help="How questions are chosen: balanced, klein, explore-consolidate, min-max, "
            "uncertainty, super-instances or expected-change (default: balanced; klein for texts).",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--method",
            metavar="NAME",
            help="Method to cluster with in the end (default: that of clustraint cluster).",
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
            help="Write the table with the cluster of each sample to this file at the end.",
        ),
        _options.TableOutput,
    ] = None,
    scale: _options.Scale = "standard",
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Ask whether pairs of samples belong together, and cluster by the answers.

    Press y, n, s (don't know), u (undo), f (show in full) or q (stop for now). From a file or a
    pipe, each line is an answer. Each answer is saved before the next question. Run the same
    command again to continue.
    """
    from clustraint.active import AnswerFile
    from clustraint.workflow import Interview

    if data.data == "-":
        raise ClustraintError("ask reads answers from standard input: give DATA as a file.")
    silent = quiet or as_json
    with working("reading", silent):
        table = data.read()
        constraints = _options.read_constraints(constraint_files, table)
        assert output is not None  # its mark has a default
        file = AnswerFile(output, table.n_samples, table.names, table.source)
        chosen: Any = scale
        interview = Interview(
            table,
            n_clusters,
            n_questions,
            constraints=constraints,
            answers=file,
            strategy=strategy,
            method=method,
            scale=chosen,
            who=who,
        )
    file.write()
    out = error_console() if silent else console()
    with _replies(out) as replies:
        _converse(interview, out, silent, replies)
    clustering = _finish(interview, labels, as_json, quiet)
    if not silent:
        words = ["clustraint", "cluster", data.data, *_options.as_words(data), "-k", n_clusters]
        words += [word for path in (*(constraint_files or ()), output) for word in ("-c", path)]
        # The clusters that were shown are those of auto, unless answers contradict each other.
        if method is not None or clustering.choice.method.name == "mixture":
            words += ["-m", clustering.choice.method.name]
        words += ["--scale", scale] if scale != "standard" else []
        say(f"\nNext: [bold]{escape(shlex.join(map(str, words)))}[/]")


def _converse(interview: Interview, out: Console, silent: bool, replies: Iterator[str]) -> None:
    """Ask until no question is left or somebody has had enough."""
    session = interview.session
    shows = _at_terminal() or not silent
    full = False
    if shows:
        _greet(interview, out)
    try:
        while (query := session.question) is not None:
            if shows:
                number = len(session.history) + 1
                print_question(
                    out, interview.table, query, number, interview.n_questions, full=full
                )
            reply = next(replies, STOP)
            if reply == STOP:
                break
            full = reply == FULL
            if full:
                continue
            with working("choosing the next question", not shows):
                message = _take_back(session) if reply == UNDO else session.answer(reply).answer
                _ = session.question
            if shows:
                out.print(f"[bold]{message}[/]")
                _print_progress(session, out)
    except KeyboardInterrupt:
        if shows:
            path = escape(str(interview.answers.path))
            out.print(f"\nThe answers are in {path}.", soft_wrap=True)
        raise


def _print_progress(session: Session, out: Console) -> None:
    """Say now and then what answers have changed, so that one knows when to stop."""
    if session.has_estimator and session.history and len(session.history) % PROGRESS_EVERY == 0:
        progress = session.progress(PROGRESS_EVERY)
        if progress is not None:
            out.print(f"[dim]{progress}[/]")


def _greet(interview: Interview, out: Console) -> None:
    path = escape(str(interview.answers.path))
    out.print(f"Answers go to {path}.", soft_wrap=True)
    if n_before := len(interview.answers):
        out.print(f"{counted(n_before, 'answer')} from before.")
    history = interview.session.history
    if n_entailed := sum(exchange.source == "constraints" for exchange in history):
        out.print(f"{counted(n_entailed, 'question')} answered by the constraints.")


def _take_back(session: Session) -> str:
    answer = session.undo()
    return "there is no answer to take back" if answer is None else f"took back: {answer.answer}"


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


@contextlib.contextmanager
def _replies(out: Console) -> Iterator[Iterator[str]]:
    """Give the answers: single keys at a terminal, otherwise lines of standard input."""
    if not _at_terminal():
        yield _lines(None)
        return
    with contextlib.ExitStack() as stack:
        try:
            replies = key_replies(stack.enter_context(terminal_keys()))
        except (ImportError, OSError):  # Windows, or a terminal that knows only lines
            out.print("Press Enter after each answer.")
            replies = _lines(out)
        yield replies


def _lines(terminal: Console | None) -> Iterator[str]:
    """Yield what the lines of standard input say; at a terminal, others may be typed again."""
    for number, line in enumerate(sys.stdin or (), start=1):
        words = " ".join(line.lower().replace("’", "'").split())
        if words in REPLIES:
            yield REPLIES[words]
        elif terminal is not None:
            terminal.print(f"[dim]{KEYS}[/]")
        elif words:
            raise ClustraintError(
                f"standard input, line {number}: an answer is y, n, s (don't know), u (undo), f "
                f"(in full) or q (stop), not {line.strip()!r:.60}; the answers before it are kept."
            )


def _finish(interview: Interview, path: Path | None, as_json: bool, quiet: bool) -> Clustering:
    """Cluster by the answers, and show and write the clusters."""
    with working("clustering", quiet or as_json):
        clustering = interview.clustering()
    written = {"answers": str(interview.answers.path)}
    if path is not None:
        clustering.write(path)
        written["labels"] = str(path)
    if as_json:
        write_json(
            _exchanges(interview)
            | {
                "method": clustering.choice.method.name,
                "sizes": {str(cluster): size for cluster, size in clustering.sizes.items()},
                "constraints": _shown.satisfaction_as_json(clustering.report),
                "written": written,
                "labels": dict(zip(interview.table.ids, clustering.labels.tolist(), strict=True)),
            }
        )
        return clustering
    if not quiet:
        choice = clustering.choice
        console().print(f"\n{_ending(interview)}\n", soft_wrap=True)
        say(f"[bold]{escape(choice.method.name)}[/], {escape(_shown.in_options(choice.reason))}.")
        _shown.print_bars(clustering.sizes)
        _shown.print_satisfaction(clustering.report)
        _print_people(interview)
    _shown.print_written(written, quiet)
    return clustering


def _print_people(interview: Interview) -> None:
    """Show answers that the model finds improbable, and how far people agree."""
    ids, session = interview.table.ids, interview.session
    doubts = session.doubts() if session.has_estimator else []
    for answer, doubt in doubts:
        if doubt >= DOUBTFUL:
            first, second = escape(ids[answer.first]), escape(ids[answer.second])
            words = f"{answer.answer} to {first} and {second}"
            share = share_text(min(doubt, ALMOST_SURE))
            console().print(f"Improbable: {words}, wrong with probability {share}.")
    for each in interview.answers.agreement():
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
