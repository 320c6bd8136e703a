"""ReCon: Liu, Zhang and Wang, Clustering with relative constraints, KDD 2011."""

from papers._experiment import Experiment
from papers._guests import Challenge
from papers._paper import Paper
from papers.recon import figures, grids, runs
from papers.recon.claims_informative import CLAIMS as INFORMATIVE_CLAIMS
from papers.recon.claims_random import CLAIMS as RANDOM_CLAIMS
from papers.recon.claims_theory import BEFORE, TIMES

__all__ = ["PAPER"]

# The records of figures 2 and 5 have random triplets only; those of figure 4 have both.
RANDOM = Challenge(
    runs.random_problems,
    ("triplets",),
    {"f": "F"},
    panels=("table",),
    x="triplets",
    method="scheme",
)
INFORMATIVE = Challenge(
    runs.informative_problems,
    ("triplets",),
    {"f": "F"},
    panels=("table", "source"),
    x="triplets",
    method="scheme",
)
EXPERIMENTS = (
    Experiment(
        "figure-2",
        "How accurate are the five schemes with random triplets, and how much do runs differ?",
        "50 runs with different random triplets a, b of one class and c of another, from 0 to |D| "
        "of them; pairwise F. All schemes see the same triplets, and fewer are part of more.",
        runs.run_random,
        grids.random_grid,
        figures.show_random,
        RANDOM,
    ),
    Experiment(
        "figure-4",
        "How accurate are the five schemes with informative triplets?",
        "50 runs with random subsets of the (k − 1)(|D| − k) informative triplets of the classes, "
        "and with all of them. Beside them, ReCon + Euclidean and K-Means + SVM-Metric get as many "
        "random triplets.",
        runs.run_informative,
        grids.informative_grid,
        figures.show_informative,
        INFORMATIVE,
    ),
    Experiment(
        "figure-5",
        "How long does ReCon take, also with many classes?",
        "50 runs with 0 to 3,000 random triplets on 3,000 rows drawn once from all 26 letters and "
        "all 10 digits; CPU seconds of one core. Letters-IJLT and Digits-389 are those of figure "
        "2.",
        runs.run_random,
        grids.large_grid,
        figures.show_large,
        RANDOM,
    ),
    Experiment(
        "utility",
        "Do informativeness and coherence tell which triplets will help?",
        "The paper only says that they do not suffice. Here: the random triplets of figure 2, "
        "|D|/10 and 4|D|/10 of them, 50 sets of each, and what ReCon + Euclidean gains by each.",
        runs.run_utility,
        grids.utility_grid,
        figures.show_utility,
    ),
    Experiment(
        "dead-ends",
        "Does merging that violates no triplet come to a complete hierarchy?",
        "The paper gives one example of four samples. Here also the random triplets of figure 2, "
        "|D|/10 and |D| of them: iHAC (average linkage, Euclidean) that violates none, and ReCon.",
        runs.run_dead_end,
        grids.dead_end_grid,
        figures.show_dead_ends,
    ),
    Experiment(
        "inference",
        "Do the informative triplets imply all others?",
        "The paper states it. Here: random binary hierarchies and random classes; up to 200 "
        "triplets of each are asked about, and each informative one is left out once.",
        runs.run_inference,
        grids.inference_grid,
        figures.show_inference,
    ),
)

PAPER = Paper(
    name="recon",
    title="Clustering with relative constraints",
    citation=(
        "Eric Yi Liu, Zhaojun Zhang, Wei Wang: Clustering with relative constraints. KDD 2011, "
        "pages 947–955."
    ),
    about=(
        "A triplet ab|c says that a and b are closer to each other than to c. ReCon merges "
        "clusters from the bottom up, each time the closest pair after whose merge some hierarchy "
        "still keeps all triplets, so that it never ends in a dead end. The paper compares it with "
        "a metric learned from the same triplets, and shows which few triplets of a hierarchy say "
        "all."
    ),
    departures=(
        "Rows are shuffled in each run, so that ties and each class's first sample, which all of "
        "its informative triplets share, differ by run.",
        "The triplets of a run with fewer are part of those with more, which makes the changes "
        "along a curve paired; the paper does not say.",
        "F is that of the cut “whole”, which sets branches below 5 % of the samples aside and "
        "opens those that hold most triplets; the paper's threshold is not given, and undoing the "
        "last merges (the cut “last”) is shown beside it.",
        "The degenerate informative triplets d1 d1 | … are left out: (k − 1)(|D| − k) instead of "
        "(k − 1)|D|.",
        "Transfusion has 4 features; the paper's 5 counts the class.",
        "The metric's program is solved by an interior-point method instead of SVM-light.",
        "K-Means is the best of ten starts; the paper does not say.",
        "The paper does not give the amounts of triplets: 8 from 0 to |D|, 6 from none to all "
        "informative ones.",
    ),
    experiments=EXPERIMENTS,
    claims=(*BEFORE, *RANDOM_CLAIMS, *INFORMATIVE_CLAIMS, *TIMES),
)
