"""What claims are about: collections in place of the paper's, and what is shown beside them."""

from __future__ import annotations

from functools import partial
from typing import Any

from papers._claim import Scope
from papers.bihac.data import ABSTRACTS, GENERATED, KNOWN, NO_SUBTREE, STAND_INS
from papers.bihac.measures import MEASURES, instead, unlabelled

# What the paper may call large, and what small or about equal, of measures from 0 to 1.
LARGE, SMALL, LITTLE_LESS = "0.05", "0.02", "-0.02"
# The measures: equation 8 on all documents, and F on those without labels.
H, LEAF, HIGHER = MEASURES


def about_texts(
    experiment: str, *tables: str, by_h: bool = False, read_as: bool = True, **more: Any
) -> Scope:
    """Return what a claim is about that is tested on collections in place of the paper's.

    Other collections can be read in their place where their samples are pooled.
    """
    beside: dict[str, Any] = {"documents without labels alone": unlabelled} if by_h else {}
    others = [name for name in (GENERATED, ABSTRACTS) if read_as and name not in tables]
    beside |= {name: instead(name, tables) for name in others}
    stand_in = "On newsgroups and generated texts, not on Banksearch and Reuters:"
    options = {"across": True, "beside": beside, "stand_in": stand_in, **more}
    return Scope((experiment,), "collection", tables, **options)


compared = partial(about_texts, "figures-9-10")
compared_by_h = partial(compared, by_h=True)
KNOWN_ONLY, NO_SUBTREE_ONLY = {"setting": KNOWN}, {"setting": NO_SUBTREE}
FIVE = {"rate": 5.0, "updates": "joint"}
learned = partial(about_texts, "learning", main=FIVE)
GENERAL, GENERAL_F = compared_by_h(*STAND_INS), compared(*STAND_INS)
GENERAL_KNOWN = compared_by_h(*STAND_INS, main=KNOWN_ONLY)
EACH_ONE: dict[str, Any] = {"across": False, "read_as": False}
