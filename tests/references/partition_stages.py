"""Partitions of points and their certain edges, by the tasks of `partitioned_tree`, one after the other."""

import numpy as np

from emst.backend.records import EUCLIDEAN
from emst.inputs.scaling import scale_of
from emst.partitions import certain, partition
from emst.partitions.outline import BOXES, joined_outline, on_backend, outline_of
from emst.partitions.partition import Cutting, box_members, sample_codes
from emst.partitions.records import Place, Search


def partitions_of(ops, X, count, k=1, chunks=3):
    """The partitions of some points, and the scale."""
    X = ops.asarray(X)
    statistics = ops.point_statistics(X)
    scale = scale_of(statistics, X.dtype)
    search = Search(k, scale, EUCLIDEAN, 1.0)
    cutting = Cutting(statistics.box, len(X), count, scale)
    firsts = np.linspace(0, len(X), chunks + 1).astype(int)
    parts = [X[a:b] for a, b in zip(firsts, firsts[1:])]
    while cutting.open:
        paths, boxes = [one.path for one in cutting.open], [one.cell.box for one in cutting.open]
        cutting.cut([sample_codes(ops, part, scale, paths, boxes) for part in parts])
        if cutting.crowded:
            cutting.box([box_members(ops, part, scale, [one.path for one in cutting.crowded]) for part in parts])
    segments = cutting.segments()
    pieces = [
        partition.split(ops, part, None, int(first), cutting.n, cutting.root, segments, search)
        for part, first in zip(parts, firsts)
    ]
    made = []
    for j in range(segments[-1].partition + 1):
        if sum(len(of_chunk[j].rows) for of_chunk in pieces):
            inside = [segment.cell for segment in segments if segment.partition == j]
            made.append(partition.assemble(ops, pieces, j, inside, search, True))
    return made, scale


def local_trees(ops, made, k=1, core_factor=1.0):
    """The partitions with their certain edges."""
    outline = on_backend(ops, joined_outline(ops, [outline_of(ops, part, BOXES) for part in made]))
    borders = [certain.border_of(ops, part, outline, j) for j, part in enumerate(made)]
    search = Search(k, 1.0, EUCLIDEAN, core_factor)
    amount = search.amount(max(k - 1, 1))
    answers = [certain.distances_for(ops, part, j, amount, borders) for j, part in enumerate(made)]
    starts = np.cumsum([0, *(part.size for part in made)]).tolist()
    bounded = [certain.with_answers(ops, part, borders[j], j, search, answers) for j, part in enumerate(made)]
    return [certain.local_tree(ops, Place(j, starts[j]), one, search) for j, one in enumerate(bounded)]
