"""Pages, figures and tables of a paper's results."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustraint.files import write_whole
from clustraint.report import made_with, page_templates
from papers._claim import LACKING, VERDICTS, Claim, Finding, Verdict
from papers._exceptions import NotTestableError
from papers._experiment import Drawing, Experiment, ShownTable
from papers._paper import Paper
from papers._results import Progress, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The verdicts of an earlier version of this program, which some may have read.
EARLIER = Path(__file__).parent / "earlier.json"
# Text stays text, which keeps files small; no date and no random names, so that the same
# results give the same file.
SVG_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "clustraint"}


@dataclass(frozen=True)
class Shown:
    """An experiment as its page shows it."""

    experiment: Experiment
    progress: Progress
    drawings: tuple[Drawing, ...]
    tables: tuple[ShownTable, ...]


@dataclass(frozen=True)
class Judged:
    """A claim with what came of it."""

    claim: Claim
    finding: Finding

    @property
    def style(self) -> str:
        """The class by which the page colours the verdict: that of what the criterion gives."""
        return (self.finding.outcome or self.finding.verdict).value.replace(" ", "-")


@dataclass(frozen=True)
class Page:
    """What is before of a paper by now.

    Attributes
    ----------
    results : Results
        What it rests on.
    judged : tuple of Judged
        The paper's claims with what came of them.
    """

    results: Results
    judged: tuple[Judged, ...]

    @property
    def paper(self) -> Paper:
        """Whose page it is."""
        return self.results.paper

    @property
    def claims(self) -> list[Judged]:
        """What the paper found, without facts that must hold."""
        return [each for each in self.judged if not each.claim.by_construction]

    @property
    def facts(self) -> list[Judged]:
        """What must hold by construction, and was checked."""
        return [each for each in self.judged if each.claim.by_construction]

    def claims_of(self, experiment: str) -> list[Judged]:
        """Return the claims that an experiment decides, for the place where it is shown."""
        return [each for each in self.claims if each.claim.needs[:1] == (experiment,)]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        verdicts = [each.finding.verdict for each in self.claims]
        shown = [*VERDICTS, *({Verdict.PENDING} & set(verdicts))]
        return {verdict.value: verdicts.count(verdict) for verdict in shown}

    @property
    def outcomes(self) -> Counter[str]:
        """What the criteria give where the data are others, and for how many claims."""
        outcomes = [each.finding.outcome for each in self.claims]
        return Counter({each.value: outcomes.count(each) for each in VERDICTS if each in outcomes})

    @property
    def progress(self) -> Progress:
        """How much of all experiments has been run."""
        parts = [self.results.progress(each.name) for each in self.paper.experiments]
        slowest = [part.slowest for part in parts if part.slowest is not None]
        return Progress(
            done=sum(part.done for part in parts),
            total=sum(part.total for part in parts),
            seconds=sum(part.seconds for part in parts),
            slowest=max(slowest, key=lambda result: result.seconds, default=None),
        )


def page_of(results: Results) -> Page:
    """Judge the claims of a paper."""
    claims = results.paper.claims
    return Page(results, tuple(Judged(claim, claim.test(results)) for claim in claims))


def show(experiment: Experiment, results: Results) -> Shown:
    """Draw the figures and tables of an experiment, as far as it has been run."""
    progress = results.progress(experiment.name)
    try:
        parts = list(experiment.show(results)) if progress.done else []
    except NotTestableError:
        parts = []
    except LACKING:
        if progress.is_complete:
            raise
        parts = []
    return Shown(
        experiment,
        progress,
        tuple(part for part in parts if isinstance(part, Drawing)),
        tuple(part for part in parts if isinstance(part, ShownTable)),
    )


def write_page(page: Page, folder: Path, *, pages_only: bool = False) -> Path:
    """Write a paper's page with its figures and tables.

    Parameters
    ----------
    page : Page
        What is on it.
    folder : Path
        Where: the page goes there, its figures and tables into a folder of the paper's name.
    pages_only : bool, default False
        Leave out PNG and CSV files: what the documentation keeps.

    Returns
    -------
    Path
        The page.
    """
    own = folder / page.paper.name
    own.mkdir(parents=True, exist_ok=True)
    parts = [show(experiment, page.results) for experiment in page.paper.experiments]
    for shown in parts:
        for drawing in shown.drawings:
            _write_figure(drawing, own, pages_only)
        if not pages_only:
            _write_tables(shown, page.results, own)
    path = folder / f"{page.paper.name}.html"
    _render(path, "page.html", page=page, parts=parts, pages_only=pages_only)
    return path


def write_index(pages: Sequence[Page], folder: Path) -> Path:
    """Write the page that lists the papers with the verdicts on their claims."""
    path = folder / "index.html"
    _render(path, "index.html", pages=pages)
    return path


@dataclass(frozen=True)
class Change:
    """The verdicts on a paper's claims by an earlier version of this program, and now."""

    paper: Paper
    rows: tuple[tuple[Judged, Mapping[str, str]], ...]


def changes_of(pages: Sequence[Page]) -> list[Change]:
    """Return the verdicts before and now of the papers that had any."""
    earlier = json.loads(EARLIER.read_text(encoding="utf-8"))
    return [
        Change(page.paper, tuple((each, before[each.claim.name]) for each in page.judged))
        for page in pages
        if (before := earlier.get(page.paper.name))
    ]


def moves(changes: Sequence[Change]) -> dict[str, Counter[str]]:
    """Return how many claims had each verdict before, and what they have now.

    Parameters
    ----------
    changes : sequence of Change
        Of any number of papers.

    Returns
    -------
    dict of str to Counter
        For each verdict of now, in words, how many claims had each verdict of before; the last
        one is of all.
    """
    pairs = [
        (judged.finding, before["verdict"]) for change in changes for judged, before in change.rows
    ]
    order = [(verdict, outcome) for verdict in Verdict for outcome in (None, *VERDICTS)]
    pairs.sort(key=lambda pair: order.index((pair[0].verdict, pair[0].outcome)))
    table: dict[str, Counter[str]] = {}
    for finding, before in pairs:
        table.setdefault(finding.words, Counter())[before] += 1
    return table | {"all": Counter(before for _, before in pairs)}


def write_changes(pages: Sequence[Page], folder: Path) -> Path:
    """Write the page that tells each verdict of before, of now, and why they may differ."""
    path = folder / "changes.html"
    _render(path, "changes.html", changes=changes_of(pages), moves=moves)
    return path


def _render(path: Path, template: str, **context: Any) -> None:
    page = page_templates("papers").get_template(template)
    text = page.render(
        verdicts=list(VERDICTS), made_with=made_with(), duration=duration, shown=shown, **context
    )
    write_whole(path, text.encode())


def _write_figure(drawing: Drawing, folder: Path, pages_only: bool) -> None:
    write_whole(folder / f"{drawing.name}.svg", picture(drawing.figure, "svg"))
    if not pages_only:
        write_whole(folder / f"{drawing.name}.png", picture(drawing.figure, "png"))


def picture(figure: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of an SVG or PNG file."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context(SVG_STYLE):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    return buffer.getvalue()


def _write_tables(shown: Shown, results: Results, folder: Path) -> None:
    for table in shown.tables:
        write_whole(folder / f"{table.name}.csv", table.frame.to_csv(index=False).encode())
    if shown.progress.done:
        rows = results.frame(shown.experiment.name)
        write_whole(folder / f"{shown.experiment.name}-rows.csv", rows.to_csv(index=False).encode())


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.25), duration(75), duration(9000)
    ('0.25 s', '1 min 15 s', '2 h 30 min')
    """
    if seconds < 59.5:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def shown(value: Any) -> str:
    """Return a value of a table for people: three decimals, nothing where there is no value."""
    if value is None or value != value:
        return "–"
    return f"{value:,.3f}" if isinstance(value, float) else str(value)
