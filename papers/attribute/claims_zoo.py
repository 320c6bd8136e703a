"""Claims about the zoo: section IV.C.5 and figure 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustraint.wording import listed
from papers._claim import Claim, Estimate, Finding, estimate, holds_if
from papers._exceptions import NotTestableError
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import above, below
from papers.attribute.zoo import ZOO_RULES

if TYPE_CHECKING:
    from pandas import DataFrame

WHERE = "section IV.C.5, figure 5"
ZOO = "figure-5"
NEEDS = (ZOO,)
NUMBERS = tuple(str(number) for number in range(1, len(ZOO_RULES) + 1))
SUBSTANTIAL = 0.1


def indices(results: Results, kind: str, way: str = "paper", experiment: str = ZOO) -> DataFrame:
    """Return the ARI, a row for each repetition and a column for each set of rules."""
    frame = results.frame(experiment)
    frame = frame[(frame["kind"] == kind) & (frame["way"] == way)]
    if frame.empty:
        raise NotTestableError(f"no repetition with {kind} rules has been run")
    return frame.pivot(index="repeat", columns="rule_set", values="ari")


def gains(wide: DataFrame) -> DataFrame:
    """Return what each set of rules gains over none in the same repetition."""
    return wide.sub(wide[""], axis=0).drop(columns="")


def by_size(wide: DataFrame) -> DataFrame:
    """Return the mean ARI over the sets of each size, a row for each repetition."""
    return wide.T.groupby(wide.columns.str.len()).mean().T


def marginal_gains(wide: DataFrame) -> dict[str, Estimate]:
    """Return what each rule adds, on average over all sets of the others."""
    return {
        number: estimate(
            f"ARI that rule {number} adds",
            wide[[name for name in wide if number in name]].mean(axis=1)
            - wide[[name for name in wide if number not in name]].mean(axis=1),
        )
        for number in NUMBERS
    }


def _more_is_better(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        sizes = by_size(indices(results, kind))
        steps = np.polyfit(sizes.columns.to_numpy(float), sizes.to_numpy().T, 1)[0]
        estimates.append(estimate(f"ARI for one more rule ({kind})", steps))
        means = ", ".join(f"{mean:.2f}" for mean in sizes.mean())
        parts.append(f"{kind}: {means} with 0 to {sizes.columns[-1]} rules")
    return Finding(
        holds_if(all(map(above, estimates))),
        tuple(estimates),
        f"The mean ARI is {'; '.join(parts)}.",
    )


def _beneficial(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        gained = gains(indices(results, kind))
        estimates.append(estimate(f"gain in ARI, mean of all sets ({kind})", gained.mean(axis=1)))
        helpful = int((gained.mean() > 0).sum())
        parts.append(f"{helpful} of {gained.shape[1]} sets of {kind} rules gain on average")
    starts = [gains(indices(results, kind, "ten starts")).to_numpy().mean() for kind in KINDS]
    return Finding(
        holds_if(all(map(above, estimates))),
        tuple(estimates),
        f"{'; '.join(parts)}. With the defaults' ten seeded starts the mean gains are "
        f"{starts[0]:.2f} ({KINDS[0]}) and {starts[1]:.2f} ({KINDS[1]}).",
    )


def _some_do_not(results: Results) -> Finding:
    gained = gains(indices(results, "exactly"))
    each = {name: estimate(f"gain by rules {name}", gained[name]) for name in gained}
    useless = [name for name, measured in each.items() if not above(measured)]
    lowest = sorted(each.values(), key=lambda measured: measured.value)[:3]
    return Finding(
        holds_if(bool(useless)),
        tuple(lowest),
        f"{len(useless)} of {len(each)} sets of exactly rules have no gain that is above 0 for "
        f"sure: {listed([f'{{{name}}}' for name in useless[:12]])}.",
    )


def _three_and_six(results: Results) -> Finding:
    wide = indices(results, "exactly")
    added = marginal_gains(wide)
    order = sorted(added, key=lambda number: added[number].value)
    explanation = ", ".join(f"{number} {added[number].value:+.3f}" for number in NUMBERS)
    return Finding(
        holds_if(set(order[:2]) == {"3", "6"}),
        tuple(added[number] for number in order),
        f"Averaged over all sets of the other rules, the rules add {explanation}; least: "
        f"{order[0]} and {order[1]}.",
    )


def _six_alone(results: Results) -> Finding:
    wide, best = (indices(results, "exactly", way) for way in ("paper", "ten starts"))
    gained = gains(wide)
    six = estimate("gain by exactly rule 6 alone", gained["6"])
    others = ", ".join(f"{number} {gained[number].mean():+.3f}" for number in NUMBERS)
    return Finding(
        holds_if(below(six)),
        (six,),
        f"Alone the rules gain {others}, over a mean ARI of {wide[''].mean():.2f} without rules. "
        f"With the defaults' ten seeded starts that is {best[''].mean():.2f}, and rule 6 gains "
        f"{gains(best)['6'].mean():+.3f}.",
    )


def _substantial(results: Results) -> Finding:
    estimates = []
    for kind in KINDS:
        gained = gains(indices(results, kind))
        best = str(gained.mean().idxmax())
        estimates.append(estimate(f"gain by {kind} rules {best}, the best set", gained[best]))
    explanation = " and ".join(f"{each.value:.2f} ({each.name})" for each in estimates)
    return Finding(
        holds_if(all(above(each, SUBSTANTIAL) for each in estimates)),
        tuple(estimates),
        f"The best sets gain {explanation}.",
    )


ZOO_CLAIMS = (
    Claim(
        "more rules are better",
        "The results indicate that the more constraints are applied, the better is the clustering "
        "quality.",
        WHERE,
        "The slope of the mean ARI over the size of the set of rules, from 0 to 6, is above 0 "
        "(whole interval) for both kinds.",
        NEEDS,
        _more_is_better,
    ),
    Claim(
        "rules help in general",
        "the general trend shows that the inclusion of such constraints is beneficial",
        WHERE,
        "The gain in ARI, averaged over all 63 sets of rules, is above 0 (whole interval) for both "
        "kinds.",
        NEEDS,
        _beneficial,
    ),
    Claim(
        "some rules do not help",
        "there exist constraints (and combinations) that do not improve the result notably",
        WHERE,
        "At least one set of exactly rules has a gain in ARI whose interval is not wholly above 0.",
        NEEDS,
        _some_do_not,
    ),
    Claim(
        "rules 3 and 6 help least",
        "Especially the inclusion of constraints mlx3 and mlx6 leads to only small improvements.",
        WHERE,
        "Of the six exactly rules, 3 (fins ∧ eggs) and 6 (¬backbone ∧ ¬breathes) add least to the "
        "ARI, each averaged over all sets of the other rules.",
        NEEDS,
        _three_and_six,
    ),
    Claim(
        "rule 6 alone harms",
        "Most significantly, the constraint mlx6 alone even decreases the ARI compared to the "
        "baseline",
        WHERE,
        "The gain in ARI by exactly rule 6 alone is below 0 (whole interval).",
        NEEDS,
        _six_alone,
    ),
    Claim(
        "rules may help substantially",
        "such constraints (as any other type of constraints) may substantially improve the "
        "clustering performance, but need to be used with care",
        WHERE,
        "The best set of rules gains more than 0.1 in ARI (whole interval), for both kinds.",
        NEEDS,
        _substantial,
    ),
)
