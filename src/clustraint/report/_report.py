"""The report: one page, in one file."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from clustraint import plot
from clustraint.constraints import Constraints
from clustraint.files import write_whole
from clustraint.plot import Look, Subject, TreeView, look_of
from clustraint.report._method import method_of
from clustraint.report._page import made_with, page_templates
from clustraint.report._rules import rules_of
from clustraint.report._satisfaction import doubts_of, satisfaction_of
from clustraint.wording import counted, share_text, short_text
from clustraint.workflow import Explanation

MOST_SIZES = 100
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
    axes : two names or places of columns, optional
        What to draw in place of principal components.
    title : str, optional
        The heading.
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
        axes: Sequence[Any] | None = None,
        title: str | None = None,
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
        )
        profiles = plot.profiles_view(subject)
        template = page_templates("clustraint.report").get_template("report.html")
        self.html = template.render(
            title=_title(subject) if title is None else short_text(title, 200),
            facts=_facts(subject),
            members=subject.members,
            sizes=_sizes(subject),
            scatter=plot.scatter_view(subject, axes),
            profiles=profiles.profiles,
            rules=rules_of(subject, profiles, explanation),
            dendrogram=None
            if subject.hierarchy is None
            else plot.dendrogram_view(subject.hierarchy, subject.members),
            tree=_tree(subject),
            satisfaction=satisfaction_of(subject),
            doubts=doubts_of(subject),
            method=method_of(subject),
            how=how,
            made_with=made_with(),
            stylesheet=plot.stylesheet(),
            symbols=plot.symbols(),
            svg=partial(plot.svg, standalone=False),
            counted=counted,
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
            'sandbox="allow-scripts" style="width:100%;height:42rem;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({len(self.html.encode()) / 1000:.0f} KB of HTML)"


def _title(subject: Subject) -> str:
    sizes = counted(subject.members.n_clusters, "cluster"), counted(subject.n_samples, "sample")
    title = " of ".join(sizes)
    return title if subject.estimator is None else f"{type(subject.estimator).__name__}: {title}"


def _facts(subject: Subject) -> list[str]:
    """Return the sentences that a reader in a hurry gets."""
    without = int((subject.members.labels < 0).sum())
    columns = counted(subject.data.n_features, "column")
    size = (
        f"{counted(subject.n_samples, 'sample')} with {columns}, "
        f"in {counted(subject.members.n_clusters, 'cluster')}"
        + (f"; {without:,} in none." if without else ".")
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
