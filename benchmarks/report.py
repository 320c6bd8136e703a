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
# What README.md shows: one row for each way of clustering, and the tests of consistency.
HIGHLIGHTS = (
    "OneTree, 5,000 leaves, 100,000 triplets of a random tree",
    "COPKMeans, n=5,000, 1,000 pairs, another package",
    "ConstrainedCompleteLinkage, n=10,000, 100 must-link groups, 1,000 cannot-links",
    "ClusteringTree, n=7,494, d=16, 2,000 pairs",
    "AttributeKMedoids, n=4,000, A=1,000, k=10, n_init=10",
    "ReCon, n=10,000, 10,000 triplets",
)


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

    @property
    def broken(self) -> list[Result]:
        return [result for result in self.results if result.ours is None]

    def summary(self) -> str:
        """Return in words how many targets are met, and which are missed."""
        met = sum(result.met is True for result in self.results)
        lines = [f"{met} of {len(self.results)} targets met."]
        if self.about["quick"]:
            lines = [f"A quick run, on smaller inputs with targets of their own: {lines[0]}"]
        lines += [f"{each.name} is {each.note}" for each in self.broken]
        for result in self.missed:
            if result in self.broken:
                continue
            _, ours, peer, peer_name, ratio, target, _ = cells(result)
            lines.append(
                f"Missed: {result.name}: {ratio} where {target} is the target "
                f"({ours} against {peer} of {peer_name})."
            )
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the table, what was missed, and the machine."""
        summary = self.summary().replace("\n", "  \n")
        return (
            "\n".join([*_markdown_table(self.results), "", summary, "", described(self.about)])
            + "\n"
        )

    def highlights(self) -> str:
        """Return the rows that README.md shows, how many targets are met, and where the rest is."""
        rows = {result.name: result for result in self.results}
        shown = [rows[name] for name in HIGHLIGHTS if name in rows]
        summary = self.summary().partition("\n")[0]
        others = (
            f"All {len(rows)} rows, what was missed and by how much, and the machine: "
            "[docs/benchmarks.md](docs/benchmarks.md)."
        )
        return "\n".join([*_markdown_table(shown), "", summary, "", others]) + "\n"


def _markdown_table(results: Sequence[Result]) -> list[str]:
    return [
        "| row | ours | peer | ratio | target | |",
        "| --- | ---: | ---: | ---: | :--- | :--- |",
        *(_markdown_row(result) for result in results),
    ]


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
    README.write_text(with_table(README.read_text(encoding="utf-8"), report.highlights()), "utf-8")
    return [RECORD, TABLE, README]
