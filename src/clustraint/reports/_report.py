"""The report: one page, in one file."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clustraint._page import made_with, page_templates
from clustraint.constraints import Constraints
from clustraint.files import write_whole
from clustraint.reports._dendrogram import dendrogram_of
from clustraint.reports._knowledge import knowledge_of
from clustraint.reports._method import method_of
from clustraint.reports._palette import NO_SHAPE, SHAPES, look_of
from clustraint.reports._plane import plane_of
from clustraint.reports._profiles import MeanBar, moments_of, profiles_of
from clustraint.reports._rules import rules_of
from clustraint.reports._scatter import Frame, scatter_of
from clustraint.reports._subject import Subject, gather
from clustraint.reports._tree_picture import tree_picture_of
from clustraint.reports._words import share, short
from clustraint.wording import counted


class Report:
    """A clustering on one page, which needs nothing but itself.

    Parameters
    ----------
    html : str
        The page.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> import clustraint
    >>> page = clustraint.report([[0.0, 1.0], [1.0, 0.0], [8.0, 9.0]], [0, 0, 1])
    >>> page  # doctest: +ELLIPSIS
    Report(... KB of HTML)
    >>> page.html[:15]
    '<!doctype html>'
    """

    def __init__(self, html: str) -> None:
        self.html = html

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
        >>> import tempfile, clustraint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     clustraint.report([[0.0], [9.0]], [0, 1]).save(f"{folder}/report.html").name
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


def report(
    X: Any,
    labels_or_estimator: Any,
    *,
    constraints: Constraints | None = None,
    names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    hierarchy: Any = None,
    tree: Any = None,
    axes: Sequence[Any] | None = None,
    title: str | None = None,
    how: str | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Report:
    """Make a page that shows and explains a clustering.

    It draws the samples in two dimensions with constraints as links between them, describes the
    clusters by their columns and by rules, draws the hierarchy or the clustering tree where there
    is one, and tells which constraints are satisfied and which are violated. The page is one file
    that fetches nothing.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
        The samples. Texts, categories and truth values of a frame are nominal; nan and None are
        missing values.
    labels_or_estimator : array-like of shape (n_samples,), or a fitted estimator
        The cluster of each sample; -1, None and nan are no cluster. Of an estimator its `labels_`,
        and its constraints, hierarchy and tree unless others are given.
    constraints : Constraints, optional
        What is known of the samples.
    names : sequence of str, optional
        What the samples are called; unless told, as the constraints or the hierarchy call them.
    feature_names : sequence of str, optional
        What the columns of an array are called.
    hierarchy : Hierarchy or linkage matrix, optional
        What the clusters are a cut of.
    tree : ClusteringTree, optional
        A fitted tree that describes the clusters.
    axes : two names or places of columns, optional
        What to draw in place of principal components.
    title : str, optional
        The heading.
    how : str, optional
        A command or code that makes these clusters again.
    path : str or PathLike, optional
        A file to write the page to.

    Returns
    -------
    Report
        Shown as a page in a notebook; `Report.save` writes it to a file.

    Notes
    -----
    Two numeric columns are drawn as they are. Otherwise columns are brought to the same variance,
    a nominal one by columns of 0 and 1 for its values, and missing values to the mean; sparse data
    are neither centred nor scaled. Of more than 5,000 samples some are drawn, of each kind of
    constraint at most 300, violated ones first; the page says so.

    Examples
    --------
    >>> import clustraint
    >>> from clustraint import ClusteringTree, Constraints
    >>> X = [[1.0, 5.0], [2.0, 5.0], [8.0, 1.0], [9.0, 1.0]]
    >>> model = ClusteringTree(2).fit(X, constraints=Constraints(4, must_link=[(0, 1)]))
    >>> page = clustraint.report(X, model, names=["ant", "bee", "cow", "dog"], title="Animals")
    >>> "<h1>Animals</h1>" in page.html, "ant = bee" in page.html
    (True, True)
    """
    subject = gather(X, labels_or_estimator, constraints, names, feature_names, hierarchy, tree)
    made = Report(_rendered(subject, axes, title, how))
    if path is not None:
        made.save(path)
    return made


def _rendered(
    subject: Subject, axes: Sequence[Any] | None, title: str | None, how: str | None
) -> str:
    moments = moments_of(subject)
    template = page_templates("clustraint.reports").get_template("report.html")
    return template.render(
        title=_title(subject) if title is None else short(title, 200),
        subject=subject,
        facts=_facts(subject),
        sizes=_sizes(subject),
        frame=Frame(),
        scatter=scatter_of(subject, plane_of(subject.data, axes)),
        profiles=profiles_of(subject, moments),
        rules=rules_of(subject, moments),
        dendrogram=dendrogram_of(subject),
        tree=tree_picture_of(subject),
        knowledge=knowledge_of(subject),
        method=method_of(subject),
        how=how,
        shapes=list(SHAPES.values()),
        no_shape=NO_SHAPE,
        made_with=made_with(),
        is_mean=lambda bar: isinstance(bar, MeanBar),
        counted=counted,
    )


def _title(subject: Subject) -> str:
    found = f"{counted(len(subject.clusters), 'cluster')} of {counted(subject.n_samples, 'sample')}"
    return found if subject.estimator is None else f"{type(subject.estimator).__name__}: {found}"


def _facts(subject: Subject) -> list[str]:
    """Return the sentences that a reader in a hurry gets."""
    without = int((subject.labels < 0).sum())
    columns = counted(subject.data.n_features, "column")
    said = [
        f"{counted(subject.n_samples, 'sample')} with {columns}, "
        f"in {counted(len(subject.clusters), 'cluster')}"
        + (f"; {without:,} in none." if without else ".")
    ]
    given = sum(report.given for report in subject.outcome.values())
    broken = sum(report.violated for report in subject.outcome.values())
    if not given:
        said.append("No constraints were given.")
    elif broken:
        verb = "is" if broken == 1 else "are"
        said.append(f"Of {counted(given, 'constraint')}, {broken:,} {verb} violated.")
    else:
        all_of_them = "The only constraint is" if given == 1 else f"All {given:,} constraints are"
        said.append(f"{all_of_them} satisfied.")
    return said


MOST_SIZES = 100


def _sizes(subject: Subject) -> list[tuple[str, Any, int, str, float]]:
    """Return name, look, size, share and bar of the clusters, as far as they are listed."""
    sizes = subject.sizes
    largest = max(1, int(sizes.max()))
    return [
        (
            subject.cluster_name(cluster),
            look_of(cluster),
            int(sizes[cluster]),
            share(sizes[cluster] / subject.n_samples),
            sizes[cluster] / largest * 100,
        )
        for cluster in range(min(MOST_SIZES, len(sizes)))
    ]
