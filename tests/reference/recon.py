"""ReCon, read literally from the paper's pseudocode (section 4.2)."""

from tests.reference.build import parts


def test_compatibility(triplets, slots, i, j):
    """TestCompatibility(C', S, i, j)."""
    if len(slots) == 2:
        return True
    sets = parts(slots, [(i, j), *((a, b) for a, b, _ in triplets)])
    if len(sets) == 1:
        return False
    [inside] = [part for part in sets if i in part]
    within = [t for t in triplets if inside.issuperset(t)]
    return test_compatibility(within, inside, i, j)


test_compatibility.__test__ = False


def update(triplets, i, j):
    """UpdateConstraints(i, j)."""
    renamed = (tuple(i if x == j else x for x in triplet) for triplet in triplets)
    return [t for t in renamed if t[0] != t[1]]


def squared_distance(x, y):
    total = 0.0
    for first, second in zip(x, y, strict=True):
        total += (first - second) * (first - second)
    return total


def recon(X, triplets, harm=lambda first, second: 0, n_clusters=1):
    """Return the merges (first samples of both clusters, squared distance of their centroids).

    While more than `n_clusters` are left, the harm of joining the members of two clusters comes
    before their distance.
    """
    centres = {i: list(map(float, x)) for i, x in enumerate(X)}
    members = {i: [i] for i in range(len(X))}
    merges = []
    while len(members) > 1:
        slots = set(members)
        options = [
            (squared_distance(centres[i], centres[j]), i, j)
            for i in slots
            for j in slots
            if i < j
            and not any({i, j} in ({a, c}, {b, c}) for a, b, c in triplets)
            and test_compatibility(triplets, slots, i, j)
        ]
        harms = [len(slots) > n_clusters and harm(members[i], members[j]) for _, i, j in options]
        _, (height, i, j) = min(zip(harms, options, strict=True))
        sizes = len(members[i]), len(members[j])
        centres[i] = [
            (sizes[0] * x + sizes[1] * y) / sum(sizes)
            for x, y in zip(centres[i], centres[j], strict=True)
        ]
        members[i] += members.pop(j)
        triplets = update(triplets, i, j)
        merges.append((i, j, height))
    return merges
