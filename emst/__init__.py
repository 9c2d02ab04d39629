"""Exact minimum spanning trees of points, HDBSCAN* over them, and forests of graphs, on the CPU and the GPU.

    euclidean.py    `EMST` and `minimum_spanning_tree`: trees of points
    hdbscan/        `HDBSCANGPU`: clusters, and prediction with a fitted model
    graph/          `graph_msf`: forests of graphs
    inputs/         validation of points, devices, rows that are not finite, scaling
    spanning.py     all stages of the tree of points, in order
    weighted.py     the tree of rows with weights, and the dendrogram of their copies
    spanning_forest.py  single linkage and cuts of trees and forests
    boruvka.py      Borůvka's loop
    distances/      metrics, and trees of distance matrices
    hierarchy/      dendrogram, condensed tree, selection, cluster validity
    backend/        which operations a backend has; `cpu/` and `cuda/` have them
    cpu/            these operations in numba
    cuda/           these operations in CUDA
    io/             files
    plots/          pictures
    partitions/     points in partitions, on any engine that gives work to workers
    gpus/           several GPUs of one machine: an engine of threads, and `device_ids`
    dask/           the same over many machines: the engine of Dask
    compat/         peers' code, unchanged: hdbscan's and cuML's names, BERTopic, NetworkX
    cli/            the command `emst`
    progress.py     progress of long runs: lines and bars
    __main__.py     `python -m emst`

A call goes from the estimator or function down: validation, Borůvka's loop or a graph algorithm over the operations of
a backend, then the hierarchy. The first lines of each folder's `__init__.py` say what its files hold.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.4.0"

if TYPE_CHECKING:
    from emst.euclidean import EMST, MinimumSpanningTree, minimum_spanning_tree
    from emst.graph.msf import graph_msf
    from emst.graph.result import MinimumSpanningForest
    from emst.hdbscan import HDBSCAN, HDBSCANGPU
    from emst.hdbscan.branches.detector import BranchDetector
    from emst.hdbscan.branches.prediction import approximate_predict_branch
    from emst.hdbscan.membership import all_points_membership_vectors, membership_vector
    from emst.hdbscan.prediction import approximate_predict, approximate_predict_scores
    from emst.hierarchy.validity import validity_index
    from emst.io.points import read_points

__all__ = [
    "EMST",
    "HDBSCAN",
    "HDBSCANGPU",
    "BranchDetector",
    "MinimumSpanningForest",
    "MinimumSpanningTree",
    "__version__",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_branch",
    "approximate_predict_scores",
    "graph_msf",
    "membership_vector",
    "minimum_spanning_tree",
    "read_points",
    "validity_index",
]

_HOMES = {
    "BranchDetector": "emst.hdbscan.branches.detector",
    "EMST": "emst.euclidean",
    "HDBSCAN": "emst.hdbscan",
    "HDBSCANGPU": "emst.hdbscan",
    "MinimumSpanningForest": "emst.graph.result",
    "MinimumSpanningTree": "emst.euclidean",
    "all_points_membership_vectors": "emst.hdbscan.membership",
    "approximate_predict": "emst.hdbscan.prediction",
    "approximate_predict_branch": "emst.hdbscan.branches.prediction",
    "approximate_predict_scores": "emst.hdbscan.prediction",
    "graph_msf": "emst.graph.msf",
    "membership_vector": "emst.hdbscan.membership",
    "minimum_spanning_tree": "emst.euclidean",
    "read_points": "emst.io.points",
    "validity_index": "emst.hierarchy.validity",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import emst` alone costs nothing."""
    if name in _HOMES:
        found = getattr(sys.modules.get(_HOMES[name]), name, None)  # `import_module` takes microseconds
        return getattr(importlib.import_module(_HOMES[name]), name) if found is None else found
    raise AttributeError(f"module 'emst' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
