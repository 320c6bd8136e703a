"""Every estimator that takes constraints, by discovery."""

import inspect

import clustraint.cluster
import clustraint.metric
from clustraint.base import ConstraintTaker

# What an estimator needs beyond its defaults.
ARGUMENTS = {
    "ActiveCompleteLinkage": {"n_clusters": 3, "n_queries": 5},
    "BiHAC": {"n_clusters": 3, "max_iter": 5},
    "ViewedMixture": {"view": clustraint.metric.DiscriminantMetric()},
    "Coarse": {"estimator": clustraint.cluster.ReCon(3), "n_representatives": 60},
}


def estimators():
    """Every public estimator that takes constraints, by its name."""
    return {
        name: value
        for package in (clustraint.cluster, clustraint.metric)
        for name in package.__all__
        if inspect.isclass(value := getattr(package, name))
        and issubclass(value, ConstraintTaker)
        and not inspect.isabstract(value)
    }


def made(name, **chosen):
    """An estimator of three clusters; of what is chosen it gets the parameters that it has."""
    estimator = estimators()[name]
    names = inspect.signature(estimator).parameters
    chosen = {"n_clusters": 3, "random_state": 0, **chosen}
    arguments = {key: value for key, value in chosen.items() if key in names}
    return estimator(**(ARGUMENTS.get(name, {}) | arguments))
