"""OneTree and the joint consistency test, read literally from their definitions."""

from itertools import combinations


def parts(samples, edges):
    """Return the connected parts of a graph as frozensets."""
    left = set(samples)
    found = []
    while left:
        part = {left.pop()}
        grown = True
        while grown:
            reach = {y for x, y in edges if x in part} | {x for x, y in edges if y in part}
            grown = not reach <= part
            part |= reach
        left -= part
        found.append(frozenset(part))
    return found


def one_tree(triplets, samples):
    """Return the clades of OneTree(C, D) (ReCon paper, section 4.1.1), or None on failure."""
    samples = frozenset(samples)
    if len(samples) <= 2:
        return {samples}
    inside = [t for t in triplets if samples.issuperset(t)]
    children = parts(samples, [(a, b) for a, b, _ in inside])
    if len(children) == 1:
        return None
    clades = {samples}
    for child in children:
        below = one_tree(inside, child)
        if below is None:
            return None
        clades |= below
    return clades


def has_clustered_hierarchy(samples, must_link, cannot_link, triplets):
    """Say by exhaustion whether some binary hierarchy and some cut of it satisfy everything."""
    return any(
        all(displays(clades, t) for t in triplets)
        and any(
            all(together(cut, a, b) for a, b in must_link)
            and not any(together(cut, a, b) for a, b in cannot_link)
            for cut in cuts(clades, frozenset(samples))
        )
        for clades in binary_hierarchies(frozenset(samples))
    )


def binary_hierarchies(samples):
    """Yield every binary hierarchy over `samples` as its set of clades."""
    if len(samples) == 1:
        yield {samples}
        return
    first, *rest = sorted(samples)
    for size in range(len(rest)):
        for others in combinations(rest, size):
            left = frozenset({first, *others})
            for below_left in binary_hierarchies(left):
                for below_right in binary_hierarchies(samples - left):
                    yield {samples} | below_left | below_right


def cuts(clades, root):
    """Yield every partition of `root` into clades."""
    yield [root]
    if len(root) == 1:
        return
    left = max((c for c in clades if c < root), key=len)
    for left_cut in cuts(clades, left):
        for right_cut in cuts(clades, root - left):
            yield left_cut + right_cut


def displays(clades, triplet):
    """Say whether some clade holds a and b but not c."""
    a, b, c = triplet
    return any(a in clade and b in clade and c not in clade for clade in clades)


def together(cut, a, b):
    """Say whether one cluster holds both samples."""
    return any(a in cluster and b in cluster for cluster in cut)
