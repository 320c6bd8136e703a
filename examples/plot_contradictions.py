"""
When knowledge contradicts itself
=================================

Nobody who judges hundreds of pairs is always right. A contradiction is shown by constraints none of
which could be left out, and can be mended by dropping as little as possible.
"""

# %%
# Sixty pairs of a small table, of which one in twelve was judged wrongly.

import matplotlib.pyplot as plt
import numpy as np

from clustraint import Constraints, plot
from clustraint.exceptions import InconsistentConstraintsError

rng = np.random.default_rng(0)
y = np.repeat(np.arange(3), 7)
pairs = np.argwhere(np.tri(21, k=-1))[rng.choice(210, 60, replace=False)]
same = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ (rng.random(60) < 1 / 12)
constraints = Constraints(21, must_link=pairs[same], cannot_link=pairs[~same])

# %%
# The contradiction that is found: take away any one of these, and it is gone.

try:
    constraints.check()
except InconsistentConstraintsError as error:
    witness = error.witness
    print(error)

# %%
# And what to drop.

kept, dropped = constraints.repair()
kept.check()
print(f"kept {kept.n_constraints}, dropped {dropped.n_constraints}: {dropped.must_link.tolist()}")

# %%
# Samples on a circle, class by class. Must-links are lines, cannot-links dashes; the contradiction
# is black, what was dropped is red.

angle = 2 * np.pi * np.arange(21) / 21
places = np.column_stack([np.cos(angle), np.sin(angle)])
figure, axes = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
layers = ((constraints, "0.85", 1), (witness, "black", 2), (dropped, "tab:red", 2))
for part, colour, width in layers:
    axes.plot(*places[part.must_link].transpose(2, 1, 0), color=colour, lw=width)
    axes.plot(*places[part.cannot_link].transpose(2, 1, 0), color=colour, lw=width, ls="--")
colours = np.array(plot.palette(3))
axes.scatter(*places.T, c=colours[y], s=200, zorder=3)
for sample, place in enumerate(places):
    axes.annotate(str(sample), place, ha="center", va="center", color="white", zorder=4)
axes.set(xticks=[], yticks=[], aspect="equal")
plt.show()
