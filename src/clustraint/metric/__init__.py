"""Metrics learned from what is known about distances."""

from clustraint.metric._relative_metric import RelativeMetric

__all__ = ["RelativeMetric"]
