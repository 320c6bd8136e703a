"""The studio of a table in a notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clustraint.exceptions import MissingPackageError
from clustraint.studio._log import EventLog
from clustraint.studio._open import read_source
from clustraint.studio._source import source_of

if TYPE_CHECKING:
    from clustraint.constraints import Constraints


def widget(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    n_clusters: int | None = None,
    constraints: Constraints | None = None,
    path: str | os.PathLike[str] | None = None,
    person: str = "",
) -> Any:
    """Show the studio of a table in a notebook.

    Parameters
    ----------
    X : DataFrame, SampleTable, array-like of shape (n_samples, n_features), str or PathLike
        The samples: any table that `clustraint.tables.read_table` takes, or what `serve` takes.
    names : sequence of str, optional
        One name for each sample.
    feature_names : sequence of str, optional
        Names of the columns of an array.
    n_clusters : int, optional
        The number of clusters to begin with.
    constraints : Constraints, optional
        What is known already.
    path : str or PathLike, optional
        Where everything that is said is kept; by default only in memory.
    person : str, default=""
        Who speaks.

    Returns
    -------
    AnyWidget
        The widget. Its `studio` has what was said as `studio.constraints`, and the clusters shown
        as `studio.shown.labels`.

    Raises
    ------
    MissingPackageError
        If the packages of the extras ``notebook`` and ``studio`` are not installed.

    Examples
    --------
    >>> from clustraint.studio import widget
    >>> X = [[0.0, 1.0], [1.0, 1.0], [8.0, 9.0], [9.0, 9.0]]
    >>> shown = widget(X, names=["ant", "bee", "cow", "dog"], n_clusters=2)
    >>> shown.studio.constraints
    Constraints(4 samples: nothing known)
    >>> shown.close()
    """
    from clustraint.studio._exports import statement_rows
    from clustraint.studio._studio import Studio

    try:
        from clustraint.studio._studio_widget import StudioWidget
    except ImportError as error:
        extra = "notebook" if error.name in ("anywidget", "traitlets") else "studio"
        package = error.name or "anywidget"
        raise MissingPackageError("the studio in a notebook", package, extra) from error
    is_file = isinstance(X, str | os.PathLike)
    source = read_source(X, {}) if is_file else source_of(X, names, feature_names)
    studio = Studio(source, EventLog(":memory:" if path is None else path), n_clusters)
    if constraints is not None and not studio.events:
        studio.record("constraints", None, lambda: statement_rows(constraints))
    return StudioWidget(studio, person=person)
