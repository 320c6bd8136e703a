"""Results that nobody ran: records made by hand for the cells of a paper's grids."""

from papers import Results
from papers._store import CellResult


class HandMadeStore:
    """What `Results` reads of a store."""

    def __init__(self):
        self.cells = {}
        self.absent = {}

    def results(self, paper, experiment):
        return self.cells.get(experiment, [])

    def missing(self, paper, experiment):
        return self.absent.get(experiment, set())


def results_with(paper, size="full", **records):
    """Return results in which functions of a cell's parameters stand for its run.

    They give its records, None where it was not run, "missing" where its data are not here.
    """
    store = HandMadeStore()
    for name, record in records.items():
        name = name.replace("_", "-")
        parts = [(cell, record(**cell.parameters)) for cell in paper.experiment(name).cells(size)]
        store.absent[name] = {cell.key for cell, made in parts if made == "missing"}
        store.cells[name] = [
            CellResult(cell, tuple(made), 0.1) for cell, made in parts if isinstance(made, list)
        ]
    return Results(paper, store, size)


def finding_of(paper, name, results):
    """Return what comes of a claim; every finding has its sentence."""
    (claim,) = (claim for claim in paper.claims if claim.name == name)
    finding = claim.test(results)
    assert finding.explanation
    return finding
