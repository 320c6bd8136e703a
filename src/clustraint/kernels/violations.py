"""Which merges of clusters would violate a triplet, kept up to date while clusters merge.

Merging violates ab|c if one cluster holds c and the other a but not b, or b but not a. A triplet
is open until a and b are together, however they came to be. For each two clusters the open
triplets with a or b in one and c in the other are counted; a merge is allowed if there are none.
`join` keeps that count true: rows are added up, and what the merge closes is taken off.

Only samples that triplets mention count: a cluster that holds any of them has the row of one of
these in the table.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clustraint.kernels._jit import piece
from clustraint.kernels.agglomeration import place

IntArray = npt.NDArray[np.int64]


class Violations(NamedTuple):
    """What merges would violate: `counts` of open triplets between the rows of two clusters.

    Those of rows p > q are at ``p * (p - 1) // 2 + q``. `rows` has the row of each cluster, or -1;
    `homes` the row of each mentioned sample; `alive` the rows in use, at `positions`, as many as
    ``n_alive[0]``; `following` links the mentioned samples of a row, from that of its own number to
    the one in `last`; `sizes` is how many.
    """

    counts: npt.NDArray[np.int32]
    rows: IntArray
    homes: IntArray
    alive: IntArray
    positions: IntArray
    n_alive: IntArray
    following: IntArray
    last: IntArray
    sizes: IntArray


@piece
def start_violations(index):
    """Count what the merges of single samples would violate; cluster i is sample i."""
    n_places = index.pair_starts.size - 1
    counts = np.zeros(n_places * (n_places - 1) // 2, np.int32)
    # counts[s, c] adds up the triplets with a or b = s and that c: each triplet counts once for a
    # and once for b.
    for sample in range(n_places):
        for entry in range(index.pair_starts[sample], index.pair_starts[sample + 1]):
            pair = index.pairs[entry]
            for i in range(index.third_starts[pair], index.third_starts[pair + 1]):
                counts[place(sample, index.thirds[i])] += 1
    own = np.arange(n_places)
    n_alive = np.array([n_places])
    following = np.full(n_places, -1, np.int64)
    return Violations(
        counts,
        index.places.copy(),
        own.copy(),
        own.copy(),
        own.copy(),
        n_alive,
        following,
        own.copy(),
        np.ones(n_places, np.int64),
    )


@piece
def violates(violations, first, second):
    """Tell whether merging two clusters would violate a triplet."""
    p, q = violations.rows[first], violations.rows[second]
    return p >= 0 and q >= 0 and violations.counts[place(p, q)] > 0


@piece
def join(index, violations, kept, gone):
    """Merge cluster `gone` into `kept`: over a whole run, linear in the triplets.

    Besides, it takes one step for each row in use.
    """
    p, q = violations.rows[kept], violations.rows[gone]
    violations.rows[gone] = -1
    if p < 0 or q < 0:
        violations.rows[kept] = max(p, q)
        return
    # The smaller row joins the larger one, whose number stays: each sample is moved O(log n) times.
    if violations.sizes[p] < violations.sizes[q]:
        p, q = q, p
    violations.rows[kept] = p
    counts, alive, positions = violations.counts, violations.alive, violations.positions
    end = violations.n_alive[0] - 1
    # The last row in use takes the place of the one that is gone.
    alive[positions[q]] = alive[end]
    positions[alive[end]] = positions[q]
    violations.n_alive[0] = end
    for row in alive[:end]:
        if row != p:
            counts[place(p, row)] += counts[place(q, row)]
    _close(index, violations, p, q)
    sample = q
    while sample >= 0:
        violations.homes[sample] = p
        sample = violations.following[sample]
    violations.following[violations.last[p]] = q
    violations.last[p] = violations.last[q]
    violations.sizes[p] += violations.sizes[q]


@piece
def _close(index, violations, p, q):
    """Take off the triplets whose a and b come together when row q joins row p."""
    counts, homes = violations.counts, violations.homes
    sample = q
    while sample >= 0:
        # Both a and b counted against c, hence 2; a pair is met once, from its sample in the row
        # that joins.
        for entry in range(index.pair_starts[sample], index.pair_starts[sample + 1]):
            if homes[index.partners[entry]] != p:
                continue
            pair = index.pairs[entry]
            for i in range(index.third_starts[pair], index.third_starts[pair + 1]):
                row = homes[index.thirds[i]]
                # Of a triplet whose c is here already, nothing is counted between two clusters.
                if row != p and row != q:
                    counts[place(p, row)] -= 2
        sample = violations.following[sample]
