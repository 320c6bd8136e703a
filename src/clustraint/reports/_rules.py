"""Rules that say of a sample to which cluster it belongs."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from clustraint.cluster._tree.arrays import Tree
from clustraint.cluster._tree.columns import Columns
from clustraint.cluster._tree.explain import Limits, explain
from clustraint.cluster._tree.nodes import to_arrays
from clustraint.cluster._tree.rules import ClusterDescription, describe
from clustraint.constraints import Constraints
from clustraint.reports._palette import Look, look_of
from clustraint.reports._profiles import Moments
from clustraint.reports._subject import Subject
from clustraint.reports._words import share, short
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted

FIDELITY = 0.95
# Rules of more conditions are no longer read.
LEAVES_PER_CLUSTER = 4
MOST_CLUSTERS = 30
MOST_CONJUNCTIONS = 8
LONGEST_CONJUNCTION = 300
# The search is made on so many samples and columns at most.
MOST_SAMPLES = 5000
MOST_COLUMNS = 40


class RuleText(NamedTuple):
    """In which cases a sample belongs to a cluster."""

    cluster: int
    name: str
    look: Look
    cases: list[str]
    n_more: int
    precision: str
    recall: str


class Rules(NamedTuple):
    """The rules of all clusters, and how far they can be trusted."""

    rules: list[RuleText]
    about: str


def rules_of(subject: Subject, moments: Moments) -> Rules:
    """Describe the clusters by the tree that made them, or by one that explains them."""
    if subject.tree is not None:
        return _of_tree(subject)
    if len(subject.clusters) > MOST_CLUSTERS:
        return Rules([], f"There are no rules, as {len(subject.clusters):,} clusters are too many.")
    places = moments.telling_columns(MOST_COLUMNS).tolist()
    part = subject.data.only(places)
    tree = _explained(subject, part.values, part.columns)
    rules, fidelity = _told(subject, tree, part.columns, part.values)
    about = f"Together they put {share(fidelity)} of the samples into their clusters."
    if len(places) < subject.data.n_features:
        about += (
            f" Of {counted(subject.data.n_features, 'column')} they may use the {len(places)} that "
            "tell the clusters apart best."
        )
    return Rules(rules, f"The rules were found afterwards, by a small tree. {about}")


def _of_tree(subject: Subject) -> Rules:
    tree: Any = subject.tree
    columns = tree._columns._replace(names=subject.data.columns.names)
    values = subject.data.only(range(subject.data.n_features)).values
    rules, fidelity = _told(subject, tree.tree_, columns, values)
    if fidelity == 1:
        return Rules(rules, "The rules are those of the tree, and are the clusters exactly.")
    return Rules(
        rules, f"The rules are those of the tree; {share(fidelity)} of the samples follow them."
    )


def _explained(subject: Subject, values: FloatArray, columns: Columns) -> Tree:
    """Grow a small tree on at most so many samples."""
    known = np.flatnonzero(subject.labels >= 0)
    if len(known) > MOST_SAMPLES:
        # The first of each cluster stays in, so that the tree knows of all clusters.
        first = np.unique(subject.labels[known], return_index=True)[1]
        order = np.concatenate([first, np.random.default_rng(0).permutation(len(known))])
        _, places = np.unique(order, return_index=True)
        known = np.sort(known[order[np.sort(places)][:MOST_SAMPLES]])
    n_clusters = len(subject.clusters)
    limits = Limits(
        max_leaves=LEAVES_PER_CLUSTER * n_clusters + 2,
        max_depth=sys.maxsize,
        min_leaf=1 if subject.sizes.min() == 1 else 2,
        fidelity=FIDELITY,
        beam_width=1,
    )
    n_levels = np.array([len(each) if each else 0 for each in columns.levels], np.int64)
    samples = np.asfortranarray(values[known])
    return to_arrays(*explain(samples, n_levels, subject.labels[known], limits), subject.clusters)


def _told(
    subject: Subject, tree: Tree, columns: Columns, values: FloatArray
) -> tuple[list[RuleText], float]:
    numbers = {tree.name_of(label): label for label in np.unique(tree.label[tree.leaves]).tolist()}
    wanted = np.array([numbers.get(cluster, -2) for cluster in subject.clusters] + [-3], np.int64)
    given: IntArray = wanted[subject.labels]
    found = describe(tree, columns, np.asarray(values), Constraints(len(values)), given)
    known = subject.labels >= 0
    fidelity = float(np.mean(tree.label[tree.apply(values[known])] == given[known]))
    places = {cluster: place for place, cluster in enumerate(subject.clusters)}
    return [_rule(subject, each, places.get(each.cluster, -1)) for each in found], fidelity


def _rule(subject: Subject, description: ClusterDescription, cluster: int) -> RuleText:
    cases = [
        f"{short(each, LONGEST_CONJUNCTION)} ({counted(each.n_samples, 'sample')})"
        for each in description.conjunctions[:MOST_CONJUNCTIONS]
    ]
    quality = (description.precision, description.recall)
    precision, recall = ("–" if part is None or np.isnan(part) else share(part) for part in quality)
    name = f"cluster {short(description.cluster, 40)}"
    n_more = len(description.conjunctions) - len(cases)
    return RuleText(cluster, name, look_of(cluster), cases, n_more, precision, recall)
