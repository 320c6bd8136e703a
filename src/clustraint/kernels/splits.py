"""How much each split of a leaf lowers the variance, in one pass over an order of its samples.

A pass starts with all samples on the no-side. Each move takes one sample to the yes-side (or, where
it is written as its complement ~sample, back), and a split may be made after a move that is a stop.
Between two moves of linked samples no link changes its state, so that of all stops between them
only the one of largest gain can become a split: it is all that is kept.
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy


class Targets(NamedTuple):
    """What the variance of a leaf is taken over, scaled so that the root's terms sum to 1.

    `numbers` (n, p) are columns without gaps around their mean in the leaf; `gappy` (n, q) may have
    nan, around the mean of what is there; `codes` (n, c) are nominal values, -1 if missing, the
    counts of column j in `counts` from `level_start[j]` on, and `code_scale` their common factor.
    """

    numbers: np.ndarray
    gappy: np.ndarray
    codes: np.ndarray
    level_start: np.ndarray
    counts: np.ndarray
    code_scale: float


class Passes(NamedTuple):
    """What is left of passes over a leaf: the moves of linked samples, and the best stops between.

    The moves of pass s begin at start[s] among the events. From place start[s] + s on are the
    largest gains after 0, 1, … of them, -1 where no split is possible, and the moves of the stops.
    """

    start: np.ndarray
    events: np.ndarray
    gains: np.ndarray
    places: np.ndarray


@piece
def _squared_length(sums):
    """Return the sum of squares in four parts, which need not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(sums) // 4 * 4
    for j in range(0, whole, 4):
        a += sums[j] * sums[j]
        b += sums[j + 1] * sums[j + 1]
        c += sums[j + 2] * sums[j + 2]
        d += sums[j + 3] * sums[j + 3]
    for j in range(whole, len(sums)):
        a += sums[j] * sums[j]
    return (a + b) + (c + d)


@piece
def _move_gappy(values, sums, present, sign):
    """Take a sample's numbers, of which some are missing, to the yes-side or back."""
    for j in range(len(values)):
        if not np.isnan(values[j]):
            sums[j] += sign * values[j]
            present[1, j] += sign
            present[0, j] -= sign


@piece
def _move_codes(codes, level_start, counts, squares, present, sign):
    """Take a sample's nominal values to the yes-side or back; squares are of the counts."""
    to = 1 if sign > 0 else 0
    for j in range(len(codes)):
        if codes[j] >= 0:
            place = level_start[j] + codes[j]
            # (n + 1)² - n² on one side, n² - (n - 1)² on the other: squares are never added up
            # anew.
            squares[to, j] += 2 * counts[to, place] + 1
            squares[1 - to, j] -= 2 * counts[1 - to, place] - 1
            counts[to, place] += 1
            counts[1 - to, place] -= 1
            present[to, j] += 1
            present[1 - to, j] -= 1


@piece
def _gappy_gain(sums, present):
    gain = 0.0
    # Sums are around the mean of what is there, so that both sides have the same up to the sign;
    # the gain is their squares by the numbers of values.
    for j in range(len(sums)):
        if present[1, j] > 0 and present[0, j] > 0:
            gain += sums[j] ** 2 * (1.0 / present[1, j] + 1.0 / present[0, j])
    return gain


@piece
def _code_gain(squares, present, all_squares, all_present):
    gain = 0.0
    for j in range(len(all_present)):
        if present[1, j] > 0 and present[0, j] > 0:
            gain += squares[1, j] / present[1, j] + squares[0, j] / present[0, j]
            gain -= all_squares[j] / all_present[j]
    return gain


@jit
def spreads(targets):
    """Return the variance of a leaf and, per column, the numbers of values and squared counts."""
    n_samples = len(targets.numbers)
    spread = 0.0
    for i in range(n_samples):
        for j in range(targets.numbers.shape[1]):
            spread += targets.numbers[i, j] * targets.numbers[i, j]
    gappy_present = np.zeros(targets.gappy.shape[1], np.int64)
    for i in range(n_samples):
        for j in range(targets.gappy.shape[1]):
            if not np.isnan(targets.gappy[i, j]):
                spread += targets.gappy[i, j] * targets.gappy[i, j]
                gappy_present[j] += 1
    n_codes = targets.codes.shape[1]
    squares = np.zeros(n_codes, np.int64)
    present = np.zeros(n_codes, np.int64)
    # A nominal column as indicators: its squares sum to n - Σ count² / n.
    for j in range(n_codes):
        for place in range(targets.level_start[j], targets.level_start[j + 1]):
            present[j] += targets.counts[place]
            squares[j] += targets.counts[place] * targets.counts[place]
        if present[j] > 0:
            spread += targets.code_scale * (present[j] - squares[j] / present[j])
    return spread, gappy_present, squares, present


@jit
def centre(rows, numbers, gappy, codes, level_start):
    """Return the targets of some rows around their means, and the counts of nominal values."""
    n_samples = len(rows)
    near = numbers[rows]
    for j in range(near.shape[1]):
        total = 0.0
        for i in range(n_samples):
            total += near[i, j]
        total /= n_samples
        for i in range(n_samples):
            near[i, j] -= total
    gaps = gappy[rows]
    for j in range(gaps.shape[1]):
        total = 0.0
        present = 0
        for i in range(n_samples):
            if not np.isnan(gaps[i, j]):
                total += gaps[i, j]
                present += 1
        # nan stays nan.
        for i in range(n_samples):
            gaps[i, j] -= total / max(present, 1)
    values = codes[rows]
    counts = np.zeros(level_start[-1], np.int64)
    for i in range(n_samples):
        for j in range(values.shape[1]):
            if values[i, j] >= 0:
                counts[level_start[j] + values[i, j]] += 1
    return near, gaps, values, counts


@piece
def best_gains(moves, stops, start, linked, targets, min_leaf, tolerance):
    """Return the variance of a leaf and what is left of the passes over it.

    Pass s makes the moves from start[s] to start[s + 1]. `linked` numbers the linked samples of
    the leaf and is -1 for others. Gains that differ by no more than `tolerance` count as equal, and
    the first of equals is kept.
    """
    n_samples = len(linked)
    n_passes = len(start) - 1
    event_start = np.zeros(n_passes + 1, np.int64)
    for s in range(n_passes):
        n_events = 0
        for place in range(start[s], start[s + 1]):
            n_events += linked[max(moves[place], ~moves[place])] >= 0
        event_start[s + 1] = event_start[s] + n_events
    events = np.empty(event_start[n_passes], np.int64)
    gains = np.full(len(events) + n_passes, -1.0)
    places = np.full(len(gains), -1, np.int64)
    spread, all_gappy, all_squares, all_present = spreads(targets)
    numbers, gappy, codes, level_start, all_counts, code_scale = targets
    n_numbers, n_gappy, n_codes = numbers.shape[1], gappy.shape[1], codes.shape[1]
    sums = np.empty(n_numbers)
    gappy_sums = np.empty(n_gappy)
    # The no-side has row 0, the yes-side row 1.
    gappy_present = np.empty((2, n_gappy), np.int64)
    counts = np.empty((2, len(all_counts)), np.int64)
    squares = np.empty((2, n_codes), np.int64)
    present = np.empty((2, n_codes), np.int64)
    filled = 0
    # Every pass begins with all on the no-side.
    for s in range(n_passes):
        sums[:] = 0
        gappy_sums[:] = 0
        gappy_present[1], counts[1], squares[1], present[1] = 0, 0, 0, 0
        copy(all_gappy, gappy_present[0])
        copy(all_counts, counts[0])
        copy(all_squares, squares[0])
        copy(all_present, present[0])
        size = 0
        # After each move: `size` samples on the yes-side with these sums, counts and squares, and
        # gains[filled + s] is the best stop since the last linked sample moved.
        for place in range(start[s], start[s + 1]):
            sample = moves[place]
            sign = 1
            if sample < 0:
                sample = ~sample
                sign = -1
            size += sign
            for j in range(n_numbers):
                sums[j] += sign * numbers[sample, j]
            if n_gappy:
                _move_gappy(gappy[sample], gappy_sums, gappy_present, sign)
            if n_codes:
                _move_codes(codes[sample], level_start, counts, squares, present, sign)
            if linked[sample] >= 0:
                events[filled] = linked[sample] if sign > 0 else ~linked[sample]
                filled += 1
            if stops[place] and size >= min_leaf and n_samples - size >= min_leaf:
                gain = _squared_length(sums) * (1.0 / size + 1.0 / (n_samples - size))
                if n_gappy:
                    gain += _gappy_gain(gappy_sums, gappy_present)
                if n_codes:
                    gain += code_scale * _code_gain(squares, present, all_squares, all_present)
                here = filled + s
                if gains[here] < 0 or gain > gains[here] + tolerance:
                    gains[here] = max(gain, 0.0)
                    places[here] = place
    return spread, Passes(event_start, events, gains, places)


@jit
def divide(order, values, on_yes):
    """Return the sorted columns of both sides, in samples of their own numbers."""
    n_columns, n_samples = order.shape
    number = np.empty(n_samples, np.int64)
    sizes = np.zeros(2, np.int64)
    for i in range(n_samples):
        side = 1 if on_yes[i] else 0
        number[i] = sizes[side]
        sizes[side] += 1
    yes_order = np.empty((n_columns, sizes[1]), np.int64)
    yes_values = np.empty((n_columns, sizes[1]))
    no_order = np.empty((n_columns, sizes[0]), np.int64)
    no_values = np.empty((n_columns, sizes[0]))
    # A column stays sorted when its samples are dealt out in order, so that no side is ever sorted
    # again.
    for j in range(n_columns):
        yes = 0
        no = 0
        for i in range(n_samples):
            sample = order[j, i]
            if on_yes[sample]:
                yes_order[j, yes] = number[sample]
                yes_values[j, yes] = values[j, i]
                yes += 1
            else:
                no_order[j, no] = number[sample]
                no_values[j, no] = values[j, i]
                no += 1
    return yes_order, yes_values, no_order, no_values
