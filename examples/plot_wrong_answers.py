"""
Wrong answers found
===================

People who judge pairs of samples make mistakes. A mixture that takes each answer as evidence, and
learns along how often answers are wrong, loses little by them, and says which ones they are.
"""

# %%
# Iris: 150 flowers of three species. Of 120 pairs, every tenth is judged wrongly.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from clustraint import ConstrainedMixture, Constraints

X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)

rng = np.random.default_rng(0)
pairs = np.array([rng.choice(len(X), 2, replace=False) for _ in range(120)])
is_wrong = rng.permutation(120) < 12
together = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ is_wrong
stated = Constraints(len(X), must_link=pairs[together], cannot_link=pairs[~together])

# %%
# As hard constraints they contradict each other. As evidence they are of use.

print("consistent:", stated.is_consistent())
plain = ConstrainedMixture(3, random_state=0).fit(X)
model = ConstrainedMixture(3, random_state=0).fit(X, constraints=stated)
for name, each in (("without pairs", plain), ("with pairs", model)):
    print(f"{name}: adjusted Rand index {adjusted_rand_score(y, each.labels_):.2f}")
print("learnt trust:", {kind: round(trust, 2) for kind, trust in model.trust_.items()})

# %%
# The most doubtful statements, in words.

for statement, doubt in model.doubtful(8):
    print(f"{doubt:.2f}  {statement}")

# %%
# Left: all pairs by their doubt, wrong ones in red. Right: the pairs of a doubt above one half
# between samples in the colours of their clusters.

doubts = np.concatenate((model.doubt_["must_link"], model.doubt_["cannot_link"]))
was_wrong = np.concatenate((is_wrong[together], is_wrong[~together]))
rows = np.concatenate((stated.must_link, stated.cannot_link))
order = np.argsort(-doubts)
plane = PCA(2).fit_transform(X)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
left.bar(range(120), doubts[order], width=1, color=np.where(was_wrong, "tab:red", "0.7")[order])
left.set(xlim=(-1, 40), xlabel="pairs, the most doubtful first", ylabel="probability to be wrong")
right.plot(*plane[rows[doubts > 0.5]].transpose(2, 1, 0), color="tab:red", lw=1)
right.scatter(*plane.T, c=model.labels_, cmap="Set2", s=25, zorder=3)
right.set(xticks=[], yticks=[])
plt.show()
