"""What a partition finds alone: core distances from the border's answers, edges that are certain, and its other edges.

Travels: in, the answers that the points near the border have got (`border.py`). Out, nothing: the `Local` stays where
the partition lives, and other partitions and workers get what is taken from it.

Invariant: an edge is certain, that is in the tree of all points, if it is the lightest that leaves its component here,
and comes before every edge to another partition. So Borůvka's loop (`emst/boruvka.py`) holds back the others: a
component hooks only if its lightest edge (weight, power of the distance) comes before (the greater of reach and core
distance, reach) of every point in it. Others may still hang on a component that does not hook.

The loop then goes on without that condition. By the cut property, every edge of the tree of all points that stays
inside the partition is among the edges found here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, Forest
from emst.boruvka import spanning_forest
from emst.partitions.border import Border, nearest_of
from emst.partitions.edges import OpenEdges, as_bits, bits_of, greater, least_of, lesser
from emst.partitions.packets import Sized, addressed_to
from emst.partitions.partition import Partition, Search


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
    near_weights: Array  # uint64[m]: bits of their weights
    rest: float  # least `weight` of the others


def local_tree(ops: Backend, partition: Partition, border: Border, own: int, search: Search, found: list[Any]) -> Local:
    """All that a partition does on its own. `found` holds what `distances_for` returned in every partition."""
    partition = partition.with_bvh()
    bvh = partition.bvh
    reach, near, rest = border.reach.copy(), border.near, border.rest
    take_answers(ops, partition, border, reach, own, search.k, found)
    core = bvh.core
    if core is not None and search.core_factor != 1:
        ops.scale_cores(bvh, search.core_factor)
    weight = reach if core is None else greater(reach, bvh.core)
    with partition.lock:
        forest, certain = _grown(ops, bvh, weight, reach)
    count = len(certain.roots)
    number = ops.xp.empty(bvh.n, np.int32)
    number[certain.roots] = ops.xp.arange(count, dtype=np.int32)
    component = number[certain.labels]
    edges = _without_uncertain(ops, bvh, forest, certain, component)
    order = ops.xp.arange(bvh.n, dtype=np.int32)
    ends, weights = ops.sorted_edges(bvh, forest, order)
    bvh.lists = bvh.reach = bvh.neighbours = None
    keys = bits_of(weight[near])
    by_weight = ops.sort_order(keys)
    if bvh.core is not None and rest < np.inf:
        far = ops.xp.ones(bvh.n, bool)
        far[near] = False
        rest = float(weight[far].min())
    return Local(
        partition, core, component, count, ends, weights, edges, weight, reach, certain.least, near[by_weight],
        keys[by_weight], rest,
    )  # fmt: skip


def take_answers(
    ops: Backend, partition: Partition, border: Border, reach: Array, own: int, k: int, found: list[Any]
) -> None:
    """Reaches and core distances of the points that have asked."""
    bvh, asking = partition.bvh, border.asking
    if len(asking) == 0:
        return
    nearest = ops.xp.full(len(asking), np.inf, bvh.dtype)
    points = ops.xp.ascontiguousarray(bvh.points()[asking])
    known = nearest_of(ops, partition, points, border.radius, k) if k > 1 else None
    for other, answers in enumerate(found):
        given = addressed_to(own, answers)
        if given is None:
            continue
        given, mine = ops.asarray(given), border.packets[other].asking
        nearest[mine] = lesser(nearest[mine], given[:, 0])
        if known is not None:
            known[mine] = least_of(known[mine], given)
    reach[asking] = ops.xp.where(nearest < np.inf, nearest, greater(border.radius, reach[asking]))
    if known is not None:
        core = bvh.core.copy()
        core[asking] = known[:, k - 1]
        ops.set_cores(bvh, core)


class _Certain:
    """Tells `spanning_forest` which components must not hook: those that another partition may hold a lighter edge for.
    When that is all of them, what has been found until then is kept here: it is certain, and all that is certain.

    Attributes
    ----------
    roots : int32[count]
        Of the components.
    slots : bool[n]
        Which slots of the forest hold certain edges.
    labels : int32[n]
        Root of every point's component.
    least : T[count]
        Least weight of an edge from each component to other partitions.
    """

    def __init__(self, ops: Backend, bvh: Bvh, forest: Forest, weight: Array, power: Array) -> None:
        self.ops, self.bvh = ops, bvh
        self.roots, self.labels = forest.components.copy(), None
        # by root: the bits of a component's least weight, and of the least power of a distance that goes with it
        self.bounds = [as_bits(weight).copy()] if bvh.core is None else [as_bits(weight).copy(), as_bits(power).copy()]

    def keep(self, forest: Forest) -> None:
        self._join_bounds(forest)
        self.slots = forest.source >= 0
        self.labels = forest.labels.copy()
        self.least = self.bounds[0][self.roots].view(self.bvh.dtype)

    def hold_back(self, forest: Forest) -> bool:
        """See `spanning_forest`."""
        self._join_bounds(forest)
        roots, bounds = self.roots, self.bounds
        best, weight = as_bits(forest.best)[roots], bounds[0][roots]
        unsure = best >= weight
        if len(bounds) > 1:
            tied = np.flatnonzero(best == weight)
            u, v = (self.ops.xp.ascontiguousarray(end[roots[tied]]) for end in (forest.edge_u, forest.edge_v))
            unsure[tied] = as_bits(self.ops.edge_powers(self.bvh, u, v)) >= bounds[1][roots[tied]]
        held = roots[np.flatnonzero(unsure)]
        if len(held) == len(roots):
            self.keep(forest)
            return False
        forest.edge_u[held] = -1
        forest.edge_v[held] = -1
        return True

    def _join_bounds(self, forest: Forest) -> None:
        """Give the components the least bounds of those that the last round has joined."""
        roots, bounds, minimum = self.roots, self.bounds, self.ops.xp.minimum
        if len(roots) == forest.count:
            return
        group, keys = forest.labels[roots], bounds[0][roots]
        smaller = np.flatnonzero(keys < bounds[0][group])  # few: most components lie far from all borders
        minimum.at(bounds[0], group[smaller], keys[smaller])
        if len(bounds) > 1:
            same = np.flatnonzero(keys == bounds[0][group])
            powers = bounds[1][roots]
            bounds[1][forest.components] = np.iinfo(powers.dtype).max
            minimum.at(bounds[1], group[same], powers[same])
        self.roots = forest.components.copy()


def _grown(ops: Backend, bvh: Bvh, weight: Array, power: Array) -> tuple[Forest, _Certain]:
    """The forest of the partition, and what of it is certain. The bounds of repeated points are set to infinity."""
    forest = ops.join_duplicates(bvh)
    cache = ops.cache_neighbours(bvh, forest)

    def prepare(forest: Forest) -> None:
        ops.label_nodes(bvh, forest.labels)
        ops.upper_bounds(bvh, forest, cache)

    if forest.count < bvh.n:  # repeated points equal the first of their component, which asks for them
        repeated = np.flatnonzero(forest.source >= 0)
        weight[repeated] = power[repeated] = np.inf
    certain = _Certain(ops, bvh, forest, weight, power)

    def lightest(forest: Forest) -> None:
        ops.nearest_outgoing(bvh, forest, cache)

    spanning_forest(forest, lightest, ops, prepare=prepare, hold_back=certain.hold_back)
    if certain.labels is None:  # no component was left that could be held back
        certain.keep(forest)
    return forest, certain


def _without_uncertain(ops: Backend, bvh: Bvh, forest: Forest, certain: _Certain, component: Array) -> OpenEdges:
    """Take the edges that are not certain from the forest, and return them."""
    slots = np.flatnonzero((forest.source >= 0) & ~certain.slots)
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    forest.source[slots] = forest.target[slots] = -1
    forest.components = certain.roots
    power = weight if bvh.core is None else ops.edge_powers(bvh, u, v)
    return OpenEdges(component[u], component[v], u.astype(np.int64), v.astype(np.int64), weight, power)
