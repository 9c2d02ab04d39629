"""Peers' code, unchanged: modules with the names, keywords and conventions of other libraries over `HDBSCANGPU`.

    hdbscan/           `import emst.compat.hdbscan as hdbscan`
    cuml_hdbscan.py    `import emst.compat.cuml_hdbscan as hdbscan`, for `cuml.cluster.hdbscan`
    bertopic.py        `register()`: BERTopic treats `HDBSCANGPU` like hdbscan's class
    networkx/          a backend of NetworkX: `nx.minimum_spanning_tree(G, backend="emst")`
    clusterer.py       what the classes of both libraries share
    counting.py        how the peers count `min_samples`
    exact.py           `HDBSCANGPU` with the peers' conventions

A class here holds a fitted `HDBSCANGPU`, as `exact_`. None of the other libraries is imported, but for NetworkX by its
backend, which NetworkX itself loads.
docs/migration/index.md lists which keyword becomes which.
"""
