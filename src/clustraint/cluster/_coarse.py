"""Any clusterer on more samples than it can hold: on representatives of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from clustraint.base import ConstrainedClusterer, by_chunks
from clustraint.checks import check_whole_number, encode_labels
from clustraint.cluster._rule_scopes import Scopes
from clustraint.cluster._vectors import of_unit_length
from clustraint.constraints import Constraints, Rule
from clustraint.evaluation import ConstraintReport, KindReport, constraint_satisfaction
from clustraint.exceptions import InvalidParameterError
from clustraint.rows import KnownLabels, Representatives, RowGroups, Rows
from clustraint.tables import has_columns, read_columns, validate_table
from clustraint.typing import FloatArray, IntArray, LabelArray, RandomState


class _InnerKinds:
    """The kinds of constraint that the estimator takes; the class itself declares none.

    Examples
    --------
    >>> from clustraint import Coarse, IHAC
    >>> Coarse(IHAC()).constraint_kinds, Coarse.constraint_kinds
    (('triplets',), ())
    """

    def __get__(self, coarse: Any, owner: type) -> tuple[str, ...]:
        return () if coarse is None else getattr(coarse.estimator, "constraint_kinds", ())


class Coarse(ConstrainedClusterer):
    """Cluster a few representatives by any method, and all other samples with these.

    So methods that compare all pairs of samples, such as hierarchies, cluster millions. Every
    sample that a pair or triplet is about is a representative itself, so that no constraint is
    lost; the others are represented by the sample in the middle of their small neighbourhood.

    Parameters
    ----------
    estimator : clusterer
        A clusterer whose `fit` takes constraints.
    n_representatives : int, default=2000
        How many samples stand for others, beside those that constraints are about. More cost more,
        and follow finer shapes.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness for the representatives; the estimator has its own.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample: that of its representative.
    estimator_ : clusterer
        The estimator, fitted to the representatives.
    representatives_ : int64 ndarray of shape (n_representatives,)
        The samples that `estimator_` was fitted to, in rising order.
    home_ : int32 ndarray of shape (n_samples,)
        For each sample, the place of its representative among `representatives_`. Of rows in
        chunks, neither these nor `labels_` are computed yet.
    constraint_report_ : ConstraintReport
        What was given, satisfied and violated. All that the estimator keeps is kept.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Notes
    -----
    Representatives are the samples closest to the centres of many small clusters, which mini-batch
    k-means finds among some samples drawn at random. Samples for which different rules hold, or
    whose known labels in `y` differ, never share one. Where there are no more samples than
    `n_representatives`, the result is that of the estimator.

    How many samples a representative stands for reaches the estimator as `sample_weight`, if its
    `fit` takes that.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Coarse, ConstrainedCompleteLinkage, Constraints
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30_000, 2)) + 10 * rng.integers(3, size=(30_000, 1))
    >>> c = Constraints(30_000, must_link=[(0, 1)], cannot_link=[(0, 2)])
    >>> model = Coarse(ConstrainedCompleteLinkage(3), 200, random_state=0).fit(X, constraints=c)
    >>> model.constraint_report_
    ConstraintReport(must_link: 1 of 1 satisfied; cannot_link: 1 of 1 satisfied)
    >>> len(model.labels_), len(model.representatives_) <= 203
    (30000, True)
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = _InnerKinds()  # type: ignore[assignment]
    takes_labels: ClassVar[bool] = True
    takes_chunks: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Any,
        n_representatives: int = 2000,
        *,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_representatives = n_representatives
        self.random_state = random_state

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        tags = get_tags(self.estimator).input_tags
        accepted = {"accept_sparse": "csr" if tags.sparse else False}
        if tags.string or tags.allow_nan:
            samples = validate_table(self, X, reset=reset, **accepted)
        else:
            # The estimator sees some rows only: what is wrong with the others must show here.
            dtypes = [np.float64, np.float32]
            samples = validate_data(self, X, dtype=dtypes, order="C", reset=reset, **accepted)
        # Rules look at the names of the columns, which only X itself has.
        return X if has_columns(X) else samples

    def _check_parameters(self, n_samples: int) -> None:
        check_whole_number("n_representatives", self.n_representatives, least=1)
        if not has_fit_parameter(self.estimator, "constraints"):
            wanted = "a clusterer whose fit takes constraints"
            raise InvalidParameterError("estimator", self.estimator, wanted)
        if get_tags(self.estimator).input_tags.pairwise:
            wanted = "a clusterer of samples: a matrix of all distances has no representatives"
            raise InvalidParameterError("estimator", self.estimator, wanted)

    def _fit(self, X: Any, constraints: Constraints, y: list[Any] | None = None) -> None:
        few = Representatives.of(
            _points(X, getattr(self.estimator, "metric", None)),
            self.n_representatives,
            kept=constraints.mentioned,
            groups=_groups(X, constraints, y),
            random_state=self.random_state,
        )
        self.representatives_, self.home_ = few
        options: dict[str, Any] = {"constraints": constraints[few.rows]}
        if has_fit_parameter(self.estimator, "sample_weight"):
            options["sample_weight"] = few.weights
        labels = None if y is None else [y[row] for row in few.rows]
        self.estimator_ = clone(self.estimator).fit(_safe_indexing(X, few.rows), labels, **options)
        self.labels_ = np.asarray(self.estimator_.labels_, np.int32)[few.home]

    def _fit_in_chunks(
        self, rows: Rows, y: Any, constraints: Constraints | None, **options: Any
    ) -> None:
        self._check_parameters(0)
        checked = self._check_constraints(constraints, rows)
        labels = KnownLabels.of(y, len(rows))
        chosen, points, weights, spread = Representatives.of_chunks(
            rows,
            self.n_representatives,
            checked.mentioned,
            self.random_state,
            _chunk_groups(rows, checked, labels),
        )
        fit_options: dict[str, Any] = {"constraints": checked[chosen]}
        if has_fit_parameter(self.estimator, "sample_weight"):
            fit_options["sample_weight"] = weights
        # Rules look at the names of the columns.
        table = points if rows.names is None else read_columns(points, rows.names).to_frame()
        self.estimator_ = clone(self.estimator).fit(table, labels.labels_at(chosen), **fit_options)
        self.representatives_ = chosen
        self.home_ = spread(np.arange(len(chosen)))
        self.labels_ = spread(self.estimator_.labels_)
        self.constraint_report_ = self._report(rows, checked)

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        # What a hierarchy displays is for the estimator to say, of the same rows; what it took
        # labels for comes after them.
        linked = {}
        for kind, (rows, _) in constraints.links.items():
            if len(rows):
                violated = self.estimator_.constraint_report_[kind].rows
                linked[kind] = KindReport(len(rows), violated[violated < len(rows)], {})
        ruled = constraints.take(rules=constraints.rules)
        rules = constraint_satisfaction(ruled, self.labels_, X)
        return ConstraintReport(constraints, {**linked, **rules})

    @available_if(lambda self: hasattr(self.estimator, "predict"))  # type: ignore[untyped-decorator]
    @by_chunks
    def predict(self, X: Any) -> LabelArray:
        """Return the cluster of each sample, as the estimator predicts it.

        Examples
        --------
        >>> from clustraint import Coarse, COPKMeans
        >>> model = Coarse(COPKMeans(2, random_state=0)).fit([[0.0], [1.0], [9.0]])
        >>> model.predict([[2.0], [8.0]]).tolist()
        [0, 1]
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X), np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        for name in ("sparse", "string", "categorical", "allow_nan", "pairwise"):
            setattr(tags.input_tags, name, getattr(inner, name))
        return tags


def _groups(X: Any, constraints: Constraints, y: list[Any] | None) -> IntArray | None:
    """Return what samples must have in common to share a representative."""
    if y is None and not constraints.rules:
        return None
    groups = np.zeros(len(constraints), np.int64) if y is None else encode_labels(y)[0] + 1
    if constraints.rules:
        scopes = Scopes.from_rules(constraints.rules, read_columns(X))
        groups = groups * len(scopes.covers) + scopes.pattern
    return groups


def _points(X: Any, metric: Any) -> Any:
    """Return samples as points whose Euclidean distances say who is near."""
    if issparse(X):
        points = X.tocsr()
    elif has_columns(X) or X.dtype.kind not in "fiub":
        points = _numbers_and_values(X)
    else:
        points = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    return of_unit_length(points) if metric == "cosine" else points


def _numbers_and_values(X: Any) -> FloatArray:
    """Return a table's numbers, and for each value of other columns whether it is there."""
    parts = []
    for column in read_columns(X):
        if column.kind == "number" and column.categories is None:
            values = np.full(len(column.missing), np.nan)
            values[~column.missing] = column.values.astype(np.float64)
            # What is missing is nowhere, so that it is nobody's reason to be near or far.
            parts.append(np.where(column.missing, np.nanmean(values), values)[:, np.newaxis])
        else:
            codes = column.codes[:, np.newaxis]
            parts.append((codes == np.arange(len(column.levels))) * np.sqrt(0.5))
    return np.ascontiguousarray(np.hstack(parts), np.float64)


@dataclass(frozen=True)
class ChunkGroups:
    """Numbers the rules that hold for rows, and their labels."""

    names: tuple[str, ...]
    rules: tuple[Rule, ...]
    numbers: dict[tuple[bool, ...], int]  # by which rules hold

    def __call__(self, chunk: Any, labelled: tuple[IntArray, IntArray]) -> IntArray:
        """Return the group of each row of a chunk."""
        scopes = self.scopes(chunk)
        codes = [self.numbers[tuple(covers)] for covers in scopes.covers.tolist()]
        places, classes = labelled
        groups = np.zeros(len(scopes.pattern), np.int64)
        groups[places] = classes + 1
        return groups * len(self.numbers) + np.array(codes, np.int64)[scopes.pattern]

    def scopes(self, chunk: Any) -> Scopes:
        """Return which rules hold for the rows of a chunk."""
        return Scopes.from_rules(self.rules, read_columns(chunk).renamed(self.names))


def _chunk_groups(rows: Rows, constraints: Constraints, labels: KnownLabels) -> RowGroups | None:
    """Return the same for rows in chunks."""
    if not labels.names and not constraints.rules:
        return None
    names = rows.names or tuple(f"x{column}" for column in range(rows.n_features))
    groups = ChunkGroups(names, constraints.rules, {})
    patterns = set().union(*rows.map(_patterns_step, None, groups)) if constraints.rules else {()}
    numbers = {pattern: number for number, pattern in enumerate(sorted(patterns))}
    return RowGroups(replace(groups, numbers=numbers), labels.split(rows))


def _patterns_step(chunk: Any, own: None, groups: ChunkGroups) -> set[tuple[bool, ...]]:
    return set(map(tuple, groups.scopes(chunk).covers.tolist()))
