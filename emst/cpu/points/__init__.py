"""Spanning trees of points on the CPU, in the order of a run.

statistics.py    bounds, and rows that are not finite
memory.py        the bytes that a tree takes, checked before anything is allocated
ahead.py         compiling ahead of a fit, which only GPUs do
order.py         the order along the Hilbert curve: crowded cells are divided again
curve.py         the grid of a cell, and codes along the curve in it; order and places use it
bvh.py           the bounding volume hierarchy
norms.py         norms: the code of the power of a distance
distances.py     distances between points and boxes, compared with radii
knn.py           core distances
weighted.py      core distances by weight, and the nearest points until their weights suffice
duplicates.py    equal points, joined before the first search
labels.py        the component of each node of the hierarchy
cached.py        cached nearest neighbours, and upper bounds for components
search.py        the search: the nearest point of another component
small.py         few points: all rounds in one call
rounds.py        an operation of the GPU: the rounds that are left, at once; on the CPU it does nothing
result.py        sorted edges and core distances, in the caller's rows and units
places.py        places of new points in that order
queries.py       nearest points for new points, and for points of other partitions
engine.py        the choice of engine: walks or products, by a sample
products.py      inner products of all pairs in many dimensions, and the bound on their error
scan.py          searches over these products, with exact distances where they cannot decide
walk.py          the walk of 16 neighbouring queries through the hierarchy; knn, search and queries use it
lists.py         sorted lists of neighbours, for the walk
buffers.py       distances that are not sorted, for the k-th smallest of many
"""
