"""The tree over several GPUs, put together on the first of them: edges in the total order, in the caller's rows.

Every partition lists its certain edges in the total order, and finds the place of each in the list of all edges: it is
how many edges of all lists come before. Ids of partitions ascend, so among edges of equal (weight, power of the
distance) those of an earlier partition come first, and only these two keys travel. The edges that rounds have found lie
between any ids: every partition counts how many of its own come before each, by all keys.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array, OpenEdges
from emst.gpus.engine import GPUThreads
from emst.gpus.inputs import GivenPoints
from emst.inputs.devices import on_gpu, to_host
from emst.inputs.finite import FiniteRows
from emst.partitions.chunks import finite_chunks, namer
from emst.partitions.edges import as_bits, ascending, core_distances, lengths_of, rows_of_joined, total_order
from emst.partitions.engine import Engine
from emst.partitions.records import Fitted, Local, Request, Units
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
    left out; None if fewer than two or `min_samples` are left.

    Raises
    ------
    ValueError
        What `emst.partitions.spanning.fitted_tree` raises.
    """
    ops = backend_of("cuda")
    with on_gpu(given.gpus[0]), GPUThreads(given.gpus) as engine:
        whole = given.on_gpus(engine)
        chunks, left_out = finite_chunks(whole, engine) if gaps else (whole, None)
        if chunks.n < max(2, request.min_samples):
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
    """Some edges of the tree, in the total order. Weights and powers of distances are unsigned integers: their bits."""

    rows: Array  # int32[m, 2]: the caller's rows of the ends, the smaller first
    height: Array  # T[m]: in the metric's units
    keys: list[Array]  # unsigned[m]: the weight and, if it is not the weight, the power of the distance; or both in one
    u: Array  # int32[m]: smaller end, counted from the first id of the partition; or int64[m], its id
    v: Array  # the same of the larger end


def gathered(fitted: Fitted, engine: Engine, ops: Backend) -> tuple[Array, Array, Array | None]:
    """Edges int32[n - 1, 2] in the total order, their weights T[n - 1], and core distances T[n] or None, as
    `emst.spanning.metric_tree` returns them, on the current GPU."""
    tree, units, numbers = fitted.tree, fitted.units, range(len(fitted.tree.locals))
    listed = [engine.submit(certain_of, tree.locals[j], units, at=j) for j in numbers]
    rows = [engine.submit(rows_of_joined, tree.locals[j], tree.joined, at=j) for j in numbers]
    joined = engine.submit(joined_of, tree.locals[0], tree.joined, rows, units, at=0)
    before = [engine.submit(before_joined, tree.places[j].start, listed[j], joined, at=j) for j in numbers]
    places = [engine.submit(places_of, j, listed, before[j], at=j) for j in numbers]
    edges, weights = _put(engine.gather(listed), engine.gather(places), ops, *engine.gather([joined, *before]))
    del listed, rows, joined, before, places
    if tree.search.norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    cores = None
    if tree.search.k > 1:
        made = [engine.submit(core_distances, tree.locals[j], units, at=j) for j in numbers]
        cores = ops.xp.empty(len(weights) + 1, weights.dtype)
        for values, of in engine.gather(made):
            cores[ops.asarray(of)] = ops.asarray(values)
    return edges, weights, cores


def certain_of(ops: Backend, local: Local, units: Units) -> Listed:
    """Task: the certain edges of a partition, and those of length 0 to points that are left out."""
    partition, index = local.partition, local.partition.index
    u, v = local.edges[:, 0], local.edges[:, 1]
    keys = _keys(local.weights, None if index.core is None else ops.edge_powers(index, u, v))
    height = heights(lengths_of(ops, index, local.weights), *units, ops)
    rows, out = ops.asarray(partition.rows, np.int32), len(partition.left_out)
    ends = ascending(ops.take(rows, local.edges.reshape(-1)).reshape(-1, 2))
    if out == 0:
        return Listed(ends, height, keys, u, v)
    u, v = (end + (end >= partition.kept) * np.int32(out) for end in (u, v))
    listed = Listed(ends, height, keys, u, v)
    return _with_stars(ops, listed, rows[:1], ops.asarray(partition.left_out, np.int32), partition.kept)


def _keys(weight: Array, power: Array | None) -> list[Array]:
    if power is None:
        return [as_bits(weight)]
    if weight.itemsize == 4:
        return [as_bits(weight).astype(np.uint64) << np.uint64(32) | as_bits(power)]
    return [as_bits(weight), as_bits(power)]


def _with_stars(ops: Backend, listed: Listed, first: Array, out: Array, kept: int) -> Listed:
    """The edges, and those from the first point of the partition to the points that equal it and are left out."""
    xp, m = ops.xp, len(out)
    ends = ascending(xp.stack([xp.repeat(first, m), out], axis=1))
    stars = [ends, xp.zeros(m, listed.height.dtype), *(xp.zeros(m, key.dtype) for key in listed.keys)]
    stars += [xp.zeros(m, np.int32), xp.arange(kept, kept + m, dtype=np.int32)]
    rows, height, *keys, u, v = map(xp.concatenate, zip(stars, [*listed[:2], *listed.keys, *listed[3:]]))
    order = ops.sort_order(v.astype(np.uint64))
    for key in (u, *reversed(keys)):
        order = order[ops.sort_order(key.astype(np.uint64)[order])]
    return Listed(rows[order], height[order], [key[order] for key in keys], u[order], v[order])


def joined_of(ops: Backend, local: Local, joined: OpenEdges, rows: list[Any], units: Units) -> Listed:
    """Task: the edges that rounds have found. `rows` holds what `rows_of_joined` returned in every partition."""
    order = total_order(ops, joined.weight, joined.power, joined.u, joined.v)
    ends = ops.asarray(rows[0])
    for more in rows[1:]:
        ends = ops.xp.maximum(ends, ops.asarray(more))
    weight, power = (ops.xp.ascontiguousarray(column[order]) for column in (joined.weight, joined.power))
    lengths = lengths_of(ops, local.partition.index, weight)
    return Listed(
        ascending(ends[order]).astype(np.int32),
        heights(lengths, *units, ops),
        _keys(weight, None if local.partition.index.core is None else power),
        joined.u[order],
        joined.v[order],
    )


def before_joined(ops: Backend, start: int, listed: Listed, joined: Listed) -> Array:
    """Task: how many edges of a partition, whose ids begin with `start`, come before each of the joined ones: int64."""
    wanted = [*map(ops.asarray, joined.keys), ops.asarray(joined.u) - start, ops.asarray(joined.v) - start]
    return _before([*listed.keys, listed.u, listed.v], wanted, "left", ops)


def places_of(ops: Backend, number: int, lists: list[Listed], before: Array) -> Array:
    """Task: the places of the edges of partition `number` among all edges, int32[m]. `before` is what `before_joined`
    returned."""
    xp, mine = ops.xp, lists[number]
    m = len(mine.u)
    ends = xp.zeros(m + 1, np.int32)
    xp.add.at(ends, before, np.int32(1))
    places = xp.cumsum(ends[:m], dtype=np.int32)  # joined edges that come before
    places += xp.arange(m, dtype=np.int32)
    for other, theirs in enumerate(lists):
        if other != number:
            keys = [ops.asarray(key) for key in theirs.keys]
            places += _before(keys, mine.keys, "right" if other < number else "left", ops).astype(np.int32)
    return places


def _before(listed: list[Array], wanted: list[Array], side: str, ops: Backend) -> Array:
    """How many of a list in ascending order come before each of the wanted; with "right", equal ones as well. Both are
    given by their keys, the first one first."""
    xp = ops.xp
    if len(listed) == 1:
        return xp.searchsorted(listed[0], wanted[0], side=side)
    low, high = (xp.searchsorted(listed[0], wanted[0], side=end) for end in ("left", "right"))
    longest = int((high - low).max()) if len(low) else 0
    for _ in range(longest.bit_length()):
        middle = (low + high) // 2
        at = xp.minimum(middle, len(listed[0]) - 1)
        first = xp.full(len(low), side == "right")
        for theirs, ours in zip(reversed(listed[1:]), reversed(wanted[1:])):
            theirs = theirs[at]
            first = (theirs < ours) | ((theirs == ours) & first)
        is_open = low < high
        low = xp.where(is_open & first, middle + 1, low)
        high = xp.where(is_open & ~first, middle, high)
    return low


def _put(lists: list[Listed], places: list[Array], ops: Backend, joined: Listed, *before: Array) -> tuple[Array, Array]:
    """All edges and their weights, each at its place."""
    of_joined = sum((ops.asarray(one) for one in before), start=ops.xp.arange(len(joined.u)))
    n = len(joined.u) + sum(map(len, places))
    edges, weights = ops.xp.empty(n, np.uint64), ops.xp.empty(n, joined.height.dtype)
    for listed, at in zip([*lists, joined], [*places, of_joined]):
        at = ops.asarray(at)
        edges[at] = ops.asarray(listed.rows).view(np.uint64).reshape(-1)
        weights[at] = ops.asarray(listed.height)
    return edges.view(np.int32).reshape(-1, 2), weights
