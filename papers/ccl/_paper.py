"""Klein, Kamvar and Manning (2002): what they did and found."""

from __future__ import annotations

from clustraint.constraints import PAIR_KINDS
from papers._experiment import Experiment
from papers._guests import Challenge
from papers._paper import Paper
from papers.ccl import (
    claims_accuracy,
    claims_active,
    claims_behaviour,
    claims_mixes,
    figures,
    grids,
    pictures,
    runs,
)

METHODS = (
    "CCL and COP-k-means get the same constraints; active CCL may ask as many questions. "
    "COP-k-means is shown as a single random start that assigns sample by sample (the paper's "
    "baseline), as the best of ten such starts by inertia, and as a single random start whose dead "
    "ends are solved exactly, so that it never fails."
)
ACCURACY = {"cri": "accuracy (CRI)"}
CHALLENGE = Challenge(runs.accuracy_problems, PAIR_KINDS, ACCURACY, panels=("table",), x="n_pairs")
REPEATED = (
    "50 repetitions (5 in the quick run; the paper names no number), each with its rows shuffled "
    "and its own random pairs, fewer of which are always among more."
)

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
        "to all of them where there are two classes. Claims compare CCL with a COP-k-means whose "
        "dead ends are solved exactly, so that every constraint set counts; the share of runs that "
        "fail, single starts and the best of ten are shown beside it.",
        "For k-means the nominal values of soybean are columns of 0 and 1; complete link takes the "
        "share of values that differ.",
        "The crabs are also clustered by their sex, which the paper does not do; no claim rests on "
        "it.",
        "Figure 11 is also drawn for the synthetic sets and for COP-k-means, as the text speaks of "
        "both.",
        "Where the constraints, or the answers, decide every pair there is no CRI.",
    ),
    experiments=(
        Experiment(
            name="figure-8",
            title="How accurate are CCL, active CCL and COP-k-means on shapes?",
            protocol=f"{METHODS} {REPEATED}",
            run=runs.accuracy,
            grid=grids.synthetic,
            show=figures.show_synthetic,
            challenge=CHALLENGE,
        ),
        Experiment(
            name="figure-9",
            title="How accurate are they on real data?",
            protocol=f"{METHODS} {REPEATED}",
            run=runs.accuracy,
            grid=grids.real,
            show=figures.show_real,
            challenge=CHALLENGE,
        ),
        Experiment(
            name="figure-10",
            title="What do the principal components say of the classes?",
            protocol="Of the whole data, features as they are. The paper draws the samples; here "
            "the components are measured.",
            run=pictures.projections,
            grid=grids.projected,
            show=pictures.show_projections,
        ),
        Experiment(
            name="figure-11",
            title="Does it matter whether constraints are must-links or cannot-links?",
            protocol="Pairs as drawn, must-links alone, cannot-links alone, and half of each, for "
            f"CCL and for COP-k-means. {REPEATED}",
            run=runs.mixes,
            grid=grids.mixed,
            show=figures.show_mixes,
            challenge=Challenge(
                runs.mix_problems, PAIR_KINDS, ACCURACY, panels=("table", "mix"), x="n_pairs"
            ),
        ),
        Experiment(
            name="figure-12",
            title="What do the clusters look like?",
            protocol="The first repetition of figures 8 and 9, with no, 10 and 30 constraints; "
            "COP-k-means has its dead ends solved.",
            run=pictures.pictures,
            grid=grids.pictured,
            show=pictures.show_pictures,
        ),
    ),
    claims=(
        *claims_accuracy.CLAIMS,
        *claims_behaviour.CLAIMS,
        *claims_mixes.CLAIMS,
        *claims_active.CLAIMS,
    ),
)
