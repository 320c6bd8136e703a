"""Complete link that asks, read literally (Klein, Kamvar and Manning 2002, section 5.5)."""

from itertools import combinations

import numpy as np

from tests.reference import linkage


def threshold(D, n_clusters, n_queries):
    """Return the height of the unconstrained merge that leaves so many clusters."""
    heights = [height for _, _, height in linkage.agglomerate("complete", D)]
    n_left = round(2 * n_queries / 3) + n_clusters
    return heights[len(D) - n_left - 1] if n_left < len(D) else -np.inf


def medoid(D, members):
    return min(members, key=lambda sample: (D[sample, members].sum(), sample))


class Active:
    """Clusters are called by their first samples; `away` holds their distances."""

    def __init__(self, D, n_clusters, n_queries):
        self.D = D
        self.k = n_clusters
        self.q = n_queries
        self.threshold = threshold(D, n_clusters, n_queries)
        self.clusters = {sample: [sample] for sample in range(len(D))}
        self.away = {pair: D[pair] for pair in combinations(range(len(D)), 2)}
        self.apart, self.unknown, self.noes = set(), set(), []
        self.asked, self.merges = [], []

    def pair_of_medoids(self, pair):
        return tuple(medoid(self.D, self.clusters[first]) for first in pair)

    def key(self, pair):
        return self.away[pair], frozenset(self.pair_of_medoids(pair)) in self.unknown, pair

    def run(self, oracle):
        while len(self.clusters) > 1:
            pairs = list(combinations(sorted(self.clusters), 2))
            free = [pair for pair in pairs if pair not in self.apart]
            if not free:
                self.merge(min(pairs, key=self.forced_key), self.D.max() + 1)
                continue
            pair = min(free, key=self.key)
            may_ask = len(self.clusters) > self.k and len(self.asked) < self.q
            about = self.pair_of_medoids(pair)
            if may_ask and self.away[pair] > self.threshold and not self.key(pair)[1]:
                self.take(pair, about, oracle(*about))
            else:
                self.merge(pair, self.away[pair])

    def take(self, pair, about, answer):
        self.asked.append((*about, answer))
        if answer == "yes":
            self.away[pair] = 0
            self.shorten(pair)
            self.merge(pair, 0)
        elif answer == "no":
            self.apart.add(pair)
            self.noes.append(about)
        else:
            self.unknown.add(frozenset(about))

    def step(self, a, b):
        pair = min(a, b), max(a, b)
        return 0 if a == b else np.inf if pair in self.apart else self.away[pair]

    def shorten(self, linked):
        """Floyd and Warshall with the linked pair as the only intermediates.

        Clusters that are kept apart may be the ends of a path, as others go on from there.
        """
        names = sorted(self.clusters)
        length = {(a, b): self.step(a, b) for a in names for b in names}
        for through in linked:
            for a in names:
                for b in names:
                    path = length[a, through] + length[through, b]
                    length[a, b] = min(length[a, b], path)
        for pair in combinations(names, 2):
            if pair not in self.apart:
                self.away[pair] = length[pair]

    def merge(self, pair, height):
        low, high = pair
        self.merges.append((low, high, height))
        for other in set(self.clusters) - {low, high}:
            kept = min(low, other), max(low, other)
            gone = min(high, other), max(high, other)
            self.away[kept] = max(self.away[kept], self.away[gone])
            if gone in self.apart:
                self.apart.add(kept)
        self.clusters[low] = sorted(self.clusters[low] + self.clusters.pop(high))

    def forced_key(self, pair):
        first, second = (self.clusters[one] for one in pair)
        noes = sum(
            (a in first and b in second) or (b in first and a in second) for a, b in self.noes
        )
        return noes, self.away[pair], pair
