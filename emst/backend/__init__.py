"""The border between the stages, which are written once, and the two backends that compute.

    records.py       the dataclasses that cross the border; imports nothing of the package
    keys.py          weights and pairs of vertices as sortable integers, for both backends and the stages
    memory.py        what an error says where memory is short
    notices.py       what is said once a process by the logger "emst"
    interrupts.py    Ctrl-C where it does harm
    imports.py       the first import of a backend, and of CuPy
    operations.py    the protocols: which operations both backends have, with shapes and dtypes
    partition_records.py     records of partitions of points
    partition_operations.py  the protocol of partitions

`backend_of`, below, imports a backend by name. `emst.cpu` (numba) and `emst.cuda` (CuPy) have the same operations under
the same names, each at the same path in both.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, cast

from emst.backend.imports import imported, imported_cupy

if TYPE_CHECKING:
    from emst.backend.operations import Backend

__all__ = ["backend_of"]


@functools.cache
def backend_of(device: str) -> Backend:
    """The operations that run on ``"cpu"`` or ``"cuda"``. A backend is imported by name when it is first asked for, and
    only here."""
    if device == "cuda":
        imported_cupy()
    return cast("Backend", imported(f"emst.{device}"))
