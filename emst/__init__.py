"""Exact Euclidean minimum spanning trees, and HDBSCAN* over them, on the CPU and the GPU."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from emst.euclidean import EMST, minimum_spanning_tree
    from emst.hdbscan import HDBSCAN, HDBSCANGPU
    from emst.hierarchy.membership import all_points_membership_vectors, membership_vector
    from emst.hierarchy.prediction import approximate_predict, approximate_predict_scores
    from emst.hierarchy.validity import validity_index
    from emst.mst import MinimumSpanningTree

__all__ = [
    "EMST",
    "HDBSCAN",
    "HDBSCANGPU",
    "MinimumSpanningTree",
    "__version__",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "membership_vector",
    "minimum_spanning_tree",
    "validity_index",
]

_HOMES = {
    "EMST": "emst.euclidean",
    "HDBSCAN": "emst.hdbscan",
    "HDBSCANGPU": "emst.hdbscan",
    "MinimumSpanningTree": "emst.mst",
    "all_points_membership_vectors": "emst.hierarchy.membership",
    "approximate_predict": "emst.hierarchy.prediction",
    "approximate_predict_scores": "emst.hierarchy.prediction",
    "membership_vector": "emst.hierarchy.membership",
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
