"""biHAC: learning a metric during hierarchical clustering (Bade and Nürnberger 2009)."""

from papers._experiment import Experiment
from papers._guests import Challenge
from papers._paper import Paper
from papers.bihac import (
    claims_known,
    claims_learning,
    claims_unknown,
    counting,
    figures,
    grids,
    learning,
    runs,
)
from papers.bihac.paired import COMPARISON, MEASURES

__all__ = ["PAPER"]

EXPERIMENTS = (
    Experiment(
        claims_learning.COUNTS,
        "How many constraints follow from labelled documents?",
        "All ordered triplets of the trees of figures 6 to 8 with 1 to 30 documents on each class "
        "are counted. Nothing is random.",
        counting.count_constraints,
        grids.trees,
        figures.show_counts,
    ),
    Experiment(
        claims_learning.TERMS,
        "How many terms does HAC need?",
        "HAC on a random 80 % of each collection, five times, with all terms that occur five times "
        "and with those of them that are in most documents. The paper says that there was such a "
        "preliminary evaluation, and no more.",
        counting.reduce_terms,
        grids.reductions,
        figures.show_terms,
    ),
    Experiment(
        COMPARISON,
        "What do constraints gain, with all classes known and with some unknown?",
        "Labels on 1 to 30 random documents of each known class, five samples, give all "
        "triplets of the hierarchy over them; HAC, iHAC, biHAC and biiHAC cluster all "
        "documents under the same ones and are judged on those without labels. Setting (1): all "
        "classes are known; (2): one leaf class is not; (3): one subtree of the top level is not.",
        runs.compare,
        grids.comparisons,
        figures.show_comparisons,
        Challenge(
            runs.problems,
            ("triplets",),
            MEASURES,
            panels=("collection", "setting"),
            x="per_class",
            of_texts=True,
        ),
    ),
    Experiment(
        claims_learning.LEARNING,
        "How are weights learned, and with which learning rate?",
        "50 runs of biHAC, no matter whether the error falls, in setting (1): the paper's rate of "
        "5 with fewer and more labels, and with more labels other rates and the paper's order of "
        "updates. Five samples of labels.",
        learning.learn,
        grids.learnings,
        figures.show_learning,
    ),
)

PAPER = Paper(
    name="bihac",
    title="biHAC: learning a metric during hierarchical clustering",
    citation=(
        "Korinna Bade and Andreas Nürnberger. Learning a Metric during Hierarchical Clustering "
        "based on Constraints. 2009."
    ),
    about=(
        "Labelled documents of a partly known tree of classes give constraints: x and y join "
        "before either joins z. biHAC clusters by average linkage on a weighted cosine, and adapts "
        "the weights where a merge violates a constraint; iHAC merges only what violates none; "
        "biiHAC is iHAC with the weights that biHAC has learned."
    ),
    departures=(
        "Banksearch and the Reuters corpus are not at hand. In their place are three sets of 20 "
        "Newsgroups (100 posts of each group): 11 groups that are far apart, 9 that are alike, and "
        "all 20; abstracts of the Web of Science (areas with 10 documents or more, in domains with "
        "two such areas or more: 32 areas, 401 documents); and texts generated on the tree of "
        "Reuters 1, the only ones with documents on higher classes: the others have all documents "
        "on leaf classes.",
        "The 5,000 terms are those in most documents; the paper chooses them as in "
        "Borgelt and Nürnberger 2004, without supervision. Only two collections have more than "
        "5,000 to choose from.",
        "The idf is the plain logarithm of the inverse share of documents, which is 0 for a term "
        "in all of them; the paper prints no formula. The choice matters: with scikit-learn's, "
        "which is never below 1, HAC was far worse on the newsgroups.",
        "The generated texts (5,000 words, 200 for each topic, a share of 0.2 on the topics) are "
        "one of five settings tried, taken because HAC is neither poor nor perfect on it.",
        "Criteria were written after a look at single fits on each kind of collection and before "
        "any repeated result; the bounds of the claims on adaptations and on CPU time are those "
        "on which such fits bore most.",
        "Labels per class go up to 30 where classes have 100 documents, to 15 with all 20 "
        "newsgroups, whose triplets grow to millions, and to 5 with areas of 10 documents.",
        "The unknown leaf class or subtree, which the paper does not name, is another one in each "
        "sample, so that findings are not those of one class.",
        "Labels of one sample are nested: more labels add to fewer, and settings (2) and (3) lack "
        "those of the unknown classes. The paper draws each setup anew; nesting lets numbers of "
        "labels and settings be compared within a sample.",
        "The H-correlation, too, is measured on documents without labels; the paper says this of "
        "the F-score alone. The one on all documents is in the raw results.",
        "Gradients of the two triples of a mistake are taken at the same weights and added; one "
        "after the other, as in the paper, depends on the order of the documents. The table of "
        "learning rates has both.",
        "Learning stops after 10 runs without a lower error; the paper does not print its number.",
    ),
    experiments=EXPERIMENTS,
    claims=(*claims_learning.CLAIMS, *claims_known.CLAIMS, *claims_unknown.CLAIMS),
)
