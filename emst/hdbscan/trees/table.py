"""What the three trees share: columns as a data frame, and the rows of the data that are points of the hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.records import Array
from emst.inputs.devices import to_host
from emst.inputs.optional import optional


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


def kept_rows(rows: Array, n: int | None, m: int) -> tuple[np.ndarray, int]:
    """Row of the data of each of m points, int64 on the host, and the number of rows of the data."""
    kept = np.arange(m) if rows is None else to_host(rows).astype(np.int64)
    return kept, m if n is None else n
