"""What the trees share: named columns as a data frame, and rows of the data that a hierarchy may have left out."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from emst.backend.records import Array
from emst.inputs.devices import to_host


class Table:
    """A tree with named columns."""

    def _columns(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The columns as a pandas DataFrame."""
        return optional("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """The columns as a polars DataFrame."""
        return optional("polars").DataFrame(self._columns())


def optional(name: str) -> Any:
    """A library that emst does without until it is asked for."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install 'emst[{name}]'") from error


def kept_rows(rows: Array, n: int | None, m: int) -> tuple[np.ndarray, int]:
    """The rows that are the points of a hierarchy of m points, on the host, and how many rows there are."""
    kept = np.arange(m) if rows is None else to_host(rows).astype(np.int64)
    return kept, m if n is None else n
