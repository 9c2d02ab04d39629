"""How many bytes a graph takes, in one piece or in blocks. Algorithms say what they take for an edge and a vertex."""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, ForestEdges
from emst.graph.canonical import Canonical
from emst.graph.input import CheckedGraph

ASKED_FROM = 1 << 28  # bytes: for less nobody asks how much is free, which takes longer than a small graph
PER_POINTER = 40  # bytes for a vertex beside the forest that blocks are joined with: three `indptr`, roots and entries
LEAST_BLOCK = 1024  # entries
PER_PAIR = 110  # bytes for an entry that is put in order, or compared by direction: codes, weights, positions, sorts
PER_PASSED = 80  # and for one of a block that passes by for it: as it came, codes, shares


class Solver(NamedTuple):
    """An algorithm, its options filled in, and the bytes it takes beside the graph."""

    forest: Callable[[Adjacency, Backend], ForestEdges]
    per_edge: dict[int, int]  # by the bytes of a weight
    per_vertex: int


def bytes_needed(given: CheckedGraph, solver: Solver, found: Canonical | None = None) -> int:
    """Memory that a graph takes in one piece beside the caller's arrays: as it was `found`, or else as most are, in
    order and with both directions of every edge."""
    moved, weight = given.on_device != (given.device == "cuda"), _weight_bytes(given)
    if found is not None and found.positions is not None:  # written anew
        held = found.graph.m * (4 + weight + 8)
    else:
        held = given.m * (
            4 * (moved or given.indices.dtype != np.int32) + weight * moved + 8 * (given.rows is not None)
        )
    if found is None:
        edges = (given.m + 1) // 2
    else:
        edges = found.graph.m // 2 if found.graph.symmetric else found.graph.m
    vertices = given.n * (solver.per_vertex + 8 * (moved or given.rows is not None))
    return _bytes_of_positions(given) + held + edges * solver.per_edge[weight] + vertices


def memory_for(needed: int, ops: Backend, max_device_bytes: int | None) -> int:
    """Bytes that there are to work in: without bound where they are enough for certain, or nobody says."""
    if max_device_bytes is not None:
        if not isinstance(max_device_bytes, Integral) or isinstance(max_device_bytes, bool):
            raise TypeError(f"max_device_bytes must be an integer; got {max_device_bytes!r}")
        if max_device_bytes < 0:
            raise ValueError(f"max_device_bytes must not be negative; got {max_device_bytes}")
        return int(max_device_bytes)
    if needed < ASKED_FROM:
        return sys.maxsize
    free = ops.bytes_free()
    return sys.maxsize if free is None else free


def block_size(given: CheckedGraph, solver: Solver, allowed: int) -> int:
    """Entries of a block, such that all that is held at a time is within the bytes allowed.

    Raises
    ------
    MemoryError
        If not even the forest and a block of a reasonable size can be had in them.
    """
    edge, per_edge = _edge_bytes(given), solver.per_edge[_weight_bytes(given)]
    solved = per_edge if given.rows is None else max(per_edge, PER_PAIR)  # or put in order
    entry = solved + 3 * edge  # as they come, as edges, and among those of the forest
    fixed = _bytes_of_positions(given) + given.n * (solver.per_vertex + solved + 2 * edge + PER_POINTER)
    least = min(max(LEAST_BLOCK, given.n // 8), given.m)
    needed = fixed + least * entry
    if needed > allowed:
        raise MemoryError(
            f"the forest of {given.n:,} vertices and {given.m:,} entries needs {bytes_needed(given, solver):,} bytes of "
            f"memory in one piece, and {needed:,} in blocks of {least:,} entries; {allowed:,} may be used"
        )
    return (allowed - fixed) // entry


def rounds_to_compare(given: CheckedGraph, allowed: int) -> tuple[int, int]:
    """Entries of a block, and among how many rounds the pairs are shared out, where no more is held beside the forest
    than a block and a round's pairs: half of what is left to either."""
    left = allowed - _bytes_of_positions(given) - given.n * (_edge_bytes(given) + PER_POINTER)
    return left // (2 * PER_PASSED), -(-given.m * 2 * PER_PAIR // left)


def _weight_bytes(given: CheckedGraph) -> int:
    """Of what is computed in."""
    return max(4, 8 if given.data.dtype.kind == "u" and given.data.dtype.itemsize == 4 else given.data.dtype.itemsize)


def _edge_bytes(given: CheckedGraph) -> int:
    """Of an edge that is held: both ends, its weight and its position."""
    return 4 + 4 + _weight_bytes(given) + 8


def _bytes_of_positions(given: CheckedGraph) -> int:
    """What the entries of a square array take already: rows, columns and positions."""
    return 0 if given.positions is None else 24 * given.m
