"""Pages that follow from the code: commands, methods and the last run of the benchmarks.

`conf.py` writes them to docs/_generated before the documentation is built.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PAGES = {
    "best": "methods/best-clusterer",
    "mixture": "methods/constrained-mixture",
    "propagation": "methods/constraint-propagation",
    "pc-kmeans": "methods/pc-kmeans",
    "mpc-kmeans": "methods/mpc-kmeans",
    "cop-kmeans": "methods/cop-kmeans",
    "complete-linkage": "methods/complete-linkage",
    "recon": "methods/recon",
    "tree": "methods/clustering-tree",
    "attribute-kmedoids": "methods/attribute-kmedoids",
    "ihac": "methods/ihac",
    "bihac": "methods/bihac",
}
DATA = {
    "matrix": "numbers, dates; binary and nominal, as columns of 0 and 1",
    "words": "numbers, dates; binary and nominal, as columns of 0 and 1",
    "nominal": "binary and nominal only",
    "frame": "numbers, dates, binary and nominal, with missing values",
}


def list_table(header: Sequence[str], rows: Iterable[Sequence[str]], widths: str = "") -> str:
    """Return a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1"]
    lines += [f"   :widths: {widths}"] if widths else []
    lines.append("")
    for row in (header, *rows):
        for place, cell in enumerate(row):
            lines.append(f"   {'*' if place == 0 else ' '} - {cell}".rstrip())
    return "\n".join(lines) + "\n"


def title(words: str, sign: str) -> str:
    return f"{words}\n{sign * len(words)}\n"


def command_line() -> Any:
    """Return the command line as objects."""
    import typer

    from clustraint.cli import app

    return typer.main.get_command(app)


def commands() -> str:
    """Return the reference of the command line."""
    root = command_line()
    parts = [_command(name, command) for name, command in root.commands.items()]
    return "\n".join([*parts, _options_of_all(root)])


def _command(name: str, command: Any) -> str:
    pieces = " ".join(_argument(each) for each in command.params if is_argument(each))
    usage = " ".join(filter(None, ["clustraint", name, "[OPTIONS]", pieces]))
    parts = [
        f".. _command-{name}:\n",
        title(name, "-"),
        (command.help or "").replace("\b\n", ""),
        "",
        ".. code-block:: console\n",
        f"   $ {usage}\n",
        f".. program:: clustraint {name}\n",
        *_parameters(command.params),
    ]
    return "\n".join(parts)


def _options_of_all(root: Any) -> str:
    return "\n".join([title("Options before a command", "-"), *_parameters(root.params)])


def _parameters(parameters: Iterable[Any]) -> Iterator[str]:
    for each in parameters:
        if getattr(each, "hidden", False) or each.name == "help":
            continue
        if is_argument(each):
            yield f".. option:: {_argument(each).strip('[]')}\n\n   {words_of(each)}\n"
        else:
            metavar = _metavar(each)
            names = ", ".join(f"{name}{metavar}" for name in (*each.opts, *each.secondary_opts))
            yield f".. option:: {names}\n\n   {words_of(each)}\n"


def is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def words_of(parameter: Any) -> str:
    """Return the help of a parameter, with its default if it has one."""
    words = " ".join((parameter.help or "").split())
    default = parameter.default
    is_said = default not in (None, "") and not isinstance(default, bool) and not callable(default)
    if is_argument(parameter) or not is_said:
        return words
    return f"{words} Default: ``{default}``."


def _argument(parameter: Any) -> str:
    metavar = parameter.metavar or parameter.name.upper()
    shown = f"{metavar} …" if parameter.nargs == -1 else metavar
    return shown if parameter.required else f"[{shown}]"


def _metavar(parameter: Any) -> str:
    if parameter.is_flag:
        return ""
    return f" {parameter.metavar or parameter.name.upper()}"


def method_table() -> str:
    """Return a table of all methods."""
    from clustraint.constraints import KINDS
    from clustraint.wording import listed
    from clustraint.workflow import methods

    rows = []
    for method in methods().values():
        kinds = dict.fromkeys(
            "rules" if kind.is_rule else kind.plural
            for name, kind in KINDS.items()
            if name in method.kinds
        )
        data = DATA[method.view] + ("; texts" if method.reads_texts else "")
        size = "each pair of samples" if method.all_pairs else "each sample"
        rows.append(
            (
                f":doc:`{method.name} </{PAGES[method.name]}>`",
                method.idea,
                listed(list(kinds)),
                data,
                size,
                "yes" if hasattr(method.estimator, "predict") else "no",
            )
        )
    header = (
        "method",
        "what it is",
        "constraints",
        "columns",
        "memory for",
        "predicts new samples",
    )
    return list_table(header, rows)


def preferences() -> str:
    """Return what `auto` chooses, as a numbered list."""
    from clustraint.workflow._choice import PREFERENCES

    lines = (f"#. ``{each.method}`` if {each.reason}" for each in PREFERENCES)
    return "\n".join(lines) + "\n"


def benchmarks() -> str:
    """Return the table of the last full run, or how to make it."""
    path = DOCS / "benchmarks.json"
    if not path.exists():
        return "There has been no full run yet: ``./dev bench --docs`` makes one.\n"
    record = json.loads(path.read_text(encoding="utf-8"))
    table = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    rows = [_markdown_cells(line) for line in table.splitlines() if line.startswith("| ")]
    header, body = rows[0], rows[2:]
    notes = [f"- {row['name']}: {row['note']}" for row in record["rows"] if row["note"]]
    words = [line.strip() for line in table.splitlines() if line and not line.startswith("|")]
    parts = [list_table(header, body, "34 10 22 10 14 10"), *(f"{line}\n" for line in words)]
    if notes:
        parts += [title("What else the rows show", "-"), *notes]
    return "\n".join(parts) + "\n"


def accuracy() -> str:
    """Return the tables of the last run of benchmarks.accuracy, or how to make it."""
    words = "mean index by the number of pairs and by the share wrong, and calibration of doubts"
    return _measured("accuracy", words, "-")


def questions() -> str:
    """Return the tables of the last run of benchmarks.questions, or how to make it."""
    return _measured("questions", "mean index by the number of answers, for each strategy", "~")


def _measured(name: str, picture: str, sign: str) -> str:
    path = DOCS / f"{name}.json"
    if not path.exists():
        return f"There has been no run yet: ``python -m benchmarks.{name} --docs`` makes one.\n"
    record = json.loads(path.read_text(encoding="utf-8"))
    parts = [f"{record['words']}\n"]
    if (DOCS / f"{name}.svg").exists():
        parts.append(f".. image:: /{name}.svg\n   :alt: {picture}\n   :width: 100%\n")
    for section in record["sections"]:
        parts += [title(section["title"], sign), f"{section['words']}\n"]
        parts.append(list_table(section["header"], section["rows"]))
    return "\n".join(parts)


def _markdown_cells(line: str) -> list[str]:
    cells = line.strip().strip("|").replace("\\|", "\0").split("|")
    return [cell.strip().replace("\0", "|") for cell in cells]


GENERATED = {
    "commands": commands,
    "methods": method_table,
    "preferences": preferences,
    "benchmarks": benchmarks,
    "accuracy": accuracy,
    "questions": questions,
}


def example_report(path: Path) -> None:
    """Write the report on some animals, as the command line would."""
    from clustraint import Constraints, Report
    from clustraint.datasets import load_animals
    from clustraint.tables import read_table
    from clustraint.workflow import cluster_names, cluster_table, explain

    with tempfile.TemporaryDirectory() as folder:
        table = read_table(load_animals().write(f"{folder}/animals.csv"), ignore=["class"])
    constraints = Constraints.from_labels(load_animals().y, n_pairs=40, random_state=0)
    constraints = Constraints(
        table.n_samples,
        must_link=constraints.must_link,
        cannot_link=constraints.cannot_link,
        names=table.names,
    )
    clustering = cluster_table(table, constraints, 7)
    explanation = explain(clustering)
    Report(
        table,
        clustering.estimator,
        constraints=constraints,
        names=table.names,
        cluster_names=cluster_names(clustering, explanation),
        before=clustering.labels_without_constraints(),
        explanation=explanation,
        title="animals.csv: 7 clusters",
        date="An example: 96 animals, and 40 pairs of which somebody knows what they are",
        how="clustraint cluster animals.csv -c pairs.txt -k 7 --report report.html",
    ).save(path)


def write_all() -> None:
    """Write all pages; those that have not changed stay as they are."""
    folder = DOCS / "_generated"
    folder.mkdir(exist_ok=True)
    for name, make in GENERATED.items():
        path, text = folder / f"{name}.rst", make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
