"""The method beyond one device: exact trees and clusterings of points that lie in partitions, on any engine.

What an engine has to do, and what travels:
    engine.py       four calls: run functions where partitions live, gather results, say where partitions live
    records.py      the records that several stages use

The stages of a tree, in order:
    spanning.py     all stages, from chunks to the tree
    chunks.py       points in chunks of rows, rows that are left out, images under a metric, results back in the chunks
    weights.py      weights of the rows of chunks
    partition.py    where the Hilbert curve is cut, and the points of a range of it
    segments.py     which segment of the curve points lie in
    outline.py      what a partition publishes, and how far others are
    certain.py      what a partition asks others once, and then finds alone
    nearest.py      how far the nearest points of a partition and of others are, for the two before
    rounds.py       Borůvka's rounds over the components that are left: partitions ask and answer, one worker joins
    asking.py       what partitions ask one another in a round, and what is known of the points that may ask
    remembering.py  the first task of a round: points ask, and remember what they were told
    components.py   the components between rounds, and the edges that were found between them
    edges.py        the total order on edges, and edges in the caller's rows and units

The stages of a clustering after them:
    contraction.py  a partition as a clustering sees it: closed subtrees are contracted
    hierarchy.py    the dendrogram on one worker, its clusters, and back to the points
    model.py        what a fit keeps: futures of the tree, the dendrogram and the clusters

Groups below a height:
    cuts.py         groups of every partition, joined over partitions and numbered by their first rows

New points of a clustering:
    prediction.py   labels and probabilities of new points
    queries.py      which training point each of them joins

Nothing here knows Dask or any other engine, nor a backend: functions that run on workers get its operations as their
first argument. `emst.gpus` has an engine of threads, one a GPU, and `emst/gpus/tree.py` uses the stages of a tree.
`emst.dask` has another: inputs and results in Dask's collections, and the faults of its workers. There
`emst/dask/euclidean.py` and `emst/dask/hdbscan.py` use the stages.
"""
