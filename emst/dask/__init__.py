"""Exact trees, clusterings and forests over many GPUs and machines, by Dask.

The public names:
    euclidean.py   `EMST` and `minimum_spanning_tree`: trees of points
    hdbscan.py     `HDBSCAN`, also exported as `HDBSCANGPU`
    graph.py       `graph_msf`: the forest of every chunk, then a tree of joins
    local.py       `local_cluster`: workers in this process, one for each GPU or core

The stages of a tree, in order:
    inputs.py      dask arrays, data frames, files and plain arrays as chunks of rows on the workers
    fitting.py     from chunks to the tree: metric, statistics, number of partitions
    spanning.py    all stages of the tree over partitions
    cells.py       where the Hilbert curve is cut
    partition.py   the points of a range of the curve
    outline.py     what a partition publishes, and how far others are
    border.py      the questions that points near borders ask, once
    certain.py     what a partition finds alone
    rounds.py      Borůvka's rounds over the components that are left: three kinds of tasks
    asking.py      a partition asks others for the lightest edges of its components
    answering.py   a partition answers
    joining.py     one worker contracts the lightest edges
    components.py  the components between rounds, and the edges that are known
    result.py      edges in the caller's rows and units
    outputs.py     results as dask arrays, in the chunks of the input

The stages of a clustering beside them:
    finite.py      rows that are not finite, which are left out
    contract.py    partitions without the subtrees that are smaller than any cluster
    hierarchy.py   the dendrogram on one worker, its clusters, and back to the points
    model.py       what a fit keeps on the workers

New points of a clustering:
    prediction.py  `approximate_predict`: labels and probabilities of new points
    queries.py     which training point each of them joins

What they use:
    cluster.py     the workers, and how tasks are given to them
    watch.py       how long anybody waits for results when the workers do nothing for them
    pins.py        tasks that prefer a worker which has left
    lost.py        data that went down with a worker, and reading the input again
    files.py       files of points, cut into pieces that workers read
    edges.py       graphs in chunks of edges: what is accepted, and how a worker reads a chunk
    routing.py     what one partition sends to another
    order.py       the total order on edges as array code
    sizes.py       what results of tasks weigh
    estimator.py   what the estimators share
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("distributed") is None or importlib.util.find_spec("dask") is None:
    raise ImportError("emst.dask needs Dask: pip install 'emst[dask]'")

if TYPE_CHECKING:
    from emst.dask.euclidean import EMST, MinimumSpanningTree, minimum_spanning_tree
    from emst.dask.graph import graph_msf
    from emst.dask.hdbscan import HDBSCAN, HDBSCANGPU
    from emst.dask.local import local_cluster

__all__ = [
    "EMST",
    "HDBSCAN",
    "HDBSCANGPU",
    "MinimumSpanningTree",
    "graph_msf",
    "local_cluster",
    "minimum_spanning_tree",
]

_HOMES = {
    "EMST": "emst.dask.euclidean",
    "HDBSCAN": "emst.dask.hdbscan",
    "HDBSCANGPU": "emst.dask.hdbscan",
    "MinimumSpanningTree": "emst.dask.euclidean",
    "graph_msf": "emst.dask.graph",
    "local_cluster": "emst.dask.local",
    "minimum_spanning_tree": "emst.dask.euclidean",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emst.dask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
