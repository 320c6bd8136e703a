"""What rules, starts and their order gain: ``python -m benchmarks.rule_gains``.

Mean adjusted Rand indices on data drawn as the attribute-level paper's, with 1,000 samples, 100
attributes, 20 clusters and 4 `together` rules; the figures in the notes of AttributeKMedoids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.attribute_kmedoids import fasterpam
from clustraint.typing import BoolArray

K = 20
DATA_SETS = range(20)
PAPER = {"attach": "first", "init": "random", "overlap": "nearest", "n_init": 1}


def by_rules(parameters: dict[str, Any], *, ruled: bool) -> Callable[..., NDArray[np.int64]]:
    from clustraint import AttributeKMedoids, Constraints

    def cluster(X: BoolArray, rules: Sequence[Any], seed: int) -> NDArray[np.int64]:
        constraints = Constraints(len(X), rules=rules if ruled else ())
        model = AttributeKMedoids(K, random_state=seed, **parameters)
        return np.asarray(model.fit(X, constraints=constraints).labels_, np.int64)

    return cluster


def by_fasterpam(X: BoolArray, rules: Sequence[Any], seed: int) -> NDArray[np.int64]:
    return np.asarray(fasterpam(X, K, seed).labels, np.int64)


SCHEMES: dict[str, Callable[..., NDArray[np.int64]]] = {
    "the paper's way, without rules": by_rules(PAPER, ruled=False),
    "the paper's way, with rules": by_rules(PAPER, ruled=True),
    "defaults, one start, without rules": by_rules({"n_init": 1}, ruled=False),
    "defaults, one start, with rules": by_rules({"n_init": 1}, ruled=True),
    "defaults, ten starts, without rules": by_rules({}, ruled=False),
    "defaults, ten starts, with rules": by_rules({}, ruled=True),
    "FasterPAM, without rules": by_fasterpam,
}


def main() -> None:
    from sklearn.metrics import adjusted_rand_score

    from clustraint.datasets import make_rule_clusters

    drawn = [make_rule_clusters(1_000, K, random_state=seed) for seed in DATA_SETS]
    for name, cluster in SCHEMES.items():
        scores = [
            adjusted_rand_score(truth, cluster(X, rules, seed))
            for seed, (X, truth, rules) in enumerate(drawn)
        ]
        print(f"{name:<38}{np.mean(scores):.2f} ± {np.std(scores):.2f}")


if __name__ == "__main__":
    main()
