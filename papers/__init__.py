"""One module per paper: its experiments, figures and claims.

Each experiment is a grid of independent cells, each claim a computation on their results;
`reproduce` runs them and writes a page for each paper.
"""

from papers._claim import Claim, Claims, Finding, Scope, Verdict
from papers._estimate import Estimate, estimate
from papers._experiment import Cell, Drawing, Experiment, ShownTable, generator_of
from papers._guests import Challenge, Problem
from papers._paper import Paper
from papers._reproduce import PAPERS, Reproduction, paper, reproduce
from papers._results import Results
from papers._runner import run_paper
from papers._store import Store

__all__ = [
    "PAPERS",
    "Cell",
    "Challenge",
    "Claim",
    "Claims",
    "Drawing",
    "Estimate",
    "Experiment",
    "Finding",
    "Paper",
    "Problem",
    "Reproduction",
    "Results",
    "Scope",
    "ShownTable",
    "Store",
    "Verdict",
    "estimate",
    "generator_of",
    "paper",
    "reproduce",
    "run_paper",
]
