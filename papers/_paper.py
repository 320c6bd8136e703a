"""A paper: its experiments and its claims."""

from __future__ import annotations

from dataclasses import dataclass

from papers._claim import Claim
from papers._exceptions import UnknownExperimentError
from papers._experiment import Experiment


@dataclass(frozen=True)
class Paper:
    """What one paper did and found.

    Attributes
    ----------
    name : str
        What it is called on the command line.
    title : str
        What the method is, for people.
    citation : str
        Authors, title, where and when.
    about : str
        What it proposes, in two or three sentences.
    departures : tuple of str
        Where the experiments here differ from the paper's, and why.
    experiments : tuple of Experiment
        In the paper's order.
    claims : tuple of Claim
        In the paper's order.

    Examples
    --------
    >>> from papers import paper
    >>> paper("recon").citation.split(",")[0]
    'Eric Yi Liu'
    """

    name: str
    title: str
    citation: str
    about: str
    departures: tuple[str, ...]
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]

    def experiment(self, name: str) -> Experiment:
        """Return the experiment of that name.

        Examples
        --------
        >>> from papers import paper
        >>> ccl = paper("ccl")
        >>> ccl.experiment(ccl.experiments[0].name) is ccl.experiments[0]
        True
        """
        for experiment in self.experiments:
            if experiment.name == name:
                return experiment
        raise UnknownExperimentError(name, self.name, [each.name for each in self.experiments])

    def chosen(self, only: str | None) -> list[Experiment]:
        """Return all experiments, or the one of that name with the guests beside it.

        Examples
        --------
        >>> from papers import paper
        >>> [each.name for each in paper("ccl").chosen("figure-8")]
        ['figure-8']
        """
        if only is None:
            return list(self.experiments)
        return [
            self.experiment(only),
            *(each for each in self.experiments if each.beside == only),
        ]
