"""What the papers wish for, and what decides whether it is worth having; the criteria are ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from papers._claim import Claims, Scope
from papers._criteria import Check, above, at_least, so
from papers._estimate import Estimate, estimate

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

CLAIMS = Claims()
TREES = "Struyf and Džeroski 2007, section 5"
RECON = "Liu, Zhang and Wang 2011, section 6"
ATTRIBUTE = "Schmidt, Brändle and Kramer 2011, section V"
BIHAC = "Bade and Nürnberger 2009"
WORDS = {
    "ari": "ARI",
    "f": "F-measure",
    "h": "H-correlation",
    "rand": "Rand index",
    "shown": "share of triplets displayed",
}
RIVALS = ("PCK-means", "MPCK-means", "learned metric", "complete linkage", "robust mixture")


def lead(rows: DataFrame, first: str, second: str, measure: str) -> Estimate:
    """Return how far a method leads another in the same cells, as one mean for each repetition.

    A cell in which either has no clustering does not count.
    """
    wide = rows.pivot_table(index=["repeat", "table"], columns="method", values=measure)
    leads = (wide[first] - wide[second]).dropna()
    return estimate(f"{first} less {second} ({WORDS[measure]})", leads.groupby("repeat").mean())


def means(rows: DataFrame, measure: str) -> str:
    """Return the mean of each method, as a remark."""
    values = rows.groupby("method", sort=False)[measure].mean()
    return f"Means: {', '.join(f'{name} {value:.3f}' for name, value in values.items())}."


@CLAIMS(
    "beam search is better than greedy",
    "We plan to investigate alternative search strategies, such as beam search, for which we have "
    "shown that it improves the performance of predictive clustering trees",
    TREES,
    Scope(("trees",)),
)
def _(rows: DataFrame) -> Checks:
    """Over five tables the Rand index of trees found with a beam of 5, less that of greedy ones,
    is above 0."""
    yield above(lead(rows, "beam of 5", "greedy", "rand"))
    yield means(rows, "rand")


@CLAIMS(
    "small trees cost little",
    "Finally, we plan to investigate how other constraint types, such as constraints on the size "
    "of the tree, can be integrated in ClusILC.",
    TREES,
    Scope(("trees",)),
)
def _(rows: DataFrame) -> Checks:
    """Trees of at most 2k leaves have on average at least as high a Rand index as others less
    0.01."""
    small = lead(rows, "at most 2k leaves", "greedy", "rand")
    yield at_least(small, "-0.01")
    leaves = rows.groupby("method")["n_leaves"].mean()
    yield f"They have {leaves['at most 2k leaves']:.1f} leaves instead of {leaves['greedy']:.1f}."


@CLAIMS(
    "nominal columns help",
    "In future work, we plan to extend ClusILC to support data with mixed numeric and nominal "
    "attributes.",
    TREES,
    Scope(("mixed",)),
)
def _(rows: DataFrame) -> Checks:
    """The Rand index of trees on all columns of the animals, less that on the numbers alone, is
    above 0."""
    yield above(lead(rows, "mixed", "numbers", "rand"))
    yield means(rows, "rand")


def _rival(name: str) -> None:
    @CLAIMS(
        f"trees lead {name}",
        "We also consider experiments comparing ClusILC to other constrained clustering "
        "algorithms, such as k-means algorithms that implement soft constrained clustering, metric "
        "learning approaches, and HAC",
        TREES,
        Scope(("rivals",)),
    )
    def _(rows: DataFrame) -> Checks:
        """Over the tables at hand the Rand index of trees, less that of the other method, is
        above 0."""
        yield above(lead(rows, "tree", name, "rand"))
        wide = rows.pivot_table(index="table", columns="method", values="rand")
        n_ahead = int((wide["tree"] > wide[name]).sum())
        yield f"The mean of the trees is higher on {n_ahead} of {len(wide)} tables."


for rival in RIVALS:
    _rival(rival)


@CLAIMS(
    "pairs help beside triplets",
    "In the future work we plan to investigate how to integrate relative constraints with other "
    "existing constraint models. For example, pairwise constraints can be present together with "
    "relative constraints in many problems.",
    RECON,
    Scope(("pairs-and-triplets",)),
)
def _(rows: DataFrame) -> Checks:
    """The F-measure of ReCon with pairs and triplets, less that with either alone, is above 0."""
    yield above(lead(rows, "both", "triplets", "f"))
    yield above(lead(rows, "both", "pairs", "f"))
    broken = rows.groupby("method", sort=False)["broken"].mean()
    yield means(rows, "f")
    yield (
        f"Cuts break {broken['triplets']:.1f} of the triplets on average, {broken['both']:.1f} "
        "where pairs are given, too."
    )


@CLAIMS(
    "repair makes noisy triplets useful",
    "handling noisy/inconsistent constraints is an important step in applying relative "
    "constraints […] derive a maximum subset of consistent constraints",
    RECON,
    Scope(("noise",)),
)
def _(rows: DataFrame) -> Checks:
    """With a fifth of the triplets wrong, the F-measure after repair, less that without triplets,
    is above 0."""
    yield above(lead(rows, "repair", "none", "f"))
    yield means(rows, "f")


@CLAIMS(
    "doubt is better than repair alone",
    "handling noisy/inconsistent constraints is an important step in applying relative constraints",
    RECON,
    Scope(("noise",)),
)
def _(rows: DataFrame) -> Checks:
    """The F-measure where a mixture first drops what it takes for wrong, less that after repair
    alone, is above 0."""
    yield above(lead(rows, "doubt", "repair", "f"))
    dropped = rows.groupby("method")["dropped"].mean()
    yield f"Doubt drops {dropped['doubt']:.0f} triplets, repair {dropped['repair']:.0f}."


@CLAIMS(
    "the metric filters noise",
    "Also, metric learning approaches can be used as a subroutine to filter noisy constraints.",
    RECON,
    Scope(("noise",)),
)
def _(rows: DataFrame) -> Checks:
    """The F-measure where a learned metric first drops what it denies, less that after repair
    alone, is above 0."""
    yield above(lead(rows, "metric as a filter", "repair", "f"))
    dropped = rows.groupby("method")["dropped"].mean()
    yield f"It drops {dropped['metric as a filter']:.0f} triplets, repair {dropped['repair']:.0f}."


@CLAIMS(
    "an ontology helps with the others",
    "informative constraints can be systematically obtained from hierarchical knowledge resources "
    "such as Gene Ontology",
    RECON,
    Scope(("ontology",)),
)
def _(rows: DataFrame) -> Checks:
    """The share of the other animals' triplets that the hierarchy displays is above that without
    the ontology where it is about half of the animals, and no triplet given is broken."""
    yield above(lead(rows, "half", "nothing", "shown"))
    broken = int(rows["broken"].sum())
    yield so("the number of triplets not displayed", broken, broken == 0, "0")
    yield means(rows, "shown")


@CLAIMS(
    "both kinds of rule at once",
    "we would like to consider the combination of the presented constraints",
    ATTRIBUTE,
    Scope(("rules",)),
)
def _(rows: DataFrame) -> Checks:
    """With rules of both kinds the ARI, less that without rules, is above 0, and none is
    violated."""
    yield above(lead(rows, "together and exactly", "nothing", "ari"))
    violated = int(rows["violated"].sum())
    yield so("the number of violated constraints", violated, violated == 0, "0")
    yield means(rows, "ari")


@CLAIMS(
    "rules with pairs in one fit",
    "we would like to consider the combination of the presented constraints",
    ATTRIBUTE,
    Scope(("rules",)),
)
def _(rows: DataFrame) -> Checks:
    """The ARI with rules and pairs, less that with rules alone and less that with pairs alone, is
    above 0."""
    yield above(lead(rows, "rules with pairs", "together and exactly", "ari"))
    yield above(lead(rows, "rules with pairs", "pairs", "ari"))


@CLAIMS(
    "bounds on shared attributes hold",
    "Moreover, we would like to examine how constraints that express, e.g., the amount of shared "
    "attributes between clusters, can be formalized and incorporated into the constrained mining "
    "process.",
    ATTRIBUTE,
    Scope(("rules",), by_construction=True),
)
def _(rows: DataFrame) -> Checks:
    """No two medoids share more than 12 of 16 values where that is the bound."""
    bound = rows[rows["method"].str.contains("at most 12")]
    most = int(bound["shared"].max())
    yield so("the most values that two medoids share", most, most <= 12, "at most 12")
    free = rows[rows["method"] == "nothing"]["shared"].max()
    yield f"Without the bound they share up to {int(free)}."


@CLAIMS(
    "bounds on shared attributes help",
    "Moreover, we would like to examine how constraints that express, e.g., the amount of shared "
    "attributes between clusters, can be formalized and incorporated into the constrained mining "
    "process.",
    ATTRIBUTE,
    Scope(("rules",)),
)
def _(rows: DataFrame) -> Checks:
    """The ARI with at most 12 of 16 values shared, less that without a bound, is above 0, without
    rules and with them."""
    yield above(lead(rows, "at most 12 shared", "nothing", "ari"))
    yield above(lead(rows, "rules, at most 12 shared", "together and exactly", "ari"))


@CLAIMS(
    "another similarity learns, too",
    "the general approach of MLB constraints and also our clustering method can in principle work "
    "with any kind of similarity measure […]. However, this requires modifications in the learning "
    "algorithm",
    f"{BIHAC}, section 4.1",
    Scope(("texts",)),
)
def _(rows: DataFrame) -> Checks:
    """With the Euclidean distance the H-correlation after learning, less that before, is above
    0."""
    yield above(lead(rows, "Euclidean", "Euclidean, no learning", "h"))
    yield means(rows, "h")


@CLAIMS(
    "a hold-out set is not worth its constraints",
    "The alternative is to use a hold-out set […]. However, as constraints are often rare, it is "
    "usually not feasible to do so.",
    f"{BIHAC}, section 4.3",
    Scope(("texts",)),
)
def _(rows: DataFrame) -> Checks:
    """The H-correlation where all triplets are learned from is at least that where three tenths
    are held out."""
    yield at_least(lead(rows, "cosine", "cosine, hold-out error", "h"), "0.000")
    gain = lead(rows, "cosine", "no learning", "h")
    yield f"Learning gains {gain.value:.3f} ({gain.low:.3f} to {gain.high:.3f})."
    wide = rows.pivot(index="repeat", columns="method", values="h")
    equal = int((wide["cosine"] == wide["cosine, hold-out error"]).sum())
    yield f"In {equal} of {len(wide)} repetitions both are the same clustering."
