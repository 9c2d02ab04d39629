"""The forest's edges and core distances for the caller, on the GPU. Kernels: result.cu."""

from __future__ import annotations

import functools

import cupy
import numpy as np

from emst.backend.partition_records import ListedEdges
from emst.backend.records import Ahead, Forest, Taken
from emst.cuda.first_round import FirstRound, first_round
from emst.cuda.merge import MergeScratch, scratch_of
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.arguments import Address, as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.constants import DIGIT_BITS, LONGEST_RUN, MOST_PASSES, TIES_A_THREAD
from emst.cuda.runtime.gather import are_far, put
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import empties, scratch
from emst.cuda.runtime.sort import index_bits, sample_ties, sort_packed, sort_pairs
from emst.cuda.runtime.to_host import EARLY_UP_TO, Written


def sorted_edges(
    index: SearchIndex,
    forest: Forest,
    order: cupy.ndarray | None,
    powers: bool = False,
    ahead: Ahead | None = None,
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`.

    It starts before the host knows whether all rounds have made a forest. If they have not, kernels still write within
    bounds, and an error follows."""
    lengths = ("false", 1.0) if powers else (_squared(index), _unscale(index))
    ahead = _no_ahead if ahead is None or index.n - forest.count > EARLY_UP_TO else ahead
    edges, weights = _in_total_order(index, forest, order, lengths, None, ahead)
    return edges, weights if powers else _rooted(index, weights)


def listed_edges(index: SearchIndex, forest: Forest, rows: cupy.ndarray) -> tuple[cupy.ndarray, ListedEdges]:
    """See `emst.backend.operations`."""
    listed = _Listed(index, index.n - forest.count)
    edges, weights = _in_total_order(index, forest, rows, ("false", 1.0), listed, _no_ahead)
    places, power = listed.arrays
    return places, ListedEdges(edges, weights, power)


class _Listed:
    """Where places and powers go for a list of partitions. The arrays are made when something asks for them: the sort
    before needs the memory."""

    def __init__(self, index: SearchIndex, count: int) -> None:
        self.kinds = ((count, 2), np.int32), None if index.core is None else (count, index.dtype)

    @functools.cached_property
    def arrays(self) -> list[cupy.ndarray | None]:
        return [None if kind is None else cupy.empty(*kind) for kind in self.kinds]


def _in_total_order(
    index: SearchIndex,
    forest: Forest,
    order: cupy.ndarray | None,
    lengths: tuple[str, float],
    listed: _Listed | None,
    ahead: Ahead,
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """The edges and their weights. `lengths`: whether kernels take roots of these, and what they multiply them by."""
    count, weight, merges = index.n - forest.count, forest.weight, scratch_of(forest)
    forest.scratch = forest.labels = forest.components = forest.best = forest.edge_u = forest.edge_v = None
    forest.source = forest.target = None
    if not index.few:
        edges, weights, forest.first_round = _sorted(index, merges, weight, count, order, lengths, listed, ahead)
        return edges, weights
    (squared, unscale), (edges, weights) = lengths, _results(index, count)
    points = index.rows, *index.shape, index.metric.norm
    args = (merges.ends, weight, index.n, *points, order, unscale, edges, weights, _more(None, listed))
    launch("points/result", f"emit_ranked<{_edge_template(index)}, {squared}>", 32 * index.n, *args)
    ahead(edges, weights, None)
    _check(merges.taken)
    return edges, weights


def _more(seen: cupy.ndarray | None, listed: _Listed | None) -> np.ndarray:
    """A More of result.cu, by value."""
    places, power = (None, None) if listed is None else listed.arrays
    return as_struct([0 if one is None else one.data.ptr for one in (seen, places, power)], np.uint64)


def _sorted(
    index: SearchIndex,
    merges: MergeScratch,
    weight: cupy.ndarray,
    count: int,
    order: cupy.ndarray | None,
    lengths: tuple[str, float],
    listed_as: _Listed | None,
    ahead: Ahead,
) -> tuple[cupy.ndarray, cupy.ndarray, FirstRound | None]:
    """Sorts the edges by weight. Returns them, their weights, and the first round if the dendrogram can use it. Empty
    slots come after the first `count`."""
    n, bits, ends = index.n, np.int32(index_bits(index.n)), merges.ends
    (squared, unscale), in_list = lengths, "false" if listed_as is None else "true"
    first = first_round(n, merges, count)
    del merges.edge, merges.spare  # the sort needs the memory
    keys, (listed,) = cupy.empty(n, np.uint64), scratch(((n, _words(index, listed_as is not None)), np.uint64))
    places = (index.rows, *index.shape, index.metric.norm, order)
    args = (ends, weight, n, *places, bits, first.argument, keys, listed)
    launch_over_points("points/result", f"list_edges<{_edge_template(index)}, {in_list}>", n, *args)
    del merges.parent, merges.hooks, args
    if listed_as is not None:
        del merges.ends
        ends = None  # the edges have the places of their ends
    many, state = sample_ties(keys, MOST_PASSES - 1, MOST_PASSES, LONGEST_RUN // 8)
    keys, told = sort_packed(keys, many), Written(2)
    edges, weights = _results(index, count)
    round = first.round
    more = _more(None if round is None else round.seen, listed_as)
    name, written = f"<{index.T}, {_mrd(index)}, {squared}, {in_list}>", (listed, unscale, edges, weights, more)
    sort = (keys, count, bits, many, ends, *written, first.apart, state, told.address)
    launch("points/result", f"emit_sorted{name}", -(-count // TIES_A_THREAD), *sort)
    told.launched()
    ahead(edges, weights, round)
    passes, apart = told.arrived()
    round = None if apart else round
    _check(merges.taken)  # before the next kernels: these read the ends of all edges
    if passes:
        places, slots = _long_runs(keys[:count], max(64 - DIGIT_BITS * passes, int(bits)), bits)
        del keys, sort
        slots = _by_all_keys(index, slots, ends, weight, listed, in_list)
        launch("points/result", f"emit_listed{name}", len(slots), places, slots, len(slots), weight, *written)
    if passes or apart:
        ahead(edges, weights, round)
    return edges, weights, round


def _no_ahead(edges: cupy.ndarray, weights: cupy.ndarray, first_round: FirstRound | None) -> None:
    """Nothing follows, or nothing that could begin."""


def _check(taken: Taken | None) -> None:
    """Raise RuntimeError if rounds that one launch has taken have made no forest."""
    if taken is not None:
        taken()


def _long_runs(keys: cupy.ndarray, lowest: int, bits: np.int32) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Places and slots of the edges in runs of keys that are equal above this bit, if the runs are long."""
    count, total = len(keys), Written(1)
    compaction, args = Compaction(count), (keys, count, np.int32(lowest), bits)
    compaction.launch("points/result", "list_long_runs", count, *args, None, None, total.address)
    total.launched()
    (m,) = total.arrived()
    places, slots, total = cupy.empty(m, np.int32), cupy.empty(m, np.int32), cupy.empty(1, np.int32)
    compaction.launch("points/result", "list_long_runs", count, *args, places, slots, total)
    return places, slots


def _words(index: SearchIndex, listed: bool) -> int:
    """64-bit words of an `EdgeOf` in result.cu."""
    return (index.dtype.itemsize // 4 << (index.core is not None)) + listed


def _results(index: SearchIndex, count: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Uninitialised arrays of edges and their weights."""
    edges, weights = empties(((count, 2), np.int32), (count, index.dtype))
    return edges, weights


def _by_all_keys(
    index: SearchIndex,
    slots: cupy.ndarray,
    ends: cupy.ndarray | None,
    weight: cupy.ndarray,
    edges: Address,
    in_list: str,
) -> cupy.ndarray:
    """Slots in the total order, by stable sorts from its last key to its first."""
    m, bits = len(slots), index_bits(index.n)
    for smaller in (False, True):
        keys, name = cupy.empty(m, np.uint32), f"end_keys<{index.T}, {_mrd(index)}, {in_list}>"
        launch("points/result", name, m, slots, m, ends, edges, smaller, keys)
        slots = sort_pairs(keys, slots, bits, spoil=True)[1]
    if index.core is not None:
        keys = cupy.empty(m, weight.dtype)
        launch("points/result", f"power_keys<{index.T}, {in_list}>", m, slots, m, edges, keys)
        slots = sort_pairs(keys, slots, spoil=True)[1]
    del keys
    return sort_pairs(weight[slots], slots, spoil=True)[1]


def edge_powers(index: SearchIndex, u: cupy.ndarray, v: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. The ends may be views of a forest's packed edges."""
    m = len(u)
    powers, ends = cupy.empty(m, index.dtype), (cupy.ascontiguousarray(u), cupy.ascontiguousarray(v))
    name = f"edge_powers<{index.T}, {index.metric.number}>"
    launch("points/result", name, m, *ends, m, index.rows, *index.shape, index.metric.norm, powers)
    return powers


def unscaled(index: SearchIndex, powers: cupy.ndarray, order: cupy.ndarray | None) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n, in_passes = len(powers), order is not None and are_far(powers)
    out, places = cupy.empty(n, powers.dtype), None if in_passes else order
    launch("points/result", f"unscaled<{index.T}, {_squared(index)}>", n, powers, n, places, _unscale(index), out)
    if in_passes:
        here, out = out, cupy.empty(n, powers.dtype)
        put(out, order, here)
    return _rooted(index, out)


def _edge_template(index: SearchIndex) -> str:
    return f"{index.T}, {index.metric.number}, {_mrd(index)}"


def _mrd(index: SearchIndex) -> str:
    return "false" if index.core is None else "true"


def _squared(index: SearchIndex) -> str:
    return "true" if index.norm.degree == 2 else "false"


def _unscale(index: SearchIndex) -> float:
    """What a kernel multiplies distances by; 1 if it leaves powers."""
    return 1 / index.scale if index.norm.degree in (1, 2) else 1.0


def _rooted(index: SearchIndex, powers: cupy.ndarray) -> cupy.ndarray:
    """Distances in the caller's units, where a kernel left powers. The host takes their roots as for the CPU's results,
    since powers of two libraries round differently."""
    if index.norm.degree not in (1, 2):
        powers.set(index.norm.roots(powers.get()) * (1 / index.scale))
    return powers
