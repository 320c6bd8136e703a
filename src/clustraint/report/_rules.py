"""Rules that say which cluster a sample belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clustraint.cluster import ClusterDescription, ClusteringTree, Conjunction
from clustraint.plot import Look, ProfilesView, Subject, look_of
from clustraint.tables import SampleTable, TableColumn
from clustraint.wording import counted, share_text, short_text
from clustraint.workflow import Explanation, explain

MOST_CLUSTERS = 30
MOST_CONJUNCTIONS = 8
LONGEST_CONJUNCTION = 300
# Rules are searched for in so many columns at most.
MOST_COLUMNS = 40


class RuleText(NamedTuple):
    """In which cases a sample belongs to a cluster."""

    name: str
    look: Look
    cases: list[str]
    n_more: int
    quality: str
    words: str


class RulesSection(NamedTuple):
    """The rules of all clusters, and how far they can be trusted."""

    rules: list[RuleText]
    about: str


def rules_of(
    subject: Subject, profiles: ProfilesView, explanation: Explanation | None
) -> RulesSection:
    """Return an explanation of the clusters in words.

    Where none is given, a tree's own rules explain its clusters, and a small tree any others.
    """
    n_clusters = subject.members.n_clusters
    if explanation is None and subject.tree is not None:
        explanation = _of_tree(subject, subject.tree)
    if explanation is None and n_clusters > MOST_CLUSTERS:
        return RulesSection([], f"There are no rules, as {n_clusters:,} clusters are too many.")
    places = sorted(profiles.columns[:MOST_COLUMNS])
    if explanation is None:
        labels = np.array([*subject.members.clusters, None], object)[subject.members.labels]
        explanation = explain(_table(subject, places), labels)
        return RulesSection(_texts(subject, explanation), _about(subject, explanation, places))
    return RulesSection(_texts(subject, explanation), _about(subject, explanation, None))


def _of_tree(subject: Subject, tree: ClusteringTree) -> Explanation:
    """Return the rules of a tree, with the names that the columns have here."""
    values = subject.data.only(range(subject.data.n_features)).values
    clusters = [tree.tree_.name_of(label) for label in tree.tree_.label[tree.tree_.apply(values)]]
    places = {cluster: place for place, cluster in enumerate(subject.members.clusters)}
    labels = subject.members.labels
    same = labels == [places.get(cluster, -2) for cluster in clusters]
    names = subject.data.columns.names
    rules = [_renamed(description, names) for description in tree.rules_]
    return Explanation(rules, float(np.mean(same[labels >= 0])), subject.n_samples, {})


def _renamed(description: ClusterDescription, names: tuple[str, ...]) -> ClusterDescription:
    def renamed(conjunction: Conjunction) -> Conjunction:
        conditions = (replace(each, name=names[each.feature]) for each in conjunction.conditions)
        return replace(conjunction, conditions=tuple(conditions))

    return replace(description, conjunctions=tuple(map(renamed, description.conjunctions)))


def _table(subject: Subject, places: list[int]) -> SampleTable:
    """Return some columns as a table."""
    data = subject.data
    columns = []
    for place in places:
        name, levels, values = (
            data.columns.names[place],
            data.columns.levels[place],
            data.column(place),
        )
        if levels is None:
            columns.append(TableColumn(name, "numeric", values))
            continue
        # nan, a missing value, is the last place.
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        is_binary = all(isinstance(level, bool) for level in levels)
        missing, dtype = (np.nan, np.float64) if is_binary else (None, object)
        texts = np.array([*levels, missing], dtype)[codes]
        columns.append(TableColumn(name, "binary" if is_binary else "nominal", texts))
    return SampleTable("X", tuple(columns), (), None, data.n_samples)


def _texts(subject: Subject, explanation: Explanation) -> list[RuleText]:
    places = {cluster: place for place, cluster in enumerate(subject.members.clusters)}
    rules = {each.cluster: each for each in explanation.descriptions}
    return [
        _rule(places.get(cluster, -1), cluster, rules.get(cluster), explanation.words.get(cluster))
        for cluster in dict.fromkeys([*rules, *explanation.words])
    ]


def _rule(
    place: int, cluster: Any, rule: ClusterDescription | None, words: list[str] | None
) -> RuleText:
    conjunctions = rule.conjunctions if rule else ()
    cases = [
        f"{short_text(each, LONGEST_CONJUNCTION)} ({counted(each.n_samples, 'sample')})"
        for each in conjunctions[:MOST_CONJUNCTIONS]
    ]
    return RuleText(
        f"cluster {short_text(cluster, 40)}",
        look_of(place),
        cases,
        len(conjunctions) - len(cases),
        _quality(rule) if rule else "",
        ", ".join(map(short_text, words or ())),
    )


def _quality(rule: ClusterDescription) -> str:
    if rule.precision is None or rule.recall is None or rule.precision == rule.recall == 1:
        return ""
    precision, recall = (
        "–" if np.isnan(part) else share_text(part) for part in (rule.precision, rule.recall)
    )
    return f"precision {precision}, recall {recall}"


def _about(subject: Subject, explanation: Explanation, places: list[int] | None) -> str:
    if not explanation.descriptions:
        return "There are only texts, and no rules about columns."
    fidelity = share_text(explanation.fidelity)
    if subject.tree is not None:
        if explanation.fidelity == 1:
            return "These rules are the clusters: they are those of the tree."
        return f"These are the rules of the tree; {fidelity} of the samples follow them."
    about = f"Together they put {fidelity} of the samples into their clusters."
    if places is not None and len(places) < subject.data.n_features:
        about += (
            f" Of {counted(subject.data.n_features, 'column')} they may use the {len(places)} that "
            "tell the clusters apart best."
        )
    return f"The rules were found afterwards, by a small tree. {about}"
