"""What people take away: table, knowledge, report, model, and code that repeats it."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple

import numpy as np

import clustraint
from clustraint.active import Answer, AnswerFile, LoggedAnswer
from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, StudioRequestError
from clustraint.report import Report
from clustraint.studio._log import Event
from clustraint.studio._model import write_model
from clustraint.studio._source import stem_of
from clustraint.studio._studio import LONGEST_COMMAND, Row, Studio
from clustraint.tables import write_table
from clustraint.workflow import methods

OCTETS = "application/octet-stream"
CSV, TEXT, HTML, ZIP = "text/csv", "text/plain", "text/html", "application/zip"
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ENDINGS = (".txt", ".csv", ".json")


class Export(NamedTuple):
    """A file to take away: what it is, what makes it, and its media type."""

    about: str
    make: Callable[[Studio], bytes]
    media: str


def listing(studio: Studio) -> list[dict[str, str]]:
    """Return the files there are, each with why it cannot be made, if so."""
    obstacle = "" if studio.shown is not None else "nothing is clustered yet"
    return [
        {
            "name": name,
            "about": export.about,
            "obstacle": "" if name in ("knowledge.txt", "answers.txt") else obstacle,
        }
        for name, export in FILES.items()
    ]


def made(studio: Studio, name: str) -> tuple[bytes, str]:
    """Return the content of a file, and its media type."""
    export = FILES[name]
    if name not in ("knowledge.txt", "answers.txt") and studio.shown is None:
        raise StudioRequestError("nothing is clustered yet.")
    return export.make(studio), export.media


def file_name(studio: Studio, name: str) -> str:
    """Return what a file is called when it is saved."""
    return f"{stem_of(studio.source.name)}-{name}"


def _labels(studio: Studio) -> list[int]:
    assert studio.shown is not None  # `made` has seen to it
    labels: list[int] = studio.shown.labels.tolist()
    return labels


def _written(name: str, write: Callable[[Path], Any]) -> bytes:
    """Return what something writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()


def _table(name: str, *, labels_only: bool = False) -> Callable[[Studio], bytes]:
    def make(studio: Studio) -> bytes:
        labels = _labels(studio)
        names = {label: studio.names.cluster(label) for label in {*labels}}
        return _written(
            name,
            lambda path: write_table(
                path, studio.base, labels, names=names, labels_only=labels_only
            ),
        )

    return make


def _knowledge(studio: Studio) -> bytes:
    return _written("knowledge.txt", studio.constraints.write)


def _answers(studio: Studio) -> bytes:
    table = studio.table

    def write(path: Path) -> None:
        file = AnswerFile(path, table.n_samples, table.names, studio.source.name)
        file.write()
        for event in studio.state.statements:
            if event.kind == "answer":
                when = datetime.fromtimestamp(event.at, UTC).isoformat(timespec="seconds")
                answer = Answer.parse((*event.body["rows"], event.body["answer"]))
                person = "".join(each for each in event.person if each not in '#"')
                file.add(LoggedAnswer(answer, event.body.get("weight", 1.0), person, when))

    return _written("answers.txt", write)


def _report(studio: Studio) -> bytes:
    labels, names, table = _labels(studio), studio.names, studio.table
    shown = [names.clusters.get(label) or label for label in labels]
    page = Report(
        table,
        shown,
        constraints=studio.constraints,
        names=table.names,
        title=Path(studio.source.name).name,
        how="clustraint studio: reproduce.py in reproduce.zip gives these clusters.",
    )
    return page.html.encode()


def _model(studio: Studio) -> bytes:
    return _written("model.skops", lambda path: write_model(studio, path))


CODE = '''\
"""The clusters of {table}, as the studio showed them: python reproduce.py

Made by clustraint {version}. Writes clusters.csv, which is equal to labels.csv.
"""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from clustraint import Constraints
from clustraint.tables import TableEncoder, neutralised, read_table
from clustraint.workflow import methods

here = Path(__file__).parent
table = read_table(here / {table!r}, **{arguments})
knowledge = Constraints.read(here / "knowledge.txt", table.n_samples, table.names)
constraints = {constraints}
X = TableEncoder({view!r}).fit_transform({chosen})
model = methods()[{method!r}].make({n_clusters}, 0, of_texts={of_texts})
{start}with threadpool_limits(1):
{fit}
# The studio keeps the number of a cluster while its samples stay the same ones.
numbers = {numbers}
names = {names}
with open(here / "clusters.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, lineterminator="\\n")
    writer.writerow(("id", "cluster", "cluster_name"))
    for name, label in zip(table.ids, labels.tolist()):
        cluster = numbers[label]
        writer.writerow((neutralised(name), cluster, neutralised(names[cluster])))
print((here / "clusters.csv").resolve())
'''
WHOLE = """\
    model.fit(X, constraints=constraints)
labels = model.labels_
"""
# Representatives stand for all samples: rows[home] says who for whom.
COARSE_FIT = """\
    few = np.load(here / "representatives.npz")
    kinds = ("must_link", "cannot_link", "triplets")
    names = [*kinds, *(f"{kind}_weights" for kind in kinds)]
    pairs = Constraints(len(few["rows"]), **{name: few[name] for name in names})
    model.fit(X[few["rows"]], constraints=pairs)
labels = model.labels_[few["home"]]
"""


def _reproduce(studio: Studio) -> bytes:
    """Return data, knowledge and code in one archive."""
    fitted, state, table = studio.fitted(), studio.state, studio.table
    estimator = fitted.pipeline["cluster"]
    about, settings = fitted.about, state.settings
    ending, content = studio.source.as_file
    data = f"{stem_of(studio.source.name)}{ending}"
    view = fitted.pipeline["encode"].view
    constraints = studio.constraints
    expands = bool(constraints.rules) and methods()[about["method"]].expands_rules
    names = {number: studio.names.cluster(number) for number in about["numbers"].values()}
    chosen, columns = "table", [column.name for column in table.columns]
    if settings.roles:
        chosen = f"replace(table, columns=tuple(map(table.column, {columns!r})))"
    files: dict[str, bytes] = {
        data: content,
        "knowledge.txt": _knowledge(studio),
        "labels.csv": FILES["labels.csv"].make(studio),
        "report.html": _report(studio),
    }
    start = ""
    if fitted.start is not None:
        files["start.npy"] = _array(fitted.start)
        start = 'model.set_params(init=np.load(here / "start.npy"), n_init=1)\n'
    elif "n_init" in estimator.get_params() and "init" in estimator.get_params():
        start = f"model.set_params(n_init={estimator.n_init})\n"
    if fitted.few is not None:
        files["representatives.npz"] = _arrays(fitted.few, constraints.expand_rules(table))
    files["reproduce.py"] = CODE.format(
        table=data,
        version=clustraint.__version__,
        arguments=pformat(studio.source.reading(settings.kinds)),
        constraints="knowledge.expand_rules(table)" if expands else "knowledge",
        view=view,
        chosen=chosen,
        method=about["method"],
        n_clusters=about["n_clusters"],
        of_texts="text" in table.kinds,
        start=start,
        fit=WHOLE if fitted.few is None else COARSE_FIT,
        numbers=pformat({int(label): number for label, number in about["numbers"].items()}),
        names=pformat(names),
    ).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{stem_of(studio.source.name)}/{name}", content)
    return buffer.getvalue()


def _array(values: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def _arrays(few: Any, constraints: Constraints) -> bytes:
    own = few.constraints(constraints)
    buffer = io.BytesIO()
    links = {kind: links.rows for kind, links in own.links.items()}
    weights = {f"{kind}_weights": links.weights for kind, links in own.links.items()}
    np.savez_compressed(buffer, rows=few.rows, home=few.home, **links, **weights)
    return buffer.getvalue()


FILES: dict[str, Export] = {
    "labels.csv": Export("the cluster of each sample", _table("labels.csv", labels_only=True), CSV),
    "table.csv": Export("the table with clusters and their names", _table("table.csv"), CSV),
    "table.xlsx": Export("the same for Excel", _table("table.xlsx"), EXCEL),
    "knowledge.txt": Export("what was said, as constraints", _knowledge, TEXT),
    "answers.txt": Export("answers to questions, as clustraint ask keeps them", _answers, TEXT),
    "report.html": Export("a page about these clusters", _report, HTML),
    "model.skops": Export("the model, for clustraint predict", _model, OCTETS),
    "reproduce.zip": Export("data, knowledge and code that gives these clusters", _reproduce, ZIP),
}


# Files taken in.


def take_in(studio: Studio, body: dict[str, Any]) -> list[Event]:
    """Take the statements of a file of constraints or answers, as one step."""
    command, name, text = (body.get(key) for key in ("command", "name", "text"))
    if not isinstance(command, str) or not 8 <= len(command) <= LONGEST_COMMAND:
        raise StudioRequestError("command must be a text of 8 to 100 characters.")
    if not isinstance(name, str) or not isinstance(text, str):
        raise StudioRequestError("a file has a name and a text.")
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise StudioRequestError("a file of constraints ends in .txt, .csv or .json.")
    rows = _rows_of(studio, ending, text)
    if not rows:
        raise StudioRequestError("the file states nothing about these samples.")
    return studio.record(command, body.get("person"), lambda: rows)


def _rows_of(studio: Studio, ending: str, text: str) -> list[Row]:
    table = studio.base
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{ending}")
        path.write_bytes(text.encode(errors="surrogatepass"))
        try:
            if ending == ".txt" and text.lstrip("\ufeff").startswith("# clustraint ask:"):
                log = AnswerFile(path, table.n_samples, table.names)
                return [_answer_row(entry) for entry in log.entries]
            return statement_rows(Constraints.read(path, table.n_samples, table.names))
        except ClustraintError as error:
            sentence = str(error).replace(f"{path}, ", "").replace(f"{path}: ", "")
            raise StudioRequestError(sentence) from None


def _answer_row(entry: LoggedAnswer) -> Row:
    answer, weight = entry.answer, entry.confidence
    body = {"rows": [answer.first, answer.second], "answer": answer.answer}
    return "answer", body if weight == 1 else body | {"weight": weight}, None


def statement_rows(constraints: Constraints) -> list[Row]:
    """Return constraints as events, one for each."""
    rows: list[Row] = []
    for kind, links in constraints.links.items():
        for row, weight in zip(links.rows.tolist(), links.weights.tolist(), strict=True):
            body: dict[str, Any] = {"rows": row}
            if kind == "cannot_link":
                body = {"rows": row[:1], "from": row[1:]}
            word = {"must_link": "together", "cannot_link": "apart", "triplets": "closer"}[kind]
            rows.append((word, body if weight == 1 else body | {"weight": weight}, None))
    for rule in constraints.rules:
        rows.append(("rule", {"rule": rule.text, "exactly": rule.exactly}, None))
    return rows
