"""Validation of graphs: which inputs are accepted, on which device they are computed, and how results are returned.

Arrays are not copied unless they have to be. Compressed columns are the compressed rows of the same graph with every
edge reversed, so they are taken as they are.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.graph.lists import weights_of
from emst.inputs.devices import choose_device, gpu_of, native_array, on_device_of, placed
from emst.inputs.masks import check_unmasked

MOST_VERTICES = 2**31 - 1  # ids are 32-bit

WHAT = (
    "graph must be a sparse matrix or array of scipy or cupyx, an object or a tuple of (indptr, indices, data), a "
    "square two-dimensional array, a data frame with columns source and target, or a graph of networkx, igraph or "
    "rustworkx; three arrays are graph_msf(source, target, weight)"
)
_COMPUTED_IN = {  # dtypes of weights that are converted to a wider one, which preserves their order
    "b1": np.int32, "i1": np.int32, "i2": np.int32, "u1": np.int32, "u2": np.int32, "u4": np.int64, "f2": np.float32,
}  # fmt: skip


class CheckedGraph(NamedTuple):
    """A graph whose shapes and dtypes are checked, but not yet its values.

    Attributes
    ----------
    n : int
        Number of vertices.
    indptr : integer array of shape (n + 1,) or None
        Where each row begins. None if every entry states its row.
    rows : integer array of shape (m,) or None
        Rows of the entries. None if there is an `indptr`.
    indices : integer array of shape (m,)
        Columns of the entries.
    data : array of shape (m,) or longer
        The caller's weights.
    positions : int64 array of shape (m,) or None
        Position of every entry in `data`. None if entry i is at position i.
    flipped : bool
        Whether rows and columns are exchanged (compressed columns).
    device : {"cpu", "cuda"}
        Where the forest is computed.
    """

    n: int
    indptr: Array | None
    rows: Array | None
    indices: Array
    data: Array
    positions: Array | None
    flipped: bool
    device: str

    @property
    def m(self) -> int:
        """Number of entries."""
        return len(self.indices)

    @property
    def on_device(self) -> bool:
        """Whether the caller's arrays are on a GPU. The results are returned there."""
        return not isinstance(self.data, np.ndarray)

    def stored(self, begin: int = 0, end: int | None = None) -> Array:
        """Weights of the entries from number `begin` up to `end`; of all by default."""
        if self.positions is None:
            return self.data if begin == 0 and end is None else self.data[begin:end]
        return self.data[self.positions[begin:end]]

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """A context in which the GPU that holds the caller's data is the current one."""
        return on_device_of(self.data)

    def give(self, result: Array) -> Any:
        """A result as the caller's kind of array."""
        return placed(result, gpu_of(self.data))


def refuse_blocks(graph: Any, name: str, entry: str) -> None:
    """Raise ValueError for SciPy's BSR format; `name` is the argument's, and `entry` says what an entry of it is."""
    if getattr(graph, "format", None) == "bsr":
        raise ValueError(
            f"{name} is in BSR format, whose blocks are filled with zeros, and every stored zero would be {entry}: "
            f"pass csr = {name}.tocsr(), after csr.eliminate_zeros() if no zero is {entry}"
        )


def check_graph(graph: Any, device: str = "auto") -> CheckedGraph:
    """Check everything about a graph that can be checked without reading its values.

    Raises
    ------
    TypeError
        If `graph` is not a graph, or indices are not integers.
    ValueError
        If the graph is in BSR format, is not square or has too many vertices, arrays have wrong dimensions or lengths,
        weights are not real numbers, or `device` is unknown.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    """
    refuse_blocks(graph, "graph", "an edge")
    positions = rows = indptr = None
    shape: Any = None
    form = getattr(graph, "format", None)
    if form not in ("csr", "csc", "coo"):
        graph = _compressed(graph) if hasattr(graph, "tocsr") else graph
        form = "csr" if hasattr(graph, "indptr") else None
    if isinstance(graph, tuple):
        indptr, indices, data = _three(graph)
    elif form == "coo":
        rows, indices, data, shape = native(graph.row), graph.col, graph.data, graph.shape
    elif form is not None:
        indptr, indices, data, shape = graph.indptr, graph.indices, graph.data, getattr(graph, "shape", None)
    else:
        rows, indices, data, positions, shape = _dense(graph)
    for name, values in (("indptr", indptr), ("indices", indices), ("data", data)):
        check_unmasked(name, values)
    if indptr is not None:
        indptr = native(indptr)
        shape = shape or (len(indptr) - 1,) * 2
        _check_indptr(indptr, shape)
    indices, data = native(indices), native_weights(data)
    _check(rows, indices, data, shape, positions)
    gpu = gpu_of(data)
    indptr, rows, indices = (None if array is None else placed(array, gpu) for array in (indptr, rows, indices))
    return CheckedGraph(shape[0], indptr, rows, indices, data, positions, form == "csc", choose_device(device, gpu))


def narrowed(indices: Array, n: int, ops: Backend) -> Array:
    """Indices as int32 on the backend. Indices out of range stay out of range."""
    dtype = indices.dtype
    if dtype == np.int32 and dtype.isnative:
        return ops.asarray(indices)
    ends = np.empty_like(indices, np.int32)  # of CuPy for an array of CuPy
    least = 0 if dtype.kind == "u" else -1

    def work(begin: int, end: int) -> None:
        ends[begin:end] = indices[begin:end].clip(least, n) if dtype.itemsize >= 4 else indices[begin:end]

    ops.for_blocks(work, len(indices), 1)
    return ops.asarray(ends)


def computable(weights: Array, ops: Backend) -> Array:
    """Weights on the backend as int32, int64, float32 or float64 in the same order; most are unchanged."""
    dtype = weights.dtype
    if dtype.kind in "if" and dtype.itemsize in (4, 8) and dtype.isnative:
        return ops.asarray(weights)
    if dtype.kind == "u" and dtype.itemsize == 8:
        return ops.asarray((weights.astype(np.uint64, copy=False) ^ np.uint64(1 << 63)).view(np.int64))
    wanted = _COMPUTED_IN.get(f"{dtype.kind}{dtype.itemsize}", dtype.newbyteorder("="))
    return ops.asarray(weights.astype(wanted))


def native(array: Any) -> Array:
    """A plain numpy or cupy array, also for a list or an array that is mapped from a file."""
    native = native_array(array)
    return np.asarray(native) if gpu_of(native) is None else native


def native_weights(weights: Any) -> Array:
    """Weights as a plain numpy or cupy array; those in a list that no array holds exactly are a ValueError."""
    return weights_of(weights, lambda i: f"row {i:,}") if isinstance(weights, (list, tuple)) else native(weights)


def _compressed(graph: Any) -> Any:
    with on_device_of(getattr(graph, "data", None)):
        return graph.tocsr()


def _three(graph: tuple) -> tuple[Any, Any, Any]:
    if len(graph) != 3:
        raise TypeError(f"{WHAT}; got a tuple of {len(graph)}")
    return graph


def _dense(graph: Any) -> tuple[Array, Array, Array, Array, tuple[int, ...]]:
    """The entries of a square array that are neither zero nor masked: rows, columns, data, positions and shape."""
    kind = type(graph).__name__
    try:
        array = native(graph.filled(0) if isinstance(graph, np.ma.MaskedArray) else graph)
    except ValueError as error:  # rows of different lengths
        raise TypeError(f"{WHAT}; got {kind} that is no array") from error
    if array.ndim != 2 or array.dtype == object:
        raise TypeError(f"{WHAT}; got {kind}" + (f" of shape {array.shape}" if array.ndim else ""))
    if array.shape[0] != array.shape[1]:
        hint = "; rows of edges are graph_msf(*zip(*rows))" if array.shape[1] == 3 else ""
        raise ValueError(f"graph must be square; its shape is {array.shape}{hint}")
    if isinstance(graph, list) and array.dtype == np.float64:  # some of its integers may have been rounded
        n = len(graph)
        flat = weights_of(list(itertools.chain.from_iterable(graph)), lambda i: f"row {i // n:,}, column {i % n:,}")
        array = flat.reshape(n, n)
    with on_device_of(array):
        flat = array.ravel()
        positions = (flat if isinstance(flat, np.ndarray) or flat.dtype.kind != "f" else _magnitudes(flat)).nonzero()[0]
        return positions // max(len(array), 1), positions % max(len(array), 1), flat, positions, array.shape


def _magnitudes(values: Array) -> Array:
    """The bits of floats without the sign. They are not 0 for subnormal numbers, which CuPy's kernels flush to zero."""
    bits = values.view(f"i{values.dtype.itemsize}")
    return bits & np.iinfo(bits.dtype).max


def _check_indptr(indptr: Array, shape: tuple[int, ...]) -> None:
    if indptr.ndim != 1 or len(indptr) == 0:
        raise ValueError(f"indptr must have one dimension and at least one element; its shape is {indptr.shape}")
    if len(shape) == 2 and len(indptr) != shape[0] + 1:
        raise ValueError(f"indptr must have {shape[0] + 1:,} elements for {shape[0]:,} rows; it has {len(indptr):,}")
    if indptr.dtype.kind not in "iu":
        raise TypeError(f"indptr must hold integers; got dtype {indptr.dtype}")


def _check(rows: Array | None, indices: Array, data: Array, shape: Any, positions: Array | None) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"graph must be square; its shape is {tuple(shape)}")
    if shape[0] > MOST_VERTICES:
        raise ValueError(f"graph has {shape[0]:,} vertices; ids are 32-bit, so at most {MOST_VERTICES:,} are possible")
    for name, array in (("indices", indices), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension; its shape is {array.shape}")
    if positions is None and len(indices) != len(data):
        raise ValueError(f"indices and data must have the same length; got {len(indices):,} and {len(data):,}")
    if indices.dtype.kind not in "iu" or (rows is not None and rows.dtype.kind not in "iu"):
        raise TypeError(f"indices must hold integers; got dtype {indices.dtype}")
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8:
        raise ValueError(f"weights must be real numbers of at most 64 bits; got dtype {data.dtype}")
