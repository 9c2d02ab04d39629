"""Exact Euclidean minimum spanning trees on the CPU and the GPU."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from emst.euclidean import EMST, minimum_spanning_tree
    from emst.mst import MinimumSpanningTree

__all__ = ["EMST", "MinimumSpanningTree", "__version__", "minimum_spanning_tree"]

_HOMES = {"EMST": "emst.euclidean", "minimum_spanning_tree": "emst.euclidean", "MinimumSpanningTree": "emst.mst"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import emst` alone costs nothing."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emst' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
