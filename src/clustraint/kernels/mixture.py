"""Rows of logs to shares, for mixtures."""

import numpy as np

from clustraint.kernels._jit import jit


@jit
def to_shares(logs):
    """Turn each row of logs into shares that sum to 1, in place; return the logs of the sums."""
    totals = np.empty(len(logs))
    for i in range(len(logs)):
        # Less the largest log of the row: no exponential overflows, and at least one is 1.
        top = logs[i, 0]
        for z in range(1, logs.shape[1]):
            if logs[i, z] > top:
                top = logs[i, z]
        total = 0.0
        for z in range(logs.shape[1]):
            logs[i, z] = np.exp(logs[i, z] - top)
            total += logs[i, z]
        for z in range(logs.shape[1]):
            logs[i, z] /= total
        totals[i] = top + np.log(total)
    return totals
