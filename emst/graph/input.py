"""The door for graphs: what may come in, which device works on it, and how results go out.

Nothing is copied here that need not be. Compressed columns are the compressed rows of the same graph with its edges the
other way round, so they pass as they are.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.inputs.devices import choose_device, native_array, on_device_of

MOST_VERTICES = 2**31 - 1  # ids are 32-bit

WHAT = (
    "graph must be a sparse matrix or array of scipy or cupyx, an object or a tuple of (indptr, indices, data), or a "
    "square two-dimensional array"
)
_COMPUTED_IN = {  # dtypes whose values another one holds in the same order
    "b1": np.int32, "i1": np.int32, "i2": np.int32, "u1": np.int32, "u2": np.int32, "u4": np.int64, "f2": np.float32,
}  # fmt: skip


class CheckedGraph(NamedTuple):
    """A graph that has passed the given: checked shapes and dtypes, not yet values.

    Attributes
    ----------
    n : int
        Number of vertices.
    indptr : integer array of shape (n + 1,) or None
        Where each row begins. None where every entry says its row.
    rows : integer array of shape (m,) or None
        Rows of the entries, the other way.
    indices : integer array of shape (m,)
        Columns.
    data : array of shape (m,) or longer
        Weights, all of them where the caller had them.
    positions : int64 array of shape (m,) or None
        Where in `data` the entries stand; None for one after the other.
    flipped : bool
        Whether rows and columns have changed places on the way in.
    device : {"cpu", "cuda"}
        Where the work will run.
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
        """Whether the caller's arrays lie on a GPU, and the results will."""
        return not isinstance(self.data, np.ndarray)

    def stored(self, begin: int = 0, end: int | None = None) -> Array:
        """Weights of the entries, or of those from `begin` to `end`."""
        if self.positions is None:
            return self.data if begin == 0 and end is None else self.data[begin:end]
        return self.data[self.positions[begin:end]]

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the GPU that holds the caller's data the current one."""
        return on_device_of(self.data)

    def give(self, result: Array) -> Any:
        """A result as the caller's kind of array."""
        if isinstance(result, np.ndarray):
            return _cupy().asarray(result) if self.on_device else result
        return result if self.on_device else result.get()


def check_graph(graph: Any, device: str = "auto") -> CheckedGraph:
    """Check everything about a graph that can be told without reading its values.

    Raises
    ------
    TypeError
        Something that is no graph, or indices that are no integers.
    ValueError
        A shape that is not square, too many vertices, arrays of wrong dimensions or lengths, weights that are no real
        numbers, an unknown `device`.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    """
    positions = rows = indptr = None
    shape: Any = None
    form = getattr(graph, "format", None)
    if form not in ("csr", "csc", "coo"):
        graph = graph.tocsr() if hasattr(graph, "tocsr") else graph
        form = "csr" if hasattr(graph, "indptr") else None
    if isinstance(graph, tuple):
        indptr, indices, data = _three(graph)
    elif form == "coo":
        rows, indices, data, shape = _native(graph.row), graph.col, graph.data, graph.shape
    elif form is not None:
        indptr, indices, data, shape = graph.indptr, graph.indices, graph.data, getattr(graph, "shape", None)
    else:
        rows, indices, data, positions, shape = _dense(graph)
    if indptr is not None:
        indptr = _native(indptr)
        shape = shape or (len(indptr) - 1,) * 2
        _check_indptr(indptr, shape)
    indices, data = _native(indices), _native(data)
    _check(rows, indices, data, shape, positions)
    device = choose_device(device, not isinstance(data, np.ndarray))
    return CheckedGraph(shape[0], indptr, rows, indices, data, positions, form == "csc", device)


def narrowed(indices: Array, n: int, ops: Backend) -> Array:
    """Indices as int32 on the backend; those that are no vertices remain none."""
    dtype = indices.dtype
    if dtype == np.int32 and dtype.isnative:
        return ops.asarray(indices)
    if dtype.itemsize < 4:
        return ops.asarray(indices.astype(np.int32))
    return ops.asarray(indices.clip(0 if dtype.kind == "u" else -1, n).astype(np.int32))


def computable(weights: Array, ops: Backend) -> Array:
    """Weights on the backend as int32, int64, float32 or float64 of the same order: mostly themselves."""
    dtype = weights.dtype
    if dtype.kind in "if" and dtype.itemsize in (4, 8) and dtype.isnative:
        return ops.asarray(weights)
    if dtype.kind == "u" and dtype.itemsize == 8:
        return ops.asarray((weights.astype(np.uint64, copy=False) ^ np.uint64(1 << 63)).view(np.int64))
    wanted = _COMPUTED_IN.get(f"{dtype.kind}{dtype.itemsize}", dtype.newbyteorder("="))
    return ops.asarray(weights.astype(wanted))


def _native(array: Any) -> Array:
    """A plain numpy or cupy array, also of lists and of arrays mapped from files."""
    native = native_array(array)
    return native if hasattr(native, "__cuda_array_interface__") else np.asarray(native)


def _three(graph: tuple) -> tuple[Any, Any, Any]:
    if len(graph) != 3:
        raise TypeError(f"{WHAT}; got a tuple of {len(graph)}")
    return graph


def _dense(graph: Any) -> tuple[Array, Array, Array, Array, tuple[int, ...]]:
    """Entries of a square array that are not zero, nor masked."""
    kind = type(graph).__name__
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        raise TypeError(f"{WHAT}; got {kind}: of networkx, pass networkx.to_scipy_sparse_array(graph)")
    try:
        array = _native(graph.filled(0) if isinstance(graph, np.ma.MaskedArray) else graph)
    except ValueError as error:  # rows of different lengths
        raise TypeError(f"{WHAT}; got {kind} that is no array") from error
    if array.ndim != 2 or array.dtype == object:
        raise TypeError(f"{WHAT}; got {kind}" + (f" of shape {array.shape}" if array.ndim else ""))
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"graph must be square; its shape is {array.shape}")
    flat = array.ravel()
    positions = (flat if isinstance(flat, np.ndarray) or flat.dtype.kind != "f" else _magnitudes(flat)).nonzero()[0]
    return positions // max(len(array), 1), positions % max(len(array), 1), flat, positions, array.shape


def _magnitudes(values: Array) -> Array:
    """The bits of floats but for the sign: not 0 also of numbers that CuPy's kernels take for zero, subnormal ones."""
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


def _cupy() -> Any:
    import cupy

    return cupy
