"""How many bytes a graph needs, in one piece or in blocks. Every algorithm states its bytes per edge and per vertex."""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np

from emst.backend.memory import GRAPHS, free_gb, needed_gb
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, ForestEdges
from emst.graph.canonical import PER_SORTED, Canonical
from emst.graph.input import CheckedGraph
from emst.inputs.summary import counted

ASK_FROM = 1 << 28  # bytes: below, the device is not asked how much is free, which takes longer than a small graph
PER_POINTER = 40  # bytes per vertex beside the forest that blocks are joined with: three `indptr`, roots and entries
LEAST_BLOCK = 1024  # entries
PER_STREAMED = 80  # bytes per entry of a block that is read to compare directions: the entry, codes, shares


class Solver(NamedTuple):
    """An algorithm with its options filled in, and the bytes that it takes beside the graph."""

    forest: Callable[[Adjacency, Backend], ForestEdges]
    per_edge: dict[int, int]  # by the bytes of a weight
    per_vertex: int


def bytes_needed(graph: CheckedGraph, solver: Solver, form: Canonical | None = None) -> int:
    """Memory for the forest of a graph in one piece, beside the caller's arrays.

    Without the canonical graph, `form`, the usual case is assumed: the entries are in order and hold both directions
    of every edge.
    """
    moved, weight = graph.on_device != (graph.device == "cuda"), _weight_bytes(graph)
    if form is not None and form.positions is not None:  # a sorted copy
        held = form.graph.m * (4 + weight + 8)
    else:
        held = graph.m * (
            4 * (moved or graph.indices.dtype != np.int32) + weight * moved + 8 * (graph.rows is not None)
        )
    if form is None:
        edges = (graph.m + 1) // 2
    else:
        edges = form.graph.m // 2 if form.graph.symmetric else form.graph.m
    vertices = graph.n * (solver.per_vertex + 8 * (moved or graph.rows is not None))
    return _bytes_of_positions(graph) + held + edges * solver.per_edge[weight] + vertices


def bytes_to_sort(graph: CheckedGraph) -> int:
    """Memory to put all entries in canonical order, beside the caller's arrays."""
    return _bytes_of_positions(graph) + graph.m * PER_SORTED


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


def block_size(graph: CheckedGraph, solver: Solver, allowed: int, in_one_piece: int = 0) -> int:
    """Entries of a block such that everything held at the same time fits into the bytes allowed.

    Parameters
    ----------
    graph : CheckedGraph
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
    edge, per_edge = _edge_bytes(graph), solver.per_edge[_weight_bytes(graph)]
    solved = per_edge if graph.rows is None else max(per_edge, PER_SORTED)  # coordinates are sorted within their block
    entry = solved + 3 * edge  # as read, as edges, and among those joined with the forest
    fixed = _bytes_of_positions(graph) + graph.n * (solver.per_vertex + solved + 2 * edge + PER_POINTER)
    least = min(max(LEAST_BLOCK, graph.n // 8), graph.m)
    needed = fixed + least * entry
    if needed > allowed:
        in_one_piece = max(in_one_piece, bytes_needed(graph, solver), bytes_to_sort(graph) * _rows_descend(graph))
        raise MemoryError(
            f"the forest of {graph.n:,} vertices and {graph.m:,} entries needs at least {needed_gb(in_one_piece)} of "
            f"memory ({in_one_piece:,} bytes) in one piece, or {needed_gb(needed)} ({needed:,} bytes) in blocks of "
            f"{least:,} entries; {free_gb(allowed)} ({counted(allowed, 'byte')}) may be used; {GRAPHS}"
        )
    return (allowed - fixed) // entry


def rounds_to_compare(graph: CheckedGraph, allowed: int) -> tuple[int, int]:
    """For the comparison of directions: entries of a block, and the number of rounds among which the pairs are divided.

    Beside the forest, a block takes half of the memory and the pairs of a round the other half.
    """
    left = allowed - _bytes_of_positions(graph) - graph.n * (_edge_bytes(graph) + PER_POINTER)
    return left // (2 * PER_STREAMED), -(-graph.m * 2 * PER_SORTED // left)


def _weight_bytes(graph: CheckedGraph) -> int:
    """Bytes of a weight in the dtype of the computation."""
    return max(4, 8 if graph.data.dtype.kind == "u" and graph.data.dtype.itemsize == 4 else graph.data.dtype.itemsize)


def _edge_bytes(graph: CheckedGraph) -> int:
    """Bytes of an edge of the forest so far: both ends, weight and position."""
    return 4 + 4 + _weight_bytes(graph) + 8


def _bytes_of_positions(graph: CheckedGraph) -> int:
    """Bytes that the entries of a square array take already: rows, columns and positions."""
    return 0 if graph.positions is None else 24 * graph.m


def _rows_descend(graph: CheckedGraph) -> bool:
    """Whether coordinates have to be sorted because their rows are not in order."""
    return graph.rows is not None and bool((graph.rows[1:] < graph.rows[:-1]).any())
