"""Random trees of topics, and counts of words in texts about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from clustraint.checks import as_generator, check_number, check_range, check_whole_number
from clustraint.exceptions import InvalidParameterError
from clustraint.typing import FloatArray, RandomState

# Zipf's law as Mandelbrot bent it: the very first words are less frequent than 1 / rank.
RANK_SHIFT = 2.7
# Texts differ in length as those of newsgroups do: standard deviation of the logarithm.
LENGTH_SPREAD = 0.5


class TextHierarchy(NamedTuple):
    """Counts of words and topics of `make_text_hierarchy`.

    Parameters
    ----------
    X : csr_array of int64 of shape (n_texts, n_words)
        How often each word occurs in each text.
    paths : tuple of str of shape (n_texts,)
        The topic of each text; `Hierarchy.from_paths` makes a tree of them.

    Examples
    --------
    >>> texts = make_text_hierarchy(random_state=0)
    >>> texts.X.shape, texts.paths[0]
    ((90, 2000), '0/0')
    """

    X: csr_array
    paths: tuple[str, ...]


def make_label_tree(
    branching: Sequence[int | tuple[int, int]] = (3, 3),
    samples_per_class: int | tuple[int, int] = 10,
    *,
    inner: bool = False,
    random_state: RandomState = None,
) -> tuple[str, ...]:
    """Return the classes of samples in a tree of classes, as paths.

    Parameters
    ----------
    branching : sequence of int or (int, int), default=(3, 3)
        How many children a class of each level has, the root first: an entry for each level. Two
        numbers are the least and the most of them, and each class draws its own.
    samples_per_class : int or (int, int), default=10
        How many samples a class has; two numbers are the least and the most.
    inner : bool, default=False
        Whether higher classes, other than the root, have samples of their own.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same tree. Whole numbers alone leave nothing to chance.

    Returns
    -------
    paths : tuple of str of shape (n_samples,)
        The class of each sample, such as ``"0/2"``, class by class; `Hierarchy.from_paths` makes
        a tree of them.

    Examples
    --------
    >>> make_label_tree((2, 2), 1)
    ('0/0', '0/1', '1/0', '1/1')
    >>> make_label_tree((2, 1), 1, inner=True)
    ('0', '0/0', '1', '1/0')
    >>> from clustraint import Hierarchy
    >>> Hierarchy.from_paths(make_label_tree((2, (2, 4), 3), (2, 5), random_state=0)).n_samples
    78
    """
    if isinstance(branching, str) or not isinstance(branching, Sequence) or not len(branching):
        wanted = "a number of children, or the least and the most, for each of one level or more"
        raise InvalidParameterError("branching", branching, wanted)
    levels = [check_range("branching", level, least=1) for level in branching]
    sizes = check_range("samples_per_class", samples_per_class, least=1)
    rng = as_generator(random_state)
    paths: list[str] = []
    for path, is_leaf in _classes("", levels, rng):
        if is_leaf or inner:
            paths += [path] * int(rng.integers(sizes[0], sizes[1] + 1))
    return tuple(paths)


def _classes(
    above: str, levels: Sequence[tuple[int, int]], rng: np.random.Generator
) -> Iterator[tuple[str, bool]]:
    """Yield the classes below one, each before those below itself, and whether they are leaves."""
    least, most = levels[0]
    for child in range(int(rng.integers(least, most + 1))):
        path = f"{above}/{child}" if above else str(child)
        yield path, len(levels) == 1
        if len(levels) > 1:
            yield from _classes(path, levels[1:], rng)


def make_text_hierarchy(
    paths: Sequence[str] | None = None,
    *,
    n_words: int = 2000,
    words_per_topic: int = 50,
    length: int = 100,
    topic_share: float = 0.3,
    random_state: RandomState = None,
) -> TextHierarchy:
    """Draw the words of texts about topics, which share words with the topics above them.

    Parameters
    ----------
    paths : sequence of str of shape (n_texts,), optional
        The topic of each text, as of `make_label_tree`, whose default tree is taken where there
        are none. "" is the root, a text about nothing in particular.
    n_words : int, default=2000
        Number of words in the language.
    words_per_topic : int, default=50
        Number of words that are typical of a topic.
    length : int, default=100
        Words in the middle one of all texts by length.
    topic_share : float, default=0.3
        The share of words that are about the text's topic or one above it.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same texts.

    Returns
    -------
    TextHierarchy
        `X` and `paths`.

    Notes
    -----
    Frequencies of words follow Zipf's law, as Mandelbrot bent it: that of rank r is in proportion
    to 1 / (r + 2.7). Each topic, higher ones included, has `words_per_topic` random words of its
    own, with frequencies of that law. A word of a text comes from the whole language or, with
    probability `topic_share`, from one of the topics on its path, all alike: texts on topics of
    one parent share its words. Lengths are log-normal and never 0.

    Examples
    --------
    >>> X, paths = make_text_hierarchy(make_label_tree((2, 2), 5), random_state=0)
    >>> X.shape, int(X.sum(axis=1).min()) > 0
    ((20, 2000), True)
    """
    n_words = check_whole_number("n_words", n_words, least=1)
    words_per_topic = check_whole_number("words_per_topic", words_per_topic, least=1, most=n_words)
    length = check_whole_number("length", length, least=1)
    topic_share = check_number("topic_share", topic_share, least=0, most=1)
    topics = _checked_paths(make_label_tree() if paths is None else paths)
    rng = as_generator(random_state)
    language = _zipf(n_words)
    typical = {
        node: _typical_words(n_words, words_per_topic, rng)
        for node in dict.fromkeys(node for topic in topics for node in _lineage(topic))
    }
    lengths = np.ceil(length * rng.lognormal(0, LENGTH_SPREAD, len(topics))).astype(np.int64)
    return TextHierarchy(_counts(topics, lengths, language, typical, topic_share, rng), topics)


def _checked_paths(paths: Sequence[str]) -> tuple[str, ...]:
    listed = isinstance(paths, Iterable) and not isinstance(paths, str)
    present = tuple(paths) if listed else ()
    if not present or not all(isinstance(path, str) for path in present):
        raise InvalidParameterError("paths", paths, "one text for each of one sample or more")
    return present


def _lineage(path: str) -> list[str]:
    """Return a topic and those above it, the root excepted."""
    parts = path.split("/") if path else []
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _zipf(n_words: int) -> FloatArray:
    odds = 1 / (np.arange(1, n_words + 1) + RANK_SHIFT)
    return np.asarray(odds / odds.sum(), np.float64)


def _typical_words(n_words: int, count: int, rng: np.random.Generator) -> FloatArray:
    """Return the frequencies of all words in what is said about one topic alone."""
    frequencies = np.zeros(n_words)
    frequencies[rng.choice(n_words, count, replace=False)] = _zipf(count)
    return frequencies


def _counts(
    topics: Sequence[str],
    lengths: NDArray[np.int64],
    language: FloatArray,
    typical: dict[str, FloatArray],
    topic_share: float,
    rng: np.random.Generator,
) -> Any:
    """Return the counts of words, drawn topic by topic as all their texts have the same odds."""
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(topics):
        places.setdefault(topic, []).append(place)
    drawn = []
    for topic, texts in places.items():
        odds = language
        if lineage := _lineage(topic):
            mixed = np.mean([typical[node] for node in lineage], axis=0)
            odds = (1 - topic_share) * language + topic_share * mixed
        drawn.append(csr_array(rng.multinomial(lengths[texts], odds / odds.sum())))
    order = np.argsort(np.concatenate(list(places.values())))
    return csr_array(vstack(drawn, format="csr")[order])
