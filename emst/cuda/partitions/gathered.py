"""Edges of partitions as one list, on the GPU. Kernels: gathered.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.partition_records import ListedEdges, Numbering, OpenEdges
from emst.cuda.partitions.first_rounds import NOTHING_SEEN, SeenByPartition
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, MERGED_EACH
from emst.cuda.runtime.launch import launch, launch_grid, launch_over_points


def insert_edges(
    listed: ListedEdges,
    places: cupy.ndarray,
    others: OpenEdges,
    numbering: Numbering,
    seen: SeenByPartition | None = None,
) -> ListedEdges:
    """See `emst.backend.partition_operations`."""
    (rows, weight, power, _), m, k = listed, len(listed.weight), len(others)
    whole = _places(m + k, weight.dtype, power is not None, seen is not None)
    before, T = cupy.empty(k, np.int32), ctype(weight.dtype)
    put = (NOTHING_SEEN if seen is None else seen.puts(whole.seen), *whole[:3])
    of_others = others.words, k, as_struct(numbering, np.int64), before
    launch("partitions/gathered", f"put_others<{T}>", k, places, weight, power, m, *of_others, *put)
    edges = places, rows, weight, power, m
    launch_over_points("partitions/gathered", f"put_edges<{T}>", m, *edges, before, k, *put)
    if seen is not None:
        seen.needs = None  # memory is freed in the order of the stream
    return whole


def merge_edges(first: ListedEdges, second: ListedEdges) -> ListedEdges:
    """See `emst.backend.partition_operations`."""
    m, k = len(first.weight), len(second.weight)
    if m == 0 or k == 0:
        return first if k == 0 else second
    listed = _places(m + k, first.weight.dtype, first.power is not None, first.seen is not None)
    tiles = -(-(m + k) // (BLOCK * MERGED_EACH))
    splits, template = cupy.empty(tiles + 1, np.int32), f"<{ctype(first.weight.dtype)}, {_mrd(first)}>"
    launch("partitions/gathered", f"split_tiles{template}", tiles + 1, *first[1:3], m, *second[1:3], k, tiles, splits)
    args = (*first, m, *second, k, splits, *listed)
    launch_grid("partitions/gathered", f"merge_edges{template}", (tiles,), (BLOCK,), args)
    return listed


def _places(m: int, dtype: np.dtype, powers: bool, seen: bool) -> ListedEdges:
    """Uninitialised arrays for m edges."""
    rows, weight = cupy.empty((m, 2), np.int32), cupy.empty(m, dtype)
    power, seen_of = cupy.empty(m, dtype) if powers else None, cupy.empty(m, np.uint32) if seen else None
    return ListedEdges(rows, weight, power, seen_of)


def _mrd(edges: ListedEdges) -> str:
    return "false" if edges.power is None else "true"
