"""Collections of texts in trees of classes, which documents are labelled, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from clustraint import Constraints, Hierarchy
from clustraint.datasets import make_text_hierarchy
from clustraint.typing import IntArray
from papers._data import dataset
from papers._experiment import generator_of

# At least three letters, and nothing but letters.
TERM = r"(?u)\b[^\W\d_]{3,}\b"
FEWEST_OCCURRENCES = 5
MOST_TERMS = 5000
# Areas of WOS-1000 with fewer documents leave too little to measure once half are labelled.
FEWEST_DOCUMENTS = 10


def _paths(**tops: str) -> tuple[str, ...]:
    """Return paths of classes; an empty name is the class of the top level itself."""
    return tuple(
        f"{top}/{name}".removesuffix("/")
        for top, names in tops.items()
        for name in names.split(";")
    )


# The paper's figures 6 to 8: the classes that have documents themselves.
TREES = {
    "Banksearch": _paths(
        finance="commercial banks;building societies;insurance agencies",
        science="astronomy;biology",
        programming="c and c++;java;visual basic",
        sport=";soccer;motor racing",
    ),
    "Reuters 1": _paths(
        corporate=";strategy;research;advertising",
        economics=";performance;borrowing",
        society=";disasters;health;weather",
    ),
    "Reuters 2": _paths(
        equity="",
        bonds="",
        money=";interbank;forex",
        commodities=";soft;metals;energy",
    ),
}
APART_GROUPS = _paths(
    comp="graphics;windows-x",
    rec="autos;sport/baseball;sport/hockey",
    sci="crypt;med;space",
    talk="politics/guns;politics/mideast;religion-misc",
)
ALIKE_GROUPS = _paths(
    comp="graphics;os-ms-windows-misc;sys/ibm-pc-hardware;sys/mac-hardware;windows-x",
    rec="autos;motorcycles",
    sci="crypt;electronics",
)


@dataclass(frozen=True)
class Texts:
    """A collection: counts of terms, and the class of each document.

    Attributes
    ----------
    counts : csr_array of shape (n_documents, n_terms)
        How often each term occurs in each document.
    paths : str ndarray of shape (n_documents,)
        Classes as paths.
    """

    counts: csr_array
    paths: NDArray[np.str_]

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The tree of classes with the documents on it."""
        return Hierarchy.from_paths(self.paths.tolist())

    @cached_property
    def classes(self) -> list[str]:
        """All classes that have documents of their own."""
        return sorted(set(self.paths.tolist()))

    @cached_property
    def leaves(self) -> list[str]:
        """Classes without classes below them."""
        return leaves_of(self.classes)

    @cached_property
    def subtrees(self) -> list[str]:
        """Classes of the top level with at least two leaves below them."""
        sizes = Counter(path.split("/")[0] for path in self.leaves)
        return sorted(path for path, size in sizes.items() if size > 1)

    @cached_property
    def vectors(self) -> csr_array:
        """The documents as tf×idf vectors."""
        return weighted(self.counts)


def leaves_of(classes: Sequence[str]) -> list[str]:
    """Return the classes without classes below them."""
    return [path for path in classes if not any(each.startswith(f"{path}/") for each in classes)]


def weighted(counts: csr_array) -> csr_array:
    """Return tf×idf, the idf being the logarithm of the inverse share of documents."""
    idf = np.log(counts.shape[0] / document_frequencies(counts))
    return csr_array(counts.multiply(idf[np.newaxis]))


def document_frequencies(counts: csr_array) -> NDArray[np.int64]:
    """Return in how many documents each term occurs, at least 1."""
    return np.maximum(np.bincount(counts.indices, minlength=counts.shape[1]), 1)


def most_frequent(counts: csr_array, n_terms: int) -> csr_array:
    """Return the columns of the terms that are in most documents."""
    order = np.argsort(-document_frequencies(counts), kind="stable")
    return counts[:, np.sort(order[:n_terms])]


def counted(texts: Sequence[str]) -> csr_array:
    """Return how often each term occurs that is frequent enough, as the paper counts them."""
    counts = csr_array(CountVectorizer(token_pattern=TERM).fit_transform(texts), dtype=float)
    return _frequent_enough(counts)


def _frequent_enough(counts: csr_array) -> csr_array:
    return counts[:, np.flatnonzero(counts.sum(axis=0) >= FEWEST_OCCURRENCES)]


def _stored(name: str, chosen: Callable[[Sequence[str]], set[str]]) -> Texts:
    """Return the documents of some classes of a stored collection."""
    collection = dataset(name)
    paths = collection.paths or ()
    classes = chosen(paths)
    rows = [row for row, path in enumerate(paths) if path in classes]
    counts = counted([str(collection.X[row]) for row in rows])
    return Texts(counts, np.array([paths[row] for row in rows]))


def large_areas(paths: Sequence[str]) -> set[str]:
    """Return the areas with enough documents in domains with two or more of them."""
    large = [path for path, size in Counter(paths).items() if size >= FEWEST_DOCUMENTS]
    domains = Counter(path.split("/")[0] for path in large)
    return {path for path in large if domains[path.split("/")[0]] > 1}


def _generated() -> Texts:
    """Return random texts on the tree of Reuters 1, as many on each class as the paper has."""
    sizes = {"economics": 59}
    paths = [path for path in TREES["Reuters 1"] for _ in range(sizes.get(path, 100))]
    drawn = make_text_hierarchy(
        paths, n_words=MOST_TERMS, words_per_topic=200, topic_share=0.2, random_state=0
    )
    return Texts(_frequent_enough(csr_array(drawn.X, dtype=float)), np.array(drawn.paths))


GENERATED, APART, ALIKE = "generated", "newsgroups apart", "newsgroups alike"
ABSTRACTS, ALL = "science abstracts", "all newsgroups"
COLLECTIONS: dict[str, Callable[[], Texts]] = {
    GENERATED: _generated,
    APART: lambda: _stored("20newsgroups-mini", lambda paths: set(APART_GROUPS)),
    ALIKE: lambda: _stored("20newsgroups-mini", lambda paths: set(ALIKE_GROUPS)),
    ABSTRACTS: lambda: _stored("wos-1000", large_areas),
    ALL: lambda: _stored("20newsgroups-mini", set),
}
# What stands in for the paper's three sets wherever it speaks of one of them: a whole collection,
# classes chosen to be far apart, and classes chosen to be alike.
BANKSEARCH, REUTERS_1, REUTERS_2 = ALL, APART, ALIKE
# All that are treated alike; the abstracts, whose topics are of another kind, are shown apart.
STAND_INS = (ALL, APART, ALIKE, GENERATED)


@cache
def all_terms(collection: str) -> Texts:
    """Return a collection with all terms that are frequent enough."""
    return COLLECTIONS[collection]()


@cache
def texts_of(collection: str) -> Texts:
    """Return a collection with at most 5,000 terms."""
    terms = all_terms(collection)
    return Texts(most_frequent(terms.counts, MOST_TERMS), terms.paths)


KNOWN, NO_LEAF, NO_SUBTREE = 1, 2, 3
SETTINGS = {
    KNOWN: "all classes known",
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
    order = generator_of("labels", collection, repeat).permutation(len(texts.paths))
    present = [path for path in texts.classes if not is_within(path, unknown)]
    samples = np.concatenate([order[texts.paths[order] == path][:per_class] for path in present])
    rows = Hierarchy.from_paths(texts.paths[samples].tolist()).triplets()
    return Labelling(samples, unknown, Constraints(len(texts.paths), triplets=samples[rows]))


def unknown_class(texts: Texts, collection: str, *, setting: int, repeat: int) -> str | None:
    """Return the class that is unknown; repetitions take turns through a random order of all."""
    candidates = {NO_LEAF: texts.leaves, NO_SUBTREE: texts.subtrees}.get(setting)
    if candidates is None:
        return None
    order = generator_of("unknown", collection, setting).permutation(len(candidates))
    return candidates[int(order[repeat % len(candidates)])]


def is_within(name: str, path: str | None) -> bool:
    """Tell whether a class is another one, or below it."""
    return path is not None and f"{name}/".startswith(f"{path}/")
