"""The result of `graph_msf`: its edges, their total weight, and a sparse matrix of them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.inputs.devices import native_array, on_device_of, to_host
from emst.inputs.summary import counted, float_sum, one_line

CHUNK = 1 << 16  # weights summed at a time


@dataclass(frozen=True, eq=False)
class MinimumSpanningForest:
    """Minimum spanning forest of a graph of n vertices: k edges, in the order of the input.

    Attributes
    ----------
    source, target : int32 arrays of shape (k,)
        The ends of each edge, the smaller in `source`.
    weight : array of shape (k,)
        Weights of the input, in its dtype.
    edge_id : int64 array of shape (k,)
        Position of each edge in the input's `data`, ascending. For a square array, the position in row-major order; for
        a sparse format other than CSR, CSC and COO, the position in the `data` of its `tocsr`. Of equal entries for one
        pair of vertices, the first.
    n_vertices : int
        Number of vertices of the graph.
    n_components : int
        Number of connected components, isolated vertices included: ``n_vertices - k``.
    component_labels : int32 array of shape (n_vertices,) or None
        Component of each vertex, numbered from 0 in the order of their first vertices; None without
        ``return_labels=True``.
    device : {"cpu", "cuda"}
        Where the forest was computed.
    """

    source: Any
    target: Any
    weight: Any
    edge_id: Any
    n_vertices: int
    n_components: int
    component_labels: Any
    device: str

    def __repr__(self) -> str:
        floats = native_array(self.weight).dtype.kind == "f"
        return one_line(
            self,
            counted(self.n_vertices, "vertex", "vertices"),
            counted(len(self.weight), "edge"),
            counted(self.n_components, "component"),
            f"total weight {float_sum(self.weight) if floats else format(self.total_weight, ',')}",
            f"device {self.device}",
        )

    @property
    def total_weight(self) -> int | float:
        """Sum of the weights: an exact Python int for integers, the correctly rounded float64 for floats.

        NaN if both infinities occur.
        """
        weight = native_array(self.weight)
        if weight.dtype.kind == "f":
            return _rounded_sum(to_host(weight).astype(np.float64, copy=False))
        with on_device_of(weight):
            if weight.dtype.itemsize < 8:
                return int(weight.sum(dtype=np.int64))
            high, low = weight >> weight.dtype.type(32), weight & weight.dtype.type(0xFFFFFFFF)
            return (int(high.sum()) << 32) + int(low.sum())

    def to_csr(self) -> Any:
        """The forest as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            On the device of the forest's arrays. Edges of weight 0 are stored explicitly. Weights are converted to
            dtypes that a sparse matrix can hold: float16 to float32, other byte orders to the native one and, with
            CuPy, integers to float64.
        """
        source, target, weight = map(native_array, (self.source, self.target, self.weight))
        on_host = isinstance(source, np.ndarray)
        held = weight.dtype.newbyteorder("=")
        held = np.dtype(np.float32) if held == np.float16 else held
        if not on_host and held not in (np.bool_, np.float32, np.float64):
            held = np.dtype(np.float64)
        if on_host:
            from scipy.sparse import coo_array as coo
        else:
            from cupyx.scipy.sparse import coo_matrix as coo
        with on_device_of(weight):
            weight = weight.astype(held, copy=False)
            return coo((weight, (source, target)), shape=(self.n_vertices, self.n_vertices)).tocsr()


def _rounded_sum(values: np.ndarray) -> float:
    """The sum of float64 values, rounded once."""

    def exact(values: np.ndarray) -> float:
        parts = (values[i : i + CHUNK].tolist() for i in range(0, len(values), CHUNK))
        return math.fsum(itertools.chain.from_iterable(parts))

    if not np.isfinite(values).all():
        return float(values[~np.isfinite(values)].sum()) if not _both_infinities(values) else math.nan
    try:
        return exact(values)
    except OverflowError:  # of a partial sum, and perhaps of the result
        scaled = exact(np.ldexp(values, -64))
    try:
        return math.ldexp(scaled, 64)
    except OverflowError:
        return math.copysign(math.inf, scaled)


def _both_infinities(values: np.ndarray) -> bool:
    return bool((values == np.inf).any() and (values == -np.inf).any())
