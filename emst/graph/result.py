"""The result of `graph_msf`, and what can be made of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.inputs.devices import native_array, on_device_of, to_host

CHUNK = 1 << 16  # weights summed at a time


@dataclass(frozen=True, eq=False)
class MinimumSpanningForest:
    """Minimum spanning forest of a graph of n vertices: k edges, in the order in which they stand in the input.

    Attributes
    ----------
    source, target : int32 arrays of shape (k,)
        The ends of each edge, the smaller in `source`.
    weight : array of shape (k,)
        Weights as they stand in the input, in its dtype.
    edge_id : int64 array of shape (k,)
        Where each edge stands in the input's `data`, ascending; for a square array, among its values row after row; for
        a sparse format other than CSR, CSC and COO in the `data` of what its `tocsr` gives. Of equal entries for one
        pair of vertices the first.
    n_vertices : int
    n_components : int
        Parts that no edge connects, isolated vertices among them: ``n_vertices - k``.
    component_labels : int32 array of shape (n_vertices,) or None
        Component of each vertex, numbered in the order of their first vertices. Only where ``return_labels=True``.
    device : {"cpu", "cuda"}
        What computed it.
    """

    source: Any
    target: Any
    weight: Any
    edge_id: Any
    n_vertices: int
    n_components: int
    component_labels: Any
    device: str

    @property
    def total_weight(self) -> int | float:
        """Sum of the weights: a Python int, exact, for integers; the correctly rounded float64 otherwise.

        NaN where both infinities occur.
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
            Where the forest's arrays live. Edges of weight 0 are stored explicitly. Weights become what a sparse matrix
            can hold: float16 becomes float32, the machine's order of bytes is taken, and with CuPy integers become
            float64.
        """
        source, target, weight = map(native_array, (self.source, self.target, self.weight))
        held = np.float32 if weight.dtype == np.float16 else weight.dtype.newbyteorder("=")
        weight = weight.astype(held, copy=False)
        if isinstance(source, np.ndarray):
            from scipy.sparse import coo_array as coo
        else:
            from cupyx.scipy.sparse import coo_matrix as coo

            if weight.dtype not in (np.bool_, np.float32, np.float64):
                weight = weight.astype(np.float64)
        with on_device_of(weight):
            return coo((weight, (source, target)), shape=(self.n_vertices, self.n_vertices)).tocsr()


def _rounded_sum(values: np.ndarray) -> float:
    def exact(values: np.ndarray) -> float:
        parts = (values[i : i + CHUNK].tolist() for i in range(0, len(values), CHUNK))
        return math.fsum(itertools.chain.from_iterable(parts))

    if not np.isfinite(values).all():
        return float(values[~np.isfinite(values)].sum()) if not _both_infinities(values) else math.nan
    try:
        return exact(values)
    except OverflowError:  # on the way, and perhaps at its end
        scaled = exact(np.ldexp(values, -64))
    try:
        return math.ldexp(scaled, 64)
    except OverflowError:
        return math.copysign(math.inf, scaled)


def _both_infinities(values: np.ndarray) -> bool:
    return bool((values == np.inf).any() and (values == -np.inf).any())
