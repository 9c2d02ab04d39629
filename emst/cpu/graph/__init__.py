"""Minimum spanning forests of graphs on the CPU.

forest.py          the default algorithm: `graph_forest`
worklist.py        its list of edges between components, and the rounds on it
offers.py          the lightest edge that a component was offered, as one number for atomic minima
components.py      numbers of components, in the order of their first vertices
statistics.py      statistics of an unchecked CSR matrix: bad entries, symmetry, order
pairs.py           the lightest entry of every pair of vertices
rows.py            the row of every entry, and where the entries of every row begin
entries.py         what these kernels share: entries, rows, and weights as unsigned integers
partial_prim.py    growing subtrees, for `emst.graph.algorithms.partial_prim`
hybrid.py          the lightest edges of a list of edges, for `emst.graph.algorithms.hybrid`
"""
