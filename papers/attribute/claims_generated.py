"""What the paper says of rules on generated data, in its order, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from papers._claim import Claims, Scope
from papers._criteria import Check, about, above, at_most, below, between, so, unclear
from papers._estimate import estimate, exact
from papers.attribute.data import DEFAULTS, KINDS
from papers.attribute.measures import (
    MAIN,
    by_value,
    compared,
    highest,
    means,
    overall,
    trend,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

CLAIMS = Claims()
STUDIES = ("table-2", "figure-2", "figure-3", "figure-4")
OURS = {"our defaults, ten starts": {"way": "ten starts"}}
# Elsewhere there are 100 attributes, of which both readings make the same radii.
SHARES = {"radii as shares of A": {"radii": "shares"}, **OURS}


def _study(experiment: str, parameter: str) -> Scope:
    shape = partial(compared, parameter)
    return Scope((experiment,), "kind", KINDS, shape=shape, main=MAIN, beside=OURS)


A = replace(_study("table-2", "n_attributes"), beside=SHARES)
C = _study("figure-2", "n_rules")
F, I = _study("figure-3", "n_literals"), _study("figure-4", "n_samples")  # noqa: E741
COSTS = Scope(("costs",))
MILLISECONDS = (
    "Our fit takes milliseconds, most of which finds whom the rules are about; its time says "
    "nothing of a program that takes seconds. Rounds are judged below."
)


@CLAIMS(
    "rules are satisfied",
    "the overall goal is to find k clusters for the data set D such that they satisfy the provided "
    "attribute level constraints",
    "section III.A",
    Scope(STUDIES, by_construction=True),
)
def _(rows: DataFrame) -> Checks:
    """No rule is violated in any clustering of generated data; scopes do not overlap here."""
    broken = int(rows["violated"].sum())
    yield so("the number of violated rules", broken, broken == 0, "0")
    yield f"There were {int(rows['starts'].sum()):,} clusterings."


@CLAIMS(
    "four rules for 200 must-links",
    "for a clustering with instance level must-link constraints at least 200 constraints had to be "
    "provided […]. Comparing this to the number of attribute level constraints (4), the constraint "
    "specification compression is evident.",
    "section IV.B",
    COSTS,
    printed="200",
    by_construction=True,
)
def _(rows: DataFrame) -> Checks:
    """With I = 1000, C = 4 and k = 20 a mean of about 200 must-links, within a tenth, holds the
    scopes together."""
    ruled = rows[(rows["n_samples"] == 1000) & (rows["by"] == "rules")]
    links = estimate("the number of must-links", ruled[ruled["n_constraints"] > 0]["links_needed"])
    yield between(links, "180", "220")


@CLAIMS(
    "linear checks for quadratic ones",
    "In the worst case, this results in O(n²) checks. Comparing this to attribute constrained "
    "clustering, only O(|C| * n) scope checks have to be performed",
    "section IV.B",
    COSTS,
    by_construction=True,
)
def _(rows: DataFrame) -> Checks:
    """From 1,000 to 4,000 samples the pairs that rules put together grow about 16-fold, the tests
    of rules on samples 4-fold at most."""
    ruled = rows[(rows["by"] == "rules") & (rows["n_constraints"] > 0)].groupby("n_samples")
    pairs, checks = (ruled[name].mean() for name in ("pairs_induced", "scope_checks"))
    yield about(exact("the growth of the pairs", pairs[4000] / pairs[1000]), "16")
    yield at_most(exact("the growth of the tests", checks[4000] / checks[1000]), "4")


CLAIMS.untestable(
    "rules cost less time",
    "Especially for large datasets and few clusters, using attribute constraints can thus result "
    "in large savings of runtime.",
    "section IV.B",
    "Our fit takes milliseconds, and our COP-k-means moves linked samples as one, with no check "
    "for each pair: there is nothing to save.",
    "costs",
)


@CLAIMS(
    "better results for less",
    "such constraints may provide better clustering results at lower specification costs if "
    "constraints can be expressed on the attribute level",
    "abstract",
    COSTS,
)
def _(rows: DataFrame) -> Checks:
    """In one algorithm, COP-k-means, with I = 1000: the ARI with all must-links that 4 rules (16
    literals) stand for, less that with 16 must-links drawn from them, is above 0."""
    small = rows[rows["n_samples"] == 1000]
    linked = small[small["by"] == "must-links"]
    literals = DEFAULTS["n_rules"] * DEFAULTS["n_literals"]
    most = linked.groupby("dataset")["n_constraints"].transform("max")
    every, few, none = (
        linked[wanted].set_index("dataset")["ari"]
        for wanted in (
            linked["n_constraints"] == most,
            linked["n_constraints"] == literals,
            linked["n_constraints"] == 0,
        )
    )
    yield above(estimate("the ARI by what 4 rules say less that by 16 must-links", every - few))
    ruled = small[small["by"] == "rules"].set_index(["ruled", "dataset"])["ari"]
    yield (
        f"COP-k-means has {none.mean():.2f} without links, {few.mean():.2f} with 16 and "
        f"{every.mean():.2f} with all; k-medoids has {ruled[False].mean():.2f} without and "
        f"{ruled[True].mean():.2f} with the rules."
    )


@CLAIMS(
    "few attributes are harder",
    "The clustering process is more difficult for small instances […], no matter whether "
    "constraints are used or not.",
    "section IV.C.1",
    A,
)
def _(table: DataFrame) -> Checks:
    """The rank correlation of A and the ARI, with rules and without, is above 0 for both kinds."""
    yield above(trend(table, "ari_with"))
    yield above(trend(table, "ari_without"))
    yield means(table, "ari_with", "ari_without")


@CLAIMS(
    "few attributes, low ARI",
    "small instances (0 < ARI_no < 0.2, no results shown)",
    "section IV.C.1",
    A,
    printed="0 to 0.2",
)
def _(table: DataFrame) -> Check:
    """The mean ARI without rules at A = 20 is between 0 and 0.2 on the data for both kinds."""
    return between(by_value(table, "ari_without")[20], "0.0", "0.2")


@CLAIMS(
    "ceiling over A",
    "For higher dimensions, the clustering results become better but do not exceed an ARI of 0.83 "
    "(when using ml constraints) and 0.80 (without ml constraints), respectively.",
    "section IV.C.1",
    A,
    printed="0.83 with, 0.80 without",
    tables=("together",),
)
def _(table: DataFrame) -> Checks:
    """On the data for together rules the highest mean ARI is at most 0.83 with rules and at most
    0.80 without."""
    for measure, limit in (("ari_with", "0.83"), ("ari_without", "0.80")):
        yield at_most(highest(table, measure)[1], limit)


@CLAIMS(
    "exactly helps at every A",
    "Using mlx constraints always leads to better results (0.2 better ARI) than without "
    "constraints, for all instance dimensions.",
    "section IV.C.1",
    A,
    printed="0.2",
    tables=("exactly",),
)
def _(table: DataFrame) -> Checks:
    """The gain in ARI by exactly rules is above 0 at every A, and about 0.2 over all."""
    yield about(overall(table, "gain"), "0.2")
    yield from map(above, by_value(table, "gain").values())


@CLAIMS(
    "together helps only at small A",
    "In contrast, ml constraints lead to better results only in small dimensions (0.15 better ARI "
    "for fewer than 100 dimension).",
    "section IV.C.1",
    A,
    printed="0.15 below A = 100",
    tables=("together",),
)
def _(table: DataFrame) -> Checks:
    """The gain in ARI by together rules is above 0 at every A below 100, about 0.15 there, and
    not above 0 at larger A (those above 100, as the text says nothing of 100 itself)."""
    small = table[table["x"] < 100].groupby("dataset")["gain"].mean()
    yield about(estimate("the gain in ARI below A = 100", small), "0.15")
    for value, gain in by_value(table, "gain").items():
        if value < 100:
            yield above(gain)
        elif value > 100:
            # On neither side, or below: no better results.
            yield below(gain) if below(gain).meets else unclear(gain)
    yield means(table, "gain")


@CLAIMS(
    "more attributes, more time",
    "The larger the instances, the longer needs the clustering. This is mainly due to the longer "
    "instance comparison time",
    "section IV.C.1, table II",
    A,
)
def _(table: DataFrame) -> Check:
    """The rank correlation of A and the CPU time of a round without rules is above 0, on the data
    for both kinds: what a row costs."""
    return above(trend(table, "round_time"))


CLAIMS.untestable(
    "together saves time at large A",
    "Thus, the larger the instances' dimensions, the more a clustering can benefit from ml "
    "constraints in terms of runtime.",
    "section IV.C.1, table II",
    MILLISECONDS,
    "table-2",
    "10.10 s with, 11.43 s without",
)
CLAIMS.untestable(
    "exactly costs a little time",
    "In contrast, mlx constraints lead to a slightly higher runtime (for 1000 attributes 7.71s "
    "with mlx vs. 6.8s without mlx).",
    "section IV.C.1",
    MILLISECONDS,
    "table-2",
    "7.71 s with, 6.8 s without",
)


@CLAIMS(
    "rounds fall with A",
    "The number of rounds needed is decreased in higher dimension for both constraint types.",
    "section IV.C.1, table II",
    A,
    printed="4.09 to 3.48 (ml)",
)
def _(table: DataFrame) -> Checks:
    """The rank correlation of A and the rounds with rules, from A = 60 on (at 20 the paper's
    table has fewest), is below 0 for both kinds."""
    yield below(trend(table[table["x"] >= 60], "rounds_with"))
    yield means(table, "rounds_with")


@CLAIMS(
    "together saves rounds",
    "Rounds ml: 1.92 4.09 3.92 3.65 3.63 3.55 3.48; Rounds: 1.22 4.32 4.24 4.02 3.81 3.75 3.71",
    "table II",
    A,
    printed="0.24 from A = 60 on",
    tables=("together",),
)
def _(table: DataFrame) -> Checks:
    """From A = 60 on together rules save rounds at every A, and about 0.24 on average."""
    large = table[table["x"] >= 60]
    yield about(overall(large, "rounds_saved"), "0.24")
    yield from map(above, by_value(large, "rounds_saved").values())


@CLAIMS(
    "few rules: good without them",
    "Figure 2 shows that if only few constraints are given, k-Medoids still gives a good solution.",
    "section IV.C.2",
    C,
)
def _(table: DataFrame) -> Check:
    """At C = 1 the mean ARI without rules is above 0.65, below which recovery counts as poor
    (Steinley 2004), for both kinds of data."""
    return above(by_value(table, "ari_without")[1], 0.65)


@CLAIMS(
    "more rules: harder without them",
    "The more constraints are included, the more separated the instances become. Then, the cluster "
    "assignment without constraints is more and more difficult.",
    "section IV.C.2",
    C,
)
def _(table: DataFrame) -> Checks:
    """The rank correlation of C and the ARI without rules is below 0 for both kinds."""
    yield below(trend(table, "ari_without"))
    yield means(table, "ari_without")


@CLAIMS(
    "highest gain with many rules",
    "The highest ARI gain is observed for a large number of constraints.",
    "section IV.C.2, figure 2",
    C,
)
def _(table: DataFrame) -> Checks:
    """The gain in ARI rises with C, and its mean is highest at a C above 10, half of the
    clusters, for both kinds."""
    yield above(trend(table, "gain"))
    best, _ = highest(table, "gain")
    yield so("the C of the highest gain", best, best > 10, "above 10")
    yield means(table, "gain")


@CLAIMS(
    "more rules, less time",
    "Table III shows that the runtime decreases when more constraints are included.",
    "section IV.C.2, table III",
    C,
    printed="1.38 s to 0.99 s, in 4.1 to 2 rounds",
    tables=("exactly",),
)
def _(table: DataFrame) -> Checks:
    """Judged by rounds, whose cost does not depend on C: their rank correlation with C under
    exactly rules is below 0."""
    yield below(trend(table, "rounds_with"))
    yield means(table, "rounds_with")


@CLAIMS(
    "more rules, more savings",
    "Using the constraints is beneficial for both types of constraints, and the more constraints "
    "are used, the more savings can be achieved.",
    "section IV.C.2, table III",
    C,
)
def _(table: DataFrame) -> Checks:
    """Judged by rounds: the rank correlation of C and the rounds that rules save is above 0 for
    both kinds."""
    yield above(trend(table, "rounds_saved"))
    yield means(table, "rounds_saved")


@CLAIMS(
    "more rules, fewer rounds",
    "The time that is saved by fewer rounds is consumed to process the constraints.",
    "section IV.C.2, table III (rounds with mlx from 4.1 to 2, without from 4.08 to 3.06)",
    C,
    printed="4.1 to 2; saved at C = 20: 1.06",
    tables=("exactly",),
)
def _(table: DataFrame) -> Checks:
    """The rank correlations of C with the rounds under exactly rules is below 0 and with the
    rounds that they save above 0, and about 1.06 are saved at C = 20."""
    yield about(by_value(table, "rounds_saved")[20], "1.06")
    yield below(trend(table, "rounds_with"))
    yield above(trend(table, "rounds_saved"))


@CLAIMS(
    "exactly gains more than together",
    "Overall, the ml and mlx constraints provide additional information for the clustering (cf. "
    "Figure 3), which is evident especially for mlx constraints.",
    "section IV.C.3, figure 3",
    F,
    across=True,
    shape=lambda rows: [compared("n_literals", part) for _, part in rows.groupby("kind")],
)
def _(tables: list[DataFrame]) -> Checks:
    """The gain in ARI over all F is above 0 for both kinds, and larger for exactly rules than for
    together rules; the kinds have data of their own."""
    exactly, together = (table.groupby("dataset")["gain"].mean() for table in tables)
    yield above(estimate("the gain by exactly less that by together", exactly - together))
    yield above(estimate("the gain by exactly rules", exactly))
    yield above(estimate("the gain by together rules", together))


@CLAIMS(
    "best gain with few literals",
    "The best improvement can be observed when only few attributes are included in the "
    "constraints. The ARI gain decreases for higher values of numFixedAttr.",
    "section IV.C.3, figure 3",
    F,
)
def _(table: DataFrame) -> Checks:
    """The rank correlation of F and the gain in ARI is below 0 and the mean gain is highest at an
    F of at most 4, for both kinds."""
    yield below(trend(table, "gain"))
    yield at_most(exact("the F of the highest gain", highest(table, "gain")[0]), "4")
    yield means(table, "gain")


@CLAIMS(
    "many literals: good without rules",
    "then the instances become more and more similar so that k-Medoids is also able to induce the "
    "correct clustering",
    "section IV.C.3",
    F,
)
def _(table: DataFrame) -> Check:
    """The rank correlation of F and the ARI without rules is above 0 for both kinds."""
    return above(trend(table, "ari_without"))


CLAIMS.untestable(
    "more literals, more time",
    "The ml runtime increases with higher values of numFixedAttr, no matter whether the "
    "constraints are considered or not (not illustrated).",
    "section IV.C.3",
    MILLISECONDS,
    "figure-3",
)
CLAIMS.untestable(
    "time comparable to none",
    "Here, the unconstrained clustering is even comparable in the runtime. […] the runtime is also "
    "comparable to the case when no constraints are considered.",
    "section IV.C.3",
    MILLISECONDS,
    "figure-3",
)


@CLAIMS(
    "rounds do not depend on F",
    "The number of rounds is the same for all values of numFixedAttr, when using constraints, but "
    "slightly decreased for the standard approach.",
    "section IV.C.3",
    F,
)
def _(table: DataFrame) -> Checks:
    """For both kinds the rounds without rules fall with F, and the mean rounds with rules differ
    by at most 0.5 between the values of F."""
    yield below(trend(table, "rounds_without"))
    rounds = table.groupby("x")["rounds_with"].mean()
    yield at_most(exact("the range of the rounds with rules", np.ptp(rounds)), "0.5")
    yield means(table, "rounds_with", "rounds_without")


@CLAIMS(
    "mostly fewer rounds",
    "However, in most cases the constrained clustering needs fewer rounds than the standard "
    "clustering approach.",
    "section IV.C.3",
    F,
    across=True,
    shape=lambda rows: [compared("n_literals", part) for _, part in rows.groupby("kind")],
)
def _(tables: list[DataFrame]) -> Checks:
    """Rules save rounds, on average over the data sets, in more than half of the settings of F
    and kind."""
    saved = np.concatenate([table.groupby("x")["rounds_saved"].mean() for table in tables])
    share = float(np.mean(saved > 0))
    yield so("the share of settings in which rules save rounds", share, share > 0.5, "above 0.5")


# The paper's gains over all I and at the best of them, which it gives in percent.
AVERAGE_GAINS = {"together": "0.042", "exactly": "0.12"}
BEST_GAINS = {"together": "0.068", "exactly": "0.15"}


@CLAIMS(
    "average gain over I",
    "The inclusion of both types of constraints is beneficial. Throughout the parameter values, an "
    "average improvement of 4.2% (ml) and 12% (mlx) can be observed.",
    "section IV.C.4, figure 4",
    I,
    printed="0.042 (together), 0.12 (exactly)",
)
def _(table: DataFrame) -> Checks:
    """The mean gain in ARI over all I is above 0 and about the paper's, taken as points of ARI,
    for both kinds."""
    gain = overall(table, "gain")
    yield above(gain)
    yield about(gain, AVERAGE_GAINS[table.attrs["kind"]])


@CLAIMS(
    "small data sets gain most",
    "The biggest improvement was achieved for small data sets (ml: 6.8% and mlx: 15% respectively)",
    "section IV.C.4, figure 4",
    I,
    printed="0.068 (together), 0.15 (exactly)",
)
def _(table: DataFrame) -> Checks:
    """The mean gain in ARI is largest at an I of at most 400, above 0 and about the paper's
    there, for both kinds."""
    best, gain = highest(table, "gain")
    yield above(gain)
    yield about(gain, BEST_GAINS[table.attrs["kind"]])
    yield at_most(exact("the I of the largest gain", best), "400")


@CLAIMS(
    "no trend of the gain over I",
    "but no general trend can be inferred from these numbers",
    "section IV.C.4",
    I,
)
def _(table: DataFrame) -> Checks:
    """The interval of the rank correlation of I and the gain in ARI holds 0, for both kinds."""
    yield unclear(trend(table, "gain"))
    yield means(table, "gain")


@CLAIMS(
    "more samples, more time and rounds",
    "Table IV shows that larger datasets increase the runtime and iterations.",
    "section IV.C.4, table IV",
    I,
)
def _(table: DataFrame) -> Checks:
    """The rank correlations of I with the rounds, with rules and without, and with the CPU time
    of a round without rules are above 0, for both kinds."""
    for measure in ("rounds_with", "rounds_without", "round_time"):
        yield above(trend(table, measure))


@CLAIMS(
    "rules save time and rounds",
    "The inclusion of constraints is beneficial for the runtime and rounds. Both are lower when "
    "compared to the standard clustering approach.",
    "section IV.C.4, table IV",
    I,
)
def _(table: DataFrame) -> Checks:
    """Judged by rounds: those that rules save, on average over all I, are above 0 for both
    kinds."""
    yield above(overall(table, "rounds_saved"))
    yield means(table, "rounds_saved")
