"""Points in chunks of rows: rows that are left out, images under a metric, and results back in the order of the rows.

Rows that are not finite are left out of a clustering, and get labels of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.distances.metrics import Metric, directions, zero_rows
from emst.distances.sphere import Beyond
from emst.inputs.devices import to_host
from emst.inputs.finite import FiniteRows, finite_rows
from emst.partitions.engine import Engine, Future, in_one_place
from emst.partitions.weights import ChunkWeights, counted_weights, without_futures

Packet = tuple[Array, Array]  # rows of one chunk, counted from its first: int32 or int64[m]; their values T[m, ...]


class Zeros(NamedTuple):
    """Rows of zeros in a chunk."""

    rows: int
    first: int


@dataclass(frozen=True, eq=False)
class Chunks:
    """The points, in chunks of rows. Their values have not been checked: the statistics of the points do it.

    Attributes
    ----------
    futures : list of Future
        Of T[m, d] on the device of a worker, C-contiguous, in `dtype`.
    sizes : list of int
        Rows of every chunk; 0 is possible.
    d : int
        Number of columns, at least 1.
    dtype : dtype
        float32 or float64: what to compute in.
    names : list of str
        What errors call the chunks; empty for a plain array, whose chunks its owner does not know.
    header : array or data frame of shape (0, d)
        The input without its rows, from which scikit-learn takes the number and the names of the columns.
    known : bool
        False where the caller's chunks have unknown sizes.
    weights : ChunkWeights or None
        Weights of the rows; None if all are 1.
    """

    futures: list[Future]
    sizes: list[int]
    d: int
    dtype: np.dtype
    names: list[str]
    header: Any = None
    known: bool = True
    weights: ChunkWeights | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.sizes)

    @property
    def offsets(self) -> np.ndarray:
        """First row of every chunk, and `n`: int64[c + 1]."""
        return np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)]).astype(np.int64)

    @property
    def row_chunks(self) -> list[float]:
        """The chunks of results, as dask.array has them: NaN where the input's are unknown, because Dask combines
        unknown chunks with unknown ones only."""
        return list(self.sizes) if self.known else [math.nan] * len(self.sizes)

    def without_source(self) -> Chunks:
        """The chunks without the caller's data, for results that only need to know where rows lie."""
        return replace(self, futures=[], header=None, weights=without_futures(self.weights))

    def where(self, row: int) -> str:
        """What errors call a row: "row 123 (chunk 4, row 7 of it)"."""
        if not self.names:
            return f"row {row}"
        i = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return f"row {row} ({self.names[i]}, row {row - int(self.offsets[i])} of it)"


def finite_chunks(chunks: Chunks, engine: Engine) -> tuple[Chunks, list[Future] | None]:
    """The chunks without rows that are not finite or have the weight 0, and which rows are left out of each: futures of
    `FiniteRows`, or None where nothing is."""
    weights = chunks.weights
    units: list[Any] = [None] * len(chunks.futures) if weights is None else weights.futures
    left_out = [engine.submit(_left_out, *pair) for pair in zip(chunks.futures, units)]
    sizes = [size - out for size, out in zip(chunks.sizes, engine.gather(left_out))]
    if sizes == chunks.sizes:
        return chunks, None
    rows = [engine.submit(_finite_rows, *pair) for pair in zip(chunks.futures, units)]
    kept = [engine.submit(_kept, *pair) for pair in zip(chunks.futures, rows)]
    if weights is not None:
        weights = counted_weights([engine.submit(_kept, *pair) for pair in zip(units, rows)], weights.bits, engine)
    chunks.futures.clear()  # as in `fitted_tree`
    return replace(chunks, futures=kept, sizes=sizes, weights=weights), rows


def weightless_chunks(chunks: Chunks, engine: Engine) -> Chunks | None:
    """The finite rows of weight 0; None if there are none. To be called before `finite_chunks`, which takes the rows
    away."""
    if chunks.weights is None:
        return None
    futures = [engine.submit(_weightless, *pair) for pair in zip(chunks.futures, chunks.weights.futures)]
    sizes = engine.gather([engine.submit(_length, rows) for rows in futures])
    return replace(chunks, futures=futures, sizes=sizes, weights=None) if any(sizes) else None


def spread(
    values: list[Future], rows: list[Future] | None, infinite: float, missing: float, engine: Engine
) -> list[Future]:
    """Values of the rows that are finite, at their places among all rows of their chunks; see `FiniteRows.spread`."""
    if rows is None:
        return values
    return [engine.submit(_spread, *pair, infinite, missing) for pair in zip(values, rows)]


def namer(
    chunks: Chunks, rows: list[Future] | None, engine: Engine, *, weightless: bool = False
) -> Callable[[int, int], str]:
    """A function of a chunk's number and of a point of it, which returns what errors call the row of that point.

    `chunks` are the caller's, and `rows` says what was left out of each. With `weightless`, points are the rows of
    weight 0."""

    def where(i: int, point: int) -> str:
        row = point
        if rows is not None:
            (of_chunk,) = engine.gather([rows[i]])
            row = int((of_chunk.weightless if weightless else of_chunk.kept)[point])
        return chunks.where(int(chunks.offsets[i]) + row)

    return where


def _left_out(ops: Backend, chunk: Array, units: Array | None) -> int:
    bad = ops.point_statistics(chunk).bad if len(chunk) else 0
    return bad if units is None else len(chunk) - len(_finite_rows(ops, chunk, units).kept)


def _finite_rows(ops: Backend, chunk: Array, units: Array | None) -> FiniteRows:
    rows = finite_rows(chunk)
    if units is not None:
        rows = rows.without(ops.asarray(units)[rows.kept] == 0)
    return rows.mapped(to_host)


def _weightless(ops: Backend, chunk: Array, units: Array) -> Array:
    """Task: the finite rows of weight 0."""
    rows = _finite_rows(ops, chunk, units).weightless
    return ops.xp.ascontiguousarray(chunk[ops.asarray(rows)])


def _length(ops: Backend, chunk: Array) -> int:
    return len(chunk)


def _kept(ops: Backend, chunk: Array, rows: FiniteRows) -> Array:
    return ops.xp.ascontiguousarray(chunk[ops.asarray(rows.kept)])


def _spread(ops: Backend, values: np.ndarray, rows: FiniteRows, infinite: Any, missing: Any) -> np.ndarray:
    return rows.spread(values, infinite, missing)


def images_of(chunks: Chunks, metric: Metric, computed: np.dtype, engine: Engine) -> list[Future]:
    """The chunks in the metric's image, in the dtype that is searched in; or `Zeros` or `Beyond`, which it cannot
    take."""
    searched = metric.searched_in(computed)
    return [engine.submit(_image, chunk, metric, computed, searched) for chunk in chunks.futures]


def _image(ops: Backend, points: Array, metric: Metric, computed: np.dtype, searched: np.dtype) -> Any:
    """Task: the points in the metric's image, or the rows of zeros that a metric of directions cannot take, or those
    that are no places on the sphere.

    Coordinates that are not finite stay in the result; `point_statistics` finds them later."""
    points = ops.asarray(points, computed)
    if metric.image is None:
        return ops.asarray(points, searched)
    if metric.image is directions and len(points):
        zero = zero_rows(points)
        if bool(zero.any()):
            return Zeros(int(zero.sum()), int(zero.argmax()))
    beyond = None if metric.sphere is None else metric.sphere.beyond(points)
    if beyond is not None:
        return beyond
    with np.errstate(invalid="ignore"):
        return ops.asarray(metric.image(points), searched)


def check_places(images: list[Any], metric: Metric, where: Callable[[int, int], str]) -> None:
    """Raise ValueError if some chunks are `Beyond`: the first row of chunk i is called ``where(i, row)``."""
    wrong = [(i, image) for i, image in enumerate(images) if isinstance(image, Beyond)]
    if not wrong:
        return
    assert metric.sphere is not None
    (i, first), greatest = wrong[0], np.max([beyond.greatest for _, beyond in wrong], axis=0)
    rows = sum(beyond.rows for _, beyond in wrong)
    merged = first._replace(rows=rows, greatest=(float(greatest[0]), float(greatest[1])))
    raise ValueError(metric.sphere.complaint(merged, where(i, first.first)))


def scatter_rows(engine: Engine, values: list[Future], rows: list[Future], chunks: Chunks) -> list[Future]:
    """Bring values from partitions back to the chunks of the input.

    In one place a chunk reads all partitions, which costs nothing: arrays pass by reference. Otherwise only the packet
    for a chunk travels to it.

    Parameters
    ----------
    engine : Engine
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
    packets = [engine.submit(_packets, *each, offsets, at=j) for j, each in enumerate(zip(values, rows))]
    if in_one_place(engine, max(len(values), len(sizes))):
        return [engine.submit(_assembled_of, i, size, packets, at=i) for i, size in enumerate(sizes)]
    for_chunk: list[list[Future]] = [[] for _ in sizes]
    for j, there in enumerate(engine.gather([engine.submit(_chunks_in, one) for one in packets])):
        for i in there:
            for_chunk[i].append(engine.submit(_packet, packets[j], i))
    return [engine.submit(_assembled, size, for_chunk[i], at=i) for i, size in enumerate(sizes)]


def _packets(ops: Any, values: Array, rows: Array, offsets: np.ndarray) -> dict[int, Packet]:
    """Task: the values of a partition by chunk. A chunk that has none here is left out, but an empty chunk has an empty
    packet everywhere: its result needs a dtype."""
    rows, values, cuts = ops.asarray(rows), ops.asarray(values), np.array([0, len(rows)])
    if len(offsets) > 2:
        chunk = ops.xp.searchsorted(ops.asarray(offsets[1:-1]), rows, side="right")
        order = ops.sort_order(chunk.astype(np.uint64))
        rows, values = ops.take(rows, order), ops.take(values, order)
        cuts = to_host(ops.xp.searchsorted(chunk[order], ops.xp.arange(len(offsets))))
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
