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


def cut_by_levels(X, children, root, n_clusters, least):
    """Return the clusters of the printed cut (sections 4.1.2 and 4.2.1), as lists of samples.

    From the root down, level by level: each branch of a level is replaced by its children, the one
    merged latest first, until there are enough. A child of fewer than `least` samples is ignored,
    and its sibling stays in the level; a branch of two such children is left as it is. What was
    ignored joins the cluster of nearest centroid.
    """

    def samples(node):
        if node not in children:
            return [node]
        return [sample for child in children[node] for sample in samples(child)]

    def opened(level, ignored, n_done):
        """Return what replaces the branches of a level, and where it stays as it is."""
        below, left = [], sorted(level, reverse=True)
        while left and n_done + len(below) + len(left) < n_clusters:
            node = left.pop(0)
            large = [child for child in children.get(node, []) if len(samples(child)) >= least]
            if len(large) == 2:
                below += large
            elif len(large) == 1:
                ignored += [child for child in children[node] if child not in large]
                left = sorted([*left, *large], reverse=True)
            else:
                done.append(node)
                n_done += 1
        return below, left

    level, ignored, done = [root], [], []
    while level and len(done) + len(level) < n_clusters:
        below, left = opened(level, ignored, len(done))
        done += left
        level = below
    clusters = [samples(node) for node in done + level]
    centroids = [X[cluster].mean(axis=0) for cluster in clusters]
    for node in ignored:
        middle = X[samples(node)].mean(axis=0)
        away = [squared_distance(middle, centroid) for centroid in centroids]
        clusters[away.index(min(away))] += samples(node)
    return clusters
