"""Exact trees, clusterings and forests over many GPUs and machines, by Dask.

The public names:
    euclidean.py   `EMST` and `minimum_spanning_tree`: trees of points
    hdbscan.py     `HDBSCAN`, also exported as `HDBSCANGPU`
    graph.py       `graph_msf`: the forest of every chunk, then a tree of joins

How these use the stages of `emst.partitions`, which know nothing of Dask:
    engine.py      workers of a client as an engine: who they are, how tasks are given to them, how long anybody waits
    inputs.py      dask arrays, data frames, files and plain arrays as chunks of rows on the workers
    weights.py     weights of rows in these chunks
    outputs.py     results as dask arrays, in the chunks of the input; what the estimators share
    cuts.py        `cut` and `labels_at` of trees and of `EMST`
    prediction.py  `approximate_predict`: labels and probabilities of new points

What they use:
    workers.py     `local_cluster`: workers in this process, one for each GPU or core; what an engine knows of workers
    faults.py      data that went down with a worker, waits in vain, tasks that nobody takes
    logs.py        errors of the input, which the caller gets, kept out of the logs of workers
    files.py       files of points, cut into pieces that workers read
    edges.py       graphs in chunks of edges: what is accepted, and how a worker reads a chunk
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
    from emst.dask.workers import local_cluster

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
    "local_cluster": "emst.dask.workers",
    "minimum_spanning_tree": "emst.dask.euclidean",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emst.dask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
