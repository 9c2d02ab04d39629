"""Points from everywhere, as chunks of rows on the workers.

What can be read again stays so: a chunk is a task over a path, a dask graph or the caller's future, and a worker that
dies costs a second reading. Only plain arrays are sent to the workers; this process keeps them and can send them again
(`emst.dask.faults.read_again`).
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed
from distributed import Future
from scipy.sparse import issparse

from emst.backend.records import Array
from emst.dask.engine import DaskEngine
from emst.dask.files import PIECE_BYTES, FileOfPoints, Piece, absolute, files_of, is_path, read_piece
from emst.inputs.devices import is_cupy_sparse, native_array
from emst.inputs.features import check_same_names
from emst.inputs.points import check_2d, check_dtype, check_points, float_of, in_range
from emst.inputs.summary import counted
from emst.io.tables import no_rows
from emst.partitions.chunks import Chunks


def chunks_of(X: Any, engine: DaskEngine, dtype: Any = None, *, queries: bool = False) -> Chunks:
    """Check `X` and bring it to the workers.

    Parameters
    ----------
    X : dask array, dask data frame, paths, delayed blocks, futures, or array-like of shape (n, d)
        A dask array has chunks of rows, of known or unknown sizes. Paths are one or a list of .npy, .npz, .parquet,
        .csv, .tsv, .las, .laz, .fits or zarr arrays, of folders that hold such files, or of patterns like
        ``points-*.npy``; the workers read them, with the columns that `read_points` takes by default. Of a list of
        delayed blocks or futures each is an array or a data frame of rows. A data frame is optimized, which can join
        its partitions, if they are read from files and few columns are used: to have results that fit it, pass
        ``X.optimize()`` and go on with that.
    engine : DaskEngine
    dtype : {None, float32, float64}, default None
        What to compute in; None as `float_of` says, the same for all chunks.
    queries : bool, default False
        Whether these are new points for a model: numbers beyond the range of `dtype` are then infinite, not an error.

    Raises
    ------
    ValueError
        No rows, no columns, other than two dimensions, chunks that split columns, chunks with different columns or,
        without `dtype`, with different dtypes, values that are not real numbers, numbers beyond the range of `dtype`.
    TypeError
        Sparse points, or a dask collection other than an array or a data frame.
    FileNotFoundError
        A path that does not exist, or a file that vanishes before it is read.
    """
    check_dtype(dtype)
    _check_not_sparse(X)
    wanted = Wanted(dtype, queries)
    if is_path(X):
        return _from_files(X, engine, wanted)
    if isinstance(X, Delayed | Future):
        X = [X]
    if isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(one, Delayed | Future) for one in X):
        return _from_delayed(engine.client.compute(list(X)), engine, wanted)  # futures stay as they are
    if isinstance(X, da.Array):
        return _from_dask_array(X, engine, wanted)
    if dask.is_dask_collection(X):
        return _from_dask_frame(X, engine, wanted)
    return _from_array(X, engine, wanted)


class Wanted(NamedTuple):
    """What `chunks_of` was asked for."""

    dtype: Any
    queries: bool


def _from_dask_array(X: da.Array, engine: DaskEngine, wanted: Wanted) -> Chunks:
    _check_not_sparse(X._meta)
    check_2d(X)
    float_of(X.dtype, wanted.dtype)
    if len(X.chunks[1]) > 1:
        raise ValueError(f"X is split into {len(X.chunks[1])} chunks along its columns; pass X.rechunk({{1: -1}})")
    if 0 in X.shape:
        raise ValueError(f"X needs at least one point and one dimension; got shape {X.shape}")
    known = not any(map(math.isnan, X.chunks[0]))
    blocks = engine.client.compute(list(X.to_delayed().ravel()))
    chunks = _from_blocks(blocks, engine, wanted)
    if known and chunks.sizes != list(X.chunks[0]):
        i = next(i for i, size in enumerate(chunks.sizes) if size != X.chunks[0][i])
        raise ValueError(f"{chunks.names[i]} has {chunks.sizes[i]} rows, but X.chunks says {X.chunks[0][i]}")
    return dataclasses.replace(chunks, known=known)


def _from_dask_frame(X: Any, engine: DaskEngine, wanted: Wanted) -> Chunks:
    if not (hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "to_delayed")):
        raise TypeError(f"X is a dask collection of type {type(X).__name__}; pass a dask array or a dask data frame")
    if X.ndim != 2:
        raise ValueError("X is a dask series, a single column; pass a dask data frame, such as X.to_frame()")
    for name, kind in X.dtypes.items():
        if kind.kind not in "biuf":
            raise ValueError(f"X must hold real numbers; its column {name!r} holds {kind}")
    chunks = _from_blocks(engine.client.compute(X.to_delayed()), engine, wanted)
    return dataclasses.replace(chunks, header=X._meta)


def _from_delayed(blocks: list[Future], engine: DaskEngine, wanted: Wanted) -> Chunks:
    """Arrays and data frames of any library. All data frames must have the same names of columns."""
    chunks = _from_blocks(blocks, engine, wanted)
    headers = engine.gather([engine.submit(_header, block) for block in blocks])
    named = [(name, header) for name, header in zip(chunks.names, headers) if header is not None]
    # the columns of pyarrow are arrays
    check_same_names([(name, getattr(header, "column_names", header.columns)) for name, header in named])
    return dataclasses.replace(chunks, header=named[0][1]) if named else chunks


def _from_blocks(blocks: list[Future], engine: DaskEngine, wanted: Wanted) -> Chunks:
    names = [f"chunk {i}" for i in range(len(blocks))]
    return _measured([engine.submit(_chunk, *each, wanted) for each in zip(blocks, names)], names, engine, wanted)


def _from_files(X: Any, engine: DaskEngine, wanted: Wanted) -> Chunks:
    files: list[FileOfPoints] = engine.gather([engine.submit(files_of, absolute(X))])[0]
    _check_alike([file.path for file in files], [(file.d, file.dtype) for file in files], wanted.dtype)
    named = [file for file in files if file.names is not None]
    check_same_names([(file.path, file.names or []) for file in named])
    pieces = [piece for file in files for piece in file.pieces]
    names = [f"chunk {i} from {piece.path}" for i, piece in enumerate(pieces)]
    futures = [engine.submit(_chunk_of_file, *each, wanted, at=i) for i, each in enumerate(zip(pieces, names))]
    chunks = _measured(futures, names, engine, wanted)
    frames = [Path(file.path) for file in named if file.path.lower().endswith(".parquet")]
    if not frames:
        return chunks
    return dataclasses.replace(chunks, header=no_rows(frames[0], named[0].names or []))


def _from_array(X: Any, engine: DaskEngine, wanted: Wanted) -> Chunks:
    array = native_array(X)
    ready = getattr(array, "ndim", 0) == 2 and getattr(getattr(array, "dtype", None), "kind", "O") in "biuf"
    if not ready or 0 in array.shape or np.ma.is_masked(array):
        array = check_points(X, device="cpu", dtype=wanted.dtype).array
    computed = float_of(array.dtype, wanted.dtype)
    n, d = array.shape
    count = min(n, max(engine.threads, math.ceil(n * d * computed.itemsize / PIECE_BYTES)))
    sizes = [int(size) for size in np.diff(np.linspace(0, n, count + 1).astype(np.int64))]
    header = X[:0] if hasattr(X, "columns") else np.empty((0, d))
    wanted = wanted._replace(dtype=computed)
    return Chunks(_sent(engine, array, sizes, wanted), sizes, d, computed, [], header)


def _sent(engine: DaskEngine, array: Array, sizes: list[int], wanted: Wanted) -> list[Future]:
    """Rows of an array on the workers. In one process nothing is copied: the pieces are views."""
    starts = np.cumsum([0, *sizes]).tolist()
    sent = engine.scatter([array[a:b] for a, b in zip(starts, starts[1:])])
    return [engine.submit(_chunk, piece, "", wanted, start) for piece, start in zip(sent, starts)]


def _measured(futures: list[Future], names: list[str], engine: DaskEngine, wanted: Wanted) -> Chunks:
    """One wave asks every chunk for its shape and dtype."""
    shapes = engine.gather([engine.submit(_shape, future) for future in futures])
    filled = [i for i, (shape, _) in enumerate(shapes) if shape[0]]
    if not filled:
        raise ValueError("X has no rows")
    _check_alike([names[i] for i in filled], [(shapes[i][0][1], shapes[i][1]) for i in filled], wanted.dtype)
    (_, d), kind = shapes[filled[0]]
    for i, (shape, dtype_of_chunk) in enumerate(shapes):
        if (shape[1], dtype_of_chunk) != (d, kind):  # an empty chunk: libraries give these any shape and dtype
            futures[i] = engine.submit(_empty, d, kind)
    return Chunks(futures, [shape[0] for shape, _ in shapes], d, kind, names, np.empty((0, d)))


def _check_alike(names: list[str], kinds: list[tuple[int | None, np.dtype | None]], dtype: Any) -> None:
    """Raise ValueError where numbers of columns, or the dtypes to compute in, are unequal. None is an unknown one."""
    columns = [(name, d) for name, (d, _) in zip(names, kinds) if d is not None]
    floats = [(name, float_of(kind, dtype)) for name, (_, kind) in zip(names, kinds) if kind is not None]
    for name, d in columns:
        if d != columns[0][1]:
            raise ValueError(f"{name} has {counted(d, 'column')}, but {columns[0][0]} has {columns[0][1]}")
    for name, kind in floats:
        if kind != floats[0][1]:
            raise ValueError(f"{name} is {kind}, but {floats[0][0]} is {floats[0][1]}; choose one with dtype=")


def _check_not_sparse(X: Any) -> None:
    if issparse(X) or is_cupy_sparse(X) or type(X).__module__.partition(".")[0] == "sparse":
        raise TypeError("X is sparse; points over many workers are dense arrays")


def _header(ops: Any, block: Any) -> Any:
    """Task: a data frame without its rows; None for a block without names."""
    return block[:0] if hasattr(block, "columns") else None


def _chunk(ops: Any, block: Any, name: str, wanted: Wanted, first: int = 0) -> Array:
    """Task: a block of rows of any library as T[m, d] on the worker's device. Errors count its rows from `first`."""
    dtype = wanted.dtype
    try:
        _check_not_sparse(block)
        shape = tuple(getattr(block, "shape", ()))
        if shape[:1] == (0,):  # scikit-learn takes no array without rows
            d = shape[1] if len(shape) == 2 else 0
            return ops.asarray(np.empty((0, d), dtype or np.float64))
        checked = check_points(block, device="cpu", dtype=dtype)  # its device is only where the results are wanted
        if wanted.queries:
            return ops.asarray(checked.array, checked.dtype)
        return in_range(checked.array, checked.dtype, ops, first)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}" if name else str(error)) from error


def _chunk_of_file(ops: Any, piece: Piece, name: str, wanted: Wanted) -> Array:
    """Task: the rows of a piece of a file."""
    return _chunk(ops, read_piece(piece), name, wanted)


def _shape(ops: Any, chunk: Array) -> tuple[tuple[int, int], np.dtype]:
    """Task."""
    return chunk.shape, chunk.dtype


def _empty(ops: Any, d: int, dtype: np.dtype) -> Array:
    """Task: a chunk without rows."""
    return ops.asarray(np.empty((0, d), dtype))
