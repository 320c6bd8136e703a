"""One module per paper: its experiments, figures and claims.

Each experiment is a grid of independent cells, each claim a computation on their results;
`reproduce` runs them and writes a page for each paper.
"""

from clustraint.papers._claim import Claim, Estimate, Finding, Verdict, estimate, holds_if
from clustraint.papers._experiment import Cell, Drawing, Experiment, Table, generator_of
from clustraint.papers._paper import Paper
from clustraint.papers._reproduce import PAPERS, Reproduction, paper, reproduce
from clustraint.papers._results import Results
from clustraint.papers._store import Store

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
    "Store",
    "Table",
    "Verdict",
    "estimate",
    "generator_of",
    "holds_if",
    "paper",
    "reproduce",
]
