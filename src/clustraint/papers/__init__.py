"""One module per paper: its experiments, figures and claims.

Each experiment is a grid of independent cells, each claim a computation on their results;
`reproduce` runs them and writes a page for each paper.
"""

from clustraint.papers._claim import Claim, Estimate, Finding, Verdict, estimate
from clustraint.papers._experiment import Cell, Drawing, Experiment, Table
from clustraint.papers._paper import Paper
from clustraint.papers._reproduce import PAPERS, Reproduction, paper, reproduce
from clustraint.papers._results import Results

__all__ = [
    "PAPERS",
    "Cell",
    "Claim",
    "Drawing",
    "Estimate",
    "Experiment",
    "Finding",
    "Paper",
    "Reproduction",
    "Results",
    "Table",
    "Verdict",
    "estimate",
    "paper",
    "reproduce",
]
