"""Small contradictory parts of bonds and cannot-links (see `levels` for what a bond is)."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.levels import contradiction

# How often, and up to how many samples, a small contradictory neighbourhood is looked for.
TRIES = 8
LARGEST = 2_000
# Bonds that are looked at in search of a contradiction on three or four samples, of which a test
# counts for so many.
MOST_VISITS = 10_000_000
A_TEST = 100
# What a sample that completes a bond is worth against one that only touches it.
COMPLETES = 4


@piece
def _test(bonds, chosen, cannot_link, number):
    """Return which of the `chosen` bonds contradict each other, none if they do not.

    Samples are numbered anew so that the cost depends on the choice alone; `number` comes and
    goes filled with -1.
    """
    rows = bonds[chosen]
    pairs = cannot_link.copy()
    n_named = 0
    for table in (rows, pairs):
        for i in range(table.shape[0]):
            for j in range(table.shape[1]):
                sample = table[i, j]
                if sample >= 0:
                    if number[sample] < 0:
                        number[sample] = n_named
                        n_named += 1
                    table[i, j] = number[sample]
    for bond in chosen:
        for sample in bonds[bond]:
            if sample >= 0:
                number[sample] = -1
    for sample in cannot_link.ravel():
        number[sample] = -1
    return contradiction(max(n_named, 1), rows, pairs)[0]


@piece
def bonds_of_samples(n_samples, bonds):
    """Return `start`, `items`: the bonds of sample v are items[start[v]:start[v + 1]]."""
    start = np.zeros(n_samples + 1, np.int64)
    for sample in bonds.ravel():
        if sample >= 0:
            start[sample + 1] += 1
    start = np.cumsum(start)
    free = start.copy()
    items = np.empty(start[-1], np.int64)
    for bond in range(len(bonds)):
        for sample in bonds[bond]:
            if sample >= 0:
                items[free[sample]] = bond
                free[sample] += 1
    return start, items


@piece
def _neighbourhood(bonds, start, items, seeds, pairs, limit, number):
    """Grow a set of samples from `seeds` until the bonds within it contradict each other.

    The sample that completes most bonds comes next, so the set stays small where bonds are dense.
    Returns those bonds (none if `limit` samples do not suffice) and the number of samples.
    """
    n_samples = len(start) - 1
    missing = np.where(bonds[:, 2] >= 0, 3, 2)
    score = np.zeros(n_samples, np.int64)
    inside = np.zeros(n_samples, np.bool_)
    within = np.empty(len(bonds), np.int64)
    n_within = 0
    enough = 1
    size = 0
    # `missing` is how many samples of a bond are not inside yet, `score` what a sample would bring.
    while size < limit:
        best = seeds[size] if size < len(seeds) else -1
        if best < 0:
            for sample in range(n_samples):
                if not inside[sample] and score[sample] > (score[best] if best >= 0 else 0):
                    best = sample
            if best < 0:
                break
        inside[best] = True
        size += 1
        for bond in items[start[best] : start[best + 1]]:
            missing[bond] -= 1
            if missing[bond] == 0:
                within[n_within] = bond
                n_within += 1
                continue
            for sample in bonds[bond]:
                if sample >= 0 and not inside[sample]:
                    score[sample] += COMPLETES if missing[bond] == 1 else 1
        # Fewer bonds than a spanning tree cannot hold the set together; and after a test that found
        # nothing, some more bonds must come before the next one, so that tests cost little in all.
        if n_within >= max(size - 1, enough):
            core = _test(bonds, within[:n_within], pairs, number)
            if len(core):
                return within[:n_within][core], size
            enough = n_within + 1 + n_within // 16
    return within[:0], size


@piece
def _on_few_samples(bonds, start, items, number):
    """Return contradictory triplets on three samples or else on four, none if there are none.

    Around each triplet, the samples are counted that others have beside two of its own: a fourth
    sample that two of them have may make a contradiction.
    """
    times = np.zeros(len(start) - 1, np.int64)
    fourths = np.empty(len(start) - 1, np.int64)
    nearby = np.empty(len(bonds), np.int64)
    on_four = nearby[:0]
    left = MOST_VISITS
    for seed in range(len(bonds)):
        if bonds[seed, 2] < 0:
            continue
        n_fourths, n_nearby = 0, 0
        for sample in bonds[seed]:
            for bond in items[start[sample] : start[sample + 1]]:
                left -= 1
                inside, outside = 0, -1
                first = -1
                for other in bonds[bond]:
                    if (
                        other == bonds[seed, 0]
                        or other == bonds[seed, 1]
                        or other == bonds[seed, 2]
                    ):
                        inside += 1
                        first = other if first < 0 else first
                    else:
                        outside = other
                # Each bond once, where its first sample of the seed comes by.
                if sample != first:
                    continue
                if inside == 3:
                    if bonds[bond, 2] != bonds[seed, 2]:
                        return np.array([seed, bond])
                elif inside == 2 and outside >= 0:
                    if times[outside] == 0:
                        fourths[n_fourths] = outside
                        n_fourths += 1
                    times[outside] += 1
                    nearby[n_nearby] = bond
                    n_nearby += 1
        for fourth in fourths[:n_fourths]:
            if times[fourth] > 1 and len(on_four) == 0:
                chosen = np.empty(times[fourth] + 1, np.int64)
                chosen[0] = seed
                n_chosen = 1
                for bond in nearby[:n_nearby]:
                    if (
                        bonds[bond, 0] == fourth
                        or bonds[bond, 1] == fourth
                        or bonds[bond, 2] == fourth
                    ):
                        chosen[n_chosen] = bond
                        n_chosen += 1
                on_four = chosen[_test(bonds, chosen, bonds[:0, :2], number)]
                left -= A_TEST
            times[fourth] = 0
        if left < 0:
            break
    return on_four


@jit
def small_core(n_samples, bonds, cannot_link, core, cannot):
    """Return bonds that hold a block together, as a tree: those of `core` or, if found, fewer.

    They contradict each other, some by themselves or all with the cannot-link number `cannot`.
    """
    number = np.full(n_samples, -1, np.int64)
    start, items = bonds_of_samples(n_samples, bonds)
    few = _on_few_samples(bonds, start, items, number)
    if len(few):
        return few
    pairs = cannot_link[cannot : cannot + 1] if cannot >= 0 else cannot_link[:0]
    tries = 1 if len(pairs) else min(TRIES, len(core))
    limit = min(n_samples, LARGEST)
    for i in range(tries):
        seeds = pairs[0] if len(pairs) else bonds[core[i * len(core) // tries]]
        seeds = seeds[seeds >= 0]
        nearby, size = _neighbourhood(bonds, start, items, seeds, pairs, limit, number)
        if len(nearby) and len(nearby) < len(core):
            core, limit = nearby, size
    return core
