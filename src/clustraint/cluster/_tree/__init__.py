"""Parts of ClusteringTree."""
