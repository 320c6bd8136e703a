"""Literal, slow readings of the papers' pseudocode, for comparison with the compiled code."""
