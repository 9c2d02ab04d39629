"""The seam between the stages and the two machines they run on.

`records.py` holds what crosses the seam, `operations.py` the protocols of what both backends do. `emst.cpu` (numba) and
`emst.cuda` (CuPy) export the same bulk operations under the same names, each at the same path on both.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from emst.backend.operations import Backend

__all__ = ["backend_of"]


def backend_of(device: str) -> Backend:
    """The operations that run on ``"cpu"`` or ``"cuda"``. A backend is imported by name when it is first asked for, and
    only here."""
    return cast("Backend", importlib.import_module(f"emst.{device}"))
