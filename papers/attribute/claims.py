"""What the paper says, in its order, and what decides it; the zoo, after generated data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from clustraint.wording import listed
from papers._claim import Claims, Scope
from papers._criteria import Check, above, below, so
from papers._estimate import estimate
from papers.attribute import claims_generated
from papers.attribute.data import KINDS, NUMBERS
from papers.attribute.measures import by_size, gains, marginal_gains, wide_of

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

CLAIMS = Claims(claims_generated.CLAIMS)
ZOO = Scope(
    ("figure-5",),
    "kind",
    KINDS,
    shape=wide_of,
    main={"way": "paper"},
    beside={"our defaults, ten starts": {"way": "ten starts"}},
)


@CLAIMS(
    "more rules are better",
    "The results indicate that the more constraints are applied, the better is the clustering "
    "quality.",
    "section IV.C.5, figure 5",
    ZOO,
)
def _(wide: DataFrame) -> Checks:
    """The slope of the mean ARI over the size of the set of rules, from 0 to 6, is above 0 for
    both kinds."""
    sizes = by_size(wide)
    steps = np.polyfit(sizes.columns.to_numpy(float), sizes.to_numpy().T, 1)[0]
    yield above(estimate("the ARI for one more rule", steps))


@CLAIMS(
    "rules help in general",
    "the general trend shows that the inclusion of such constraints is beneficial",
    "section IV.C.5, figure 5",
    ZOO,
)
def _(wide: DataFrame) -> Check:
    """The gain in ARI, averaged over all 63 sets of rules, is above 0 for both kinds."""
    return above(estimate("the mean gain in ARI of all sets", gains(wide).mean(axis=1)))


@CLAIMS(
    "some rules do not help",
    "there exist constraints (and combinations) that do not improve the result notably",
    "section IV.C.5, figure 5",
    ZOO,
    tables=("exactly",),
)
def _(wide: DataFrame) -> Checks:
    """At least one set of exactly rules has a gain in ARI whose interval is not above 0."""
    gained = gains(wide)
    useless = [name for name in gained if not above(estimate("", gained[name])).meets]
    yield so("the number of sets without a clear gain", len(useless), bool(useless), "above 0")
    yield f"They are {listed([f'{{{name}}}' for name in useless[:12]])}."


@CLAIMS(
    "rules 3 and 6 help least",
    "Especially the inclusion of constraints mlx3 and mlx6 leads to only small improvements.",
    "section IV.C.5, figure 5",
    ZOO,
    tables=("exactly",),
)
def _(wide: DataFrame) -> Checks:
    """Of the six exactly rules, 3 (fins ∧ eggs) and 6 (¬backbone ∧ ¬breathes) add least to the
    ARI, each averaged over all sets of the other rules."""
    added = marginal_gains(wide)
    order = sorted(added, key=lambda number: added[number].value)
    lowest = set(order[:2]) == {"3", "6"}
    yield so("what rules 3 and 6 add at most", added["3"].value, lowest, "less than any other adds")
    yield f"The rules add {', '.join(f'{n} {added[n].value:+.3f}' for n in NUMBERS)}."


@CLAIMS(
    "rule 6 alone harms",
    "Most significantly, the constraint mlx6 alone even decreases the ARI compared to the baseline",
    "section IV.C.5, figure 5",
    ZOO,
    tables=("exactly",),
)
def _(wide: DataFrame) -> Checks:
    """The gain in ARI by exactly rule 6 alone is below 0."""
    gained = gains(wide)
    yield below(estimate("the gain by exactly rule 6 alone", gained["6"]))
    yield f"Alone the rules gain {', '.join(f'{n} {gained[n].mean():+.3f}' for n in NUMBERS)}."


@CLAIMS(
    "rules may help substantially",
    "such constraints (as any other type of constraints) may substantially improve the clustering "
    "performance, but need to be used with care",
    "section IV.C.5, figure 5",
    ZOO,
)
def _(wide: DataFrame) -> Check:
    """The best set of rules gains more than 0.1 in ARI, for both kinds."""
    gained = gains(wide)
    best = str(gained.mean().idxmax())
    return above(estimate(f"the gain by rules {best}, the best set", gained[best]), 0.1)
