"""How many bytes a graph needs, in one piece or in blocks. Every algorithm states its bytes per edge and per vertex."""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, ForestEdges
from emst.graph.canonical import PER_SORTED, Canonical
from emst.graph.input import CheckedGraph

ASK_FROM = 1 << 28  # bytes: below, the device is not asked how much is free, which takes longer than a small graph
PER_POINTER = 40  # bytes per vertex beside the forest that blocks are joined with: three `indptr`, roots and entries
LEAST_BLOCK = 1024  # entries
PER_STREAMED = 80  # bytes per entry of a block that is read to compare directions: the entry, codes, shares


class Solver(NamedTuple):
    """An algorithm with its options filled in, and the bytes that it takes beside the graph."""

    forest: Callable[[Adjacency, Backend], ForestEdges]
    per_edge: dict[int, int]  # by the bytes of a weight
    per_vertex: int


def bytes_needed(given: CheckedGraph, solver: Solver, found: Canonical | None = None) -> int:
    """Memory for the forest of a graph in one piece, beside the caller's arrays.

    Without the canonical graph, `found`, the usual case is assumed: the entries are in order and hold both directions
    of every edge.
    """
    moved, weight = given.on_device != (given.device == "cuda"), _weight_bytes(given)
    if found is not None and found.positions is not None:  # a sorted copy
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


def bytes_to_sort(given: CheckedGraph) -> int:
    """Memory to put all entries in canonical order, beside the caller's arrays."""
    return _bytes_of_positions(given) + given.m * PER_SORTED


def memory_for(needed: int, ops: Backend, max_device_bytes: int | None) -> int:
    """Bytes that may be used: the caller's bound, or else what the device has free. `sys.maxsize` where `needed` bytes
    are so few that they surely fit, or the device does not say."""
    if max_device_bytes is not None:
        if not isinstance(max_device_bytes, Integral) or isinstance(max_device_bytes, bool):
            raise TypeError(f"max_device_bytes must be an integer; got {max_device_bytes!r}")
        if max_device_bytes < 0:
            raise ValueError(f"max_device_bytes must not be negative; got {max_device_bytes}")
        return int(max_device_bytes)
    if needed < ASK_FROM:
        return sys.maxsize
    free = ops.bytes_free()
    return sys.maxsize if free is None else free


def block_size(given: CheckedGraph, solver: Solver, allowed: int, in_one_piece: int = 0) -> int:
    """Entries of a block such that everything held at the same time fits into the bytes allowed.

    Parameters
    ----------
    given : CheckedGraph
        The graph.
    solver : Solver
        The algorithm.
    allowed : int
        Bytes that may be used.
    in_one_piece : int
        Bytes that the graph is known to need at least if it is not divided; for the message of the error.

    Raises
    ------
    MemoryError
        If the forest and a block of a reasonable size do not fit.
    """
    edge, per_edge = _edge_bytes(given), solver.per_edge[_weight_bytes(given)]
    solved = per_edge if given.rows is None else max(per_edge, PER_SORTED)  # coordinates are sorted within their block
    entry = solved + 3 * edge  # as read, as edges, and among those joined with the forest
    fixed = _bytes_of_positions(given) + given.n * (solver.per_vertex + solved + 2 * edge + PER_POINTER)
    least = min(max(LEAST_BLOCK, given.n // 8), given.m)
    needed = fixed + least * entry
    if needed > allowed:
        in_one_piece = max(in_one_piece, bytes_needed(given, solver), bytes_to_sort(given) * _rows_descend(given))
        raise MemoryError(
            f"the forest of {given.n:,} vertices and {given.m:,} entries needs at least {in_one_piece:,} bytes of "
            f"memory in one piece, or {needed:,} in blocks of {least:,} entries; {allowed:,} may be used"
        )
    return (allowed - fixed) // entry


def rounds_to_compare(given: CheckedGraph, allowed: int) -> tuple[int, int]:
    """For the comparison of directions: entries of a block, and the number of rounds among which the pairs are divided.

    Beside the forest, a block takes half of the memory and the pairs of a round the other half.
    """
    left = allowed - _bytes_of_positions(given) - given.n * (_edge_bytes(given) + PER_POINTER)
    return left // (2 * PER_STREAMED), -(-given.m * 2 * PER_SORTED // left)


def _weight_bytes(given: CheckedGraph) -> int:
    """Bytes of a weight in the dtype of the computation."""
    return max(4, 8 if given.data.dtype.kind == "u" and given.data.dtype.itemsize == 4 else given.data.dtype.itemsize)


def _edge_bytes(given: CheckedGraph) -> int:
    """Bytes of an edge of the forest so far: both ends, weight and position."""
    return 4 + 4 + _weight_bytes(given) + 8


def _bytes_of_positions(given: CheckedGraph) -> int:
    """Bytes that the entries of a square array take already: rows, columns and positions."""
    return 0 if given.positions is None else 24 * given.m


def _rows_descend(given: CheckedGraph) -> bool:
    """Whether coordinates have to be sorted because their rows are not in order."""
    return given.rows is not None and bool((given.rows[1:] < given.rows[:-1]).any())
