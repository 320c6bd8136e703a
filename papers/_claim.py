"""A claim of a paper: its words, how it is tested, and what came of it.

A claim is a function of the rows of one table, decorated by what the paper says; its docstring is
the criterion. The function gives checks, and remarks for the explanation. Whatever several tables,
several readings of the paper and missing runs make of that is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from clustraint.wording import listed
from papers._criteria import Check
from papers._estimate import Estimate
from papers._exceptions import NotTestableError
from papers._experiment import Parameter

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

# What computations raise that find fewer rows or columns than they need.
LACKING = (LookupError, ValueError, ZeroDivisionError)


class Verdict(StrEnum):
    """What became of a claim.

    Examples
    --------
    >>> print(Verdict.FAILS)
    does not hold
    """

    HOLDS = "holds"
    DIRECTION = "holds in direction"
    FAILS = "does not hold"
    ELSEWHERE = "on other data"
    UNTESTABLE = "not testable here"
    CHECKED = "checked"
    PENDING = "not enough runs"


# Those that a claim may have in the end; facts by construction are checked, apart from them.
VERDICTS = tuple(Verdict)[:5]


@dataclass(frozen=True)
class Reading:
    """What becomes of a claim if the paper is read in another way.

    Attributes
    ----------
    name : str
        How it is read, in words.
    verdict : Verdict
        What the same criterion gives.
    ours : str
        The figures that decide, in short.

    Examples
    --------
    >>> Reading("ten starts", Verdict.HOLDS, "0.12").name
    'ten starts'
    """

    name: str
    verdict: Verdict
    ours: str


@dataclass(frozen=True)
class Finding:
    """What came of a claim.

    Attributes
    ----------
    verdict : Verdict
        Whether it holds here.
    estimates : tuple of Estimate
        The measured figures, those that decide first.
    explanation : str
        A sentence from the data: why the verdict is what it is.
    ours : str
        The figures that decide, in short.
    beside : tuple of Reading
        What other readings give.
    outcome : Verdict, optional
        What the criterion gives where the verdict is that the data are others.
    runs : tuple of two int, optional
        How many runs there are, and how many a verdict needs, where these are too few.

    Examples
    --------
    >>> from papers import Finding, Verdict
    >>> print(Finding(Verdict.HOLDS, (), "It won on 6 of 6 tables.").verdict)
    holds
    """

    verdict: Verdict
    estimates: tuple[Estimate, ...]
    explanation: str
    ours: str = ""
    beside: tuple[Reading, ...] = ()
    outcome: Verdict | None = None
    runs: tuple[int, int] | None = None

    @property
    def words(self) -> str:
        """The verdict as it is shown, with the outcome on other data or the runs at hand."""
        if self.outcome:
            return f"{self.verdict}: {self.outcome}"
        if self.runs:
            return f"{self.verdict} ({self.runs[0]} of {self.runs[1]})"
        return str(self.verdict)


Test: TypeAlias = Callable[["Results"], Finding]
Rows: TypeAlias = "DataFrame"
# What makes rows of another reading of rows.
Swap: TypeAlias = Callable[[Any], Any]
# What a claim's function gives: checks, and remarks for the explanation.
Measure: TypeAlias = Callable[[Any], "Check | Iterable[Check | str]"]


@dataclass(frozen=True)
class Claim:
    """What a paper says it found, and the computation that tells whether it holds here.

    Attributes
    ----------
    name : str
        Short and unique within the paper.
    quote : str
        The paper's own words.
    where : str
        The section, figure or table of the paper.
    criterion : str
        What is computed, and when the claim is taken to hold, in a sentence.
    needs : tuple of str
        The experiments whose results the test reads; without any of them it is not testable.
    test : callable
        Called with the `Results`; gives the `Finding`. It may raise `NotTestableError`.
    printed : str
        The figure that the paper prints.
    by_construction : bool
        Whether it is a fact that must hold, such as a theorem or a count: checked, no claim.

    Examples
    --------
    >>> from papers import paper
    >>> all(claim.quote for claim in paper("ccl").claims)
    True
    """

    name: str
    quote: str
    where: str
    criterion: str
    needs: tuple[str, ...]
    test: Test
    printed: str = ""
    by_construction: bool = False

    @property
    def title(self) -> str:
        """Its name as people read it."""
        return self.name if " " in self.name else self.name.replace("-", " ")


@dataclass(frozen=True)
class Scope:
    """What a claim is about: the rows of which experiments, table by table.

    Attributes
    ----------
    experiments : tuple of str
        Whose records.
    by : str
        The column that tells tables apart.
    tables : tuple of str
        Which tables; none: all rows at once.
    least : int, optional
        For how many tables it must hold; default: all.
    across : bool
        Whether the function is called once with the rows of all tables.
    shape : callable
        What is done to the rows before the function sees them.
    main : mapping
        Columns and their values in the closest reading of the paper.
    beside : mapping of str to mapping or callable
        The columns of other readings that are shown beside it, by name; or what makes the rows of
        such a reading of those of the main one.
    stand_in : str
        Which data stand in for the paper's, where those are not to be had.
    by_construction : bool
        Whether the claim is a fact that is checked.
    titles : mapping of str to str
        What tables are called in sentences.
    """

    experiments: tuple[str, ...] = ()
    by: str = "table"
    tables: tuple[str, ...] = ()
    least: int | None = None
    across: bool = False
    shape: Callable[[Any], Any] = lambda rows: rows
    main: Mapping[str, Parameter] = field(default_factory=dict)
    beside: Mapping[str, Mapping[str, Parameter] | Swap] = field(default_factory=dict)
    stand_in: str = ""
    by_construction: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)

    def title(self, table: str) -> str:
        """Return what a table is called."""
        return self.titles.get(table, table.replace("-", " "))


class Claims(list[Claim]):
    """The claims of a paper, in its order, as their functions are written.

    Examples
    --------
    >>> claims = Claims()
    >>> @claims("few are enough", "few constraints suffice", "section 5", Scope(("figure-5",)))
    ... def _(rows):
    ...     "The gain is above 0."
    ...     return above(estimate("gain", rows["gain"]))
    >>> claims[0].criterion
    'The gain is above 0.'
    """

    def __call__(
        self, name: str, quote: str, where: str, scope: Scope, printed: str = "", **changes: Any
    ) -> Callable[[Measure], Measure]:
        """Return the decorator that makes a claim of a function of one table's rows.

        Parameters
        ----------
        name, quote, where, printed : str
            As of the `Claim`.
        scope : Scope
            What it is about.
        **changes
            What differs from the scope.
        """
        scope = replace(scope, **changes)

        def decorate(measure: Measure) -> Measure:
            self.append(
                Claim(
                    name,
                    quote,
                    where,
                    " ".join((measure.__doc__ or "").split()),
                    scope.experiments,
                    lambda results: judge_tables(scope, measure, results),
                    printed,
                    scope.by_construction,
                )
            )
            return measure

        return decorate

    def untestable(
        self, name: str, quote: str, where: str, why: str, experiment: str = "", printed: str = ""
    ) -> None:
        """Add a claim that nothing here can decide, with the reason.

        Examples
        --------
        >>> claims = Claims()
        >>> claims.untestable("fast", "it is fast", "section 6", "Our fit takes milliseconds.")
        >>> len(claims)
        1
        """
        needs = (experiment,) if experiment else ()
        finding = Finding(Verdict.UNTESTABLE, (), why)
        self.append(
            Claim(
                name,
                quote,
                where,
                "None.",
                needs,
                lambda results: finding,
                printed,
            )
        )


@dataclass(frozen=True)
class TableCase:
    """What was measured on one table."""

    title: str
    checks: tuple[Check, ...]
    remarks: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """What the checks of one table say."""
        if all(check.meets for check in self.checks):
            return Verdict.HOLDS
        signs = [check.meets for check in self.checks if check.is_sign]
        return Verdict.DIRECTION if signs and all(signs) else Verdict.FAILS

    @property
    def estimates(self) -> list[Estimate]:
        """What was measured, with its table."""
        table = f"{self.title}: " if self.title else ""
        return [replace(each.measured, name=table + each.measured.name) for each in self.checks]

    @property
    def decisive(self) -> Check:
        """The first check that is not met, or the first of all."""
        return next((check for check in self.checks if not check.meets), self.checks[0])

    @property
    def ours(self) -> str:
        """The figure that decides, with its table."""
        return f"{self.title} {self.decisive.figures}".strip()

    def __str__(self) -> str:
        broken = [str(check) for check in self.checks if not check.meets]
        return f"{self.title}: {'; '.join(broken)}" if self.title else "; ".join(broken)


def judge_tables(scope: Scope, measure: Measure, results: Results) -> Finding:
    """Return what comes of a claim: its main reading, others beside it, and the runs it has.

    Parameters
    ----------
    scope : Scope
        What it is about.
    measure : callable
        Gives checks for the rows of a table.
    results : Results
        What has been run.

    Returns
    -------
    Finding
        Without a verdict where runs are missing.
    """
    done, wanted = runs(scope, results)
    if not wanted:
        names = [scope.title(table) for table in scope.tables] or list(scope.experiments)
        return Finding(Verdict.UNTESTABLE, (), f"There are no results for {listed(names)}.")
    try:
        finding = _read(scope, {}, measure, results)
        others = [
            (name, _read(scope, reading, measure, results))
            for name, reading in scope.beside.items()
        ]
    except (NotTestableError, *LACKING) as error:
        if done < wanted:
            return _pending(Finding(Verdict.PENDING, (), ""), done, wanted)
        # Of a part of the grid whatever a computation needs may be absent; of all of it, nothing.
        if not isinstance(error, NotTestableError):
            raise
        return Finding(Verdict.UNTESTABLE, (), str(error))
    finding = replace(
        finding, beside=tuple(Reading(name, each.verdict, each.ours) for name, each in others)
    )
    if done < wanted:
        return _pending(finding, done, wanted)
    if scope.stand_in and finding.verdict is not Verdict.UNTESTABLE:
        there = f"{scope.stand_in} {finding.explanation}"
        return replace(
            finding, verdict=Verdict.ELSEWHERE, outcome=finding.verdict, explanation=there
        )
    return finding


def _pending(finding: Finding, done: int, wanted: int) -> Finding:
    """Return what is there so far, without a verdict."""
    lacking = f"not enough runs ({done} of {wanted})"
    so_far = f"{lacking}; so far: {finding.explanation}" if finding.explanation else lacking
    return replace(finding, verdict=Verdict.PENDING, explanation=so_far, runs=(done, wanted))


def runs(scope: Scope, results: Results) -> tuple[int, int]:
    """Return how many runs the claim has where it has fewest, and how many it needs.

    A table whose data are not here needs none.
    """
    parts = [{scope.by: table} for table in scope.tables] or [{}]
    counts = [
        results.runs(name, {**scope.main, **part}) for name in scope.experiments for part in parts
    ]
    return min(
        (pair for pair in counts if pair[1]), key=lambda pair: pair[0] - pair[1], default=(0, 0)
    )


def _read(
    scope: Scope, reading: Mapping[str, Parameter] | Swap, measure: Measure, results: Results
) -> Finding:
    """Return what one reading of the paper makes of a claim."""
    if callable(reading):
        frame = reading(_rows(scope, scope.main, results))
    else:
        frame = _rows(scope, {**scope.main, **reading}, results)
    present = [table for table in scope.tables if (frame[scope.by] == table).any()]
    if scope.tables and (not present or (scope.across and len(present) < len(scope.tables))):
        missing = [scope.title(table) for table in scope.tables if table not in present]
        return Finding(Verdict.UNTESTABLE, (), f"There are no results for {listed(missing)}.")
    cases = list(_cases(scope, frame, present, measure))
    verdict, absent = _verdict(scope, cases), len(scope.tables) - len(present)
    explanation = _explanation(scope, cases, present if absent and not scope.across else None)
    if scope.by_construction and verdict is Verdict.HOLDS:
        verdict = Verdict.CHECKED
    # Two checks of one figure measure it once.
    estimates = tuple(dict.fromkeys(each for case in cases for each in case.estimates))
    return Finding(verdict, estimates, explanation, _figures(cases))


def _figures(cases: Sequence[TableCase]) -> str:
    """Return the figures that decide, under the name of what they are."""
    groups = groupby(cases, key=lambda case: case.decisive.measured.name)
    return "; ".join(f"{name}: {', '.join(case.ours for case in own)}" for name, own in groups)


def _rows(scope: Scope, columns: Mapping[str, Parameter], results: Results) -> DataFrame:
    """Return the records of one reading, of all experiments that have any."""
    from pandas import concat

    frames = []
    for name in scope.experiments:
        try:
            frame = results.frame(name)
        except NotTestableError:
            continue
        for column, value in columns.items():
            frame = frame[frame[column] == value] if column in frame else frame
        frames.append(frame)
    return concat(frames) if len(frames) > 1 else frames[0]


def _cases(
    scope: Scope, frame: DataFrame, tables: Sequence[str], measure: Measure
) -> Iterator[TableCase]:
    if not tables or scope.across:
        rows = frame[frame[scope.by].isin(tables)] if tables else frame
        yield _case("", measure(scope.shape(rows)))
        return
    for table in tables:
        title = scope.title(table) if len(scope.tables) > 1 else ""
        yield _case(title, measure(scope.shape(frame[frame[scope.by] == table])))


def _case(title: str, parts: Check | Iterable[Check | str]) -> TableCase:
    parts = (parts,) if isinstance(parts, Check) else tuple(parts)
    checks = tuple(part for part in parts if isinstance(part, Check))
    return TableCase(title, checks, tuple(part for part in parts if isinstance(part, str) and part))


def _verdict(scope: Scope, cases: Sequence[TableCase]) -> Verdict:
    """Return what is certain whatever the tables without results would have shown."""
    wanted = 1 if scope.across or not scope.tables else len(scope.tables)
    least = wanted if scope.least is None else scope.least
    verdicts = [case.verdict for case in cases]
    whole = verdicts.count(Verdict.HOLDS)
    signs = whole + verdicts.count(Verdict.DIRECTION)
    absent = wanted - len(cases)
    if whole >= least:
        return Verdict.HOLDS
    if signs + absent < least:
        return Verdict.FAILS
    return Verdict.DIRECTION if signs >= least and whole + absent < least else Verdict.UNTESTABLE


def _explanation(scope: Scope, cases: Sequence[TableCase], present: Sequence[str] | None) -> str:
    holding = [case for case in cases if case.verdict is Verdict.HOLDS]
    others = [case for case in cases if case not in holding]
    parts = []
    if holding and holding[0].title:
        names = {case.decisive.measured.name for case in holding}
        by = f"By {names.pop()} it" if len(names) == 1 else "It"
        parts.append(f"{by} holds for {listed([case.ours for case in holding])}.")
    elif holding:
        parts.append(f"{_capital('; '.join(map(str, holding[0].checks)))}.")
    parts += [f"{_capital(str(case))}." for case in others]
    if present is not None:
        absent = [scope.title(table) for table in scope.tables if table not in present]
        parts.append(f"There are no results for {listed(absent)}.")
    remarks = [remark for case in cases for remark in case.remarks]
    return " ".join([*parts, *dict.fromkeys(remarks)])


def _capital(text: str) -> str:
    """Return a text as a sentence begins; names of methods keep their small letters."""
    is_name = text.startswith(("iHAC", "biHAC", "biiHAC"))
    return text if is_name else text[:1].upper() + text[1:]
