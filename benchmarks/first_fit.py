"""CPU seconds of everybody's first fit, on an empty cache: ``python -m benchmarks.first_fit``.

Each estimator is fitted in a process of its own, once with every kernel compiled at its first call
and once as users have it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

MODES = {"compiled": "always", "as users have it": "auto"}
PAIRS = (
    "COPKMeans",
    "ClusteringTree",
    "ConstrainedCompleteLinkage",
    "ConstrainedMixture",
    "ConstraintPropagation",
    "PCKMeans",
    "MPCKMeans",
    "BestClusterer",
)
TRIPLETS = ("IHAC", "BiHAC", "ReCon")
N_CONSTRAINTS = 40


def fit(name: str, n_samples: int) -> float:
    """Return the CPU seconds of one fit in this process, imports not counted."""
    import time

    import numpy as np
    from sklearn.datasets import make_blobs

    import clustraint

    X, y = make_blobs(n_samples, 4, centers=3, random_state=0)
    constraints = clustraint.Constraints.from_labels(
        y,
        n_pairs=0 if name in TRIPLETS else N_CONSTRAINTS,
        n_triplets=N_CONSTRAINTS if name in TRIPLETS else 0,
        random_state=0,
    )
    model = getattr(clustraint, name)(3)
    start = time.process_time()
    model.fit(np.abs(X), constraints=constraints)
    return time.process_time() - start


def first_fit(name: str, n_samples: int, mode: str) -> float:
    """Return the CPU seconds of one fit in a new process with an empty cache."""
    program = f"from benchmarks.first_fit import fit; print(fit({name!r}, {n_samples}))"
    with tempfile.TemporaryDirectory() as cache:
        variables = {**os.environ, "XDG_CACHE_HOME": cache, "CLUSTRAINT_COMPILE": mode}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            env=variables,
            check=True,
            capture_output=True,
            text=True,
        )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=150)
    arguments = parser.parse_args()
    print(f"| {arguments.samples} samples | {' | '.join(MODES)} |\n| --- | ---: | ---: |")
    for name in (*PAIRS, *TRIPLETS):
        seconds = [first_fit(name, arguments.samples, mode) for mode in MODES.values()]
        print(f"| {name} | {' | '.join(f'{each:.2f} s' for each in seconds)} |", flush=True)


if __name__ == "__main__":
    main()
