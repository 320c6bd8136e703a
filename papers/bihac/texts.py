"""Collections of texts in trees of classes, and their documents as vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from clustraint import Hierarchy
from clustraint.datasets import make_text_hierarchy
from papers._data import dataset

# At least three letters, and nothing but letters.
TERM = r"(?u)\b[^\W\d_]{3,}\b"
FEWEST_OCCURRENCES = 5
MOST_TERMS = 5000

# The paper's figures 6 to 8: documents on each class itself, at the most 100.
BANKSEARCH = {
    "finance/commercial banks": 100,
    "finance/building societies": 100,
    "finance/insurance agencies": 100,
    "science/astronomy": 100,
    "science/biology": 100,
    "programming/c and c++": 100,
    "programming/java": 100,
    "programming/visual basic": 100,
    "sport": 100,
    "sport/soccer": 100,
    "sport/motor racing": 100,
}
REUTERS_1 = {
    "corporate": 100,
    "corporate/strategy": 100,
    "corporate/research": 100,
    "corporate/advertising": 100,
    "economics": 59,
    "economics/performance": 100,
    "economics/borrowing": 100,
    "society": 100,
    "society/disasters": 100,
    "society/health": 100,
    "society/weather": 100,
}
REUTERS_2 = {
    "equity": 100,
    "bonds": 100,
    "money": 100,
    "money/interbank": 100,
    "money/forex": 100,
    "commodities": 100,
    "commodities/soft": 100,
    "commodities/metals": 100,
    "commodities/energy": 100,
}
TREES = {"Banksearch": BANKSEARCH, "Reuters 1": REUTERS_1, "Reuters 2": REUTERS_2}

# Far apart, as the classes of Reuters 1 and Banksearch are; and alike, as those of Reuters 2 are.
APART = (
    "comp/graphics",
    "comp/windows-x",
    "rec/autos",
    "rec/sport/baseball",
    "rec/sport/hockey",
    "sci/crypt",
    "sci/med",
    "sci/space",
    "talk/politics/guns",
    "talk/politics/mideast",
    "talk/religion-misc",
)
ALIKE = (
    "comp/graphics",
    "comp/os-ms-windows-misc",
    "comp/sys/ibm-pc-hardware",
    "comp/sys/mac-hardware",
    "comp/windows-x",
    "rec/autos",
    "rec/motorcycles",
    "sci/crypt",
    "sci/electronics",
)

# Areas of WOS-1000 with fewer documents leave too little to measure once half are labelled.
FEWEST_DOCUMENTS = 10


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
        return [path for path in self.classes if not any(below(path, self.classes))]

    @cached_property
    def subtrees(self) -> list[str]:
        """Classes of the top level with at least two leaves below them."""
        sizes = Counter(path.split("/")[0] for path in self.leaves)
        return sorted(path for path, size in sizes.items() if size > 1)

    @cached_property
    def vectors(self) -> csr_array:
        """The documents as tf×idf vectors."""
        return weighted(self.counts)


def below(path: str, classes: Sequence[str]) -> list[str]:
    """Return the classes below one."""
    return [other for other in classes if other.startswith(f"{path}/")]


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
    return frequent_enough(counts)


def frequent_enough(counts: csr_array) -> csr_array:
    """Return the columns of terms with enough occurrences."""
    return counts[:, np.flatnonzero(counts.sum(axis=0) >= FEWEST_OCCURRENCES)]


def stored(name: str, chosen: Callable[[Sequence[str]], set[str]]) -> Texts:
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


def generated() -> Texts:
    """Return random texts on the tree of Reuters 1."""
    paths = [path for path, size in REUTERS_1.items() for _ in range(size)]
    drawn = make_text_hierarchy(
        paths, n_words=MOST_TERMS, words_per_topic=200, topic_share=0.2, random_state=0
    )
    return Texts(frequent_enough(csr_array(drawn.X, dtype=float)), np.array(drawn.paths))


COLLECTIONS: dict[str, Callable[[], Texts]] = {
    "generated": generated,
    "newsgroups apart": lambda: stored("20newsgroups-mini", lambda paths: set(APART)),
    "newsgroups alike": lambda: stored("20newsgroups-mini", lambda paths: set(ALIKE)),
    "science abstracts": lambda: stored("wos-1000", large_areas),
    "all newsgroups": lambda: stored("20newsgroups-mini", set),
}


@cache
def all_terms(collection: str) -> Texts:
    """Return a collection with all terms that are frequent enough."""
    return COLLECTIONS[collection]()


@cache
def texts_of(collection: str) -> Texts:
    """Return a collection with at the most 5,000 terms."""
    terms = all_terms(collection)
    return Texts(most_frequent(terms.counts, MOST_TERMS), terms.paths)
