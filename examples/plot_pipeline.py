"""
In a pipeline, tuned on held-out knowledge
==========================================

Estimators are of scikit-learn's kind: they go into pipelines, and a grid search splits the samples
and the constraints that speak of them. The score of a metric is the share of triplets that hold.
"""

# %%
# Metadata routing hands the constraints on to the steps that take them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clustraint import Constraints, ReCon
from clustraint.metric import RelativeMetric

X, y = load_wine(return_X_y=True)
constraints = Constraints.from_labels(y, n_triplets=400, random_state=0)

# %%
# How strictly should the metric follow the triplets it is told?

strictness = np.logspace(-4, 2, 7)
search = GridSearchCV(
    make_pipeline(StandardScaler(), RelativeMetric()),
    {"relativemetric__C": strictness},
    cv=ShuffleSplit(10, test_size=0.5, random_state=0),
)
with config_context(enable_metadata_routing=True):
    search.fit(X, constraints=constraints)

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
results = search.cv_results_
axes.errorbar(
    strictness, results["mean_test_score"], results["std_test_score"], marker="o", capsize=3
)
axes.set(xscale="log", xlabel="C", ylabel="held-out triplets that hold")
plt.show()

# %%
# With the best one, a hierarchy that keeps the triplets themselves.

columns = search.best_estimator_.transform(X)
labels = ReCon(3).fit(columns, constraints=constraints).labels_
print(f"C = {search.best_params_['relativemetric__C']:g}")
print(f"adjusted Rand index {adjusted_rand_score(y, labels):.2f}")
