"""Minimum cuts between two samples of a must-link graph."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.components import neighbours


@jit
def minimum_cut(n_samples, pairs, weights, source, sink):
    """Return the samples on the source's side of a lightest cut (Edmonds and Karp)."""
    start, items = neighbours(n_samples, pairs)
    # Flow from the first to the second sample of each pair, negative the other way.
    flow = np.zeros(len(pairs))
    came_by = np.empty(n_samples, np.int64)
    queue = np.empty(n_samples, np.int64)
    tolerance = 1e-12 * (1.0 + weights.sum())
    # A flow that respects the weights, raised along a shortest way with room to spare until there
    # is none: then what can still be reached is one side of a lightest cut.
    while True:
        reached = _residual_search(
            pairs, weights, flow, start, items, source, sink, came_by, queue, tolerance
        )
        if not reached[sink]:
            return reached
        # The way back from the sink, twice: how much fits through, then that much more flow.
        spare = np.inf
        sample = sink
        while sample != source:
            pair = came_by[sample]
            forward = 1.0 if pairs[pair, 1] == sample else -1.0
            spare = min(spare, weights[pair] - forward * flow[pair])
            sample = pairs[pair, 0] + pairs[pair, 1] - sample
        sample = sink
        while sample != source:
            pair = came_by[sample]
            flow[pair] += spare if pairs[pair, 1] == sample else -spare
            sample = pairs[pair, 0] + pairs[pair, 1] - sample


@piece
def _residual_search(pairs, weights, flow, start, items, source, sink, came_by, queue, tolerance):
    reached = np.zeros(len(came_by), np.bool_)
    reached[source] = True
    queue[0] = source
    count = 1
    head = 0
    # Breadth first, hence along a shortest way, which bounds the number of rounds.
    while head < count and not reached[sink]:
        sample = queue[head]
        head += 1
        for pair in items[start[sample] : start[sample + 1]]:
            other = pairs[pair, 0] + pairs[pair, 1] - sample
            forward = 1.0 if pairs[pair, 1] == other else -1.0
            if not reached[other] and weights[pair] - forward * flow[pair] > tolerance:
                reached[other] = True
                came_by[other] = pair
                queue[count] = other
                count += 1
    return reached
