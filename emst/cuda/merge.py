"""Components and their contraction on the GPU. Kernels: merge.cu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from emst.backend.records import NO_FOREST, Forest, Taken
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import HOOK_WORDS
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import cleared, empties, scratch
from emst.cuda.runtime.to_host import Written


class MergeScratch:
    """Buffers of `merge` for n vertices.

    Attributes
    ----------
    edge : uint64[n]
        By root: the component's lightest edge, smaller end in the upper half; all ones for none. Uninitialised.
    ends : uint64[n]
        By slot: the forest's edges, packed alike.
    spare : int32[n]
        Where the next list of components goes.
    hooks : Hooks[ceil(n / 32)] or None
        How points hook in the first round, if it is kept (first_round.cuh).
    points : tuple
        If it is kept, the points: rows, dimensions, and how far one row is from the next.
    roots : int
        Components that the first round has left.
    runs : bool
        Whether some components were runs of equal points at first.
    holds_back : bool
        Whether components were held back in the first round.
    """

    def __init__(self, n: int, keeps_first_round: bool = False) -> None:
        self.edge, self.ends, self.spare = empties((n, np.uint64), (n, np.uint64), (n, np.int32))
        (self.parent,) = scratch((n, np.int32))
        self.status, tiles = cleared((2, np.int32), Compaction.words(n))  # see merge.cu
        self.hooked = 0  # components, in all rounds so far
        self.hooks = scratch(((-(-n // 32), HOOK_WORDS), np.uint32))[0] if keeps_first_round else None
        self.points: tuple[Any, ...] = (None, np.int32(0), np.int32(0))
        self.roots, self.runs, self.holds_back = 0, False, False
        self.behind = False  # whether labels are those of the round before
        self.taken: Taken | None = None  # see `join_rest`
        self.compaction = Compaction(n, tiles=tiles)


def scratch_of(forest: Forest) -> MergeScratch:
    """The forest's buffers; a forest that was put together elsewhere gets them here, and its edges are packed."""
    if forest.scratch is None:
        forest.scratch = scratch = MergeScratch(len(forest.labels))
        forest.edge_u, forest.edge_v = _packed(forest.edge_u, forest.edge_v, scratch.edge)
        forest.source, forest.target = _packed(forest.source, forest.target, scratch.ends)
    return forest.scratch


def _packed(u: cupy.ndarray, v: cupy.ndarray, to: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """The same ends as views of packed edges; -1 in both halves, where there is no edge, is all ones."""
    small, large = halves(to)
    small[:], large[:] = u, cupy.where(u < 0, u, v)
    return small, large


def halves(packed: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Views of the smaller and the larger ends of packed edges."""
    n, data, gap = len(packed), packed.data, (packed.itemsize,)
    upper = data + 4 if n else data
    return cupy.ndarray(n, np.int32, upper, gap), cupy.ndarray(n, np.int32, data, gap)


def merge(forest: Forest, prepare: Callable[[Forest], None] | None = None) -> int:
    """See `emst.backend.operations`. Three numbers reach the host: see merge.cu."""
    s, components, count, labels = scratch_of(forest), forest.components, forest.count, forest.labels
    edges = (forest.best, s.edge, s.parent, s.ends, forest.weight)
    is_first = s.hooked == 0
    kept = (s.hooks if is_first else None, len(labels), *s.points)
    launch("merge", f"hook<{ctype(forest.best.dtype)}>", count, components, count, labels, *edges, s.status, *kept)
    left, unfinished, hooked = _relabel(forest, prepare)
    passes = 0
    while unfinished:  # chains too long to climb: double all hops until they are short enough
        passes += 1
        if passes > count.bit_length():  # longer than a path through all components: a cycle, which has no root
            raise RuntimeError(NO_FOREST)
        launch("merge", "double_hops", count, components, count, s.parent, s.status)
        left, unfinished, hooked = _relabel(forest, prepare)
    if hooked - s.hooked != count - left:
        raise RuntimeError(NO_FOREST)
    s.hooked = hooked
    if is_first:
        s.roots = left
    forest.components, s.spare = s.spare[:left], components
    return left


def _relabel(forest: Forest, prepare: Callable[[Forest], None] | None) -> list[int]:
    """Roots are listed, and labels become roots; returns the status."""
    s, components, count, labels = scratch_of(forest), forest.components, forest.count, forest.labels
    roots = (s.parent, s.spare, forest.best, s.edge)
    name = f"list_roots<{ctype(forest.best.dtype)}>"
    told, s.behind = Written(3), True
    s.compaction.launch("merge", name, count, components, count, *roots, s.status, told.address)
    told.launched()
    if prepare is not None:
        prepare(forest)
    if s.behind:
        launch_over_points("merge", "relabel", len(labels), *labels_behind(forest), len(labels), labels)
    return told.arrived()


def labels_behind(forest: Forest) -> tuple[cupy.ndarray | None, cupy.ndarray | None]:
    """Arguments of a launch that brings the labels up to date: the parent of every component, and the status, which
    says whether all parents are roots. None for both if the labels are up to date. They count as such afterwards."""
    s = scratch_of(forest)
    behind, s.behind = s.behind, False
    return (s.parent, s.status) if behind else (None, None)
