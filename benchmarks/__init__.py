"""Speed against peers: ``python -m benchmarks``."""
