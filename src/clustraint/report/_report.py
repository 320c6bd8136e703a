"""The report: one page, in one file."""

from __future__ import annotations

import base64
import csv
import html
import io
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from clustraint import plot
from clustraint.constraints import Constraints
from clustraint.files import write_whole
from clustraint.plot import Look, ProfilesView, ScatterView, Subject, TreeView, look_of
from clustraint.report._change import change_of
from clustraint.report._method import method_of
from clustraint.report._page import made_with, page_templates
from clustraint.report._rules import rules_of
from clustraint.report._satisfaction import doubts_of, satisfaction_of
from clustraint.tables import neutralised
from clustraint.wording import counted, share_text, short_text
from clustraint.workflow import Explanation, NumberCurve

MOST_SIZES = 100
# Of more samples, the page does not bring their labels along.
MOST_LABELS = 20_000
LONGEST_TIP = 200
# A tree of more leaves is shown as text only.
MOST_LEAVES = 40


class Report:
    """A page that shows and explains a clustering.

    It draws the samples in two dimensions with constraints as links between them, describes the
    clusters by their columns and by rules, draws the hierarchy or the clustering tree where there
    is one, and lists which constraints are satisfied and which are violated. The page is one file
    that fetches nothing; a notebook shows it in a frame of its own.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
        The samples. Texts, categories and truth values of a frame are nominal; nan and None are
        missing values.
    clusters : array-like of shape (n_samples,), or a fitted estimator
        The cluster of each sample; -1, None and nan are no cluster. Of an estimator its `labels_`,
        and its constraints, hierarchy and tree unless others are given.
    constraints : Constraints, optional
        Statements about the samples.
    names : sequence of str, optional
        What the samples are called; by default, as the constraints or the hierarchy call them.
    feature_names : sequence of str, optional
        What the columns of an array are called.
    hierarchy : Hierarchy or linkage matrix, optional
        What the clusters are a cut of.
    tree : ClusteringTree, optional
        A fitted tree that describes the clusters.
    explanation : Explanation, optional
        Rules that describe the clusters, from `clustraint.workflow`; by default those of the tree,
        or else the ones that `workflow` finds.
    cluster_names : mapping of label to str, optional
        What the clusters are called.
    before : array-like of shape (n_samples,), optional
        The clusters that the same method finds without constraints, to show what these changed.
    texts : sequence of str, optional
        A text for each sample: clusters are then shown by their words and by typical texts. Where X
        is a matrix, its columns are taken for weights of words and are not described.
    axes : two names or places of columns, optional
        What to draw in place of principal components.
    numbers : NumberCurve, optional
        How numbers of clusters did, from `clustraint.workflow.choose_number`.
    title : str, optional
        The heading.
    date : str, optional
        When the clusters were made, and of what: a line below the heading.
    how : str, optional
        A command or code that makes these clusters again.

    Attributes
    ----------
    html : str
        The page.

    Notes
    -----
    Two numeric columns are drawn as they are. Otherwise columns are brought to the same variance,
    a nominal one by columns of 0 and 1 for its values, and missing values to the mean; sparse data
    are neither centred nor scaled. Of more than 5,000 samples some are drawn, of each kind of
    constraint at most 300, violated ones first; the page says so.

    Examples
    --------
    >>> from clustraint import ClusteringTree, Constraints, Report
    >>> X = [[1.0, 5.0], [2.0, 5.0], [8.0, 1.0], [9.0, 1.0]]
    >>> model = ClusteringTree(2).fit(X, constraints=Constraints(4, must_link=[(0, 1)]))
    >>> page = Report(X, model, names=["ant", "bee", "cow", "dog"], title="Animals")
    >>> page  # doctest: +ELLIPSIS
    Report(... KB of HTML)
    >>> "<h1>Animals</h1>" in page.html, "ant = bee" in page.html
    (True, True)
    """

    def __init__(
        self,
        X: Any,
        clusters: Any,
        *,
        constraints: Constraints | None = None,
        names: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        hierarchy: Any = None,
        tree: Any = None,
        explanation: Explanation | None = None,
        cluster_names: Mapping[Any, str] | None = None,
        before: Any = None,
        texts: Sequence[str] | None = None,
        axes: Sequence[Any] | None = None,
        numbers: NumberCurve | None = None,
        title: str | None = None,
        date: str | None = None,
        how: str | None = None,
    ) -> None:
        subject = Subject.of(
            X,
            clusters,
            constraints=constraints,
            names=names,
            feature_names=feature_names,
            hierarchy=hierarchy,
            tree=tree,
            cluster_names=cluster_names,
        )
        earlier = (
            None
            if before is None
            else Subject.of(X, before, constraints=subject.constraints, feature_names=feature_names)
        )
        profiles, scatter = plot.profiles_view(subject), plot.scatter_view(subject, axes)
        # Of texts alone, columns are weights of words, which say less than the words themselves.
        only_texts = texts is not None and not hasattr(X, "columns")
        template = page_templates("clustraint.report").get_template("report.html")
        self.html = template.render(
            title=_title(subject) if title is None else short_text(title, 200),
            date=date,
            how=how,
            only_texts=only_texts,
            change=change_of(subject, earlier),
            numbers=None if numbers is None else plot.curve_view(numbers),
            texts=texts,
            tips=_tips(subject, scatter, profiles, texts),
            rules=None if only_texts else rules_of(subject, profiles, explanation),
            words=_words(subject, explanation),
            facts=_facts(subject, only_texts),
            **_described(subject, profiles),
            **_drawn(subject, scatter),
            **HELPERS,
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, all at once.

        Parameters
        ----------
        path : str or PathLike
            The file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        OutputFileError
            If it cannot be written; nothing is left behind then.

        Examples
        --------
        >>> import tempfile
        >>> from clustraint import Report
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Report([[0.0], [9.0]], [0, 1]).save(f"{folder}/report.html").name
        'report.html'
        """
        return write_whole(path, self.html.encode())

    def _repr_html_(self) -> str:
        # A page of its own within the notebook's, so that neither changes how the other looks.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" title="clustraint report" '
            'sandbox="allow-scripts allow-downloads" '
            'style="width:100%;height:42rem;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({len(self.html.encode()) / 1000:.0f} KB of HTML)"


# What templates call by name.
HELPERS: dict[str, Any] = {
    "svg": partial(plot.svg, standalone=False),
    "counted": counted,
    "short_text": short_text,
}


def _described(subject: Subject, profiles: ProfilesView) -> dict[str, Any]:
    """Return what the page says about clusters, constraints and method."""
    return {
        "members": subject.members,
        "sizes": _sizes(subject),
        "labels": _labels(subject),
        "profiles": profiles.profiles,
        "telling": plot.telling_members(subject, profiles),
        "satisfaction": satisfaction_of(subject),
        "doubts": doubts_of(subject),
        "method": method_of(subject),
        "made_with": made_with(),
    }


def _drawn(subject: Subject, scatter: ScatterView) -> dict[str, Any]:
    """Return the pictures of the page, and how they look."""
    hierarchy = subject.hierarchy
    return {
        "scatter": scatter,
        "dendrogram": None
        if hierarchy is None
        else plot.dendrogram_view(hierarchy, subject.members),
        "tree": _tree(subject),
        "stylesheet": plot.stylesheet(),
        "symbols": plot.symbols(),
    }


def _title(subject: Subject) -> str:
    sizes = counted(subject.members.n_clusters, "cluster"), counted(subject.n_samples, "sample")
    title = " of ".join(sizes)
    return title if subject.estimator is None else f"{type(subject.estimator).__name__}: {title}"


def _facts(subject: Subject, only_texts: bool) -> list[str]:
    """Return the sentences that a reader in a hurry gets."""
    without = int((subject.members.labels < 0).sum())
    samples = counted(subject.n_samples, "text" if only_texts else "sample")
    columns = "" if only_texts else f" with {counted(subject.data.n_features, 'column')},"
    size = f"{samples}{columns} in {counted(subject.members.n_clusters, 'cluster')}" + (
        f"; {without:,} in none." if without else "."
    )
    total = sum(report.total for report in subject.satisfaction.values())
    broken = sum(report.violated for report in subject.satisfaction.values())
    if not total:
        return [size, "No constraints were given."]
    if broken:
        verb = "is" if broken == 1 else "are"
        return [size, f"Of {counted(total, 'constraint')}, {broken:,} {verb} violated."]
    all_of_them = "The only constraint is" if total == 1 else f"All {total:,} constraints are"
    return [size, f"{all_of_them} satisfied."]


def _tips(
    subject: Subject, scatter: ScatterView, profiles: ProfilesView, texts: Sequence[str] | None
) -> dict[str, Any]:
    """Return what is shown beside a sample: its text, or its values in the telling columns."""
    names = subject.data.columns.names
    drawn = [sample for cloud in scatter.clouds for sample in cloud.samples.tolist()]
    if texts is not None:
        return {
            "texts": {str(sample): short_text(texts[sample], LONGEST_TIP) for sample in drawn},
            "columns": {},
            "values": {},
        }
    labels = subject.members.labels.tolist()
    return {
        "texts": {},
        "columns": {
            str(cluster): [short_text(names[place]) for place in places]
            for cluster, places in enumerate(profiles.telling)
        },
        "values": {
            str(sample): plot.sample_values(subject.data, sample, profiles.telling[labels[sample]])
            for sample in drawn
            if labels[sample] >= 0
        },
    }


def _words(subject: Subject, explanation: Explanation | None) -> dict[int, str]:
    """Return the telling words of clusters, by their places."""
    words = {} if explanation is None else explanation.words
    return {
        place: ", ".join(map(short_text, words[cluster]))
        for place, cluster in enumerate(subject.members.clusters)
        if words.get(cluster)
    }


def _labels(subject: Subject) -> str | None:
    """Return the labels as the address of a CSV file that the page itself holds."""
    members = subject.members
    if subject.n_samples > MOST_LABELS:
        return None
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["id", "cluster", *["cluster_name"] * (members.titles is not None)])
    for sample, label in enumerate(members.labels.tolist()):
        name = str(sample) if members.names is None else neutralised(members.names[sample])
        row = [name, members.clusters[label] if label >= 0 else ""]
        if members.titles is not None:
            row.append(neutralised(members.titles[label]) if label >= 0 else "")
        writer.writerow(row)
    content = base64.b64encode(buffer.getvalue().encode(errors="replace")).decode()
    return f"data:text/csv;charset=utf-8;base64,{content}"


class _ClusterSize(NamedTuple):
    """A cluster of the table of sizes; `bar` is its length in percent of the largest."""

    name: str
    look: Look
    size: int
    share: str
    bar: float


def _sizes(subject: Subject) -> list[_ClusterSize]:
    sizes = subject.members.sizes.tolist()
    return [
        _ClusterSize(
            subject.members.cluster_name(cluster),
            look_of(cluster),
            size,
            share_text(size / subject.n_samples),
            size / max(sizes) * 100,
        )
        for cluster, size in enumerate(sizes[:MOST_SIZES])
    ]


class _TreeSection(NamedTuple):
    """A tree as text and, where it is not too large, as a picture."""

    view: TreeView | None
    text: str
    n_leaves: int


def _tree(subject: Subject) -> _TreeSection | None:
    if subject.tree is None:
        return None
    names = subject.data.columns.names
    n_leaves = subject.tree.tree_.n_leaves
    text = subject.tree.export_text(feature_names=names)
    if n_leaves > MOST_LEAVES:
        return _TreeSection(None, text, n_leaves)
    view = plot.tree_view(subject.tree, clusters=subject.members.clusters, feature_names=names)
    return _TreeSection(view, text, n_leaves)
