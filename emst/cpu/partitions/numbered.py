"""Gives numbers to the components of partitions, and lists the edges between them that are not certain."""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import Components, OpenEdges
from emst.cpu.points.result import edge_powers
from emst.cpu.runtime.gather import take


def number_points(labels, roots):
    """See `emst.backend.partition_operations`."""
    number = np.empty(len(labels), np.int32)
    number[roots] = np.arange(len(roots), dtype=np.int32)
    component = take(number, labels)
    return component, np.bincount(component, minlength=len(roots)).astype(np.int64)


def take_open(index, forest, roots, component, numbering):
    """See `emst.backend.partition_operations`."""
    slots = roots[forest.source[roots] >= 0]
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    forest.source[slots] = forest.target[slots] = -1
    forest.components = roots
    power = weight if index.core is None else edge_powers(index, u, v)
    return OpenEdges.of(component[u], component[v], numbering.ids(u), numbering.ids(v), weight, power)


def number_together(edges, boxes, sizes):
    """See `emst.backend.partition_operations`."""
    size = np.concatenate(sizes)
    bases = np.cumsum([0, *map(len, sizes[:-1])]).astype(np.int32)
    together = OpenEdges(np.concatenate([one.words for one in edges]))
    of_edges = np.repeat(bases, [len(one) for one in edges])
    for end in (together.a, together.b):
        end += of_edges
    box = np.concatenate(boxes)
    box = np.where(box < 0, box, box + np.repeat(bases, list(map(len, boxes))))
    return together, Components(np.arange(len(size), dtype=np.int32), len(size), size, box)
