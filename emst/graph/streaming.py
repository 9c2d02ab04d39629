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

import operator
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from emst.backend import Array, Backend
from emst.graph.adjacency import Adjacency, Chosen
from emst.graph.arrays import pair_codes, rows_of, sorted_by, starts
from emst.graph.canonical import PER_SORTED, differing, directed_codes, lightest, one_row, pointers
from emst.graph.door import Door, computable, narrowed
from emst.graph.faults import asymmetric, check_ends, check_entries, check_rows

ASKED_FROM = 1 << 28  # bytes: for less nobody asks how much is free, which takes longer than a small graph
PER_EDGE = {4: 33, 8: 49}  # bytes beside the graph that the default takes for an edge, by the bytes of a weight: on a
# GPU two lists of both ends, weight and position, and a bit. Of edges that are stored twice half for each entry
PER_VERTEX = 60  # and for a vertex, labels included
PER_CHECKED = 100  # bytes for an entry whose directions are compared: codes, weights, positions and their sorts
LEAST_BLOCK = 1024  # entries


class Edges(NamedTuple):
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


def bytes_needed(door: Door, mirrored: bool = True) -> int:
    """Memory that a graph takes in one piece beside the caller's arrays; in order, and with both directions, as most
    are."""
    moved = door.on_device != (door.device == "cuda")
    narrow = moved or door.indices.dtype != np.int32
    entry = 4 * narrow + _weight_bytes(door) * moved + 8 * (door.rows is not None)
    edges = (door.m + 1) // 2 if mirrored else door.m
    return door.m * entry + edges * PER_EDGE[_weight_bytes(door)] + door.n * (PER_VERTEX + 8 * moved)


def memory_for(door: Door, ops: Backend, max_device_bytes: int | None) -> int:
    """Bytes that there are to work in: without bound where they are enough for certain, or nobody says."""
    if max_device_bytes is not None:
        return operator.index(max_device_bytes)
    if bytes_needed(door) + door.m * PER_SORTED < ASKED_FROM:
        return sys.maxsize
    free = ops.bytes_free()
    return sys.maxsize if free is None else free


def streamed(
    door: Door, ops: Backend, solve: Callable[[Adjacency, Backend], Chosen], symmetric: str, allowed: int
) -> Chosen:
    """The forest of a graph of which no more than a block is at hand; its entries are the caller's, unsorted.

    Raises
    ------
    MemoryError
        If not even the forest and a block of a reasonable size can be had in the bytes that are allowed.
    ValueError
        See `emst.graph_msf`.
    """
    size = block_size(door, allowed)
    xp = ops.xp
    nothing = xp.zeros(0, np.int32)
    held = Edges(nothing, nothing, computable(door.stored(0, 0), ops), nothing.astype(np.int64))
    chosen = Chosen(held.entries, nothing, nothing, xp.arange(door.n, dtype=np.int32))
    ascending, upper, lower, fingerprint = door.indptr is not None, 0, 0, (0, 0)
    for block in _blocks(door, size, ops):
        ascending &= block.ascending and not _descends(door, block.begin)
        upper, lower = upper + block.upper, lower + block.lower
        fingerprint = tuple((a + b) % 2**64 for a, b in zip(fingerprint, block.fingerprint))  # type: ignore[assignment]
        kind = block.columns > block.rows if door.indptr is not None else block.columns != block.rows
        held, chosen = _joined(door.n, held, _edges(block, kind, ops), not ascending, ops, solve)
    if upper and lower and (door.indptr is None or fingerprint != (0, 0)) and symmetric == "check":
        _compare_directions(door, size, allowed, ops)
    if door.indptr is not None and lower and fingerprint != (0, 0):
        for block in _blocks(door, size, ops):
            below = _edges(block, block.columns < block.rows, ops)
            held, chosen = _joined(door.n, held, below, True, ops, solve)
    entries = held.entries if door.positions is None else ops.asarray(door.positions)[held.entries]
    return chosen._replace(entries=entries)


def block_size(door: Door, allowed: int) -> int:
    """Entries of a block, such that all that is held at a time is within the bytes allowed."""
    edge = 4 + 4 + _weight_bytes(door) + 8
    entry = (
        PER_EDGE[_weight_bytes(door)] + 2 * edge + 8
    )  # as they come, their rows, as edges, and among those of the forest
    fixed = door.n * (
        PER_VERTEX + PER_EDGE[_weight_bytes(door)] + 2 * edge + 2 * 8
    )  # the forest, also among those, and twice `indptr`
    least = max(LEAST_BLOCK, door.n // 8)
    needed = fixed + least * entry
    if needed > allowed:
        raise MemoryError(
            f"the forest of {door.n:,} vertices and {door.m:,} entries needs {bytes_needed(door):,} bytes of memory in "
            f"one piece, and {needed:,} in blocks of {least:,} entries; {allowed:,} may be used"
        )
    return (allowed - fixed) // entry


def _weight_bytes(door: Door) -> int:
    """Of what is computed in."""
    return max(4, 8 if door.data.dtype.kind == "u" and door.data.dtype.itemsize == 4 else door.data.dtype.itemsize)


def _blocks(door: Door, size: int, ops: Backend) -> Iterator[Block]:
    """All entries, block by block; a long row may be cut. Raises for what is wrong with them."""
    xp = ops.xp
    indptr = None
    if door.indptr is not None:
        indptr = pointers(door.indptr, ops)
        none = narrowed(door.indices[:0], door.n, ops), computable(door.stored(0, 0), ops)
        check_ends(ops.survey_graph(indptr, *none), door)
    for begin in range(0, door.m, size):
        end = min(begin + size, door.m)
        columns = narrowed(door.indices[begin:end], door.n, ops)
        weights = computable(door.stored(begin, end), ops)
        if indptr is None:
            rows = narrowed(door.rows[begin:end], door.n, ops)  # type: ignore[index]
            check_rows(rows, door, begin)
            survey = ops.survey_graph(one_row(door.n, end - begin, xp), columns, weights)
            upper, lower = int((rows < columns).sum()), int((rows > columns).sum())
        else:
            part = xp.clip(indptr, begin, end) - indptr.dtype.type(begin)
            survey = ops.survey_graph(part, columns, weights)
            upper, lower = survey.upper, survey.lower
        check_entries(survey, door, begin)
        if indptr is not None:
            rows = rows_of(part, end - begin, xp)
        yield Block(begin, rows, columns, weights, survey.ascending, upper, lower, survey.fingerprint)


def _descends(door: Door, begin: int) -> bool:
    """Whether a row is cut at an entry, and its columns descend there."""
    if begin == 0 or door.indptr is None or int(door.indices[begin - 1]) <= int(door.indices[begin]):
        return False
    return bool((door.indptr != begin).all())


def _edges(block: Block, wanted: Array, ops: Backend) -> Edges:
    kept = ops.xp.flatnonzero(wanted)
    rows, columns = block.rows[kept], block.columns[kept]
    small, large = ops.xp.minimum(rows, columns), ops.xp.maximum(rows, columns)
    return Edges(small, large, block.weights[kept], kept + block.begin)


def _joined(
    n: int,
    held: Edges,
    block: Edges,
    sort: bool,
    ops: Backend,
    solve: Callable[[Adjacency, Backend], Chosen],
) -> tuple[Edges, Chosen]:
    """The forest of the forest so far and the edges of a block. Of equal pairs those held came first."""
    both = Edges(*map(ops.xp.concatenate, zip(held, block)))
    if sort:
        order = sorted_by(pair_codes(both.small, both.large, n), ops)
        both = Edges(*(array[order] for array in both))
    chosen = solve(Adjacency(starts(both.small, n, ops.xp), both.large, both.weights, False), ops)
    at = chosen.entries
    return Edges(chosen.source, chosen.target, both.weights[at], both.entries[at]), chosen


def _compare_directions(door: Door, size: int, allowed: int, ops: Backend) -> None:
    """Raise ValueError where the lightest entries of a pair's two directions differ.

    Both directions have to be at hand: the pairs are shared out among as many rounds as it takes, and in each all
    entries pass by.
    """
    xp = ops.xp
    rounds = -(-door.m * PER_CHECKED // allowed)
    wrong = []
    for turn in range(rounds):
        parts: list[tuple[Array, Array, Array]] = []
        for block in _blocks(door, size, ops):
            codes = directed_codes(block.rows, block.columns, door.n, xp)
            share = ((codes >> np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(rounds)
            kept = xp.flatnonzero((share == turn) & (block.rows != block.columns))
            parts.append((codes[kept], block.weights[kept], kept + block.begin))
        codes, weights, entries = map(xp.concatenate, zip(*parts))
        heads, both = lightest(codes, weights, ops)
        if found := differing(heads, both, weights, entries, xp):
            wrong.append(found)
    if wrong:
        count = sum(found[0] for found in wrong)
        raise asymmetric(door, count, *min((found[1:] for found in wrong), key=min))
