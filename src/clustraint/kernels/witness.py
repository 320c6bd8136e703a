"""Minimal contradictory parts of bonds and cannot-links (see `levels` for what a bond is)."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.levels import contradiction

# How often, and up to how many samples, a small contradictory neighbourhood is looked for.
TRIES = 6
LARGEST = 400
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
def _small_core(n_samples, bonds, pairs, core, number):
    """Return contradictory bonds near some seeds where these are fewer than those of `core`."""
    start, items = bonds_of_samples(n_samples, bonds)
    tries = 1 if len(pairs) else min(TRIES, len(core))
    limit = min(n_samples, LARGEST)
    for i in range(tries):
        seeds = pairs[0] if len(pairs) else bonds[core[i * len(core) // tries]]
        seeds = seeds[seeds >= 0]
        nearby, size = _neighbourhood(bonds, start, items, seeds, pairs, limit, number)
        if len(nearby) and len(nearby) < len(core):
            core, limit = nearby, size
    return core


@jit
def minimal_core(n_samples, bonds, cannot_link, core, cannot):
    """Return bonds, and a cannot-link or -1, that contradict each other and of which none can go.

    `core` and `cannot` are some that do. Bonds are left out on trial, more at a time while that
    succeeds. One without which the others hold together is needed; a contradiction without them
    sheds all that takes no part in it.
    """
    number = np.full(n_samples, -1, np.int64)
    pairs = cannot_link[cannot : cannot + 1] if cannot >= 0 else cannot_link[:0]
    rest = _small_core(n_samples, bonds, pairs, core, number)
    if cannot >= 0:
        without = _test(bonds, rest, cannot_link[:0], number)
        if len(without):
            rest = rest[without]
            cannot = -1
            pairs = cannot_link[:0]
    rest = np.sort(rest)
    needed = rest[:0].copy()
    chunk = 1
    # `needed` and `rest` together contradict each other, and without any of `needed` they do not.
    while len(rest):
        chunk = min(chunk, len(rest))
        kept = _test(bonds, np.concatenate((needed, rest[chunk:])), pairs, number)
        if len(kept):
            kept = np.sort(kept) - len(needed)
            rest = rest[chunk:][kept[kept >= 0]]
            chunk *= 2
        elif chunk > 1:
            chunk //= 2
        else:
            needed = np.append(needed, rest[0])
            rest = rest[1:]
    return needed, cannot
