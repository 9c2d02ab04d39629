"""What a partition finds alone: core distances from the border's answers, edges that are certain, and its other edges.

An edge is certain, that is in the tree of all points, if it is the lightest that leaves its component here, and comes
before every edge to another partition. So this is Borůvka's loop, in which a component hooks only if its lightest edge
(weight, power of the distance) comes before (the greater of reach and core distance, reach) of every point in it. Others
may still hang on a component that does not hook.

The loop then goes on without that condition. By the cut property, every edge of the tree of all points that stays inside
the partition is among the edges found here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Forest
from emst.dask.border import Border, nearest_of
from emst.dask.order import bits_of, greater, group_least, lesser, numbers_of
from emst.dask.partition import Partition
from emst.dask.sizes import Sized


@dataclass(eq=False)
class OpenEdges(Sized):
    """Edges between components that are known but not certain."""

    a: Array  # int32[m]: component of one end
    b: Array  # int32[m]: component of the other end
    u: Array  # int64[m]: smaller end
    v: Array  # int64[m]: larger end
    weight: Array  # T[m], a power
    power: Array  # T[m]: of the distance


@dataclass(eq=False)
class Local(Sized):
    """A partition after its own work."""

    partition: Partition  # with the core distances of all points, times the core factor
    core: Array | None  # T[n]: powers of the core distances
    component: Array  # int32[n]: component of every point, from 0
    count: int  # components
    edges: Array  # int32[n - count, 2]: places of the ends of the certain edges, in the total order
    weights: Array  # T[n - count]: in the units of the points
    open: OpenEdges  # ends are places
    weight: Array  # T[n]: lower bound of the weights of edges from every point to other partitions
    power: Array  # T[n]: lower bound of the powers of their distances
    least: Array  # T[count]: least `weight` of a component
    near: Array  # int[m]: points with bounds of their own, by ascending `weight`
    rest: float  # least `weight` of the others


def local_tree(
    ops: Backend, partition: Partition, border: Border | None, own: int, k: int, core_factor: float, found: list[Any]
) -> Local:
    """All that a partition does on its own. `found` holds what `distances_for` returned in every partition, or the part
    for this one; `border` is None if there are no other partitions."""
    partition = partition.with_bvh()
    bvh = partition.bvh
    if border is None:
        reach = ops.xp.full(bvh.n, np.inf, bvh.dtype)
        near, rest = ops.xp.empty(0, np.int32), np.inf
    else:
        reach, near, rest = border.reach.copy(), border.near, border.rest
        _take_answers(ops, partition, border, reach, own, k, found)
    core = bvh.core
    if core is not None and core_factor != 1:
        ops.scale_cores(bvh, core_factor)
    weight = reach if core is None else greater(reach, bvh.core)
    with partition.lock:
        forest, certain, components, labels = _grown(ops, bvh, weight, reach)
    number = ops.xp.empty(bvh.n, np.int32)
    number[components] = ops.xp.arange(len(components), dtype=np.int32)
    component = number[labels]
    edges = _open_edges(ops, bvh, forest, certain, component)
    keep_certain(forest, certain, components)
    order = ops.xp.arange(bvh.n, dtype=np.int32)
    ends, weights = ops.sorted_edges(bvh, forest, order)
    bvh.lists = bvh.reach = bvh.neighbours = None
    least = numbers_of(group_least(ops, bits_of(weight), component, len(components)), bvh.dtype)
    by_weight = near[ops.sort_order(bits_of(weight[near]))]
    if bvh.core is not None and rest < np.inf:
        far = ops.xp.ones(bvh.n, bool)
        far[near] = False
        rest = float(weight[far].min())
    return Local(
        partition, core, component, len(components), ends, weights, edges, weight, reach, least, by_weight, rest
    )


def _take_answers(
    ops: Backend, partition: Partition, border: Border, reach: Array, own: int, k: int, found: list[Any]
) -> None:
    """Reaches and core distances of the points that have asked."""
    bvh, asking = partition.bvh, border.asking
    if len(asking) == 0:
        return
    count = max(k - 1, 1)
    nearest = ops.xp.full(len(asking), np.inf, bvh.dtype)
    points = ops.xp.ascontiguousarray(bvh.points()[asking])
    known = nearest_of(ops, partition, points, border.radius, k) if k > 1 else None
    for other, answers in enumerate(found):
        given = answers.get(own) if isinstance(answers, dict) else answers
        if given is None:
            continue
        given, mine = ops.asarray(given), border.questions[other].asking
        nearest[mine] = lesser(nearest[mine], given[:, 0])
        if known is not None:
            bits = np.concatenate([known[mine], given], axis=1).view(f"i{bvh.dtype.itemsize}")
            known[mine] = np.sort(bits, axis=1).view(bvh.dtype)[:, :k]
    assert known is None or known.shape[1] == count + 1
    reach[asking] = ops.xp.where(nearest < np.inf, nearest, greater(border.radius, reach[asking]))
    if known is not None:
        core = bvh.core.copy()
        core[asking] = known[:, k - 1]
        ops.set_cores(bvh, core)


def _grown(ops: Backend, bvh: Any, weight: Array, power: Array) -> tuple[Forest, Array, Array, Array]:
    """The forest of the partition; which slots hold certain edges, and the components that these make: their roots and
    the root of every point. The bounds of repeated points are set to infinity."""
    forest = ops.join_duplicates(bvh)
    cache = ops.cache_neighbours(bvh, forest)

    def prepare(forest: Forest) -> None:
        ops.label_nodes(bvh, forest.labels)
        ops.upper_bounds(bvh, forest, cache)

    roots = forest.components.copy()
    repeated = forest.source >= 0  # they equal the first point of their component, which asks for them
    weight[repeated] = power[repeated] = np.inf
    bounds = [weight[roots]] * 2 if bvh.core is None else [weight[roots], power[roots]]
    if forest.count > 1:
        prepare(forest)
    before = 0
    while forest.count > 1 and forest.count != before:
        before = forest.count
        ops.nearest_outgoing(bvh, forest, cache)
        _hold_back(ops, bvh, forest, roots, *bounds)
        ops.merge(forest, prepare)
        roots, bounds = _joined_bounds(ops, forest, roots, *bounds)
    certain = forest.source >= 0
    components, labels = forest.components.copy(), forest.labels.copy()
    while forest.count > 1:
        ops.nearest_outgoing(bvh, forest, cache)
        ops.merge(forest, prepare)
    return forest, certain, components, labels


def _hold_back(ops: Backend, bvh: Any, forest: Forest, roots: Array, weight: Array, power: Array) -> None:
    """Take the edges from components that another partition may hold a lighter one for."""
    best = forest.best[roots]
    unsure = best >= weight
    tied = np.flatnonzero((best == weight) & (power < np.inf))
    if bvh.core is not None and len(tied):
        u, v = forest.edge_u[roots[tied]], forest.edge_v[roots[tied]]
        unsure[tied] = ops.edge_powers(bvh, ops.xp.ascontiguousarray(u), ops.xp.ascontiguousarray(v)) >= power[tied]
    held = roots[unsure]
    forest.edge_u[held] = -1
    forest.edge_v[held] = -1


def _joined_bounds(
    ops: Backend, forest: Forest, roots: Array, weight: Array, power: Array
) -> tuple[Array, list[Array]]:
    """The least (weight, power) of the components that were joined."""
    number = ops.xp.empty(len(forest.labels), np.int32)
    number[forest.components] = ops.xp.arange(forest.count, dtype=np.int32)
    group = number[forest.labels[roots]]
    least = numbers_of(group_least(ops, bits_of(weight), group, forest.count), weight.dtype)
    if weight is power:  # without core distances
        return forest.components.copy(), [least, least]
    same = bits_of(weight) == bits_of(least)[group]
    powers = numbers_of(group_least(ops, bits_of(power[same]), group[same], forest.count), power.dtype)
    return forest.components.copy(), [least, powers]


def _open_edges(ops: Backend, bvh: Any, forest: Forest, certain: Array, component: Array) -> OpenEdges:
    slots = np.flatnonzero((forest.source >= 0) & ~certain)
    u, v = forest.source[slots], forest.target[slots]
    weight = forest.weight[slots]
    power = weight if bvh.core is None else ops.edge_powers(bvh, u, v)
    return OpenEdges(component[u], component[v], u.astype(np.int64), v.astype(np.int64), weight, power)


def keep_certain(forest: Forest, certain: Array, components: Array) -> None:
    """Make the forest what it was when only certain edges had been found."""
    others = ~certain
    forest.source[others] = -1
    forest.target[others] = -1
    forest.components = components
