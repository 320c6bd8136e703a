"""
A hierarchy that keeps what was said
====================================

"A dolphin is closer to a wolf than to a cod": such triplets are easier to give than pairs, as they
need no idea of how large a cluster is. ReCon merges clusters from below and keeps every triplet.
"""

# %%
# Eight animals, by what they look like.

import matplotlib.pyplot as plt
import numpy as np

from clustraint import Constraints, ReCon, plot
from clustraint.datasets import load

animals = load("animals")
some = ["wolf", "cat", "bottlenose dolphin", "blue whale", "cod", "blue shark", "emu", "mallard"]
rows = [list(animals.names).index(name) for name in some]
looks = ["hair", "feathers", "scales", "flies", "aquatic", "fins", "breathes", "legs"]
X = animals.X[np.ix_(rows, [animals.feature_names.index(name) for name in looks])]
X = X / np.maximum(X.max(axis=0), 1)

# %%
# By their looks, whales are fish. Two triplets tell otherwise.

constraints = Constraints.from_names(
    some,
    triplets=[
        ("bottlenose dolphin", "wolf", "cod"),
        ("bottlenose dolphin", "wolf", "emu"),
    ],
)
models = {
    "by looks alone": ReCon(3).fit(X),
    "with two triplets": ReCon(3).fit(X, constraints=constraints),
}

# %%
# The hierarchies, in the colours of three clusters.

figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for axes, (title, model) in zip(panels, models.items(), strict=True):
    plot.dendrogram(model, names=some, ax=axes)
    axes.set_title(title)
plt.show()

# %%
# What a hierarchy displays can be asked of it, too.

for title, model in models.items():
    print(f"{title}:", model.hierarchy_.displays(constraints.triplets))
