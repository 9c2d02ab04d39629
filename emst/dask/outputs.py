"""Results on the workers as dask arrays, and their rows back in the order and the chunks of the input."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from distributed import Future

from emst.backend.records import Array
from emst.dask.cluster import Cluster
from emst.dask.inputs import Chunks
from emst.inputs.devices import to_host

Packet = tuple[Array, Array]  # rows of one chunk, counted from its first: int32 or int64[m]; their values T[m, ...]


def dask_array(futures: list[Future], sizes: Sequence[float], dtype: Any, columns: int | None = None) -> da.Array:
    """Arrays on the workers as one dask array of numpy arrays. Each is brought to the host when it is asked for.

    Parameters
    ----------
    futures : list of Future
        Each an array of shape (size,) or (size, columns), on any device.
    sizes : sequence of int or NaN
        Length of every array; `Chunks.row_chunks` for results that go with the input.
    dtype : dtype
        Of the arrays.
    columns : int, optional
        Number of columns of 2-D arrays.

    Returns
    -------
    dask.array.Array
        Its graph holds the results: they leave the workers' memory when the array is dropped.
    """
    name = f"emst-{uuid.uuid4().hex}"
    wide = () if columns is None else (columns,)
    last = () if columns is None else (0,)
    graph = {(name, i, *last): (to_host, future) for i, future in enumerate(futures)}
    chunks = (tuple(sizes), *((size,) for size in wide))
    return da.Array(graph, name, chunks, dtype=dtype, meta=np.empty((0,) * len(chunks), dtype))


def scatter_rows(cluster: Cluster, values: list[Future], rows: list[Future], chunks: Chunks) -> list[Future]:
    """Bring values from partitions back to the chunks of the input.

    In one process a chunk reads all partitions, which costs nothing: arrays pass by reference. Across processes only
    the packet for a chunk travels to it.

    Parameters
    ----------
    cluster : Cluster
    values : list of Future
        T[m] or T[m, k] of every partition, on the worker's device.
    rows : list of Future
        int64[m] of every partition: the row of the input that a value belongs to. Every row of the input occurs once.
    chunks : Chunks

    Returns
    -------
    list of Future
        One numpy array T[size] or T[size, k] a chunk.
    """
    offsets, sizes = chunks.offsets, chunks.sizes
    packets = [cluster.submit(_packets, *each, offsets, at=j) for j, each in enumerate(zip(values, rows))]
    if cluster.in_process:
        return [cluster.submit(_assembled_of, i, size, packets, at=i) for i, size in enumerate(sizes)]
    for_chunk: list[list[Future]] = [[] for _ in sizes]
    for j, there in enumerate(cluster.gather([cluster.submit(_chunks_in, one) for one in packets])):
        for i in there:
            for_chunk[i].append(cluster.submit(_packet, packets[j], i))
    return [cluster.submit(_assembled, size, for_chunk[i], at=i) for i, size in enumerate(sizes)]


def _packets(ops: Any, values: Array, rows: Array, offsets: np.ndarray) -> dict[int, Packet]:
    """Task: the values of a partition by chunk, in ascending order of rows. A chunk that has none here is left out,
    but an empty chunk has an empty packet everywhere: its result needs a dtype."""
    order = ops.sort_order(rows.astype(np.uint64))
    rows, values = rows[order], values[order]
    cuts = to_host(ops.xp.searchsorted(rows, ops.asarray(offsets)))
    empty = np.diff(offsets) == 0
    return {
        int(i): (rows[cuts[i] : cuts[i + 1]] - int(offsets[i]), values[cuts[i] : cuts[i + 1]])
        for i in np.flatnonzero((np.diff(cuts) > 0) | empty)
    }


def _chunks_in(ops: Any, packets: dict[int, Packet]) -> list[int]:
    """Task: which chunks have values in a partition."""
    return list(packets)


def _packet(ops: Any, packets: dict[int, Packet], i: int) -> tuple[np.ndarray, np.ndarray]:
    """Task: what a partition holds for a chunk."""
    rows, values = packets[i]
    return to_host(rows), to_host(values)


def _assembled_of(ops: Any, i: int, size: int, partitions: list[dict[int, Packet]]) -> np.ndarray:
    """Task: a chunk from all partitions."""
    return _assembled(ops, size, [packets[i] for packets in partitions if i in packets])


def _assembled(ops: Any, size: int, packets: list[Packet]) -> np.ndarray:
    """Task: a chunk from its packets."""
    if sum(len(rows) for rows, _ in packets) != size:
        raise RuntimeError(f"a chunk of {size} rows got {sum(len(rows) for rows, _ in packets)} results")
    first = packets[0][1]
    chunk = ops.xp.empty((size, *first.shape[1:]), first.dtype)
    for rows, values in packets:
        chunk[ops.asarray(rows)] = ops.asarray(values)
    return to_host(chunk)
