"""From instance-level to space-level constraints: Klein, Kamvar and Manning, 2002."""

from papers._paper import Paper
from papers.ccl.claims import CLAIMS
from papers.ccl.experiments import EXPERIMENTS

PAPER = Paper(
    name="ccl",
    title="Constrained complete link: what a constraint says of its neighbourhood",
    citation="D. Klein, S. D. Kamvar and C. D. Manning. From instance-level constraints to "
    "space-level constraints: making the most of prior knowledge in data clustering. ICML 2002.",
    about="Must-links shorten the distances around them, cannot-links spread with the merges of "
    "complete link, so that a few constraints reshape whole clusters. Asked for one at a time, "
    "they count for more. Accuracy is the constrained Rand index (CRI): the share of right "
    "decisions among the pairs that the constraints leave open.",
    departures=(
        "The paper names neither the number of repetitions nor that of the constraints: there are "
        "50 repetitions here, and numbers up to about twice that of the samples.",
        "The synthetic sets are drawn anew in each repetition, after sizes and radii read off "
        "figure 7; rows are always shuffled, as ties are broken by their order.",
        "The paper does not say what becomes of runs in which COP-k-means finds no assignment, up "
        "to all of them where there are two classes. Its own COP-k-means, a single start that "
        "assigns sample by sample, decides the claims by the runs that end; one whose dead ends "
        "are solved exactly, so that every constraint set counts, and the best of ten starts stand "
        "beside it.",
        "Where only clusters that must not be joined are left above k, CCL must force a merge: it "
        "takes the pair that breaks the least weight of given cannot-links, then the nearest. The "
        "paper does not say what it does.",
        "“More robust when over-constrained”, of which the paper says no more, is tested as a lead "
        "with the most constraints and as a smaller loss against the best number of them. The "
        "criterion was written before the run and stays, but its second part has little to measure "
        "where COP-k-means never rises and so has nothing to lose; leads stand with the claim.",
        "Active CCL asks about merges higher than α, the height of the unconstrained merge that "
        "leaves two thirds of the budget and k clusters: the paper gives no rule for α. It asks "
        "through the medoids of the two clusters, where the paper does not say which samples.",
        "For k-means the nominal values of soybean are columns of 0 and 1; complete link takes the "
        "share of values that differ.",
        "Features are used as they are, without scaling.",
        "The crabs are also clustered by their sex, which the paper does not do; no claim rests on "
        "it.",
        "Figure 11 is also drawn for the synthetic sets and for COP-k-means, as the text speaks of "
        "both.",
        "Where the constraints, or the answers, decide every pair there is no CRI.",
    ),
    experiments=EXPERIMENTS,
    claims=tuple(CLAIMS),
)

__all__ = ["PAPER"]
