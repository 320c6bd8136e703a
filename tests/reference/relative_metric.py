"""The program of the SVM-Metric, handed to a solver that knows nothing of it."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize


def rows_of(X, triplets):
    """Return two rows for each triplet ab|c: of a and c, and of b and c, against a and b."""
    rows = []
    for a, b, c in triplets:
        for end in (a, b):
            rows.append((X[end] - X[c]) ** 2 - (X[a] - X[b]) ** 2)
    return np.array(rows)


def cost(weights, rows, costs):
    """Return ½‖w‖² + Σ costs·ξ with the least ξ that the rows allow."""
    return 0.5 * weights @ weights + costs @ np.maximum(1 - rows @ weights, 0)


def solve(rows, costs):
    """Return the weights that a general quadratic solver finds, over w and ξ together."""
    n_rows, n_columns = rows.shape

    def value(x):
        return 0.5 * x[:n_columns] @ x[:n_columns] + costs @ x[n_columns:]

    def slope(x):
        return np.concatenate((x[:n_columns], costs))

    margins = LinearConstraint(np.hstack((rows, np.eye(n_rows))), lb=1)
    start = np.concatenate((np.zeros(n_columns), np.ones(n_rows)))
    found = minimize(
        value,
        start,
        jac=slope,
        bounds=[(0, None)] * len(start),
        constraints=[margins],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return found.x[:n_columns]
