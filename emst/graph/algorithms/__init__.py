"""The algorithms of `graph_msf`, one file each; all give the same forest.

boruvka.py         the default: the backend's own rounds on a list of edges (after ECL-MST, Fallin et al. 2023)
contraction.py     Borůvka's algorithm with the graph rebuilt after every round (Sousa et al. 2015)
primitives.py      Borůvka's algorithm from segmented minimum, scan and split (Vineet et al. 2009)
partial_prim.py    many workers grow subtrees by Prim's rule (PMA: Nobari et al. 2012)
hybrid.py          the edges of each round are divided between CPU and GPU (Jain et al.)
edges.py           the keys that edges are compared by, and the steps that several algorithms share
"""
