"""The tree over several GPUs, put together on the first of them: edges in the total order, in the caller's rows.

Every partition lists its certain edges in the total order, with what that order compares. Ids of partitions ascend, so
a stable sort of all lists, one after the other, by (weight, power of the distance) puts them in the total order. The
edges that rounds have found are few, and lie between any ids: each is put at its place by bisection.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.gpus.engine import GPUThreads
from emst.gpus.inputs import GivenPoints
from emst.inputs.devices import on_gpu, to_host
from emst.inputs.finite import FiniteRows
from emst.partitions.chunks import finite_chunks, namer
from emst.partitions.edges import as_bits, ascending, core_distances, greater, rows_of_joined, total_order
from emst.partitions.engine import Engine
from emst.partitions.records import Fitted, Local, OpenEdges, Request, Units
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress
from emst.spanning import heights


class TreeOfMany(NamedTuple):
    """The tree of the points of all GPUs, on the home."""

    edges: Array  # int32[m - 1, 2]: ends among the m finite rows, in the total order
    weights: Array  # T[m - 1], ascending
    core: Array | None  # T[m]; None if min_samples is 1
    rows: FiniteRows | None  # None if all rows are finite


def tree_over_gpus(given: GivenPoints, request: Request, progress: Progress, gaps: bool = False) -> TreeOfMany | None:
    """The tree of points, as `emst.spanning.metric_tree` finds it on one GPU. With `gaps`, rows that are not finite are
    left out; None if fewer than two are left.

    Raises
    ------
    ValueError
        What `emst.partitions.spanning.fitted_tree` raises.
    """
    ops = backend_of("cuda")
    with on_gpu(given.gpus[0]), GPUThreads(given.gpus) as engine:
        whole = given.on_gpus(engine)
        chunks, left_out = finite_chunks(whole, engine) if gaps else (whole, None)
        if chunks.n < 2:
            return None
        fitted = fitted_tree(chunks, request, engine, progress, namer(whole, left_out, engine))
        rows = None if left_out is None else _rows_of_all(engine.gather(left_out), whole.offsets, ops)
        return TreeOfMany(*gathered(fitted, engine, ops), rows)


def _rows_of_all(rows: list[FiniteRows], offsets: np.ndarray, ops: Backend) -> FiniteRows:
    """The rows of all chunks, whose first rows are `offsets`."""
    columns = [
        [getattr(one, name) + first for one, first in zip(rows, offsets)] for name in ("kept", "infinite", "missing")
    ]
    return FiniteRows(int(offsets[-1]), *(ops.asarray(np.concatenate(column)) for column in columns))


class Listed(NamedTuple):
    """Some edges of the tree, in the total order."""

    rows: Array  # int32[m, 2]: the caller's rows of the ends, the smaller first
    height: Array  # T[m]: in the metric's units
    weight: Array  # unsigned[m]: bits of the weight, a power
    power: Array | None  # unsigned[m]: bits of the power of the distance; None if that is the weight
    u: Array  # int64[m]: id of the smaller end
    v: Array  # int64[m]: id of the larger end


def gathered(fitted: Fitted, engine: Engine, ops: Backend) -> tuple[Array, Array, Array | None]:
    """Edges int32[n - 1, 2] in the total order, their weights T[n - 1], and core distances T[n] or None, as
    `emst.spanning.metric_tree` returns them, on the current GPU."""
    tree, units = fitted.tree, fitted.units
    listed = [engine.submit(certain_of, local, units, at=j) for j, local in enumerate(tree.locals)]
    rows = [engine.submit(rows_of_joined, local, tree.joined, at=j) for j, local in enumerate(tree.locals)]
    listed.append(engine.submit(joined_of, tree.locals[0], tree.joined, rows, units, at=0))
    *certain, joined = [_here(one, ops) for one in engine.gather(listed)]
    del listed, rows
    edges, weights = _in_total_order(certain, joined, ops)
    if tree.search.norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    cores = None
    if tree.search.k > 1:
        made = [engine.submit(core_distances, local, units, at=j) for j, local in enumerate(tree.locals)]
        cores = ops.xp.empty(len(weights) + 1, weights.dtype)
        for values, of in engine.gather(made):
            cores[ops.asarray(of)] = ops.asarray(values)
    return edges, weights, cores


def certain_of(ops: Backend, local: Local, units: Units) -> Listed:
    """Task: the certain edges of a partition, and those of length 0 to points that are left out."""
    partition, index, start = local.partition, local.partition.index, local.place.start
    rows = partition.rows.astype(np.int32)
    u, v = (ops.xp.ascontiguousarray(local.edges[:, end]) for end in (0, 1))
    power = weight = ops.edge_powers(index, u, v)
    if index.core is not None:
        weight = greater(greater(power, index.core[u]), index.core[v])
    ids = partition.ids(start, u), partition.ids(start, v)
    out = partition.left_out.astype(np.int32)
    ends, lengths = rows[local.edges], local.weights
    listed = Listed(
        ascending(ends),
        heights(lengths, *units, ops),
        as_bits(weight),
        None if index.core is None else as_bits(power),
        ops.xp.minimum(*ids),
        ops.xp.maximum(*ids),
    )
    return _with_stars(ops, listed, rows[0], out, start, partition.kept) if len(out) else listed


def _with_stars(ops: Backend, listed: Listed, first: Array, out: Array, start: int, kept: int) -> Listed:
    """The edges, and those from the first point of the partition to the points that equal it and are left out."""
    xp, m = ops.xp, len(out)
    stars = Listed(
        ascending(xp.stack([xp.full_like(out, first), out], axis=1)),
        xp.zeros(m, listed.height.dtype),
        xp.zeros(m, listed.weight.dtype),
        None if listed.power is None else xp.zeros(m, listed.weight.dtype),
        xp.full(m, start, np.int64),
        xp.arange(start + kept, start + kept + m, dtype=np.int64),
    )
    both = _together([stars, listed], ops)
    order = _order_of(both, ops)
    return Listed(*(None if column is None else column[order] for column in both))


def joined_of(ops: Backend, local: Local, joined: OpenEdges, rows: list[Any], units: Units) -> Listed:
    """Task: the edges that rounds have found. `rows` holds what `rows_of_joined` returned in every partition."""
    order = total_order(ops, joined.weight, joined.power, joined.u, joined.v)
    ends = ops.asarray(rows[0])
    for more in rows[1:]:
        ends = ops.xp.maximum(ends, ops.asarray(more))
    weight = ops.xp.ascontiguousarray(joined.weight[order])
    lengths = ops.unscaled(local.partition.index, weight, ops.xp.arange(len(order), dtype=np.int32))
    return Listed(
        ascending(ends[order]).astype(np.int32),
        heights(lengths, *units, ops),
        as_bits(weight),
        None if local.partition.index.core is None else as_bits(ops.xp.ascontiguousarray(joined.power[order])),
        joined.u[order],
        joined.v[order],
    )


def _here(listed: Listed, ops: Backend) -> Listed:
    return Listed(*(None if column is None else ops.asarray(column) for column in listed))


def _together(lists: list[Listed], ops: Backend) -> Listed:
    columns: Any = zip(*lists)
    return Listed(*(None if column[0] is None else ops.xp.concatenate(column) for column in columns))


def _order_of(listed: Listed, ops: Backend) -> Array:
    """Places in the total order."""
    order = ops.sort_order(listed.v.astype(np.uint64))
    order = order[ops.sort_order(listed.u.astype(np.uint64)[order])]
    return order[_stable_order(listed, order, ops)]


def _stable_order(listed: Listed, order: Any, ops: Backend) -> Array:
    """Stable order by (weight, power of the distance)."""
    weight, power = (None if key is None else key[order] for key in (listed.weight, listed.power))
    assert weight is not None
    if power is None:
        return ops.sort_order(weight.astype(np.uint64))
    if weight.itemsize == 4:
        return ops.sort_order(weight.astype(np.uint64) << np.uint64(32) | power)
    first = ops.sort_order(power)
    return first[ops.sort_order(weight[first])]


def _in_total_order(certain: list[Listed], joined: Listed, ops: Backend) -> tuple[Array, Array]:
    """Edges and their weights in the total order, from lists in that order."""
    xp = ops.xp
    listed = _together(certain, ops)
    order = _stable_order(listed, slice(None), ops)
    before = _places_of(joined, listed, order, ops)
    m = len(joined.u)
    at = before + xp.arange(m)
    merged = xp.empty(len(order) + m, np.int32)
    is_joined = xp.zeros(len(merged), bool)
    is_joined[at] = True
    merged[at] = xp.arange(len(order), len(merged), dtype=np.int32)
    merged[xp.flatnonzero(~is_joined)] = order
    rows = xp.concatenate([listed.rows, joined.rows])
    height = xp.concatenate([listed.height, joined.height])
    del listed, order, is_joined
    edges = ops.take(rows.reshape(-1).view(np.uint64), merged).view(np.int32).reshape(-1, 2)
    return edges, ops.take(height, merged)


def _places_of(joined: Listed, listed: Listed, order: Array, ops: Backend) -> Array:
    """How many of the edges in `listed`, in this order, come before each of `joined`: int64[m]."""
    xp, weight = ops.xp, listed.weight[order]
    low, high = (xp.searchsorted(weight, joined.weight, side=side) for side in ("left", "right"))
    names = ("v", "u") if joined.power is None else ("v", "u", "power")
    keys = [(getattr(listed, name), getattr(joined, name)) for name in names]
    longest = int((high - low).max()) if len(low) else 0
    for _ in range(longest.bit_length()):
        middle = (low + high) // 2
        at = order[xp.minimum(middle, len(order) - 1)]
        first = xp.zeros(len(low), bool)
        for theirs, ours in keys:
            theirs = theirs[at]
            first = (theirs < ours) | ((theirs == ours) & first)
        open_ = low < high
        low = xp.where(open_ & first, middle + 1, low)
        high = xp.where(open_ & ~first, middle, high)
    return low
