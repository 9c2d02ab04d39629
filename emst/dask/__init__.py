"""Exact trees, clusterings and forests over many GPUs and machines, by Dask.

cluster.py     the workers, and how tasks are given to them
edges.py       graphs in chunks of edges: what is accepted, and how a worker reads a chunk
graph.py       `graph_msf`: the forest of every chunk, then a tree of joins
"""
