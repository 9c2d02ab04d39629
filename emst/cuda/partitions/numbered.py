"""Gives numbers to the components of partitions, and lists the edges between them that are not certain, on the GPU.
Kernels: numbered.cu."""

from __future__ import annotations

from collections.abc import Sequence

import cupy
import numpy as np

from emst.backend.partition_records import Components, Numbering, OpenEdges
from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.copies import concatenated, copied
from emst.cuda.runtime.launch import launch, launch_over_points


def number_points(labels: cupy.ndarray, roots: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.partition_operations`."""
    n, count = len(labels), len(roots)
    number, component, size = cupy.empty(n, np.int32), cupy.empty(n, np.int32), cupy.zeros(count, np.int64)
    launch("partitions/numbered", "number_roots", count, roots, count, number)
    launch_over_points("partitions/numbered", "number_points", n, labels, number, n, component, size)
    return component, size


def take_open(
    index: SearchIndex, forest: Forest, roots: cupy.ndarray, component: cupy.ndarray, numbering: Numbering
) -> OpenEdges:
    """See `emst.backend.partition_operations`. All components but those that are left have hooked: so many edges."""
    count, width = len(roots), 3 + index.dtype.itemsize // 4
    edges, total = OpenEdges(cupy.empty((count - forest.count, width), np.uint64)), cupy.empty(1, np.int32)
    slots = roots, count, scratch_of(forest).ends, forest.weight, component
    points = index.rows, *index.shape, index.metric.norm
    mrd = "false" if index.core is None else "true"
    name = f"list_open<{index.T}, {index.metric.number}, {mrd}>"
    Compaction(count).launch(
        "partitions/numbered", name, count, *slots, *points, as_struct(numbering, np.int64), edges.words, total
    )
    forest.components = roots
    return edges


def number_together(
    edges: Sequence[OpenEdges], boxes: Sequence[cupy.ndarray], sizes: Sequence[cupy.ndarray]
) -> tuple[OpenEdges, Components]:
    """See `emst.backend.partition_operations`."""
    words, box, size = _fresh([one.words for one in edges]), _fresh(boxes), concatenated(sizes)
    label = cupy.empty(len(size), np.int32)
    lengths = np.array([[len(column) for column in columns] for columns in zip(edges, boxes, sizes)])
    for begins, counts in zip(lengths.cumsum(axis=0) - lengths, lengths.tolist()):
        e, b, c = begins.tolist()
        args = np.int32(c), words[e:], counts[0], box[b:], counts[1], label[c:], counts[2]
        launch("partitions/numbered", f"count_from<{words.shape[1]}>", max(counts), *args)
    return OpenEdges(words), Components(label, len(size), size, box)


def _fresh(parts: Sequence[cupy.ndarray]) -> cupy.ndarray:
    """All parts in one new array."""
    whole = concatenated(parts)
    return copied(whole) if any(whole is part for part in parts) else whole
