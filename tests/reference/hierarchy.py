"""Hierarchies by their definitions: sets of samples, all subsets tried."""

from itertools import combinations, permutations, product


def children_of(parents, node):
    return [child for child, parent in enumerate(parents) if parent == node]


def samples_below(parents, node):
    """The samples below each node, by walking up from every sample."""
    below = set()
    for sample in range(n_samples_of(parents)):
        if node in ancestors(parents, sample):
            below.add(sample)
    return below


def n_samples_of(parents):
    return sum(not children_of(parents, node) for node in range(len(parents)))


def ancestors(parents, node):
    """A node and all above it, lowest first."""
    chain = [node]
    while parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    return chain


def clades(parents):
    """The sets of samples below the inner nodes."""
    return {
        frozenset(samples_below(parents, node))
        for node in range(n_samples_of(parents), len(parents))
    }


def meet(parents, a, b):
    above = ancestors(parents, b)
    return next(node for node in ancestors(parents, a) if node in above)


def displays(parents, a, b, c):
    """Some clade holds a and b but not c."""
    return any(a in clade and b in clade and c not in clade for clade in clades(parents))


def triplets(parents):
    sets = clades(parents)
    return [
        (a, b, c)
        for a, b, c in permutations(range(n_samples_of(parents)), 3)
        if a < b and any(a in clade and b in clade and c not in clade for clade in sets)
    ]


def informative_triplets(parents):
    """DESIGN.md, section 4: rep(x1) rep(xj) | rep(w)."""

    def rep(node):
        return min(samples_below(parents, node))

    found = []
    for node in range(n_samples_of(parents), len(parents) - 1):
        first, *others = sorted(map(rep, children_of(parents, node)))
        for sibling in children_of(parents, parents[node]):
            if sibling != node:
                found += [(first, other, rep(sibling)) for other in others]
    return sorted(found)


def cut(parents, n_clusters, min_size=1):
    """Labels, or None if that many clusters are not reached; a closed node is looked at again."""
    n_samples = n_samples_of(parents)
    clusters = {len(parents) - 1}
    while len(clusters) < n_clusters:
        for node in sorted(clusters, reverse=True):
            large = [
                child
                for child in children_of(parents, node)
                if len(samples_below(parents, child)) >= min_size
            ]
            if large and len(clusters) - 1 + len(large) <= n_clusters:
                clusters = clusters - {node} | set(large)
                break
        else:
            return None
    groups = sorted(sorted(samples_below(parents, node)) for node in clusters)
    return [
        next((label for label, group in enumerate(groups) if sample in group), -1)
        for sample in range(n_samples)
    ]


def all_trees(samples):
    """Every rooted tree over the samples, as nested tuples; inner nodes have two children up."""
    if len(samples) == 1:
        yield samples[0]
        return
    for blocks in partitions(samples):
        if len(blocks) > 1:
            yield from product(*(list(all_trees(block)) for block in blocks))


def partitions(items):
    """Every way to part the items into blocks."""
    if not items:
        yield []
        return
    first, *rest = items
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            for blocks in partitions(left):
                yield [[first, *others], *blocks]
