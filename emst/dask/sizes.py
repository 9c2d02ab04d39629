"""What results of tasks weigh. The scheduler weighs moving data against waiting, and counts what workers hold."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any


def bytes_of(value: Any) -> int:
    """Bytes of all arrays in a result."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, field.name)) for field in fields(value))
    return sum(map(bytes_of, vars(value).values())) if type(value).__module__.startswith("emst.") else 0


class Sized:
    """A result whose size Dask learns from ``sys.getsizeof``."""

    def __sizeof__(self) -> int:
        return bytes_of(self)
