"""The method beyond one device: exact trees and clusterings of points that lie in partitions, on any engine.

What an engine has to do:
    engine.py      three calls: run a function where a partition lives, gather results, say where partitions live
    packets.py     what travels: results that know their size, and packets for other partitions

The stages of a tree, in order:
    chunks.py      points in chunks of rows, rows that are left out, and results back in the chunks
    fitting.py     from chunks to the tree: metric, statistics, number of partitions
    spanning.py    all stages of the tree over partitions
    cells.py       where the Hilbert curve is cut
    partition.py   the points of a range of the curve
    outline.py     what a partition publishes, and how far others are
    border.py      the questions that points near borders ask, once
    certain.py     what a partition finds alone
    rounds.py      Borůvka's rounds over the components that are left: three kinds of tasks, the third of which joins
    asking.py      the first: a partition asks others for the lightest edges of its components
    answering.py   the second: a partition answers
    components.py  the components between rounds, and what is known of them
    edges.py       edges between components, and the total order on them
    result.py      edges in the caller's rows and units

The stages of a clustering after them:
    contract.py    partitions without the subtrees that are smaller than any cluster
    hierarchy.py   the dendrogram on one worker, its clusters, and back to the points
    model.py       what a fit keeps: futures of the tree, the dendrogram and the clusters

New points of a clustering:
    prediction.py  labels and probabilities of new points
    queries.py     which training point each of them joins

Nothing here knows Dask or any other engine, nor a backend: functions that run on workers get its operations as their
first argument. `emst.dask` has one engine: inputs and results in Dask's collections, and the faults of its
workers. Two files use the stages there: `emst/dask/euclidean.py` and `emst/dask/hdbscan.py`.
"""
