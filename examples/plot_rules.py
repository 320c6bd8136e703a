"""
Rules about attributes
======================

Knowledge often comes as a sentence about attributes: whatever gives milk is one group. Rules need
no pairs, and speak of samples that nobody has looked at.
"""

# %%
# A table of animals with attributes that are true or false.

import matplotlib.pyplot as plt
import numpy as np

from clustraint import AttributeKMedoids, Constraints, Rule
from clustraint.datasets import load
from clustraint.tables import read_columns

animals = load("animals")
columns = dict(zip(animals.feature_names, animals.X.T, strict=True))
flags = {name: values == 1 for name, values in columns.items() if np.isin(values, (0, 1)).all()}
X = read_columns(flags)

# %%
# `together` keeps the samples of a formula in one cluster, `exactly` keeps all others out of it.

rules = [Rule("milk"), Rule("feathers", exactly=True), Rule("antennae & ~backbone")]
constraints = Constraints(animals.n_samples, rules=rules)
labels = AttributeKMedoids(7, random_state=0).fit(X, constraints=constraints).labels_

# %%
# How common each attribute is in each cluster, beside the classes that biologists know.

clusters = [labels == cluster for cluster in range(7)]
shares = [[values[members].mean() for values in flags.values()] for members in clusters]


def described(members):
    """Return which classes are in a cluster, and how often."""
    classes, counts = np.unique(animals.y[members], return_counts=True)
    return ", ".join(f"{count} {name}" for name, count in zip(classes, counts, strict=True))


figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
axes.set_xticks(range(len(flags)), flags, rotation=45, ha="right")
axes.set_yticks(range(7), [described(members) for members in clusters])
figure.colorbar(image, label="share of the cluster")
plt.show()
