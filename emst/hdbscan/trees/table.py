"""What the three trees share: columns as a data frame, and the rows of the data that are points of the hierarchy."""

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
        """The columns as a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
            With the columns that the class names.
        """
        return optional("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """The columns as a data frame of polars.

        Returns
        -------
        polars.DataFrame
            With the columns that the class names.
        """
        return optional("polars").DataFrame(self._columns())


def optional(name: str) -> Any:
    """An optional library, imported when it is needed, or ImportError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install 'emst[{name}]'") from error


def kept_rows(rows: Array, n: int | None, m: int) -> tuple[np.ndarray, int]:
    """Row of the data of each of m points, int64 on the host, and the number of rows of the data."""
    kept = np.arange(m) if rows is None else to_host(rows).astype(np.int64)
    return kept, m if n is None else n
