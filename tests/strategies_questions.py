"""Samples to ask about, and somebody who answers."""

import numpy as np
from hypothesis import strategies as st

from tests.cluster.test_complete_linkage import distance_matrices

WORDS = ("yes", "no", "don't know")


class Scripted:
    """Says what it is told to, by pair of samples, and remembers what it was asked."""

    def __init__(self, seed, words=WORDS):
        self.seed = seed
        self.words = words
        self.asked = []

    def __call__(self, first, second):
        self.asked.append((first, second))
        draw = np.random.default_rng([self.seed, min(first, second), max(first, second)])
        return self.words[draw.integers(len(self.words))]


@st.composite
def problems(draw, max_samples=9):
    n_samples = draw(st.integers(1, max_samples))
    D = draw(distance_matrices(n_samples))
    n_clusters = draw(st.integers(1, n_samples))
    return D, n_clusters, draw(st.integers(0, 12)), Scripted(draw(st.integers(0, 2**20)))
