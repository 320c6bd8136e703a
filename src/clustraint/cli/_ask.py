"""`clustraint ask`: questions whose answers help most, one at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from clustraint.cli import _options, _shown
from clustraint.cli._console import console, error_console, working, write_json
from clustraint.cli._labels import ids_of, labels_csv
from clustraint.cli._question import KEYS, print_question
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from clustraint.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from clustraint.cluster._answer_file import AnswerFile
    from clustraint.cluster._interview import Interview
    from clustraint.constraints import Constraints
    from clustraint.tables import SampleTable

UNDO, STOP = "undo", "stop"
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
    data: _options.Data,
    k: _options.RequiredClusters,
    n_questions: Annotated[
        int, typer.Option("-n", "--questions", min=1, metavar="N", help="The most questions.")
    ] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Keep the answers there, as constraints; by default the name of DATA with "
            ".answers.txt, in this folder.",
        ),
    ] = None,
    constraints: _options.Knowledge = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write id,cluster there when the questions end."),
    ] = None,
    scale: _options.Scale = "standard",
    id_column: _options.IdColumn = None,
    drop: _options.Drop = None,
    numeric: _options.Numeric = None,
    nominal: _options.Nominal = None,
    text: _options.Text = None,
    format: _options.Format = None,
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    as_json: _options.AsJson = False,
    quiet: _options.Quiet = False,
) -> None:
    """Ask whether pairs of samples belong together, and cluster by the answers.

    An answer is a line: y, n, s (don't know), u (undo), q (stop for now), or the whole word. Every
    answer is in FILE before the next question. Run the same command again to go on.
    """
    if data == "-":
        raise ClustraintError("ask reads answers from standard input: give DATA as a file.")
    silent = quiet or as_json
    with working("reading", silent):
        table = _options.read_data(
            data,
            id_column=id_column,
            drop=drop,
            numeric=numeric,
            nominal=nominal,
            text=text,
            format=format,
            delimiter=delimiter,
            encoding=encoding,
        )
        known = _options.read_knowledge(constraints, table)
        file = _open(output or Path(f"{Path(data).stem}.answers.txt"), table)
        interview = _begin(table, known, k, n_questions, scale, file)
    file.write()
    out = error_console() if silent else console()
    _converse(interview, file, table, out, silent)
    _finish(interview, file, table, known, labels, as_json, quiet)


def _open(path: Path, table: SampleTable) -> AnswerFile:
    from clustraint.cluster._answer_file import AnswerFile

    with _options.ids_as_way_out(table):
        return AnswerFile(path, table.n_samples, table.names, table.source)


def _begin(
    table: SampleTable, known: Constraints, k: int, n: int, scale: str, file: AnswerFile
) -> Interview:
    from clustraint.cluster._interview import Interview

    if table.n_samples < 2:
        raise ClustraintError(f"{table.source} holds one sample, and a question takes two.")
    if len(known.triplets):
        raise ClustraintError(
            "ask takes must-links, cannot-links and rules as known, but triplets are given; "
            "leave them out."
        )
    pairs = known.expand_rules(table.rule_frame())
    chosen: Any = scale
    X = table.matrix(chosen)
    try:
        return Interview(X, k, n, known=pairs, recorded=file.answers)
    except InconsistentConstraintsError as error:
        told = f"{file.path} and what is known otherwise" if known.n_constraints else file.path
        raise ClustraintError(f"what {told} say contradicts itself: {error}") from None


def _converse(
    interview: Interview, file: AnswerFile, table: SampleTable, out: Console, silent: bool
) -> None:
    """Ask until no question is left or somebody has had enough."""
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    replies = _replies(out if at_terminal else None)
    shows = at_terminal or not silent
    if shows:
        _greet(interview, file, out)
    try:
        while (query := interview.question) is not None:
            number = len(interview.history) + 1
            if shows:
                print_question(out, table, query[:2], number, interview.n_queries - number)
            reply = next(replies, STOP)
            if reply == STOP:
                break
            told = _obey(reply, interview, file)
            if shows:
                out.print(f"[bold]{told}[/]")
    except KeyboardInterrupt:
        if shows:
            out.print(f"\nThe answers are in {escape(str(file.path))}.", soft_wrap=True)
        raise


def _greet(interview: Interview, file: AnswerFile, out: Console) -> None:
    path = escape(str(file.path))
    out.print(f"Answers go to {path}; end each with Enter.", soft_wrap=True)
    if there := len(file.answers):
        out.print(f"{counted(there, 'answer')} from before.")
    known = sum(asked.source == "constraints" for asked in interview.history)
    if known:
        out.print(f"{counted(known, 'question')} answered by what is known.")


def _obey(reply: str, interview: Interview, file: AnswerFile) -> str:
    """Answer or take back, on disk, and return what is to be said about it."""
    if reply != UNDO and interview.question is not None:
        # The next question may take a while, in which this answer must not be lost.
        file.add(interview.question.answered(reply))
        interview.answer(reply)
        return reply
    undone = interview.undo()
    if undone is None:
        return "there is no answer to take back"
    file.remove(undone)
    return f"taken back: {undone.answer}"


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


def _finish(
    interview: Interview,
    file: AnswerFile,
    table: SampleTable,
    known: Constraints,
    path: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster by what is known now, and tell and write it."""
    import numpy as np

    from clustraint.cluster._questions import constraints_of
    from clustraint.evaluation import constraint_satisfaction
    from clustraint.files import write_whole

    with working("clustering", quiet or as_json):
        labels = interview.labels()
        everything = known | constraints_of(interview.recorded, table.n_samples)
        report = constraint_satisfaction(everything, labels, table.rule_frame())
    clusters, counts = np.unique(labels, return_counts=True)
    sizes = dict(zip(clusters.tolist(), counts.tolist(), strict=True))
    written = {"answers": str(file.path)}
    if path is not None:
        write_whole(path, labels_csv(table, labels.tolist()))
        written["labels"] = str(path)
    if as_json:
        told = _told(interview, table) | {
            "sizes": {str(cluster): size for cluster, size in sizes.items()},
            "constraints": _shown.satisfaction_as_json(report),
            "written": written,
            "labels": dict(zip(ids_of(table), labels.tolist(), strict=True)),
        }
        write_json(told)
        return
    if not quiet:
        console().print(f"\n{_ending(interview)}\n", soft_wrap=True)
        _shown.print_bars(sizes)
        _shown.print_satisfaction(report)
    for what, place in written.items():
        print(place if quiet else f"{what}: {place}")


def _ending(interview: Interview) -> str:
    if interview.question is not None:
        return "Stopped; run the same command again to go on. Until then:"
    asked = counted(len(interview.history), "question")
    return f"No question is left: {asked} came up, of {interview.n_queries:,} at most."


def _told(interview: Interview, table: SampleTable) -> dict[str, Any]:
    ids = ids_of(table)
    questions = [
        {
            "first": ids[asked.answer.first],
            "second": ids[asked.answer.second],
            "answer": asked.answer.answer,
            "by": asked.source,
        }
        for asked in interview.history
    ]
    query = interview.question
    following = query and {"first": ids[query.first], "second": ids[query.second]}
    return {
        "data": table.source,
        "samples": table.n_samples,
        "questions": questions,
        "next": following,
    }
