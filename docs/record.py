"""Records what commands print and draw, for the documentation: python docs/record.py.

The commands are run as they are shown, in a folder of their own, and nothing is retouched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from clustraint import Constraints
from clustraint.datasets import load_animals

DOCS = Path(__file__).parent
WIDTH = 96
CONSTRAINTS = "dog = wolf = red fox\nblue whale != blue shark\ntogether: feathers\n"
RECORDINGS = {
    "start": [
        "clustraint datasets export animals",
        "cat constraints.txt",
        "clustraint check animals.csv -c constraints.txt",
        "clustraint cluster animals.csv -c constraints.txt -k 6 -o clustered.csv "
        "--report report.html",
    ],
    "ask": ["printf 'y\\nn\\nq\\n' | clustraint ask animals.csv -k 6 -n 20"],
}
COMPARE = (
    "clustraint compare animals.csv -c pairs.txt -k 7 --splits 5 "
    "--picture compare.svg -m tree -m cop-kmeans -m complete-linkage -m pc-kmeans -m mixture"
)
# rich names a font on another server; a drawing of ours fetches nothing.
FETCHED = re.compile(r"@font-face \{.*?\}", re.S)


def record(name: str, commands: list[str], folder: Path) -> str:
    """Return the drawing of a terminal after some commands."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    for command in commands:
        shown = command.rpartition(" | ")[2]
        console.print(Text.assemble(("$ ", "bold green"), (shown, "bold")), soft_wrap=False)
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, check=True
        )
        console.print(Text.from_ansi(done.stdout.decode().rstrip("\n")))
        console.print()
    text = console.export_svg(title="clustraint", theme=DIMMED_MONOKAI, unique_id=name)
    return FETCHED.sub("", text).replace(
        "Fira Code", "ui-monospace, SFMono-Regular, Menlo, Consolas"
    )


def main() -> None:
    animals = load_animals()
    pairs = Constraints.from_labels(animals.y, n_pairs=60, random_state=0)
    pairs = Constraints.from_names(
        animals.names,
        must_link=[[animals.names[sample] for sample in row] for row in pairs.must_link],
        cannot_link=[[animals.names[sample] for sample in row] for row in pairs.cannot_link],
    )
    static = DOCS / "_static"
    for name, commands in {**RECORDINGS, "compare": [COMPARE]}.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "constraints.txt").write_text(CONSTRAINTS)
            pairs.write(folder / "pairs.txt")
            if name != "start":
                animals.write(folder / "animals.csv")
            text = record(name, commands, folder)
            drawn = folder / f"{name}.svg"
            text = drawn.read_text(encoding="utf-8") if drawn.exists() else text
        (static / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
