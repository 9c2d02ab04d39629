"""Minimum spanning forests of graphs on the GPU.

forest           the default algorithm: `graph_forest`
worklist.cuh     its list of edges between components, and the rounds on it
heavy.cuh        its heavy edges between two components
keys.cuh         edges as words, in the order of (weight, position), and atomic minima of them
components       numbers of components, in the order of their first vertices
statistics       statistics of an unchecked CSR matrix: bad entries, symmetry, order
pairs.py         the lightest entry of every pair of vertices
rows.py          the row of every entry, and where the entries of every row begin
adjacency.cuh    a CSR matrix as the rounds read it
entries.cuh      weights as unsigned integers, tiles of entries, and the row of each entry
partial_prim     growing subtrees, for `emst.graph.algorithms.partial_prim`
hybrid           the lightest edges of a list of edges, for `emst.graph.algorithms.hybrid`
"""
