"""Which documents are labelled, and the constraints that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clustraint import Constraints, Hierarchy
from clustraint.typing import IntArray
from papers._experiment import generator_of
from papers.bihac.texts import Texts, below

ALL_CLASSES, NO_LEAF, NO_SUBTREE = 1, 2, 3
SETTINGS = {
    ALL_CLASSES: "all classes known",
    NO_LEAF: "one leaf class unknown",
    NO_SUBTREE: "one subtree unknown",
}


@dataclass(frozen=True)
class Labelling:
    """Labelled documents of the classes that are known.

    Attributes
    ----------
    samples : int64 ndarray
        The documents.
    unknown : str or None
        The class that none of them is of, nor of a class below it.
    constraints : Constraints
        All triplets of the hierarchy over these documents.
    """

    samples: IntArray
    unknown: str | None
    constraints: Constraints

    @property
    def n_ordered(self) -> int:
        """How many constraints that is as the paper counts them: ab|c and ba|c are two."""
        return 2 * len(self.constraints.triplets)


def labelling(
    texts: Texts, collection: str, *, setting: int, per_class: int, repeat: int
) -> Labelling:
    """Label the first documents of each class that is known, in this repetition's order.

    More labels add to fewer, and an unknown class only takes its own away, so that numbers of
    labels and settings compare within a repetition.
    """
    unknown = unknown_class(texts, collection, setting=setting, repeat=repeat)
    hidden = {unknown, *below(unknown, texts.classes)} if unknown else set()
    order = generator_of("labels", collection, repeat).permutation(len(texts.paths))
    present = [path for path in texts.classes if path not in hidden]
    samples = np.concatenate([order[texts.paths[order] == path][:per_class] for path in present])
    return Labelling(samples, unknown, all_triplets(texts.paths, samples))


def unknown_class(texts: Texts, collection: str, *, setting: int, repeat: int) -> str | None:
    """Return the class that is unknown; repetitions take turns through a random order of all."""
    candidates = {NO_LEAF: texts.leaves, NO_SUBTREE: texts.subtrees}.get(setting)
    if candidates is None:
        return None
    order = generator_of("unknown", collection, setting).permutation(len(candidates))
    return candidates[int(order[repeat % len(candidates)])]


def all_triplets(paths: NDArray[np.str_], samples: IntArray) -> Constraints:
    """Return all triplets of the hierarchy over some of the documents."""
    rows = Hierarchy.from_paths(paths[samples].tolist()).triplets()
    return Constraints(len(paths), triplets=samples[rows])
