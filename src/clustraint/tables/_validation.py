"""Tables of several kinds of columns, validated as scikit-learn validates arrays."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from clustraint.exceptions import ClustraintError
from clustraint.tables._columns import has_columns
from clustraint.tables._schema import array_of_rows


def validate_table(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """Return a table that has samples, features, and the columns that the estimator wants.

    Parameters
    ----------
    estimator : estimator
        Its `n_features_in_` and `feature_names_in_` are set, or compared.
    X : table of shape (n_samples, n_features)
        Any table that `read_columns` takes.
    reset : bool
        Whether to set them, as in `fit`.
    **options
        For arrays, what `sklearn.utils.validation.validate_data` is to do other than to take values
        of any type, missing ones too.

    Returns
    -------
    X : frame, Columns, array or, if the options accept it, sparse matrix

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> estimator = BaseEstimator()
    >>> validate_table(estimator, [[4, "red"], [2, "blue"]], reset=True)[0].tolist()
    [4, 'red']
    >>> estimator.n_features_in_
    2
    """
    if not has_columns(X):
        options = {"dtype": None, "ensure_all_finite": False, **options}
        return validate_data(estimator, array_of_rows(X), reset=reset, **options)
    if hasattr(X, "as_columns"):
        X = X.as_columns()
    for size, what in zip(X.shape, ("sample", "feature"), strict=True):
        if not size:
            raise ClustraintError(f"X must have at least 1 {what}, but its shape is {X.shape}.")
    return validate_data(estimator, X, skip_check_array=True, reset=reset)
