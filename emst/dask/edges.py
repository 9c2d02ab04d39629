"""Graphs that are given in chunks of edges: which inputs there are, and how a worker reads one chunk.

Chunks are read on workers, where they are needed, and are read again if a worker dies. Plain arrays are cut into chunks
that this process sends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask
import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.dask.engine import DaskEngine
from emst.graph.input import native_weights
from emst.inputs.devices import native_array
from emst.io.graphs import read_graph

PIECE = 1 << 22  # edges in a chunk; plain arrays are cut into chunks of this size
NAMES = ("source", "target", "weight")
WHAT = (
    "graph must be a tuple (source, target, weight) of dask arrays or of plain arrays, a data frame with these "
    "columns, or a list of paths"
)


class Edges(NamedTuple):
    """The entries of one chunk, and how many vertices the chunk says the graph has (0 if it does not say)."""

    source: Array  # integers[m]
    target: Array  # integers[m]
    weight: Array  # real numbers[m]
    n: int


class Chunk(NamedTuple):
    """A chunk of edges: ``read(*arguments)`` on a worker gives its source, target, weight and number of vertices."""

    name: str
    read: Callable[..., Edges]
    arguments: tuple[Any, ...]

    def task(self, engine: DaskEngine, function: Callable[..., Any], *args: Any) -> Any:
        """A task that runs ``function(ops, edges, *args)``, where `edges` is what the chunk holds."""
        return engine.delayed(_with_edges, function, args, self.name, self.read, *self.arguments)


def chunks_of(graph: Any, engine: DaskEngine) -> list[Chunk]:
    """The chunks of a graph, in order.

    Raises
    ------
    TypeError
        The graph is of an unknown kind, or ends are not integers.
    ValueError
        The three arrays differ in length or in chunks, columns are missing, or weights are not real numbers.
    FileNotFoundError
        A worker finds no file at one of the paths.
    """
    if isinstance(graph, (str, os.PathLike)):
        graph = [graph]
    if hasattr(type(graph), "columns"):  # a delayed object itself claims to have any attribute
        return _of_frame(graph, engine)
    if not isinstance(graph, (list, tuple)):
        raise TypeError(f"{WHAT}; got {type(graph).__name__}")
    if len(graph) == 0:
        raise TypeError(f"{WHAT}; got an empty {type(graph).__name__}")
    if all(isinstance(path, (str, os.PathLike)) for path in graph):
        return _of_files([str(path) for path in graph], engine)
    if len(graph) != 3:
        raise TypeError(f"{WHAT}; got {len(graph)} objects")
    lazy = [dask.is_dask_collection(array) for array in graph]
    if all(lazy):
        return _of_dask_arrays(graph)
    if any(lazy):
        raise TypeError("source, target and weight must be three dask arrays or three plain arrays, not some of each")
    return _of_plain_arrays([_array(graph[0]), _array(graph[1]), _array(native_weights(graph[2]))], engine)


def _of_dask_arrays(arrays: Sequence[Any]) -> list[Chunk]:
    for name, array in zip(NAMES, arrays):
        if not hasattr(type(array), "numblocks"):
            raise TypeError(f"{WHAT}; {name} is {type(array).__name__}")
        _check_column(name, array)
    unknown = any(np.isnan(size) for array in arrays for size in array.chunks[0])
    cuts = [array.numblocks if unknown else array.chunks for array in arrays]
    if not cuts[0] == cuts[1] == cuts[2]:
        raise ValueError(
            f"source, target and weight must have the same chunks; they have {', '.join(str(cut[0]) for cut in cuts)}"
            + (" of them" if unknown else "")
        )
    # Not optimized, because Dask would fuse what the arrays have in common, such as the reading of a file, into each.
    blocks = zip(*(array.to_delayed(optimize_graph=False) for array in arrays))
    return [Chunk(f"chunk {i}", _of_block, block) for i, block in enumerate(blocks)]


def _of_frame(frame: Any, engine: DaskEngine) -> list[Chunk]:
    names = [str(name) for name in frame.columns]
    missing = [name for name in NAMES if name not in names]
    if missing:
        raise ValueError(f"the frame needs columns {', '.join(NAMES)}; it has {', '.join(names) or 'none'}")
    if not dask.is_dask_collection(frame):
        return _of_plain_arrays(_columns(frame), engine)
    for name in NAMES:
        _check_column(name, frame[name])
    parts = frame[list(NAMES)].to_delayed()
    return [Chunk(f"chunk {i}", _of_part, (part,)) for i, part in enumerate(parts)]


def _of_files(paths: list[str], engine: DaskEngine) -> list[Chunk]:
    missing = engine.gather([engine.submit(_missing, paths)])[0]
    if missing:
        raise FileNotFoundError(f"a worker finds {len(missing)} of {len(paths)} files missing, first {missing[0]}")
    return [Chunk(path, _of_file, (path,)) for path in paths]


def _of_plain_arrays(arrays: Sequence[Array], engine: DaskEngine) -> list[Chunk]:
    for name, array in zip(NAMES, arrays):
        _check_column(name, array)
    _check_lengths(arrays)
    m = len(arrays[0])
    size = max(1, min(PIECE, -(-m // len(engine.workers))))
    pieces = [tuple(array[begin : begin + size] for array in arrays) for begin in range(0, max(m, 1), size)]
    held = engine.scatter(pieces)
    return [Chunk(f"chunk {i}", _of_piece, (piece,)) for i, piece in enumerate(held)]


def _check_column(name: str, column: Any) -> None:
    """Raise an error if an array or column, lazy or not, cannot hold ends or weights."""
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension; its shape is {column.shape}")
    kind = getattr(column.dtype, "kind", "O")  # dtypes of frames may have none
    if name != "weight" and kind not in "iu":
        raise TypeError(f"{name} must hold integers; got dtype {column.dtype}")
    if name == "weight" and (kind not in "biuf" or column.dtype.itemsize > 8):
        raise ValueError(f"weights must be real numbers of at most 64 bits; got dtype {column.dtype}")


def _check_lengths(arrays: Sequence[Array]) -> None:
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(
            "source, target and weight must have the same length; got " + ", ".join(f"{length:,}" for length in lengths)
        )


def _with_edges(
    ops: Backend, function: Callable[..., Any], args: Sequence[Any], name: str, read: Callable[..., Edges], *block: Any
) -> Any:
    """What the task of a chunk runs: its edges are read and checked, and are not held beyond the task."""
    edges = read(*block)
    try:
        _check_lengths(edges[:3])
        for column, array in zip(NAMES, edges[:3]):
            if len(array):  # an empty part of a frame has columns of any dtype
                _check_column(column, array)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None
    return function(ops, edges, *args)


def _of_block(source: Any, target: Any, weight: Any) -> Edges:
    return Edges(_array(source), _array(target), _array(weight), 0)


def _of_piece(piece: tuple[Array, Array, Array]) -> Edges:
    return Edges(*piece, 0)


def _of_part(frame: Any) -> Edges:
    source, target, weight = _columns(frame)
    return Edges(source, target, weight, 0)


def _array(values: Any) -> Array:
    """A numpy or cupy array, also for a list or a column of a frame."""
    native = native_array(values)
    return native if hasattr(native, "__cuda_array_interface__") else np.asarray(native)


def _columns(frame: Any) -> list[Array]:
    return [_array(frame[name]) for name in NAMES]


def _of_file(path: str) -> Edges:
    graph, nodes = read_graph(path, return_nodes=True)
    if nodes is not None:
        raise ValueError(
            f"{path}: its vertices have ids or names; emst.dask takes numbers from 0: number them first, as "
            "emst.graph_msf does on one machine"
        )
    if len(set(graph.shape)) > 1:
        raise ValueError(f"{path} holds a matrix of shape {graph.shape}; a graph is a square matrix")
    entries = graph.tocoo()  # in the order of `data`
    return Edges(entries.row, entries.col, entries.data, graph.shape[0])


def _missing(ops: Backend, paths: list[str]) -> list[str]:
    return [path for path in paths if not Path(path).is_file()]
