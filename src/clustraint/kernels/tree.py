"""Loops over rooted trees whose nodes are numbered below their parents.

Nodes 0..n-1 are the samples and every parent's number exceeds its children's, so counting up
visits a tree from the bottom and counting down from the top: no kernel recurses.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clustraint.kernels._jit import jit, piece

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Layout(NamedTuple):
    """A tree drawn from left to right, the children of a node by their lowest samples.

    The samples below node v are ``order[first[v] : first[v] + sizes[v]]`` and its children
    ``children[starts[v] : starts[v + 1]]``; ``preorder`` lists the nodes, ancestors first, and
    ``parents`` is -1 for the root.
    """

    parents: IntArray
    starts: IntArray
    children: IntArray
    lowest: IntArray
    sizes: IntArray
    first: IntArray
    order: IntArray
    preorder: IntArray


class Ancestry(NamedTuple):
    """What answers "where do two nodes meet?" in constant time (Schieber and Vishkin, 1988).

    Nodes with one inlabel form a path downwards; the bits of ``ascendants`` tell which paths
    lead from the root to a node; ``above[inlabel]`` is the parent of a path's top node.
    """

    inlabels: IntArray
    ascendants: IntArray
    above: IntArray


@jit
def collapse(raw_parents: IntArray, sample_nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Hang samples on a raw tree and leave out every node that does not branch.

    Raw nodes are numbered above their parents, the root is 0; sample i sits on
    ``sample_nodes[i]``. Returns the parents of the samples and of the nodes kept, and the raw
    node that each kept one was.
    """
    n_samples, n_raw = sample_nodes.size, raw_parents.size
    n_children = np.zeros(n_raw, np.int64)
    for sample in range(n_samples):
        n_children[sample_nodes[sample]] += 1
    # Children have higher numbers: counts are complete when they are passed on, and empty branches
    # pass nothing.
    for node in range(n_raw - 1, 0, -1):
        if n_children[node] > 0:
            n_children[raw_parents[node]] += 1
    origin = np.empty(np.count_nonzero(n_children > 1), np.int64)
    parents = np.empty(n_samples + origin.size, np.int64)
    nearest = np.empty(n_raw, np.int64)
    number = parents.size
    # From the root down, numbers falling: `nearest` is the lowest kept node at or above a raw one.
    for node in range(n_raw):
        above = nearest[raw_parents[node]] if node else np.int64(-1)
        nearest[node] = above
        if n_children[node] > 1:
            number -= 1
            origin[number - n_samples] = node
            parents[number] = above
            nearest[node] = number
    for sample in range(n_samples):
        parents[sample] = nearest[sample_nodes[sample]]
    return parents, origin


@jit
def depths(parents: IntArray) -> IntArray:
    """Count the edges between each node and the root."""
    result = np.zeros(parents.size, np.int64)
    # Parents have higher numbers, so that their depth is there.
    for node in range(parents.size - 2, -1, -1):
        result[node] = result[parents[node]] + 1
    return result


@jit
def lowest_samples(parents: IntArray, n_samples: int) -> IntArray:
    """Find the lowest sample below each node."""
    lowest = np.full(parents.size, n_samples, np.int64)
    for node in range(parents.size):
        if node < n_samples:
            lowest[node] = node
        if node < parents.size - 1 and lowest[node] < lowest[parents[node]]:
            lowest[parents[node]] = lowest[node]
    return lowest


@piece
def _offsets(keys: IntArray, n_keys: int) -> IntArray:
    """Count each key and add the counts up, as a counting sort needs them."""
    offsets = np.zeros(n_keys + 1, np.int64)
    for key in keys:
        offsets[key + 1] += 1
    for key in range(n_keys):
        offsets[key + 1] += offsets[key]
    return offsets


@jit
def lay_out(parents: IntArray, n_samples: int) -> Layout:
    """Draw a tree from left to right, in linear time."""
    n_nodes = parents.size
    lowest = lowest_samples(parents, n_samples)
    # Counting sorts, twice: nodes by lowest sample, then into the lists of their parents, which
    # keeps that order among siblings.
    cursor = _offsets(lowest, n_samples)
    by_lowest = np.empty(n_nodes, np.int64)
    for node in range(n_nodes):
        by_lowest[cursor[lowest[node]]] = node
        cursor[lowest[node]] += 1

    starts = _offsets(parents[:-1], n_nodes)
    cursor = starts.copy()
    children = np.empty(n_nodes - 1, np.int64)
    for node in by_lowest:
        if node < n_nodes - 1:
            children[cursor[parents[node]]] = node
            cursor[parents[node]] += 1

    sizes = np.zeros(n_nodes, np.int64)
    sizes[:n_samples] = 1
    spans = np.ones(n_nodes, np.int64)
    for node in range(n_nodes - 1):
        sizes[parents[node]] += sizes[node]
        spans[parents[node]] += spans[node]

    first = np.zeros(n_nodes, np.int64)
    rank = np.zeros(n_nodes, np.int64)
    # From the root down: a node's own place and rank are final when it is reached, and give its
    # children theirs.
    order = np.empty(n_samples, np.int64)
    preorder = np.empty(n_nodes, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        preorder[rank[node]] = node
        if node < n_samples:
            order[first[node]] = node
        position, visit = first[node], rank[node] + 1
        for child in children[starts[node] : starts[node + 1]]:
            first[child], rank[child] = position, visit
            position += sizes[child]
            visit += spans[child]
    return Layout(parents, starts, children, lowest, sizes, first, order, preorder)


@piece
def highest_bit(number: int) -> int:
    """Keep only the highest set bit."""
    number |= number >> 1
    number |= number >> 2
    number |= number >> 4
    number |= number >> 8
    number |= number >> 16
    number |= number >> 32
    return number - (number >> 1)


@jit
def prepare_meets(layout: Layout) -> Ancestry:
    """Give each node the numbers that make `meet` take constant time, in linear time."""
    parents, preorder = layout.parents, layout.preorder
    n_nodes = parents.size
    spans = np.ones(n_nodes, np.int64)
    for node in range(n_nodes - 1):
        spans[parents[node]] += spans[node]
    inlabels = np.empty(n_nodes, np.int64)
    ascendants = np.zeros(n_nodes, np.int64)
    above = np.full(n_nodes + 1, -1, np.int64)
    # In preorder a subtree is a stretch of ranks. Each node is called by the number in its stretch
    # with most trailing zeros; a child whose stretch has the same one continues its parent's path.
    for rank in range(n_nodes):
        node = preorder[rank]
        # The number in rank+1..rank+span that ends in most zeros.
        label = (rank + spans[node]) & -highest_bit(rank ^ (rank + spans[node]))
        inlabels[node] = label
        ascendants[node] = label & -label
        parent = parents[node]
        if parent >= 0:
            ascendants[node] |= ascendants[parent]
            if inlabels[parent] != label:
                above[label] = parent
    return Ancestry(inlabels, ascendants, above)


@piece
def _climb(ancestry: Ancestry, node: int, bit: int) -> int:
    """Find the lowest ancestor of a node (or itself) on its path of level `bit`."""
    label = ancestry.inlabels[node]
    if label & -label == bit:
        return node
    below = highest_bit(ancestry.ascendants[node] & (bit - 1))
    return ancestry.above[(label & -below) | below]


@piece
def meet(ancestry: Ancestry, a: int, b: int) -> int:
    """Find the lowest common ancestor of two nodes."""
    difference = ancestry.inlabels[a] ^ ancestry.inlabels[b]
    # On one path the ancestor is the node of the larger number.
    if difference == 0:
        return max(a, b)
    # The lowest path that both ways to the root come by, of those above where the labels part.
    common = ancestry.ascendants[a] & ancestry.ascendants[b] & -highest_bit(difference)
    bit = common & -common
    return max(_climb(ancestry, a, bit), _climb(ancestry, b, bit))


@jit
def meets(ancestry: Ancestry, a: IntArray, b: IntArray) -> IntArray:
    """Find the lowest common ancestor of each pair of nodes."""
    result = np.empty(a.size, np.int64)
    for row in range(a.size):
        result[row] = meet(ancestry, a[row], b[row])
    return result


@jit
def displays(layout: Layout, ancestry: Ancestry, triplets: IntArray) -> npt.NDArray[np.bool_]:
    """Tell for each triplet whether c lies outside the node where a and b meet."""
    result = np.empty(triplets.shape[0], np.bool_)
    for row in range(triplets.shape[0]):
        node = meet(ancestry, triplets[row, 0], triplets[row, 1])
        # The samples below a node are a stretch of the order.
        offset = layout.first[triplets[row, 2]] - layout.first[node]
        result[row] = offset < 0 or offset >= layout.sizes[node]
    return result


@jit
def count_pairs(layout: Layout) -> IntArray:
    """Count the pairs of samples that meet at each node."""
    parents, sizes = layout.parents, layout.sizes
    squares = np.zeros(parents.size, np.int64)
    for node in range(parents.size - 1):
        squares[parents[node]] += sizes[node] * sizes[node]
    result = (sizes * sizes - squares) // 2
    result[sizes == 1] = 0
    return result


@jit
def meeting_pairs(layout: Layout, n_pairs: int) -> tuple[IntArray, IntArray]:
    """List the pairs that meet below the root, and where."""
    n_samples, n_nodes = layout.order.size, layout.sizes.size
    pairs = np.empty((n_pairs, 2), np.int64)
    nodes = np.empty(n_pairs, np.int64)
    row = 0
    # Each child with all that is to the left of it below the same node: every pair once.
    for node in range(n_samples, n_nodes - 1):
        for child in layout.children[layout.starts[node] + 1 : layout.starts[node + 1]]:
            start = layout.first[child]
            for right in layout.order[start : start + layout.sizes[child]]:
                for left in layout.order[layout.first[node] : start]:
                    pairs[row, 0], pairs[row, 1] = min(left, right), max(left, right)
                    nodes[row] = node
                    row += 1
    return pairs, nodes


@jit
def list_triplets(layout: Layout, pairs: IntArray, nodes: IntArray, n_triplets: int) -> IntArray:
    """Complete each pair with every sample outside the node where it meets, lowest first."""
    n_samples, n_nodes = layout.order.size, layout.sizes.size
    starts = np.zeros(n_nodes + 1, np.int64)
    for node in range(n_nodes):
        starts[node + 1] = starts[node]
        if node >= n_samples:
            starts[node + 1] += n_samples - layout.sizes[node]
    outside = np.empty(starts[n_nodes], np.int64)
    # A scan of all samples for each node is still linear in the result: a node of s samples
    # below the root displays at least (s - 1)(n - s) >= n - 2 triplets.
    for node in range(n_samples, n_nodes - 1):
        cursor, stop = starts[node], layout.first[node] + layout.sizes[node]
        for sample in range(n_samples):
            if layout.first[sample] < layout.first[node] or layout.first[sample] >= stop:
                outside[cursor] = sample
                cursor += 1
    triplets = np.empty((n_triplets, 3), np.int64)
    row = 0
    for pair in range(nodes.size):
        for sample in outside[starts[nodes[pair]] : starts[nodes[pair] + 1]]:
            triplets[row, 0] = pairs[pair, 0]
            triplets[row, 1] = pairs[pair, 1]
            triplets[row, 2] = sample
            row += 1
    return triplets


@jit
def informative_triplets(layout: Layout) -> IntArray:
    """List rep(x1) rep(xj) | rep(w) for the children x of each node and each sibling w of it."""
    n_samples, n_nodes = layout.order.size, layout.sizes.size
    degrees = np.diff(layout.starts)
    count = 0
    for node in range(n_samples, n_nodes - 1):
        count += (degrees[node] - 1) * (degrees[layout.parents[node]] - 1)
    triplets = np.empty((count, 3), np.int64)
    row = 0
    for node in layout.preorder:
        if node < n_samples or node == n_nodes - 1:
            continue
        above = layout.parents[node]
        for sibling in layout.children[layout.starts[above] : layout.starts[above + 1]]:
            if sibling == node:
                continue
            for child in layout.children[layout.starts[node] + 1 : layout.starts[node + 1]]:
                triplets[row, 0] = layout.lowest[node]
                triplets[row, 1] = layout.lowest[child]
                triplets[row, 2] = layout.lowest[sibling]
                row += 1
    return triplets


@jit
def pairs_before(layout: Layout) -> IntArray:
    """Count, for each entry of `children`, its parent's pairs without it and later siblings."""
    result = np.zeros(layout.children.size, np.int64)
    for node in range(layout.order.size, layout.sizes.size):
        for entry in range(layout.starts[node] + 1, layout.starts[node + 1]):
            child = layout.children[entry - 1]
            met = layout.sizes[child] * (layout.first[child] - layout.first[node])
            result[entry] = result[entry - 1] + met
    return result


@jit
def pick_triplets(
    layout: Layout,
    before: IntArray,
    nodes: IntArray,
    pair_ranks: IntArray,
    outside_ranks: IntArray,
) -> IntArray:
    """Look up the triplets that meet at `nodes`, by the ranks of their pairs and third samples."""
    triplets = np.empty((nodes.size, 3), np.int64)
    for row in range(nodes.size):
        node = nodes[row]
        start = layout.first[node]
        low, high = layout.starts[node] + 1, layout.starts[node + 1]
        # The child that the pair's right sample is below is at `low` or after, and before `high`.
        while high - low > 1:
            middle = (low + high) // 2
            if before[middle] <= pair_ranks[row]:
                low = middle
            else:
                high = middle
        right_start = layout.first[layout.children[low]]
        rank = pair_ranks[row] - before[low]
        left = layout.order[start + rank % (right_start - start)]
        right = layout.order[right_start + rank // (right_start - start)]
        # Ranks count the samples outside the node; those from its stretch on are further right by
        # its size.
        position = outside_ranks[row]
        if position >= start:
            position += layout.sizes[node]
        triplets[row, 0], triplets[row, 1] = min(left, right), max(left, right)
        triplets[row, 2] = layout.order[position]
    return triplets


@jit
def cut(layout: Layout, n_clusters: int, min_size: int) -> tuple[IntArray, int, int]:
    """Open nodes from the root down, the latest merge first, until there are `n_clusters`.

    Returns the labels, the number of clusters, and the smallest number above `n_clusters` that
    an opening left undone would have given (0 if there was none). An opening refused once is
    refused for good, as clusters only grow in number: one pass over the nodes is enough.
    """
    n_samples, n_nodes = layout.order.size, layout.sizes.size
    is_cluster = np.zeros(n_nodes, np.bool_)
    is_cluster[n_nodes - 1] = True
    count, following = 1, 0
    # The clusters so far are a cut, and none of the nodes passed is one that could be opened.
    for node in range(n_nodes - 1, n_samples - 1, -1):
        if count == n_clusters:
            break
        if not is_cluster[node]:
            continue
        members = layout.children[layout.starts[node] : layout.starts[node + 1]]
        n_large = 0
        for child in members:
            n_large += layout.sizes[child] >= min_size
        opened = count + n_large - 1
        if n_large == 0:
            continue
        if opened > n_clusters:
            following = opened if following == 0 else min(following, opened)
            continue
        count = opened
        is_cluster[node] = False
        for child in members:
            is_cluster[child] = layout.sizes[child] >= min_size

    owners = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        if is_cluster[node]:
            owners[node] = node
        elif node < n_nodes - 1:
            owners[node] = owners[layout.parents[node]]
    return _number_clusters(owners[:n_samples], n_nodes), count, following


@piece
def _number_clusters(owners: IntArray, n_nodes: int) -> IntArray:
    """Call clusters 0, 1, ... by their lowest samples; samples of none get -1."""
    numbers = np.full(n_nodes, -1, np.int64)
    labels = np.full(owners.size, -1, np.int64)
    count = 0
    for sample in range(owners.size):
        owner = owners[sample]
        if owner < 0:
            continue
        if numbers[owner] < 0:
            numbers[owner] = count
            count += 1
        labels[sample] = numbers[owner]
    return labels


@jit
def binarise(layout: Layout, heights: FloatArray) -> FloatArray:
    """Write a tree as a linkage matrix, heights raised by one float step where they must be."""
    n_samples, n_nodes = layout.order.size, layout.sizes.size
    linkage = np.empty((n_samples - 1, 4))
    numbers = np.arange(n_nodes)
    row = 0
    # A node of m children becomes m - 1 merges; `numbers` is what the node is called in the matrix.
    for node in range(n_samples, n_nodes):
        children = layout.children[layout.starts[node] : layout.starts[node + 1]]
        merged, size = numbers[children[0]], layout.sizes[children[0]]
        for child in children[1:]:
            height = heights[node - n_samples]
            if row and height <= linkage[row - 1, 2]:
                # scipy cuts by height: rows must rise strictly for cuts by number and by height to
                # agree.
                height = np.nextafter(linkage[row - 1, 2], np.inf)
            size += layout.sizes[child]
            linkage[row, 0] = min(merged, numbers[child])
            linkage[row, 1] = max(merged, numbers[child])
            linkage[row, 2], linkage[row, 3] = height, size
            merged = n_samples + row
            row += 1
        numbers[node] = merged
    return linkage
