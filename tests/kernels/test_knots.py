"""The pairs of clusters that knots keep apart, as clusters merge."""

import numpy as np

from clustraint.kernels.knots import are_knotted, hide_knotted, make_knots, merge_knots, tie

NONE = np.empty(0, np.int64)


def hidden(knots, slot):
    """The slots that a cluster is kept from."""
    distances = np.zeros(len(knots.rows))
    hide_knotted(knots, slot, distances, np.arange(len(distances)))
    return set(np.flatnonzero(np.isinf(distances)).tolist())


def test_a_knot_passes_on_until_it_is_undone():
    knots = tie(make_knots(5), np.array([0, 3, 4]), 2, 1)
    assert [hidden(knots, slot) for slot in range(5)] == [{4}, set(), set(), {4}, {0, 3}]
    merge_knots(knots, 1, 3, NONE)
    assert [hidden(knots, slot) for slot in (0, 1, 2, 4)] == [{4}, {4}, set(), {0, 1}]
    merge_knots(knots, 0, 1, np.array([4]))
    assert [hidden(knots, slot) for slot in (0, 2, 4)] == [set(), set(), set()]


def test_a_pair_of_two_knots_is_kept_apart_until_both_are_undone():
    knots = tie(make_knots(5), np.array([0, 1, 4]), 2, 1)
    knots = tie(knots, np.array([0, 2, 3, 4]), 3, 1)
    merge_knots(knots, 0, 1, np.array([4]))
    assert [hidden(knots, slot) for slot in (0, 2, 3, 4)] == [{4}, {4}, {4}, {0, 2, 3}]
    merge_knots(knots, 0, 2, np.array([4]))
    merge_knots(knots, 0, 3, np.array([4]))
    assert [hidden(knots, slot) for slot in (0, 4)] == [set(), set()]


def is_tied(sides, first, second):
    return any(
        len(left) + len(right) > 2 and {first, second} & left and {first, second} & right
        for left, right in sides
    )


def test_bits_are_the_pairs_of_many_knots(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_slots = 40
    knots, pairs, sides, slots = make_knots(n_slots), set(), [], list(range(n_slots))
    while len(slots) > 4:
        # Sides of more clusters than a row has bytes are written as a whole.
        queue = rng.permutation(slots)[: int(rng.integers(3, len(slots) + 1))]
        left = int(rng.integers(1, len(queue)))
        knots = tie(knots, queue, left, len(queue) - left)
        sides.append((set(queue[:left].tolist()), set(queue[left:].tolist())))
        pairs |= {frozenset((a, b)) for a in queue[:left] for b in queue[left:]}
        apart = [(a, b) for a in slots for b in slots if a < b and {a, b} not in pairs]
        if apart:
            low, high = apart[rng.integers(len(apart))]
            outers = rng.choice([s for s in slots if s not in (low, high)], 2)
            merge_knots(knots, low, high, outers)
            slots.remove(high)
            pairs = {frozenset(low if slot == high else slot for slot in pair) for pair in pairs}
            sides = [
                tuple({low if slot == high else slot for slot in side} for side in both)
                for both in sides
            ]
            pairs -= {frozenset((low, c)) for c in outers if not is_tied(sides, low, c)}
        else:
            knots, pairs, sides = make_knots(n_slots), set(), []
            slots.pop()
        for slot in slots:
            kept_from = {next(iter(p - {slot})) for p in pairs if slot in p}
            assert hidden(knots, slot) == kept_from
            assert {other for other in slots if are_knotted(knots, slot, other)} == kept_from
