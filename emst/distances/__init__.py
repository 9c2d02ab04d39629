"""Metrics, and spanning trees of distance matrices.

metrics.py       the metrics: which of them the tree search supports, and how the others are computed
periodic.py      periodic boxes: their lengths, and wrapping points into them
sphere.py        places: latitude and longitude, their images in space, and lengths of arcs
row_by_row.py    spanning trees of dense distance matrices, one row of distances at a time
matrices.py      full distance matrices: validation of given ones, and computing those of other metrics
cost.py          estimates of what comparing all pairs of points costs
sparse.py        spanning trees of sparse distance matrices
pairwise.py      distances between two sets of points under any metric of scikit-learn, on the CPU
"""
