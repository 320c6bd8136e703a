"""Which constraints are satisfied and which are violated, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clustraint.constraints import KINDS
from clustraint.evaluation import KindReport
from clustraint.plot import Subject
from clustraint.wording import counted, share_text, short_text

# Of each kind.
MOST_VIOLATED = 200
MOST_LISTED = 300
MOST_ASTRAY = 12
MOST_DOUBTFUL = 20
# A constraint is worth checking if the method would rather bet against it.
PROBABLY = 0.5


class ConstraintText(NamedTuple):
    """A constraint in words, whether it is violated, and how."""

    text: str
    violated: bool
    note: str


class KindText(NamedTuple):
    """How many constraints of one kind are satisfied, and which are not."""

    kind: str
    noun: str
    meaning: str
    n_constraints: int
    satisfied: int
    violated: int
    share: str
    broken: list[ConstraintText]
    listed: list[ConstraintText]

    @property
    def n_more_broken(self) -> int:
        """How many violated ones are not listed."""
        return self.violated - len(self.broken)

    @property
    def n_more(self) -> int:
        """How many are not listed."""
        return self.n_constraints - len(self.listed)


def satisfaction_of(subject: Subject) -> list[KindText]:
    """Return what is satisfied and violated of each kind of constraint that there is."""
    return [_kind(subject, kind, report) for kind, report in subject.satisfaction.items()]


def doubts_of(subject: Subject) -> list[tuple[str, str]]:
    """Return the constraints that the method doubts more than it believes, if it has doubts."""
    if not hasattr(subject.estimator, "doubtful"):
        return []
    doubtful = subject.estimator.doubtful(MOST_DOUBTFUL)
    return [(statement, share_text(doubt)) for statement, doubt in doubtful if doubt > PROBABLY]


def _kind(subject: Subject, kind: str, report: KindReport) -> KindText:
    places = _places(subject, kind)
    violated = set(report.rows.tolist())
    return KindText(
        kind,
        KINDS[kind].noun,
        KINDS[kind].meaning,
        report.total,
        report.satisfied,
        report.violated,
        share_text(report.satisfied / report.total),
        [_statement(subject, kind, row, True) for row in report.rows[:MOST_VIOLATED].tolist()],
        [_statement(subject, kind, row, row in violated) for row in places[:MOST_LISTED]],
    )


def _places(subject: Subject, kind: str) -> list[int]:
    """Return the row numbers of a kind; those of rules are places among all rules."""
    if kind in subject.constraints.links:
        return list(range(len(subject.constraints.links[kind].rows)))
    rules = subject.constraints.rules
    return [place for place, rule in enumerate(rules) if rule.kind == kind]


def _statement(subject: Subject, kind: str, row: int, violated: bool) -> ConstraintText:
    if kind not in subject.constraints.links:
        return _rule(subject, kind, row, violated)
    links = subject.constraints.links[kind]
    samples, weight = links.rows[row].tolist(), float(links.weights[row])
    text = KINDS[kind].describe(map(subject.members.name_of, samples))
    text = text if weight == 1 else f"{weight:g} * {text}"
    return ConstraintText(text, violated, _whereabouts(subject, samples) if violated else "")


def _whereabouts(subject: Subject, samples: list[int]) -> str:
    clusters = [int(subject.members.labels[sample]) for sample in samples]
    if len(set(clusters)) == 1:
        together = "both" if len(samples) == 2 else "all"
        return f"{together} in {subject.members.cluster_name(clusters[0])}"
    return "; ".join(
        f"{subject.members.name_of(sample)} in {subject.members.cluster_name(cluster)}"
        for sample, cluster in zip(samples, clusters, strict=True)
    )


def _rule(subject: Subject, kind: str, place: int, violated: bool) -> ConstraintText:
    text = short_text(subject.constraints.rules[place], 200)
    if not violated:
        return ConstraintText(text, False, "")
    astray = subject.satisfaction[kind].samples.get(place, np.empty(0, np.int64))
    names = ", ".join(subject.members.name_of(sample) for sample in astray[:MOST_ASTRAY].tolist())
    more = f" and {len(astray) - MOST_ASTRAY:,} more" if len(astray) > MOST_ASTRAY else ""
    return ConstraintText(text, True, f"{counted(len(astray), 'sample')} misplaced: {names}{more}")
