"""From a minimum spanning tree to clusters: pure stages, arrays in and arrays out.

density.py      lambda, the density at a height of the dendrogram
condensed.py    the condensed tree: clusters of at least min_cluster_size points
leaves.py       the leaves of the condensed tree at all minimum sizes at once, and the best of these sizes
selection.py    which clusters are selected, and the label and probability of every point
constraints.py  selection by constraints: labels of some points, pairs that must or cannot be linked
joining.py      where new points join the dendrogram
scores.py       persistence, relative validity and exemplars of the selected clusters
validity.py     density-based cluster validity (DBCV) of any labels: `validity_index`
pairs.py        what validity needs of all pairs of points, under metrics that no backend has
"""
