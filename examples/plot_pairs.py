"""
Pairs against distances
=======================

Two rings, one inside the other, are hard for clusters that are meant to be round. Some pairs of
samples that a person has judged change that: constrained complete link bends the distances around
them, so that neighbours of a pair follow it.
"""

# %%
# The samples, and some pairs that a person has judged.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from clustraint import ConstrainedCompleteLinkage, Constraints, plot
from clustraint.datasets import make_circles

X, y = make_circles(random_state=0)
constraints = Constraints.from_labels(y, n_pairs=40, random_state=0)

# %%
# Without the pairs, then with them: must-links are drawn as lines, cannot-links as dashes. The
# adjusted Rand index compares clusters with the rings: 1 is all right, 0 is chance.

free = ConstrainedCompleteLinkage(2).fit(X)
constrained = ConstrainedCompleteLinkage(2).fit(X, constraints=constraints)

figure, panels = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
for axes, model in zip(panels, (free, constrained), strict=True):
    plot.clusters(X, model, ax=axes)
    axes.get_legend().remove()
    axes.set_aspect("equal")
    axes.set_title(f"adjusted Rand index {adjusted_rand_score(y, model.labels_):.2f}")
plt.show()

# %%
# Every pair holds in the result, and the model says so.

print(constrained.constraint_report_)
must_link = constraints.must_link
assert np.all(constrained.labels_[must_link[:, 0]] == constrained.labels_[must_link[:, 1]])
