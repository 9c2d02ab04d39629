"""What follows from a minimum spanning tree: one file per stage."""
