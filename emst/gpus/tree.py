"""The tree over several GPUs, put together on the first of them: edges in the total order, in the caller's rows.

Every edge belongs to the partition of its smaller end, those that rounds have found too. Ids of partitions ascend, so
of edges with equal (weight, power of the distance) in two partitions those of the earlier one come first. So every
partition lists its edges in the total order, and lists of neighbours are merged by these two keys alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.partition_records import ListedEdges, OpenEdges
from emst.backend.records import Array
from emst.gpus.engine import GPUThreads
from emst.gpus.inputs import GivenPoints
from emst.inputs.devices import on_gpu, to_host
from emst.inputs.finite import FiniteRows
from emst.partitions.chunks import finite_chunks, namer
from emst.partitions.edges import (
    ascending,
    core_distances,
    lengths_of,
    rows_of_joined,
    rows_of_stars,
    stars_of,
    together,
)
from emst.partitions.engine import Engine, Future
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


def tree_over_gpus(
    given: GivenPoints, request: Request, progress: Progress, gaps: bool = False, labels: Any = None
) -> TreeOfMany | None:
    """The tree of points, as `emst.spanning.metric_tree` finds it on one GPU. With `gaps`, rows that are not finite are
    left out; None if fewer than two or `min_samples` are left. `labels` is the dtype of the heights if labels follow.

    Raises
    ------
    ValueError
        What `emst.partitions.spanning.fitted_tree` raises.
    """
    ops = backend_of("cuda")
    _load_ahead(given, request, labels, ops)
    with on_gpu(given.gpus[0]), GPUThreads(given.gpus) as engine:
        whole = given.on_gpus(engine)
        chunks, left_out = finite_chunks(whole, engine) if gaps else (whole, None)
        if chunks.n < max(2, request.min_samples):
            return None
        fitted = fitted_tree(chunks, request, engine, progress, namer(whole, left_out, engine))
        rows = None if left_out is None else _rows_of_all(engine.gather(left_out), whole.offsets, ops)
        return TreeOfMany(*gathered(fitted, engine, ops), rows)


def _load_ahead(given: GivenPoints, request: Request, labels: Any, ops: Backend) -> None:
    """Begin to compile, or load on every GPU, what the fit will launch there. The home takes the stages that follow."""
    computed = request.metric.computed_in(given.dtype, request.dtype)
    metric = request.metric.of_columns(given.d, computed)
    part, d = -(-given.n // len(given.gpus)), metric.searched_columns(given.d)
    kind = part, d, metric.searched_in(computed), metric.norm, request.min_samples
    for gpu in dict.fromkeys(given.gpus):
        with on_gpu(gpu):
            ops.load_ahead(*kind, labels=labels if gpu == given.gpus[0] else None, partitions=True)


def _rows_of_all(rows: list[FiniteRows], offsets: np.ndarray, ops: Backend) -> FiniteRows:
    """The rows of all chunks, whose first rows are `offsets`."""
    columns = [
        [getattr(one, name) + first for one, first in zip(rows, offsets)] for name in ("kept", "infinite", "missing")
    ]
    return FiniteRows(int(offsets[-1]), *(ops.asarray(np.concatenate(column)) for column in columns))


def gathered(fitted: Fitted, engine: Engine, ops: Backend) -> tuple[Array, Array, Array | None]:
    """Edges int32[n - 1, 2] in the total order, their weights T[n - 1], and core distances T[n] or None, as
    `emst.spanning.metric_tree` returns them, on the current GPU."""
    tree, units, numbers = fitted.tree, fitted.units, range(len(fitted.tree.locals))
    rows = [engine.submit(rows_of_joined, tree.locals[j], tree.joined, at=j) for j in numbers]
    lists = [engine.submit(listed, tree.locals[j], tree.joined, rows, at=j) for j in numbers]
    del rows
    cores = []
    if tree.search.k > 1:
        made = [engine.submit(core_distances, tree.locals[j], units, at=j) for j in numbers]
        cores = [engine.submit(by_rows, made, at=numbers[-1])]  # the first GPU merges lists meanwhile
    whole = engine.submit(in_units, tree.locals[0], _merged(lists, engine), units, at=0)
    cores = [engine.submit(brought, one, at=0) for one in cores]
    (edges, weights), *core = engine.gather([whole, *cores])
    if tree.search.norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    return edges, weights, core[0] if core else None


def by_rows(ops: Backend, made: list[tuple[Array, Array]]) -> Array:
    """Task: the core distances of all points by their rows. `made` holds what `core_distances` returned in every
    partition."""
    cores = ops.xp.empty(sum(len(rows) for _, rows in made), made[0][0].dtype)
    for values, rows in made:
        ops.put(cores, ops.asarray(rows), ops.asarray(values))
    return cores


def brought(ops: Backend, array: Array) -> Array:
    """Task: an array of any GPU on this one."""
    return ops.asarray(array)


def _merged(lists: list[Future], engine: Engine) -> Future:
    """One list of all, on the first GPU. Two that follow one another are merged on the GPU of the first of them, until
    one list is left. Nothing else keeps what has been merged, so its memory is freed."""
    step = 1
    while step < len(lists):
        for j in range(0, len(lists) - step, 2 * step):
            lists[j] = engine.submit(merged, lists[j], lists[j + step], at=j)
            lists[j + step] = None
        step *= 2
    return lists.pop(0)


def listed(ops: Backend, local: Local, joined: OpenEdges, rows: list[Any]) -> ListedEdges:
    """Task: the edges whose smaller end lies in a partition. `rows` holds what `rows_of_joined` returned in every
    partition."""
    partition = local.partition
    others = _others(ops, local, OpenEdges(ops.readable(joined.words)), ops.concatenated(rows))
    of_points = ops.asarray(partition.rows, np.int32)
    return ops.insert_edges(partition.index, local.edges, local.weights, of_points, others, local.numbering)


def _others(ops: Backend, local: Local, joined: OpenEdges, rows: Array) -> OpenEdges:
    """The edges of a partition that are not among its certain ones, in the total order, by the rows of their ends:
    those that rounds have found, and those of length 0 from its first point to the points that are left out."""
    partition = local.partition
    edges = ops.edges_from(joined, local.place.start, partition.size, rows)
    if len(partition.left_out):
        edges = together(ops, [stars_of(ops, local, *ascending(rows_of_stars(ops, local)).T), edges])
    return ops.edges_at(edges, ops.edge_order(edges))


def merged(ops: Backend, first: ListedEdges, second: ListedEdges) -> ListedEdges:
    """Task: the lists of two partitions, or of some that follow one another, as one. A list on another GPU crosses over
    while it is merged, if this one can read it there. If a list is empty, the result stays where the other one is."""
    columns = [[None if column is None else ops.readable(column) for column in edges] for edges in (first, second)]
    return ops.merge_edges(*(ListedEdges(*of_list) for of_list in columns))


def in_units(ops: Backend, local: Local, edges: ListedEdges, units: Units) -> tuple[Array, Array]:
    """Task: the rows of all edges, and their lengths in the metric's units. The partition is any of them."""
    weight = ops.asarray(edges.weight)
    return ops.asarray(edges.rows), heights(lengths_of(ops, local.partition.index, weight), *units, ops)
