"""Metrics and views of the data that constraints teach."""

from clustraint.metric._discriminant_metric import DiscriminantMetric
from clustraint.metric._propagated_embedding import PropagatedEmbedding
from clustraint.metric._relative_metric import RelativeMetric

__all__ = ["DiscriminantMetric", "PropagatedEmbedding", "RelativeMetric"]
