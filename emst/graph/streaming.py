"""Graphs larger than the memory to work in: MSF(G) = MSF(MSF(G1) ∪ MSF(G2)), for G1, G2 that share out the edges of G.

The entries pass by in blocks, and every block is joined with the forest of those before it. In compressed rows whose
columns ascend, the ends of edges only grow, so the forest so far and then the block's edges above the diagonal are in
order as they stand. The look at each block adds up to the look at the whole: only where that says in the end that the
lower triangle does not mirror the upper one do its entries pass by as well. Everything in any other order is sorted
within its block.

Nothing is held but the forest, a block and what an algorithm takes for the two; arrays that are mapped from a file are
read block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges
from emst.graph.arrays import pair_codes, rows_of, sorted_by, starts
from emst.graph.canonical import differing, directed_codes, is_mirrored, lightest, one_row, pointers
from emst.graph.faults import Faults, asymmetric, check_ends, faults_of, refuse, rows_outside
from emst.graph.input import CheckedGraph, computable, narrowed
from emst.graph.memory import Solver, block_size, rounds_to_compare


class EdgeList(NamedTuple):
    """Edges in the order of their ends, the smaller one first, and where they stand among the entries."""

    small: Array
    large: Array
    weights: Array
    entries: Array


class Block(NamedTuple):
    """Entries from `begin` on, on the backend, and what there is to know of them."""

    begin: int
    rows: Array
    columns: Array
    weights: Array
    ascending: bool
    upper: int
    lower: int
    fingerprint: tuple[int, int]


def streamed(given: CheckedGraph, ops: Backend, solver: Solver, symmetric: str, allowed: int) -> ForestEdges:
    """The forest of a graph of which no more than a block is at hand; its entries are the caller's, unsorted.

    Raises
    ------
    MemoryError
        If not even the forest and a block of a reasonable size can be had in the bytes that are allowed.
    ValueError
        See `emst.graph_msf`.
    """
    size = block_size(given, solver, allowed)
    xp = ops.xp
    nothing = xp.zeros(0, np.int32)
    held = EdgeList(nothing, nothing, computable(given.stored(0, 0), ops), nothing.astype(np.int64))
    chosen = ForestEdges(held.entries, nothing, nothing, xp.arange(given.n, dtype=np.int32))
    ascending, upper, lower, fingerprint = given.indptr is not None, 0, 0, (0, 0)
    for block in _blocks(given, size, ops):
        ascending &= block.ascending and not _descends(given, block.begin)
        upper, lower = upper + block.upper, lower + block.lower
        fingerprint = tuple((a + b) % 2**64 for a, b in zip(fingerprint, block.fingerprint))  # type: ignore[assignment]
        kind = block.columns > block.rows if given.indptr is not None else block.columns != block.rows
        held, chosen = _joined(given.n, held, _edges(block, kind, ops), not ascending, ops, solver)
    mirrored = given.indptr is not None and is_mirrored(upper, lower, fingerprint)
    if upper and lower and not mirrored and symmetric == "check":
        _compare_directions(given, allowed, ops)
    if given.indptr is not None and not mirrored:
        for block in _blocks(given, size, ops):
            below = _edges(block, block.columns < block.rows, ops)
            held, chosen = _joined(given.n, held, below, True, ops, solver)
    entries = held.entries if given.positions is None else ops.asarray(given.positions)[held.entries]
    return chosen._replace(entries=entries)


def _blocks(given: CheckedGraph, size: int, ops: Backend) -> Iterator[Block]:
    """All entries, block by block; a long row may be cut. Raises for what is wrong with them, all of them counted."""
    indptr = None
    if given.indptr is not None:
        indptr = pointers(given.indptr, ops)
        none = narrowed(given.indices[:0], given.n, ops), computable(given.stored(0, 0), ops)
        check_ends(ops.graph_statistics(indptr, *none), given)
    for begin in range(0, given.m, size):
        block, faults = _block(given, indptr, begin, begin + size, ops)
        if faults.any:
            for later in range(begin + size, given.m, size):
                faults = faults.and_later(_block(given, indptr, later, later + size, ops)[1])
            refuse(faults, given)
        yield block


def _block(given: CheckedGraph, indptr: Array | None, begin: int, end: int, ops: Backend) -> tuple[Block, Faults]:
    """The entries from `begin` up to `end` or the last, and what is wrong with them."""
    xp, end = ops.xp, min(end, given.m)
    columns = narrowed(given.indices[begin:end], given.n, ops)
    weights = computable(given.stored(begin, end), ops)
    if indptr is None:
        rows = narrowed(given.rows[begin:end], given.n, ops)  # type: ignore[index]
        statistics = ops.graph_statistics(one_row(given.n, end - begin, xp), columns, weights)
        faults = faults_of(statistics, begin, rows_outside(rows, given.n, begin))
        upper, lower = int((rows < columns).sum()), int((rows > columns).sum())
    else:
        part = xp.clip(indptr, begin, end) - indptr.dtype.type(begin)
        statistics = ops.graph_statistics(part, columns, weights)
        rows, faults = rows_of(part, end - begin, xp), faults_of(statistics, begin)
        upper, lower = statistics.upper, statistics.lower
    return Block(begin, rows, columns, weights, statistics.ascending, upper, lower, statistics.fingerprint), faults


def _descends(given: CheckedGraph, begin: int) -> bool:
    """Whether a row is cut at an entry, and its columns descend there."""
    if begin == 0 or given.indptr is None or int(given.indices[begin - 1]) <= int(given.indices[begin]):
        return False
    return bool((given.indptr != begin).all())


def _edges(block: Block, wanted: Array, ops: Backend) -> EdgeList:
    kept = ops.xp.flatnonzero(wanted)
    rows, columns = block.rows[kept], block.columns[kept]
    small, large = ops.xp.minimum(rows, columns), ops.xp.maximum(rows, columns)
    return EdgeList(small, large, block.weights[kept], kept + block.begin)


def _joined(
    n: int,
    held: EdgeList,
    block: EdgeList,
    sort: bool,
    ops: Backend,
    solver: Solver,
) -> tuple[EdgeList, ForestEdges]:
    """The forest of the forest so far and the edges of a block. Of equal pairs those held came first."""
    both = EdgeList(*map(ops.xp.concatenate, zip(held, block)))
    if sort:
        order = sorted_by(pair_codes(both.small, both.large, n), ops)
        both = EdgeList(*(array[order] for array in both))
    chosen = solver.forest(Adjacency(starts(both.small, n, ops.xp), both.large, both.weights, False), ops)
    at = chosen.entries
    return EdgeList(chosen.source, chosen.target, both.weights[at], both.entries[at]), chosen


def _compare_directions(given: CheckedGraph, allowed: int, ops: Backend) -> None:
    """Raise ValueError where the lightest entries of a pair's two directions differ.

    Both directions have to be at hand: the pairs are shared out among as many rounds as it takes, and in each all
    entries pass by.
    """
    xp = ops.xp
    size, rounds = rounds_to_compare(given, allowed)
    wrong = []
    for turn in range(rounds):
        parts: list[tuple[Array, Array, Array]] = []
        for block in _blocks(given, size, ops):
            codes = directed_codes(block.rows, block.columns, given.n, xp)
            share = ((codes >> np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(rounds)
            kept = xp.flatnonzero((share == turn) & (block.rows != block.columns))
            parts.append((codes[kept], block.weights[kept], kept + block.begin))
        codes, weights, entries = map(xp.concatenate, zip(*parts))
        parts.clear()
        heads, both = lightest(codes, weights, ops)
        if found := differing(heads, both, weights, entries, xp):
            wrong.append(found)
    if wrong:
        count = sum(found[0] for found in wrong)
        raise asymmetric(given, count, *min((found[1:] for found in wrong), key=min))
