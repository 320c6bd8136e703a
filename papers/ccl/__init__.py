"""From instance-level constraints to space-level constraints (Klein, Kamvar and Manning, 2002)."""

from papers.ccl._paper import PAPER

__all__ = ["PAPER"]
