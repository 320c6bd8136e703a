"""
Four kinds of knowledge at once
===============================

Pairs, triplets, rules and the labels of a few samples say different things about the same clusters.
One mixture takes them all, each kind with a trust of its own.
"""

# %%
# Four clusters that overlap, and a column that tells two unrelated groups apart. Nobody knows the
# clusters. But somebody has judged some pairs, somebody else has compared three samples at a time,
# a few labels are left from an old study, and all samples of the southeast are said to be alike.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from clustraint import ConstrainedMixture, Constraints, Rule

rng = np.random.default_rng(1)
y = np.repeat(np.arange(4), 60)
centers = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [3.0, 3.0]])
X = pd.DataFrame(centers[y] + rng.normal(size=(240, 2)), columns=["east", "north"])
X["depth"] = rng.normal(4.0 * rng.integers(2, size=240), 1)

pairs = Constraints.from_labels(y, n_pairs=40, random_state=0)
triplets = Constraints.from_labels(y, n_triplets=40, random_state=0)
rules = Constraints(240, rules=[Rule("east > 2.5 & north < 0.5")])
is_labelled = rng.permutation(240) < 12
labels = np.where(is_labelled, np.array(["A", "B", "C", "D"])[y], None)

# %%
# Each kind alone, and all of them.

everything = pairs | triplets | rules
knowledge = {
    "nothing": {},
    "40 pairs": {"constraints": pairs},
    "40 triplets": {"constraints": triplets},
    "a rule": {"constraints": rules},
    "12 labels": {"y": labels},
    "all of them": {"constraints": everything, "y": labels},
}
models = {
    name: ConstrainedMixture(4, random_state=0).fit(X, **parts) for name, parts in knowledge.items()
}
for name, model in models.items():
    print(f"{name:12} adjusted Rand index {adjusted_rand_score(y, model.labels_):.2f}")

# %%
# What it makes of them: how far it trusts each kind, and the statements that it doubts most.

best = models["all of them"]
print({kind: round(trust, 2) for kind, trust in best.trust_.items()})
for statement, doubt in best.doubtful(5):
    print(f"{doubt:.2f}  {statement}")

# %%
# Clusters without and with knowledge. The larger a sample, the surer is its cluster.

figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for axes, name in zip(panels, ("nothing", "all of them"), strict=True):
    model = models[name]
    sure = model.probabilities_.max(axis=1)
    axes.scatter(X["east"], X["north"], c=model.labels_, cmap="Set2", s=60 * sure**4)
    axes.set(title=name, xticks=[], yticks=[])
plt.show()
