"""Clustering with attribute level constraints: Schmidt, Brändle and Kramer, 2011."""

from papers._paper import Paper
from papers.attribute.claims import CLAIMS
from papers.attribute.experiments import EXPERIMENTS

PAPER = Paper(
    name="attribute",
    title="k-medoids under rules about attributes",
    citation=(
        "J. Schmidt, E. M. Brändle and S. Kramer: Clustering with attribute level constraints. "
        "IEEE International Conference on Data Mining (ICDM), 2011."
    ),
    about=(
        "Background knowledge as formulas over binary attributes: the samples for which a formula "
        "is true belong together (ml, here together), or are one whole cluster (mlx, here "
        "exactly). A k-medoids that keeps such rules is compared with one without, on generated "
        "data and on the zoo."
    ),
    departures=(
        "The paper describes its generator only in part; make_rule_clusters says what it adds. Of "
        "the ways to read it the one was chosen that agrees best with the printed figures: samples "
        "lie up to 10 attributes (50 in clusters with a rule) from their medoid, where the paper "
        "says 0.1 and 0.5. Shares of all attributes, as chosen before, are shown beside it; of "
        "100 attributes, as in all studies but that of A, both make the same.",
        "A rule whose cluster happens to be empty, as may be with 40 samples, is left out.",
        "The paper does not say how many values of F it ran, only the ends; here they are 1, 2, 4, "
        "8, 16, 30 and 60.",
        "Times are not compared: our fit takes milliseconds, most of which finds whom the rules "
        "are about. Claims about time are judged by rounds or by the cost of a row, or not at all.",
        "The zoo has 21 binary attributes once legs are split, where the paper says 23.",
        "The samples are shuffled before every start, since the paper's way depends on their "
        "order.",
        "Where the paper counts must-links, COP-k-means clusters with them, so that both "
        "specifications are compared in one algorithm.",
    ),
    experiments=EXPERIMENTS,
    claims=tuple(CLAIMS),
)

__all__ = ["PAPER"]
