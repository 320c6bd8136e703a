"""Clusters beside classes, by the number of answers: every strategy, and peers'."""
