"""
Which question is worth asking?
===============================

Pairs drawn at random are mostly about samples that nobody would mix up. Active complete link asks
for the pair that its next merge hangs on. Here the true classes answer.
"""

# %%
# The same number of answers, asked for and drawn at random.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from clustraint import ActiveCompleteLinkage, ConstrainedCompleteLinkage, Constraints, plot
from clustraint.datasets import make_xor

X, y = make_xor(random_state=0)
numbers = np.arange(0, 61, 10)


def asked(n_questions):
    """Return how well the clusters fit after some questions."""
    model = ActiveCompleteLinkage(2, n_queries=n_questions)
    return adjusted_rand_score(y, model.fit(X, oracle=lambda a, b: y[a] == y[b]).labels_)


def drawn(n_pairs, seed):
    """Return how well they fit after some pairs drawn at random."""
    constraints = Constraints.from_labels(y, n_pairs=n_pairs, random_state=seed)
    return adjusted_rand_score(
        y, ConstrainedCompleteLinkage(2).fit(X, constraints=constraints).labels_
    )


active = [asked(number) for number in numbers]
random = np.array([[drawn(number, seed) for number in numbers] for seed in range(10)])

# %%
# The band holds the middle half of ten draws.

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
first, second = plot.palette(2)
axes.plot(numbers, active, "o-", color=first, label="asked for")
axes.plot(numbers, np.median(random, axis=0), "s--", color=second, label="drawn at random, median")
axes.fill_between(numbers, *np.quantile(random, [0.25, 0.75], axis=0), alpha=0.2, color=second)
axes.set(xlabel="answers", ylabel="adjusted Rand index", ylim=(-0.05, 1.05))
axes.legend()
plt.show()
