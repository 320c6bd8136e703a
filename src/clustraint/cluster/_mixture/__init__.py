"""Parts of ConstrainedMixture."""
