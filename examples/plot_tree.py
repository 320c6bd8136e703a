"""
Clusters that explain themselves
================================

A clustering tree splits the data by one column at a time, as a decision tree does, but by what
pairs say instead of by classes. Each cluster is a few conditions, which hold for new samples, too.
"""

# %%
# Four groups in two columns, of which opposite ones belong together; no distance tells that.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from clustraint import ClusteringTree, Constraints, plot
from clustraint.datasets import make_xor

X, y = make_xor(random_state=0)
constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
tree = ClusteringTree(2).fit(X, constraints=constraints)

# %%
# The plane, as the tree divides it.

low, high = X.min(axis=0) - 0.05, X.max(axis=0) + 0.05
grid = np.stack(np.meshgrid(*np.linspace(low, high, 200).T), axis=-1)
figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
regions = tree.predict(grid.reshape(-1, 2)).reshape(200, 200)
axes.imshow(
    regions,
    extent=(low[0], high[0], low[1], high[1]),
    origin="lower",
    cmap=ListedColormap(plot.palette(2)),
    alpha=0.25,
    aspect="auto",
)
plot.clusters(X, tree.labels_, ax=axes)
axes.get_legend().remove()
plt.show()

# %%
# The tree itself.

plot.tree(tree)
plt.show()

# %%
# And in words.

print(*tree.rules_, sep="\n")
