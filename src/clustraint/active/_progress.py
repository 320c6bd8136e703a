"""What answers changed, and what others are expected to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import linear_sum_assignment

from clustraint.typing import LabelArray
from clustraint.wording import counted

# What a block of answers changes, by the mean of what the two before it did, fitted on eighteen
# known tables in blocks of ten. After two that changed nothing, each answer may still change some,
# and a large change is followed by a smaller one.
BY_ANSWER, BY_MEAN, POWER = 0.0018, 0.66, 0.8


class SessionProgress(NamedTuple):
    """What the last answers changed, and another lot is expected to change.

    Attributes
    ----------
    n_answers : int
        How many answers the last ones are.
    changed : float
        The share of samples whose cluster they changed.
    expected : float
        The share of samples whose cluster as many more are expected to change.

    Examples
    --------
    >>> print(SessionProgress(10, 0.003, 0.002))
    Your last 10 answers changed 0.3 % of the samples; another 10 are expected to change 0.2 %.
    """

    n_answers: int
    changed: float
    expected: float

    def __str__(self) -> str:
        return (
            f"Your last {counted(self.n_answers, 'answer')} changed {100 * self.changed:.1f} % of "
            f"the samples; another {self.n_answers} are expected to change "
            f"{100 * self.expected:.1f} %."
        )

    @classmethod
    def after(cls, n_answers: int, changes: Sequence[float]) -> Self:
        """Return the progress after blocks of so many answers, the last one's change first.

        Changes are few and large, so that one block tells little: the mean of two counts.

        Examples
        --------
        >>> round(SessionProgress.after(10, [0.02, 0.04]).expected, 3)
        0.058
        """
        expected = BY_ANSWER * n_answers + BY_MEAN * float(np.mean(changes)) ** POWER
        return cls(n_answers, changes[0], min(expected, 1.0))


def share_changed(before: LabelArray, after: LabelArray) -> float:
    """Return the share of samples in another cluster than before, whatever clusters are called.

    Examples
    --------
    >>> share_changed(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    0.25
    """
    rows, columns = (np.unique(labels, return_inverse=True)[1] for labels in (before, after))
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    kept = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(1 - kept / len(rows))
