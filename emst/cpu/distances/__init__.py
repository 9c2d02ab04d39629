"""Distances between all points, and what is computed from them, on the CPU.

rows.py         rows of a distance matrix: core distances, nearest of another component
exemplars.py    distances from points to the exemplars of clusters
validity.py     the sums, spanning trees and separations of cluster validity
"""
