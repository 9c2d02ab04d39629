"""Distances between all points, and what is computed from them, on the GPU.

rows              rows of a distance matrix: core distances, nearest of another component
brute             brute force over all pairs of points, for dimensions in which boxes do not prune
exemplars         distances from points to the exemplars of clusters
validity          the sums, spanning trees and separations of cluster validity
metric.py         norms as kernels take them
metric.cuh        powers of distances under each norm, coordinate by coordinate
point_rows.cuh    points and boxes of any dimension, with a tag, and the powers of their distances
selection.cuh     the distance of a given rank among all distances of a query, by counting
sorted_row.cuh    the least distances of a query in ascending order, for long lists
tiles.cuh         tiles of points that all queries of a block read together
"""
