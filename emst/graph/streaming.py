"""Graphs larger than the memory: MSF(G) = MSF(MSF(G1) ∪ MSF(G2)) if G1 and G2 together hold all edges of G.

The entries are read in blocks, and the forest so far is joined with every block in turn. In compressed rows whose
columns ascend, the smaller ends of edges never descend from block to block: the forest so far, followed by the block's
edges above the diagonal, is in order without sorting. Entries in any other order are sorted within their block. The
statistics of the blocks add up to those of the graph. If they show at the end that the lower triangle does not mirror
the upper one, its entries are read as well.

Memory holds the forest, one block and what the algorithm takes for these two. Arrays that are mapped from a file are
read block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from emst.backend.keys import pair_codes
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges
from emst.graph.arrays import sorted_by
from emst.graph.canonical import by_position, is_mirrored, one_row, pointers
from emst.graph.faults import Faults, asymmetric, check_ends, faults_of, refuse
from emst.graph.input import CheckedGraph, computable, narrowed
from emst.graph.memory import Solver, block_size, rounds_to_compare
from emst.inputs.ends import outside


class EdgeList(NamedTuple):
    """Edges and their numbers among the entries of the checked graph."""

    small: Array  # int32[k]: smaller ends
    large: Array  # int32[k]: larger ends
    weights: Array
    entries: Array  # int64[k]


class Block(NamedTuple):
    """Entries from number `begin` on, on the backend, and their statistics."""

    begin: int
    rows: Array
    columns: Array
    weights: Array
    ascending: bool
    upper: int
    lower: int
    fingerprint: tuple[int, int]


def streamed(
    graph: CheckedGraph, ops: Backend, solver: Solver, symmetric: str, allowed: int, in_one_piece: int = 0
) -> ForestEdges:
    """The forest of a graph that is read in blocks; its `entries` are positions in the caller's data, ascending.

    Parameters
    ----------
    graph : CheckedGraph
        The graph.
    ops : Backend
        Where the work is done.
    solver : Solver
        The algorithm.
    symmetric : {"check", "min"}
        As in `emst.graph_msf`.
    allowed : int
        Bytes that may be used beside the caller's arrays.
    in_one_piece : int
        Bytes that the graph is known to need at least if it is not divided; for the message of the error.

    Raises
    ------
    MemoryError
        If the forest and a block of a reasonable size do not fit into the bytes allowed.
    ValueError
        See `emst.graph_msf`.
    """
    size = block_size(graph, solver, allowed, in_one_piece)
    xp = ops.xp
    nothing = xp.zeros(0, np.int32)
    held = EdgeList(nothing, nothing, computable(graph.stored(0, 0), ops), nothing.astype(np.int64))
    chosen = ForestEdges(held.entries, nothing, nothing, xp.arange(graph.n, dtype=np.int32))
    ascending, upper, lower, fingerprint = graph.indptr is not None, 0, 0, (0, 0)
    for block in _blocks(graph, size, ops):
        ascending &= block.ascending and not _descends(graph, block.begin)
        upper, lower = upper + block.upper, lower + block.lower
        fingerprint = tuple((a + b) % 2**64 for a, b in zip(fingerprint, block.fingerprint))  # type: ignore[assignment]
        kind = block.columns > block.rows if graph.indptr is not None else block.columns != block.rows
        held, chosen = _joined(graph.n, held, _edges(block, kind, ops), not ascending, ops, solver)
    mirrored = graph.indptr is not None and is_mirrored(upper, lower, fingerprint)
    if upper and lower and not mirrored and symmetric == "check":
        _compare_directions(graph, allowed, ops)
    if graph.indptr is not None and not mirrored:
        for block in _blocks(graph, size, ops):
            below = _edges(block, block.columns < block.rows, ops)
            held, chosen = _joined(graph.n, held, below, True, ops, solver)
    entries = held.entries if graph.positions is None else ops.asarray(graph.positions)[held.entries]
    return by_position(chosen, entries, ops)


def _blocks(graph: CheckedGraph, size: int, ops: Backend) -> Iterator[Block]:
    """All entries, block by block; a long row may be cut. Raises ValueError for faulty entries, after it has counted
    those of all blocks."""
    indptr = None
    if graph.indptr is not None:
        indptr = pointers(graph.indptr, ops)
        none = narrowed(graph.indices[:0], graph.n, ops), computable(graph.stored(0, 0), ops)
        check_ends(ops.graph_statistics(indptr, *none), graph)
    for begin in range(0, graph.m, size):
        block, faults = _block(graph, indptr, begin, begin + size, ops)
        if faults.any:
            for later in range(begin + size, graph.m, size):
                faults = faults.and_later(_block(graph, indptr, later, later + size, ops)[1])
            refuse(faults, graph)
        yield block


def _block(graph: CheckedGraph, indptr: Array | None, begin: int, end: int, ops: Backend) -> tuple[Block, Faults]:
    """The entries from number `begin` up to `end`, or up to the last one, and their faults."""
    xp, end = ops.xp, min(end, graph.m)
    columns = narrowed(graph.indices[begin:end], graph.n, ops)
    weights = computable(graph.stored(begin, end), ops)
    if indptr is None:
        rows = narrowed(graph.rows[begin:end], graph.n, ops)  # type: ignore[index]
        statistics = ops.graph_statistics(one_row(graph.n, end - begin, xp), columns, weights)
        faults = faults_of(statistics, begin, outside(rows, graph.n))
        upper, lower = int((rows < columns).sum()), int((rows > columns).sum())
    else:
        part = xp.clip(indptr, begin, end) - indptr.dtype.type(begin)
        statistics = ops.graph_statistics(part, columns, weights)
        rows, faults = ops.entry_rows(part, end - begin), faults_of(statistics, begin)
        upper, lower = statistics.upper, statistics.lower
    return Block(begin, rows, columns, weights, statistics.ascending, upper, lower, statistics.fingerprint), faults


def _descends(graph: CheckedGraph, begin: int) -> bool:
    """Whether a block begins within a row, at a column less than the one before it."""
    if begin == 0 or graph.indptr is None or int(graph.indices[begin - 1]) <= int(graph.indices[begin]):
        return False
    return bool((graph.indptr != begin).all())


def _edges(block: Block, wanted: Array, ops: Backend) -> EdgeList:
    """The edges of the wanted entries, in the order of the block."""
    kept = ops.xp.flatnonzero(wanted)
    rows, columns = block.rows[kept], block.columns[kept]
    small, large = ops.xp.minimum(rows, columns), ops.xp.maximum(rows, columns)
    return EdgeList(small, large, block.weights[kept], kept + block.begin)


def _joined(
    n: int, held: EdgeList, block: EdgeList, sort: bool, ops: Backend, solver: Solver
) -> tuple[EdgeList, ForestEdges]:
    """The forest of the forest so far, `held`, and the edges of a block. Of parallel edges those held come first, as in
    the input."""
    both = EdgeList(*map(ops.xp.concatenate, zip(held, block)))
    if sort:
        order = sorted_by(pair_codes(both.small, both.large, n), ops)
        both = EdgeList(*(array[order] for array in both))
    chosen = solver.forest(Adjacency(ops.row_starts(both.small, n), both.large, both.weights, False), ops)
    at = chosen.entries
    return EdgeList(chosen.source, chosen.target, both.weights[at], both.entries[at]), chosen


def _compare_directions(graph: CheckedGraph, allowed: int, ops: Backend) -> None:
    """Raise ValueError where the lightest entries of a pair's two directions differ.

    Both directions of a pair must be in memory at the same time. So the pairs are divided among several rounds by a
    hash, and every round reads all entries.
    """
    xp = ops.xp
    size, rounds = rounds_to_compare(graph, allowed)
    wrong = []
    for turn in range(rounds):
        parts: list[tuple[Array, ...]] = []
        for block in _blocks(graph, size, ops):
            ends = xp.minimum(block.rows, block.columns), xp.maximum(block.rows, block.columns)
            share = (pair_codes(*ends, graph.n) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(rounds)
            kept = xp.flatnonzero((share == turn) & (block.rows != block.columns))
            parts.append((block.rows[kept], block.columns[kept], block.weights[kept], kept + block.begin))
        rows, columns, weights, entries = map(xp.concatenate, zip(*parts))
        parts.clear()
        pairs = ops.lightest_entries(rows, columns, weights, graph.n)
        if pairs.differing:
            wrong.append((pairs.differing, int(entries[pairs.ahead]), int(entries[pairs.behind])))
    if wrong:
        count = sum(pair[0] for pair in wrong)
        raise asymmetric(graph, count, *min((pair[1:] for pair in wrong), key=min))
