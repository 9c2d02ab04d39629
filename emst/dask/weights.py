"""Weights of rows from everywhere, brought into the chunks of the points."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.dask.engine import DaskEngine
from emst.inputs.weights import check_shape, given_weights
from emst.partitions.chunks import Chunks
from emst.partitions.engine import Future
from emst.partitions.weights import ChunkWeights, chunk_weights


def weights_of(sample_weight: Any, chunks: Chunks, engine: DaskEngine, *, zeros: bool = True) -> ChunkWeights | None:
    """Check `sample_weight`, and bring it into the chunks of the points; None if there are no weights or all are 1.

    Parameters
    ----------
    sample_weight : dask array or series, or array-like of shape (n,), or None
        A dask array or series may have other chunks than the points, also chunks of unknown sizes.
    chunks : Chunks
        The points.
    engine : DaskEngine
    zeros : bool, default True
        Whether a weight may be 0.

    Raises
    ------
    ValueError
        What `emst.inputs.weights.check_weights` raises.
    TypeError
        A dask collection other than an array or a series.
    """
    if sample_weight is None:
        return None
    pieces, sizes = _pieces_of(sample_weight, chunks, engine)
    return chunk_weights(_in_chunks(pieces, sizes, chunks, engine), engine, zeros=zeros)


def _pieces_of(sample_weight: Any, chunks: Chunks, engine: DaskEngine) -> tuple[list[Future], list[int]]:
    """Pieces of the weights on the workers, and the length of each. A dask array keeps its own chunks. A plain array is
    cut like the points."""
    if not dask.is_dask_collection(sample_weight):
        given = given_weights(sample_weight)
        check_shape(given.shape, chunks.n)
        sent = engine.scatter([given[a:b] for a, b in zip(chunks.offsets, chunks.offsets[1:])])
        return [engine.submit(_piece, one) for one in sent], chunks.sizes
    kind = type(sample_weight)  # a delayed object itself claims to have any attribute
    if not hasattr(kind, "to_delayed") or not hasattr(kind, "ndim"):
        raise TypeError(f"sample_weight is a dask collection of type {kind.__name__}; pass a dask array or a series")
    if sample_weight.ndim != 1 and hasattr(kind, "columns"):
        raise ValueError("sample_weight must have one weight for each row of X; got a data frame: pass its column")
    if sample_weight.ndim != 1:
        check_shape(sample_weight.shape, chunks.n)
    blocks: list[Delayed] = np.ravel(np.asarray(sample_weight.to_delayed(), object)).tolist()
    pieces = [engine.submit(_piece, block) for block in engine.client.compute(blocks)]
    sizes = engine.gather([engine.submit(_length, piece) for piece in pieces])
    check_shape((sum(sizes),), chunks.n)
    return pieces, sizes


def _in_chunks(pieces: list[Future], sizes: list[int], chunks: Chunks, engine: DaskEngine) -> list[Future]:
    """The weights of every chunk of the points."""
    if sizes == chunks.sizes:
        return pieces
    ends = np.cumsum(sizes)
    begins, wanted = ends - sizes, []
    for begin, end in zip(chunks.offsets, chunks.offsets[1:]):
        here = np.flatnonzero((begins < end) & (ends > begin)).tolist()
        first = int(begins[here[0]]) if here else 0
        wanted.append(engine.submit(_cut, [pieces[i] for i in here], int(begin) - first, int(end) - first))
    return wanted


def _piece(ops: Backend, block: Any) -> Array:
    """Task: weights of any library as float64[m] on the worker's device."""
    given = given_weights(block)
    if given.ndim != 1:
        raise ValueError(f"sample_weight must have one dimension; a chunk has shape {given.shape}")
    return ops.asarray(given, np.float64)


def _length(ops: Backend, piece: Array) -> int:
    """Task."""
    return len(piece)


def _cut(ops: Backend, pieces: list[Array], begin: int, end: int) -> Array:
    """Task: a range of the pieces, one after the other."""
    if not pieces:
        return ops.asarray(np.empty(0))
    return ops.xp.ascontiguousarray(np.concatenate([*map(ops.asarray, pieces)])[begin:end])
