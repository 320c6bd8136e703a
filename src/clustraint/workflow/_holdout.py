"""Constraints split into some to fit with and some to score by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints import PAIR_KINDS, RULE_KINDS, SAMPLE_KINDS, Constraints
from clustraint.exceptions import NothingToHoldOutError
from clustraint.tables import SampleTable

# So many triplets are tested for whether others entail them, a few milliseconds each.
MOST_TESTED = 300


class Split(NamedTuple):
    """Constraints in two parts.

    Attributes
    ----------
    training : Constraints
        What methods are fitted with.
    held_out : Constraints
        What they are scored by: none of it follows from `training`.
    n_implied : int
        How many were left out, as they do follow.
    """

    training: Constraints
    held_out: Constraints
    n_implied: int


def make_splits(
    table: SampleTable, constraints: Constraints, n_splits: int, holdout: float, random_state: int
) -> list[Split]:
    """Return splits in which something is held out that does not follow from the rest."""
    rng = np.random.default_rng(random_state)
    drawn = [_split(table, constraints, holdout, rng) for _ in range(n_splits)]
    splits = [split for split in drawn if split.held_out.n_constraints]
    if not splits:
        raise NothingToHoldOutError(n_splits)
    return splits


def counts_by_kind(constraints: Constraints) -> dict[str, int]:
    """Return how many constraints of each kind there are, of those that occur."""
    counts = {kind: len(links.rows) for kind, links in constraints.links.items()}
    for kind in RULE_KINDS:
        counts[kind] = sum(rule.kind == kind for rule in constraints.rules)
    return {kind: count for kind, count in counts.items() if count}


def _split(
    table: SampleTable, constraints: Constraints, holdout: float, rng: np.random.Generator
) -> Split:
    counts = counts_by_kind(constraints)
    masks = {kind: _drawn(count, holdout, rng) for kind, count in counts.items()}
    for wanted in (True, False):
        # There is something to fit with and something to score by, however few there are.
        if not any((mask == wanted).any() for mask in masks.values()):
            mask = masks[max(counts, key=lambda kind: counts[kind])]
            mask[rng.integers(len(mask))] = wanted
    training = _part(constraints, {kind: ~mask for kind, mask in masks.items()})
    if "triplets" in masks:
        surplus = rng.permutation(np.flatnonzero(masks["triplets"]))[MOST_TESTED:]
        masks["triplets"][surplus] = False
    held_out = _part(constraints, masks)
    news = _news(table, training, held_out)
    return Split(training, news, held_out.n_constraints - news.n_constraints)


def _drawn(count: int, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which of a kind are held out: the share in the mean, also of very few."""
    mask = np.zeros(count, np.bool_)
    mask[rng.permutation(count)[: int(share * count + rng.random())]] = True
    return mask


def _part(constraints: Constraints, masks: dict[str, NDArray[np.bool_]]) -> Constraints:
    rules: list[Any] = []
    for kind in RULE_KINDS:
        own = [rule for rule in constraints.rules if rule.kind == kind]
        rules += [rule for rule, taken in zip(own, masks.get(kind, ()), strict=False) if taken]
    links: dict[str, Any] = {kind: masks[kind] for kind in SAMPLE_KINDS if kind in masks}
    return constraints.take(**links, rules=rules)


def _news(table: SampleTable, training: Constraints, held_out: Constraints) -> Constraints:
    """Return the held-out constraints that do not follow from the others."""
    premises = training.expand_rules(table)
    masks: dict[str, Any] = {
        kind: ~premises.entails(**{kind: links.rows}) for kind, links in held_out.links.items()
    }
    rules = []
    for rule in held_out.rules:
        pairs = Constraints(table.n_samples, rules=[rule]).expand_rules(table)
        if not all(premises.entails(**{kind: pairs.links[kind].rows}).all() for kind in PAIR_KINDS):
            rules.append(rule)
    return held_out.take(**masks, rules=rules)
