"""Random small sets of constraints."""

from itertools import combinations, permutations

from hypothesis import strategies as st

from clustraint import Constraints, Rule

KINDS = ("must_link", "cannot_link", "triplets")
RULES = [Rule("milk"), Rule("legs == 4"), Rule("milk", exactly=True), Rule("~milk | eggs")]

# Quarters add up without rounding, and repetitions of a weight are likely.
weights = st.integers(1, 12).map(lambda quarters: quarters / 4)


@st.composite
def rows(draw, kind, n_samples, max_size):
    """Lists of valid rows in any order of their members, repetitions included."""
    width = 3 if kind == "triplets" else 2
    possible = list(permutations(range(n_samples), width))
    return draw(st.lists(st.sampled_from(possible), max_size=max_size))


@st.composite
def constraint_sets(
    draw,
    min_samples=3,
    max_samples=7,
    *,
    max_size=8,
    kinds=KINDS,
    weighted=False,
    ruled=False,
    named=False,
):
    """Mixed constraints, contradictory ones included."""
    n_samples = draw(st.integers(min_samples, max_samples))
    parts = {kind: draw(rows(kind, n_samples, max_size)) for kind in kinds}
    if weighted:
        for kind in kinds:
            size = len(parts[kind])
            parts[f"{kind}_weights"] = draw(st.lists(weights, min_size=size, max_size=size))
    if ruled:
        parts["rules"] = draw(st.lists(st.sampled_from(RULES), max_size=3))
    if named and draw(st.booleans()):
        parts["names"] = [f"sample {letter}" for letter in "abcdefghij"[:n_samples]]
    return Constraints(n_samples, **parts)


@st.composite
def labelled_pairs(draw, min_samples=3, max_samples=7, *, max_size=8, weighted=False):
    """Must-links and cannot-links that some labels satisfy, so that they are consistent."""
    n_samples = draw(st.integers(min_samples, max_samples))
    labels = draw(st.lists(st.integers(0, 3), min_size=n_samples, max_size=n_samples))
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(n_samples), 2))), max_size=12))
    linked = {
        "must_link": [(a, b) for a, b in pairs if labels[a] == labels[b]],
        "cannot_link": [(a, b) for a, b in pairs if labels[a] != labels[b]],
    }
    parts = {kind: table[:max_size] for kind, table in linked.items()}
    if weighted:
        for kind in linked:
            size = len(parts[kind])
            parts[f"{kind}_weights"] = draw(st.lists(weights, min_size=size, max_size=size))
    return Constraints(n_samples, **parts)


def members(constraints):
    """Every pair and triplet as (kind, row, weight), in a fixed order: the set as a multiset."""
    return sorted(
        (kind, tuple(row), weight)
        for kind in KINDS
        for row, weight in zip(
            getattr(constraints, kind).tolist(),
            getattr(constraints, f"{kind}_weights").tolist(),
            strict=True,
        )
    )


def without_one(constraints):
    """Yield the constraints without each of their pairs and triplets in turn."""
    everything = {kind: list(range(len(getattr(constraints, kind)))) for kind in KINDS}
    for kind, numbers in everything.items():
        for left_out in numbers:
            kept = [number for number in numbers if number != left_out]
            yield constraints.take(**{**everything, kind: kept})


def all_rows(n_samples, kind):
    """Return every row of a kind that says something different."""
    if kind != "triplets":
        return list(combinations(range(n_samples), 2))
    return [(a, b, c) for a, b, c in permutations(range(n_samples), 3) if a < b]
