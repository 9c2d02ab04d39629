"""Spanning trees of points on the GPU, in the order of a run.

statistics     bounds, rows that are not finite, and a sample of rows
memory.py      the bytes that a tree takes, checked before anything is allocated
order          codes along the Hilbert curve
bvh            the bounding volume hierarchy; bvh.cuh is its layout
knn            core distances
duplicates     equal points, joined before the first search
labels         the component of each node of the hierarchy
cached         cached nearest neighbours, and upper bounds for components
search         the search: the nearest point of another component
result         sorted edges and core distances, in the caller's rows and units
prediction     the nearest point to a new one under mutual reachability
walk.cuh       the walk of 32 neighbouring queries through the hierarchy; knn, search and prediction use it
nearest.cuh    sorted lists of neighbours, for the walk
kth.cuh        the distance of the k-th nearest point without a list, for long lists
"""
