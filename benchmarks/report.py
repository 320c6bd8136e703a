"""A whole run: as JSON, as a Markdown table, and where the documentation shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import described, surroundings
from benchmarks.measure import Result
from benchmarks.table import cells

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "docs" / "benchmarks.json"
TABLE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
BEGIN = "<!-- benchmarks: written by ./dev bench --docs -->"
END = "<!-- end of benchmarks -->"


@dataclass(frozen=True)
class BenchmarkReport:
    """The rows of a run, and what it was measured on."""

    results: Sequence[Result]
    about: dict[str, Any]

    @classmethod
    def now(cls, results: Sequence[Result], *, repeats: int, quick: bool) -> BenchmarkReport:
        """Return a report on rows that were measured just now."""
        return cls(results, {**surroundings(), "repeats": repeats, "quick": quick})

    @classmethod
    def read(cls, path: Path) -> BenchmarkReport:
        """Return the report that `write_json` has written."""
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = [Result(**row) for row in record.pop("rows")]
        return cls(rows, record)

    def write_json(self, path: Path) -> None:
        record = {**self.about, "rows": [asdict(result) for result in self.results]}
        text = json.dumps(record, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")

    @property
    def missed(self) -> list[Result]:
        return [result for result in self.results if result.met is False]

    def summary(self) -> str:
        """Return in words how many targets are met, and which are missed."""
        met = sum(result.met is True for result in self.results)
        lines = [f"{met} of {len(self.results)} targets met."]
        if self.about["quick"]:
            lines = [f"A quick run: {lines[0]} Targets are for the inputs that rows are named for."]
        for result in self.missed:
            _, ours, peer, peer_name, ratio, target, _ = cells(result)
            lines.append(
                f"Missed: {result.name}: {ratio} where {target} is the target "
                f"({ours} against {peer} of {peer_name})."
            )
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the table, what was missed, and the machine."""
        lines = [
            "| row | ours | peer | ratio | target | |",
            "| --- | ---: | ---: | ---: | :--- | :--- |",
            *(_markdown_row(result) for result in self.results),
        ]
        summary = self.summary().replace("\n", "  \n")
        return "\n".join([*lines, "", summary, "", described(self.about)]) + "\n"


def _markdown_row(result: Result) -> str:
    name, ours, peer, peer_name, ratio, target, verdict = cells(result)
    values = (name, ours, f"{peer} ({peer_name})", ratio, target, verdict)
    if result.met is False:
        values = (*values[:-1], f"**{verdict}**")
    return f"| {' | '.join(value.replace('|', chr(92) + '|') for value in values)} |"


def with_table(text: str, table: str) -> str:
    """Return a text with the table between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"there is no place for the table: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n\n{table}\n{END}{after}"


def write_docs(report: BenchmarkReport) -> list[Path]:
    """Write what the documentation and README.md show of a run, and return the files."""
    report.write_json(RECORD)
    TABLE.write_text(report.markdown(), encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8"), report.markdown()), "utf-8")
    return [RECORD, TABLE, README]
