"""What became of the constraints, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clustraint.constraints import KINDS as CONSTRAINT_KINDS
from clustraint.constraints import SAMPLE_KINDS
from clustraint.evaluation import KindReport
from clustraint.reports._subject import Subject
from clustraint.reports._words import share, short
from clustraint.wording import counted

# Of each kind.
MOST_VIOLATED = 200
MOST_GIVEN = 300
MOST_ASTRAY = 12

KINDS = {
    "must_link": ("must-link", "in one cluster"),
    "cannot_link": ("cannot-link", "in different clusters"),
    "triplets": ("triplet", "the first two join before the third"),
    "together": ("together rule", "the samples it holds for are in one cluster"),
    "exactly": ("exactly rule", "the samples it holds for are one whole cluster"),
}


class Statement(NamedTuple):
    """A constraint in words, what became of it, and what is amiss."""

    text: str
    violated: bool
    note: str


class Kind(NamedTuple):
    """What became of the constraints of one kind."""

    kind: str
    noun: str
    meaning: str
    given: int
    satisfied: int
    violated: int
    share: str
    broken: list[Statement]
    listed: list[Statement]

    @property
    def n_more_broken(self) -> int:
        """How many violated ones are not listed."""
        return self.violated - len(self.broken)

    @property
    def n_more(self) -> int:
        """How many are not listed."""
        return self.given - len(self.listed)


def knowledge_of(subject: Subject) -> list[Kind]:
    """Return what became of each kind of constraint that was given."""
    return [_kind(subject, kind, report) for kind, report in subject.outcome.items()]


def _kind(subject: Subject, kind: str, report: KindReport) -> Kind:
    places = _places(subject, kind)
    violated = set(report.rows.tolist())
    noun, meaning = KINDS[kind]
    return Kind(
        kind,
        noun,
        meaning,
        report.given,
        report.satisfied,
        report.violated,
        share(report.satisfied / report.given),
        [_statement(subject, kind, row, True) for row in report.rows[:MOST_VIOLATED].tolist()],
        [_statement(subject, kind, row, row in violated) for row in places[:MOST_GIVEN]],
    )


def _places(subject: Subject, kind: str) -> list[int]:
    """Return the row numbers of a kind; those of rules are places among all rules."""
    if kind in SAMPLE_KINDS:
        return list(range(len(subject.constraints.links[kind].rows)))
    rules = subject.constraints.rules
    return [place for place, rule in enumerate(rules) if rule.kind == kind]


def _statement(subject: Subject, kind: str, row: int, violated: bool) -> Statement:
    if kind not in SAMPLE_KINDS:
        return _rule(subject, kind, row, violated)
    links = subject.constraints.links[kind]
    samples, weight = links.rows[row].tolist(), float(links.weights[row])
    text = CONSTRAINT_KINDS[kind].describe(map(subject.name_of, samples))
    text = text if weight == 1 else f"{weight:g} * {text}"
    return Statement(text, violated, _whereabouts(subject, samples) if violated else "")


def _whereabouts(subject: Subject, samples: list[int]) -> str:
    clusters = [int(subject.labels[sample]) for sample in samples]
    if len(set(clusters)) == 1:
        return f"{'both' if len(samples) == 2 else 'all'} in {subject.cluster_name(clusters[0])}"
    return "; ".join(
        f"{subject.name_of(sample)} in {subject.cluster_name(cluster)}"
        for sample, cluster in zip(samples, clusters, strict=True)
    )


def _rule(subject: Subject, kind: str, place: int, violated: bool) -> Statement:
    text = short(subject.constraints.rules[place], 200)
    if not violated:
        return Statement(text, False, "")
    astray = subject.outcome[kind].samples.get(place, np.empty(0, np.int64))
    names = ", ".join(subject.name_of(sample) for sample in astray[:MOST_ASTRAY].tolist())
    more = f" and {len(astray) - MOST_ASTRAY:,} more" if len(astray) > MOST_ASTRAY else ""
    return Statement(text, True, f"{counted(len(astray), 'sample')} astray: {names}{more}")
