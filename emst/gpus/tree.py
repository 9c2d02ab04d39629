"""The tree over several GPUs, put together on the first of them: edges in the total order, in the caller's rows.

Every edge belongs to the partition of its smaller end, those that rounds have found too. Ids of partitions ascend, so
of edges with equal (weight, power of the distance) in two partitions those of the earlier one come first. So every
partition lists its edges in the total order, and lists of neighbours are merged by these two keys alone.
"""

from __future__ import annotations

from dataclasses import replace
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
from emst.partitions.engine import Engine, Future, part
from emst.partitions.records import Fitted, Local, Partition, Request, Units
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress
from emst.spanning import TreeOfPoints, heights


class TreeOfMany(NamedTuple):
    """The tree of the points of all GPUs, on the home."""

    tree: TreeOfPoints  # of the finite rows
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
        request = replace(request, lists=True)
        fitted = fitted_tree(chunks, request, engine, progress, namer(whole, left_out, engine))
        rows = None if left_out is None else _rows_of_all(engine.gather(left_out), whole.offsets, ops)
        return TreeOfMany(gathered(fitted, engine, ops), rows)


def _load_ahead(given: GivenPoints, request: Request, labels: Any, ops: Backend) -> None:
    """Begin to compile, or load on every GPU, what the fit will launch there. The home takes the stages that follow."""
    computed = request.metric.computed_in(given.dtype, request.dtype)
    metric = request.metric.of_columns(given.d, computed)
    part, d = -(-given.n // len(given.gpus)), metric.searched_columns(given.d)
    kind = part, d, metric.searched_in(computed), metric.norm, request.min_samples
    for gpu in dict.fromkeys(given.gpus):
        with on_gpu(gpu):
            of_home = labels if gpu == given.gpus[0] else None
            ops.load_ahead(*kind, labels=of_home, partitions=True, first_round=request.first_round)


def _rows_of_all(rows: list[FiniteRows], offsets: np.ndarray, ops: Backend) -> FiniteRows:
    """The rows of all chunks, whose first rows are `offsets`."""
    columns = [
        [getattr(one, name) + first for one, first in zip(rows, offsets)] for name in ("kept", "infinite", "missing")
    ]
    return FiniteRows(int(offsets[-1]), *(ops.asarray(np.concatenate(column)) for column in columns))


def gathered(fitted: Fitted, engine: Engine, ops: Backend) -> TreeOfPoints:
    """The tree as `emst.spanning.metric_tree` returns it, on the current GPU. Empties the list of partitions."""
    tree, units, numbers = fitted.tree, fitted.units, range(len(fitted.tree.locals))
    kept = engine.gather([engine.submit(components_kept, local, at=j) for j, local in enumerate(tree.locals)])
    bases: list[Any] = np.cumsum([0, *kept])[:-1].tolist() if all(kept) else [None] * len(kept)
    ends = [engine.submit(ends_here, tree.locals[j], tree.joined, bases[j], at=j) for j in numbers]
    made = [engine.submit(listed, tree.locals[j], ends[j], ends, at=j) for j in numbers]
    lists, seen = ([engine.submit(part, one, i, at=j) for j, one in enumerate(made)] for i in (0, 1))
    del ends, made
    cores = []
    if tree.search.k > 1:
        made = [engine.submit(core_distances, tree.locals[j], units, at=j) for j in numbers]
        cores = [engine.submit(by_rows, made, at=numbers[-1])]  # the first GPU merges lists meanwhile
        del made
    partition = engine.submit(part, tree.locals[0], "partition", at=0)
    tree.locals.clear()  # merges need the memory
    whole = engine.submit(in_units, partition, _merged(lists, engine), units, seen, at=0)
    cores = [engine.submit(brought, one, at=0) for one in cores]
    (edges, weights, first_round), *core = engine.gather([whole, *cores])
    if tree.search.norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    return TreeOfPoints(edges, weights, core[0] if core else None, first_round)


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


def components_kept(ops: Backend, local: Local) -> int:
    """Task: the number of components after the first round of a partition; 0 if the round was not kept."""
    return 0 if local.first_round is None else local.first_round.components


class EndsHere(NamedTuple):
    """The edges that rounds have found, and what a partition knows of them."""

    edges: OpenEdges  # all of them, in the total order
    rows: Array  # int32[m, 2]: see `rows_here` of the operations
    ends: Any  # see `ends_of_joined` of the operations


def ends_here(ops: Backend, local: Local, joined: OpenEdges, base: int | None) -> EndsHere:
    """Task: what a partition knows of the edges that rounds have found. The components of its first round are numbered
    from `base` on; None if not all partitions have kept theirs."""
    edges = OpenEdges(ops.readable(joined.words))
    edges = ops.edges_at(edges, ops.edge_order(edges))
    first_round = None if base is None else local.first_round
    points = len(local.partition.rows)
    assert local.listed is not None
    ends = ops.ends_of_joined(first_round, local.listed, local.edges, edges, local.numbering, points, base or 0)
    return EndsHere(edges, rows_of_joined(ops, local, edges), ends)


def listed(ops: Backend, local: Local, here: EndsHere, ends: list[EndsHere]) -> tuple[ListedEdges, Any]:
    """Task: the edges whose smaller end lies in a partition, and what they bring along for the dendrogram. `here` and
    `ends` are what `ends_here` returned for the partition and for all of them."""
    partition, rows = local.partition, ops.concatenated([one.rows for one in ends])
    others, which = ops.edges_from(here.edges, local.place.start, partition.size, rows)
    seen = ops.seen_by_partition(here.ends, [one.ends for one in ends], rows, which)
    if len(partition.left_out):  # the edges of length 0 from the first point to these
        others = together(ops, [stars_of(ops, local, *ascending(rows_of_stars(ops, local)).T), others])
        others = ops.edges_at(others, ops.edge_order(others))
    assert local.listed is not None
    return ops.insert_edges(local.listed, local.edges, others, local.numbering, seen), seen


def merged(ops: Backend, first: ListedEdges, second: ListedEdges) -> ListedEdges:
    """Task: the lists of two partitions, or of some that follow one another, as one. A list on another GPU crosses over
    while it is merged, if this one can read it there. If a list is empty, the result stays where the other one is."""
    columns = [[None if column is None else ops.readable(column) for column in edges] for edges in (first, second)]
    return ops.merge_edges(*(ListedEdges(*of_list) for of_list in columns))


def in_units(
    ops: Backend, partition: Partition, edges: ListedEdges, units: Units, seen: list[Any]
) -> tuple[Array, Array, Any]:
    """Task: the rows of all edges, their lengths in the metric's units, and what the dendrogram can begin with. The
    partition is any of them; `seen` is what the edges of each have brought along."""
    weight, of_edges = ops.asarray(edges.weight), None if edges.seen is None else ops.asarray(edges.seen)
    lengths = heights(lengths_of(ops, partition.index, weight), *units, ops)
    return ops.asarray(edges.rows), lengths, ops.whole_first_round(seen, of_edges)
