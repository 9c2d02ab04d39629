"""From a minimum spanning tree to clusters: one file a stage."""
