"""A graph together with what its file calls its parts: what every reader of graphs returns."""

from __future__ import annotations

import contextlib
import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from emst.io.columns import first_line

UNWEIGHTED = "no weights: all 1"


class FileGraph(NamedTuple):
    """A graph, and what its file calls its parts.

    Attributes
    ----------
    graph : scipy.sparse.coo_array, csr_array or csc_array
        Entry i is the i-th edge of the file.
    read : str
        Which columns or arrays were read, and whether the file has no weights; for the summary of a run.
    place : callable, optional
        ``place(position, row, column)``: where in the file an entry stands, in words.
    nodes : list, array or None
        The name or id of each vertex; None if there are none.
    numbered : bool
        Whether the file calls vertices by these names or ids, and not by their numbers.
    """

    graph: Any
    read: str = ""
    place: Callable[[int, int, int], str] | None = None
    nodes: list[str] | np.ndarray | None = None
    numbered: bool = False


def coo(n: int, source: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Any:
    """Edges as a sparse array of shape (n, n), in their order."""
    from scipy import sparse

    held = np.dtype(np.float32) if weight.dtype.newbyteorder("=") == np.float16 else weight.dtype.newbyteorder("=")
    return sparse.coo_array((np.ascontiguousarray(weight, held), (source, target)), shape=(n, n))


def fit_int32(values: np.ndarray) -> np.ndarray:
    """Integers as int32 where all fit, as int64 otherwise."""
    fits = -(2**31) <= values.min(initial=0) and values.max(initial=0) < 2**31
    return values.astype(np.int32 if fits else np.int64, copy=False)


@contextlib.contextmanager
def opening(path: Path, kind: str) -> Iterator[None]:
    """Turn what libraries raise about a file into one sentence that names it."""
    try:
        yield
    except (
        ValueError,
        TypeError,
        KeyError,
        OverflowError,
        EOFError,
        gzip.BadGzipFile,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ValueError(f"{path} is not a readable {kind} file ({first_line(error)})") from error
