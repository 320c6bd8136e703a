"""Which statements a model doubts, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from clustraint.checks import check_whole_number
from clustraint.constraints import KINDS, Constraints
from clustraint.evaluation import ConstraintReport
from clustraint.typing import FloatArray


class DoubtingMixin:
    """What estimators with `doubt_` can say about the statements that they were given."""

    doubt_: dict[str, FloatArray]
    constraint_report_: ConstraintReport
    _stated_labels: Mapping[int, Any]

    def doubtful(self, n_statements: int = 10) -> list[tuple[str, float]]:
        """Return the most doubtful statements in words, each with the probability to be wrong.

        Parameters
        ----------
        n_statements : int, default=10
            The maximum number of statements.

        Returns
        -------
        list of (str, float)
            The most doubtful first; those of equal doubt in the order in which they were given.

        Examples
        --------
        >>> from clustraint import ConstrainedMixture, Constraints
        >>> names = ["ant", "bee", "fly", "cow", "dog", "fox"]
        >>> c = Constraints.from_names(names, must_link=[("ant", "bee"), ("cow", "dog"),
        ...                                              ("fly", "fox")])
        >>> model = ConstrainedMixture(2, random_state=0)
        >>> model = model.fit([[0.1], [0.2], [0.3], [9.1], [9.2], [9.3]], constraints=c)
        >>> [(statement, round(doubt, 2)) for statement, doubt in model.doubtful(2)]
        [('fly = fox', 1.0), ('ant = bee', 0.0)]
        """
        check_is_fitted(self)
        check_whole_number("n_statements", n_statements, least=0)
        constraints = self.constraint_report_.constraints
        statements: list[tuple[str, float]] = []
        for kind, doubts in self.doubt_.items():
            # Of rows in chunks, only those that have labels are there.
            if kind == "labels" and len(doubts) > len(self._stated_labels):
                doubts = doubts[[*self._stated_labels]]
            statements += zip(self._in_words(kind, constraints), doubts.tolist(), strict=True)
        return sorted(statements, key=lambda each: -each[1])[:n_statements]

    def _in_words(self, kind: str, constraints: Constraints) -> list[str]:
        if kind == "labels":
            labels = self._stated_labels.items()
            return [f"{constraints.name_of(sample)} is {label}" for sample, label in labels]
        if kind in constraints.links:
            rows = constraints.links[kind].rows.tolist()
            return [KINDS[kind].describe(map(constraints.name_of, row)) for row in rows]
        return [str(rule) for rule in constraints.rules if rule.kind == kind]
