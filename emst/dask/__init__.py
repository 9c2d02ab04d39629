"""Exact trees, clusterings and forests over many GPUs and machines, by Dask.

cluster.py     the workers, and how tasks are given to them
local.py       `local_cluster`: workers in this process, one for each GPU or core
inputs.py      dask arrays, data frames, files and plain arrays as chunks of rows on the workers
files.py       files of points, cut into pieces that workers read
outputs.py     results as dask arrays, in the chunks of the input
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("distributed") is None or importlib.util.find_spec("dask") is None:
    raise ImportError("emst.dask needs Dask: pip install 'emst[dask]'")

if TYPE_CHECKING:
    from emst.dask.local import local_cluster

__all__ = ["local_cluster"]

_HOMES = {"local_cluster": "emst.dask.local"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emst.dask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
