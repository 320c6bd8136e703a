"""ClusILC read literally (Struyf and Džeroski 2007): every refined tree is made and measured.

A tree is a list of leaves, depth first with the yes-side first. Pairs are a closure, listed:
(first sample, second sample, whether they must be together, weight).
"""

from typing import NamedTuple

import numpy as np

TOLERANCE = 1e-10


class Leaf(NamedTuple):
    """A leaf: the answers on its path ("Y" or "N"), its samples and its label."""

    path: str
    rows: tuple
    label: int


class Step(NamedTuple):
    """A refinement: the path of the leaf, the test, the samples and labels of both sides, and H."""

    path: str
    column: int
    yes: tuple
    no: tuple
    label_yes: int
    label_no: int
    heuristic: float


class Setting(NamedTuple):
    """The data, what is known, and the parameters."""

    X: np.ndarray
    nominal: tuple
    pairs: list
    gamma: float = 0.5
    n_clusters: int = 2
    min_leaf: int = 2
    reuse: str = "linked"


def spread(values, nominal):
    """Return size times variance of known values, or size times Gini index if nominal."""
    known = values[~np.isnan(values)]
    if not len(known):
        return 0.0
    if nominal:
        shares = np.unique(known, return_counts=True)[1] / len(known)
        return len(known) * (1 - (shares**2).sum())
    return ((known - known.mean()) ** 2).sum()


def variance(setting, groups):
    """Return the first term of H: numeric and nominal columns, each relative to the root."""
    total, weight = 0.0, 0
    for kind in (False, True):
        columns = [j for j, nominal in enumerate(setting.nominal) if nominal == kind]
        root = sum(spread(setting.X[:, j], kind) for j in columns)
        if root > 0:
            inside = sum(spread(setting.X[list(g), j], kind) for g in groups for j in columns)
            total += len(columns) * inside / root
            weight += len(columns)
    return total / weight if weight else 0.0


def labels_of(setting, leaves):
    """Return the label of each sample."""
    labels = np.empty(len(setting.X), dtype=int)
    for leaf in leaves:
        labels[list(leaf.rows)] = leaf.label
    return labels


def violated(setting, leaves):
    """Return the weight of the violated pairs."""
    labels = labels_of(setting, leaves)
    return sum(w for a, b, must, w in setting.pairs if (labels[a] == labels[b]) != must)


def heuristic(setting, leaves):
    """Return H of section 3.1."""
    h = (1 - setting.gamma) * variance(setting, [leaf.rows for leaf in leaves])
    if setting.pairs:
        h += setting.gamma * violated(setting, leaves) / sum(w for *_, w in setting.pairs)
    return h


def numeric_tests(values, rows):
    """Yield the yes-sides: thresholds from large to small; missing values on the no-side first."""
    known = sorted({values[r] for r in rows if not np.isnan(values[r])}, reverse=True)
    missing = tuple(r for r in rows if np.isnan(values[r]))
    for low in known[1:]:
        yield tuple(r for r in rows if values[r] > low)
    if missing:
        yield tuple(r for r in rows if r not in missing)
        for low in known[1:]:
            yield tuple(r for r in rows if values[r] > low or np.isnan(values[r]))


def nominal_tests(values, rows):
    """Yield the yes-sides: all sets of values without the first; the next differs by one value."""
    known = sorted({values[r] for r in rows if not np.isnan(values[r])})
    missing = {r for r in rows if np.isnan(values[r])}
    for extra in [set(), missing] if missing else [set()]:
        if extra:
            yield tuple(sorted(extra))
        for place in range(1, 2 ** max(len(known) - 1, 0)):
            code = place ^ (place >> 1)
            chosen = {value for bit, value in enumerate(known[1:]) if code >> bit & 1}
            yield tuple(r for r in rows if values[r] in chosen or r in extra)


def candidates(setting, leaves, opened):
    """Yield every refinement in the order of the search: leaf, column, test, labelling."""
    for place, leaf in enumerate(leaves):
        others = leaves[:place] + leaves[place + 1 :]
        for column, nominal in enumerate(setting.nominal):
            tests = nominal_tests if nominal else numeric_tests
            for yes in tests(setting.X[:, column], leaf.rows):
                no = tuple(r for r in leaf.rows if r not in set(yes))
                if min(len(yes), len(no)) < setting.min_leaf:
                    continue
                pair = label_pair(setting, leaf, others, (yes, no), opened)
                if pair is not None:
                    new = [Leaf(leaf.path + "Y", yes, pair[0]), Leaf(leaf.path + "N", no, pair[1])]
                    yield leaf, column, leaves[:place] + new + leaves[place + 1 :], new


def label_pair(setting, leaf, others, sides, opened):
    """Return the labels of both sides (section 3.3), or None where there are none."""
    in_use = {other.label for other in others}
    count = (
        len(opened) if setting.reuse == "linked" and setting.pairs else len(in_use | {leaf.label})
    )
    base = count - (leaf.label not in in_use)
    found = []
    for order in ((0, 1), (1, 0)):
        labels, cost = {}, 0
        for side in order:
            taken = set(labels.values())
            fresh = min(set(range(len(in_use) + 3)) - in_use - taken)
            n_new = len(taken - in_use)
            options = [
                (label_cost(setting, sides[side], leaf, others, label), label not in in_use, label)
                for label in sorted(in_use - taken)
                if may_take(setting, sides[side], leaf, others, label)
            ]
            if base + n_new < setting.n_clusters:
                options.append((label_cost(setting, sides[side], leaf, others, fresh), True, fresh))
            if not options:
                break
            best = min(options)
            labels[side] = best[2]
            cost += best[0]
        if len(labels) == 2:
            found.append((cost, order[0], (labels[0], labels[1])))
    return min(found)[2] if found else None


def outside(setting, side, leaf, others):
    """Yield the pairs from a side to other leaves: must or cannot, the far label, the weight."""
    label = {r: other.label for other in others for r in other.rows}
    inside, own = set(side), set(leaf.rows)
    for a, b, must, w in setting.pairs:
        for near, far in ((a, b), (b, a)):
            if near in inside and far not in own:
                yield must, label[far], w


def label_cost(setting, side, leaf, others, label):
    """Return the weight of the outside pairs that a side violates if it takes the label."""
    links = outside(setting, side, leaf, others)
    return sum(w for must, far, w in links if (far == label) != must)


def may_take(setting, side, leaf, others, label):
    """Say whether a side may take a label that is on another leaf."""
    if not setting.pairs:
        return False
    if setting.reuse == "any":
        return True
    links = outside(setting, side, leaf, others)
    return any(must and far == label for must, far, _ in links)


def grow(setting, max_leaves=None):
    """Return the leaves, H, and the accepted refinements in their order."""
    leaves = [Leaf("", tuple(range(len(setting.X))), 0)]
    opened, steps = {0}, []
    h = heuristic(setting, leaves)
    while max_leaves is None or len(leaves) < max_leaves:
        free = setting.reuse == "linked" and not steps
        best, best_h = None, np.inf if free or not (setting.pairs or steps) else h
        for candidate in candidates(setting, leaves, opened):
            refined_h = heuristic(setting, candidate[2])
            if refined_h < best_h - TOLERANCE:
                best, best_h = candidate, refined_h
        if best is None:
            break
        leaf, column, leaves, (yes, no) = best
        h = best_h
        opened |= {yes.label, no.label}
        steps.append(Step(leaf.path, column, yes.rows, no.rows, yes.label, no.label, h))
    return leaves, h, steps
