"""Exact minimum spanning trees of points, HDBSCAN* over them, and forests of graphs, on the CPU and the GPU."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from emst.euclidean import EMST, MinimumSpanningTree, minimum_spanning_tree
    from emst.graph.msf import graph_msf
    from emst.graph.result import MinimumSpanningForest
    from emst.hdbscan import HDBSCAN, HDBSCANGPU
    from emst.hdbscan.membership import all_points_membership_vectors, membership_vector
    from emst.hdbscan.prediction import approximate_predict, approximate_predict_scores
    from emst.hierarchy.validity import validity_index

__all__ = [
    "EMST",
    "HDBSCAN",
    "HDBSCANGPU",
    "MinimumSpanningForest",
    "MinimumSpanningTree",
    "__version__",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "graph_msf",
    "membership_vector",
    "minimum_spanning_tree",
    "validity_index",
]

_HOMES = {
    "EMST": "emst.euclidean",
    "HDBSCAN": "emst.hdbscan",
    "HDBSCANGPU": "emst.hdbscan",
    "MinimumSpanningForest": "emst.graph.result",
    "MinimumSpanningTree": "emst.euclidean",
    "all_points_membership_vectors": "emst.hdbscan.membership",
    "approximate_predict": "emst.hdbscan.prediction",
    "approximate_predict_scores": "emst.hdbscan.prediction",
    "graph_msf": "emst.graph.msf",
    "membership_vector": "emst.hdbscan.membership",
    "minimum_spanning_tree": "emst.euclidean",
    "validity_index": "emst.hierarchy.validity",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import emst` alone costs nothing."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emst' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
