"""Assignment in which violated pairs have a price: each group in turn goes where it costs least."""

import numpy as np

from clustraint.kernels._jit import jit


@jit
def sweep(costs, start, others, edges, apart, prices, group_start, members, order, labels):
    """Move each group to its cheapest cluster if that is cheaper than where it is; count moves.

    The neighbours of node v are others[start[v]:start[v + 1]], over the pairs in `edges`. A pair
    that is to be apart costs prices[pair, h] if both ends are in h; any other costs half of
    prices[pair, g] + prices[pair, h] if its ends are in g and h. A node without a label, -1,
    costs its neighbours nothing.

    Invariant: each move lowers the sum of all costs and prices, except that of a group in which a
    node has no label yet, which always moves.
    """
    n_clusters = costs.shape[1]
    visit = np.full(len(labels), -1, np.int64)
    totals = np.empty(n_clusters)
    n_moves = 0
    # `totals` are what the group would cost in each cluster with all others where they are, and
    # `now` what it costs where it is.
    for group in order:
        nodes = members[group_start[group] : group_start[group + 1]]
        for node in nodes:
            visit[node] = group
        totals[:] = 0.0
        now = 0.0
        for node in nodes:
            here = labels[node]
            if here < 0:
                now = np.inf
            else:
                now += costs[node, here]
            for h in range(n_clusters):
                totals[h] += costs[node, h]
            for place in range(start[node], start[node + 1]):
                other = others[place]
                pair = edges[place]
                there = labels[other]
                if visit[other] == group:
                    # Within the group both ends stay together; each such pair is met twice.
                    if apart[pair]:
                        for h in range(n_clusters):
                            totals[h] += prices[pair, h] / 2
                        if here >= 0 and here == there:
                            now += prices[pair, here] / 2
                    elif here >= 0 and there >= 0 and here != there:
                        now += (prices[pair, here] + prices[pair, there]) / 4
                elif there < 0:
                    continue
                elif apart[pair]:
                    totals[there] += prices[pair, there]
                    if here == there:
                        now += prices[pair, there]
                else:
                    for h in range(n_clusters):
                        if h != there:
                            totals[h] += (prices[pair, h] + prices[pair, there]) / 2
                    if here >= 0 and here != there:
                        now += (prices[pair, here] + prices[pair, there]) / 2
        best = np.argmin(totals)
        if totals[best] < now:
            for node in nodes:
                labels[node] = best
            n_moves += 1
    return n_moves
