"""K-medoids by Hamming distance on rows of bit fields."""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece


class Table(NamedTuple):
    """Nominal values as fields of bits in 64-bit words, one row of words for each sample.

    Columns of two values are fields of one bit, in the first `n_flag_words` words; wider fields
    are in the others. No field is in two words, and a bit in no field is 0.

    Attributes
    ----------
    words : uint64 ndarray of shape (n_samples, n_words)
        The values.
    tops, below : uint64 ndarray of shape (n_words,)
        The highest bit of each field, and its other bits.
    n_flag_words : int
        How many words hold fields of one bit.
    word, shift, mask : ndarray of shape (n_wide_fields,)
        Where each wider field is, and its bits after the shift; int64, uint64 and uint64.
    n_values : int64 ndarray of shape (n_wide_fields,)
        How many values each wider field has.
    """

    words: Any
    tops: Any
    below: Any
    n_flag_words: int
    word: Any
    shift: Any
    mask: Any
    n_values: Any


@jit
def popcount(word):
    """Return how many bits are set; LLVM makes one instruction of it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@jit
def mismatches(table, sample, rows, row):
    """Return in how many columns a sample of the table differs from one of `rows`."""
    total = 0
    for w in range(table.words.shape[1]):
        differing = table.words[sample, w] ^ rows[row, w]
        # The branch also keeps LLVM from vectorising, which is slower for a few words.
        if table.below[w]:
            # Adding ones carries into the top bit of a field if any bit below it differs.
            carried = (differing & table.below[w]) + table.below[w]
            differing = (carried | differing) & table.tops[w]
        total += np.int64(popcount(differing))
    return total


@jit
def closest(table, sample, rows, clusters):
    """Return the first cluster, and its distance, whose row is nearest to a sample."""
    best = -1
    least = np.iinfo(np.int64).max
    for cluster in clusters:
        distance = mismatches(table, sample, rows, cluster)
        if distance < least:
            least = distance
            best = cluster
    return best, least


@jit
def assign(table, rows, pattern, start, clusters, labels):
    """Put each sample into the nearest of the clusters that are open to it.

    Those open to samples of pattern p are ``clusters[start[p]:start[p + 1]]``; `rows` holds the
    words of the medoids. Returns the cost, the size of each cluster, and whether its members are
    others than those in `labels` before.
    """
    sizes = np.zeros(len(rows), np.int64)
    touched = np.zeros(len(rows), np.bool_)
    cost = 0
    for sample in range(len(labels)):
        p = pattern[sample]
        cluster, distance = closest(table, sample, rows, clusters[start[p] : start[p + 1]])
        cost += distance
        sizes[cluster] += 1
        if labels[sample] != cluster:
            touched[cluster] = True
            if labels[sample] >= 0:
                touched[labels[sample]] = True
            labels[sample] = cluster
    return cost, sizes, touched


@jit
def distances(table, rows, labels, away):
    """Write into `away` how far each sample is from the medoid of its cluster."""
    for sample in range(len(labels)):
        away[sample] = mismatches(table, sample, rows, labels[sample])


@piece
def _count_flags(table, labels, touched, sizes):
    """Count, for each cluster and each bit of the flag words, the members in which it is set.

    The counts are kept sideways: bit b of ``planes[c, w, p]`` is bit p of the count for bit b of
    word w in cluster c, so that one addition counts 64 columns.
    """
    n_planes = 1
    while sizes.max() >> n_planes:
        n_planes += 1
    planes = np.zeros((len(sizes), table.n_flag_words, n_planes), np.uint64)
    for sample in range(len(labels)):
        cluster = labels[sample]
        if not touched[cluster]:
            continue
        for w in range(table.n_flag_words):
            carry = table.words[sample, w]
            p = 0
            # Addition of one bit to 64 counters at once: what carries over from plane p goes on to
            # plane p + 1.
            while carry:
                kept = planes[cluster, w, p]
                planes[cluster, w, p] = kept ^ carry
                carry &= kept
                p += 1
    return planes


@piece
def _agree_in_flags(table, labels, touched, sizes, planes, agreement):
    """Write into `agreement` how many values of the members each sample has, less a constant.

    Of m members, `ones` have a 1 in a column: a 1 agrees with `ones` of them, a 0 with m - ones.
    Less m - ones for each column, only ones count, 2 ones - m each.
    """
    for sample in range(len(labels)):
        cluster = labels[sample]
        if not touched[cluster]:
            continue
        total = 0
        for w in range(table.n_flag_words):
            word = table.words[sample, w]
            for p in range(planes.shape[2]):
                # Plane p is worth 2^p for each column in which the sample has a 1, and ones count
                # double.
                total += np.int64(popcount(word & planes[cluster, w, p])) << (p + 1)
            total -= sizes[cluster] * np.int64(popcount(word))
        agreement[sample] = total


@piece
def _agree_in_field(table, field, labels, touched, counts, agreement):
    """Add to `agreement` how many members have the value that a sample has in a wide field."""
    w, shift, mask = table.word[field], table.shift[field], table.mask[field]
    counts[:, : table.n_values[field]] = 0
    for sample in range(len(labels)):
        counts[labels[sample], np.int64((table.words[sample, w] >> shift) & mask)] += 1
    for sample in range(len(labels)):
        if touched[labels[sample]]:
            value = np.int64((table.words[sample, w] >> shift) & mask)
            agreement[sample] += counts[labels[sample], value]


@jit
def move_medoids(table, labels, sizes, touched, medoids, agreement):
    """Make the member of least summed distance to the others the medoid of each touched cluster.

    The present medoid stays on ties, then the lowest row wins. Returns whether any has changed.
    `agreement` is room for one number for each sample.
    """
    planes = _count_flags(table, labels, touched, sizes)
    _agree_in_flags(table, labels, touched, sizes, planes, agreement)
    if len(table.word):
        counts = np.empty((len(sizes), table.n_values.max()), np.int32)
        for field in range(len(table.word)):
            _agree_in_field(table, field, labels, touched, counts, agreement)
    best = medoids.copy()
    for cluster in range(len(best)):
        # The present medoid has left, so that it does not stay on ties.
        if labels[best[cluster]] != cluster:
            best[cluster] = -1
    # Rising rows and a strict comparison: the lowest row wins among equals, unless the present
    # medoid is one.
    for sample in range(len(labels)):
        cluster = labels[sample]
        if touched[cluster] and (best[cluster] < 0 or agreement[sample] > agreement[best[cluster]]):
            best[cluster] = sample
    changed = False
    for cluster in range(len(best)):
        if best[cluster] >= 0 and best[cluster] != medoids[cluster]:
            medoids[cluster] = best[cluster]
            changed = True
    return changed


@jit
def nth(pattern, eligible, place):
    """Return the sample at a place, from 0, among those of eligible patterns."""
    for sample in range(len(pattern)):
        if eligible[pattern[sample]]:
            if place == 0:
                return sample
            place -= 1
    return -1


@jit
def approach(table, medoid, nearest):
    """Lower, to the distance from a new medoid, what is greater in `nearest`."""
    for sample in range(len(nearest)):
        if nearest[sample] > 0:
            distance = mismatches(table, sample, table.words, medoid)
            nearest[sample] = min(nearest[sample], distance)


@jit
def potential(table, medoid, nearest):
    """Return the sum of the squares that a new medoid would leave of `nearest`."""
    total = 0
    for sample in range(len(nearest)):
        if nearest[sample] > 0:
            distance = mismatches(table, sample, table.words, medoid)
            distance = min(np.int64(nearest[sample]), distance)
            total += distance * distance
    return total


@jit
def draw(nearest, squared, share):
    """Return the sample at a share, from 0 to 1, of the total weight, or -1 if that is 0.

    Weights are the squares of `nearest`, or 1 where that is above 0.
    """
    total = 0
    for distance in nearest:
        total += np.int64(distance) * distance if squared else distance > 0
    reached = 0
    last = -1
    # The last sample that can be drawn is the answer even if rounding keeps the sum from reaching
    # the share.
    for sample in range(len(nearest)):
        distance = np.int64(nearest[sample])
        if distance > 0:
            last = sample
            reached += distance * distance if squared else 1
            if reached > share * total:
                break
    return last


@jit
def assign_codes(codes, medoids, pattern, start, clusters, labels, away):
    """Put each row of codes into the nearest of the clusters that are open to it.

    Those open to rows of pattern p are ``clusters[start[p]:start[p + 1]]``; the first wins among
    equals.
    """
    for i in range(len(codes)):
        p = pattern[i]
        best = -1
        least = np.iinfo(np.int64).max
        for cluster in clusters[start[p] : start[p + 1]]:
            distance = 0
            for j in range(codes.shape[1]):
                distance += codes[i, j] != medoids[cluster, j]
            if distance < least:
                least = distance
                best = cluster
        labels[i] = best
        away[i] = least


@jit
def count_codes(codes, labels, offsets, counts):
    """Count how often each value of each column is in each cluster."""
    for i in range(len(codes)):
        for j in range(codes.shape[1]):
            counts[labels[i], offsets[j] + codes[i, j]] += 1


@jit
def best_members(codes, labels, offsets, counts, agreement, places):
    """Keep for each cluster the row that agrees with most members, the first among equals."""
    for i in range(len(codes)):
        cluster = labels[i]
        total = 0
        for j in range(codes.shape[1]):
            total += counts[cluster, offsets[j] + codes[i, j]]
        if total > agreement[cluster]:
            agreement[cluster] = total
            places[cluster] = i
