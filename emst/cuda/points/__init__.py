"""Spanning trees of points on the GPU, in the order of a run.

statistics     bounds, and rows that are not finite; then the GPU begins with the order
corners.py     these bounds as ordered integers
memory.py      the bytes that a tree takes, checked before anything is allocated
ahead.py       which kernels a tree and its clusters will launch: they are compiled side by side
ahead_lists.py  these kernels, by what needs them
order          the order along the Hilbert curve: crowded cells are divided again
order_few.cu   its first level for few points, by one launch
cells.cuh      the grid of a cell from its box, and the codes of its points
curve.cuh      the grid of a cell, and codes along the curve in it; order and places use it
curve_table.cuh  those codes by a table in two and three dimensions
bvh            the bounding volume hierarchy; bvh.cuh is its layout
engine         the choice of engine: walks, products of all pairs, or all pairs one by one
knn            core distances
weighted       core distances by weight, and the nearest points until their weights suffice
weighing.cuh   the least radius within which the weights suffice, and the points within it
duplicates     equal points, joined before the first search
labels         the component of each node of the hierarchy
cached         cached nearest neighbours; what a round begins with: labels, and upper bounds for components
search         the search: the nearest point of another component
small          few points: all rounds at once, by comparing all pairs
rounds         few points or components: the rounds that are left, at once
taken.py       what such a launch tells the host: the components that each round left
result         sorted edges and core distances, in the caller's rows and units
places         places of new points in that order
queries        nearest points for new points, and for points of other partitions
products       many dimensions: which pairs can matter, by products of halves; products.cuh multiplies on tensor cores
products_knn.cu  its kernels for core distances and lists of neighbours
products_search.cu  and for the nearest point of another component
halves.cu      points as halves, and what rounding has moved them by
bounds.cuh     what these products prove about distances
candidates.cuh  exact distances of the pairs that products leave
scan.cuh       the points of a leaf against the queries that want it, for the walk
walk.cuh       the walk of 32 neighbouring queries through the hierarchy; knn, search and queries use it
leaves.cuh     lists of the leaves near four packets of queries, and the walk over them; search uses it
nearest.cuh    sorted lists of neighbours, for the walk
across.cuh     the nearest point of another component, for queries that are no points of the hierarchy
kth.cuh        the distance of the k-th nearest point without a list, for long lists
"""
