"""A backend of NetworkX: `nx.minimum_spanning_tree(G, backend="emst")`.

    info.py            what NetworkX reads of every backend when it is imported
    backend.py         conversions and functions, which NetworkX imports at the first call
    graph.py           a graph of NetworkX with its edges as arrays
    order.py           the order in which Kruskal's algorithm takes edges

The entry points in pyproject.toml name `info` and `backend`. This file imports neither.
docs/migration/networkx.md says what differs from NetworkX.
"""
