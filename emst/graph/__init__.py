"""Minimum spanning forests of graphs that are given edge by edge: `graph_msf`.

msf.py          `graph_msf`: the stages of a call, from input to result
edges.py        lists of edges: three arrays, or the columns of a data frame
lists.py        Python lists as arrays that hold every value as it is given
ids.py          ids of vertices: when whole numbers are ids, and their numbers
libraries.py    graphs of networkx, igraph and rustworkx
input.py        validation: which kinds of graph are accepted, and on which device to compute
canonical.py    from the caller's arrays to a checked CSR matrix (`Adjacency`)
faults.py       error messages that name the first bad entry
arrays.py       orders and runs of equal values, written for numpy and CuPy alike
memory.py       how many bytes a graph takes, in one piece or in blocks
streaming.py    graphs larger than the device memory, block by block
result.py       `MinimumSpanningForest`: what `graph_msf` returns
algorithms/     the selectable algorithms, one file each
"""
