"""Selection of clusters, and the points' labels and probabilities, on the GPU. Kernels: selection.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.records import Condensed, Selection
from emst.cuda.hierarchy.deferred import clusters_for_kernels, for_kernels, uncounted_selection
from emst.cuda.hierarchy.linked import TreeByLinks
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype, number_type
from emst.cuda.runtime.constants import AHEAD, FEW, FEW_THREADS
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import all_ones, empties, scratch

SELECTED_AT_ONCE = 1 << 12  # clusters: of more, the one block of `select_few` takes longer than a launch for each step


def select(
    condensed: Condensed, method: str, epsilon: float, max_cluster_size: int, allow_single_cluster: bool
) -> Selection:
    """See `emst.backend.operations`."""
    root_too = np.bool_(allow_single_cluster)
    if epsilon == 0 and clusters_for_kernels(condensed)[0] <= SELECTED_AT_ONCE:
        return _select_few(condensed, int(max_cluster_size), root_too, np.bool_(method == "leaf"))
    count = condensed.count
    marked = cupy.empty(count, np.bool_)
    if method == "leaf":
        launch("hierarchy/selection", "leaves", count, count, condensed.children, root_too, marked)
    else:
        rules = (condensed.size, condensed.stability, int(max_cluster_size), root_too)
        name = f"excess_of_mass<{number_type(condensed.size.dtype)}>"
        launch("hierarchy/selection", name, count, *climbed(condensed), *rules, marked)
    topmost = topmost_of(condensed, marked)
    if epsilon != 0:
        frontier = _frontier(condensed, epsilon, root_too)
        marked.fill(False)
        args = (topmost, condensed.born_heights(), np.float64(epsilon), frontier, marked)
        launch("hierarchy/selection", "apply_epsilon", count, count, *args)
        topmost = topmost_of(condensed, marked)
    return number_chosen(topmost)


def _select_few(condensed: Condensed, largest: int, root_too: np.bool_, only_leaves: np.bool_) -> Selection:
    """The selection by one launch, where there is no epsilon."""
    count, counted = clusters_for_kernels(condensed)
    ids, pairs = (count, np.int32), ((count, 2), np.int32)
    chosen, label, total, labelled = scratch(ids, ids, (1, np.int32), (1, np.int32))
    words, pointers, spare, far, rank, marked = scratch(
        (2 * count, np.uint64), pairs, pairs, ids, ids, (count, np.bool_)
    )
    parent, children, size, stability = (
        for_kernels(condensed, name) for name in ("parent", "children", "size", "stability")
    )
    rules = (size, stability, largest, root_too, only_leaves)
    climbing = (far, words, marked)
    numbering = (pointers, spare, np.int32(_passes(count)), chosen, rank, total, label, labelled)
    launch(
        "hierarchy/selection",
        f"select_few<{number_type(size.dtype)}>",
        FEW_THREADS,
        *(count, counted, parent, children, *rules, *climbing, *numbering),
        block=FEW_THREADS,
    )
    return uncounted_selection({"chosen": (chosen, total), "label": (label, labelled)})


def number_chosen(topmost: cupy.ndarray) -> Selection:
    """The chosen clusters, numbered in ascending order, from what `topmost_of` returns."""
    count = len(topmost)
    ids = (count, np.int32)
    (chosen, label, total, labelled), (rank,) = scratch(ids, ids, (1, np.int32), (1, np.int32)), scratch(ids)
    Compaction(count).launch("hierarchy/selection", "list_chosen", count, topmost, count, chosen, rank, total)
    launch("hierarchy/selection", "label_clusters", count, count, topmost, rank, label, labelled)
    return uncounted_selection({"chosen": (chosen, total), "label": (label, labelled)})


def climbed(condensed: Condensed) -> tuple[object, ...]:
    """What a kernel that climbs begins its arguments with: the members of `Climbed` (siblings.cuh)."""
    count, parent = condensed.count, condensed.parent
    (far,), (words,) = scratch((count, np.int32)), all_ones((2 * count, np.uint64))
    launch("hierarchy/selection", "far_ancestors", count, count, parent, far)
    return count, parent, far, condensed.children, words


def topmost_of(condensed: Condensed, marked: cupy.ndarray) -> cupy.ndarray:
    """Topmost marked ancestor-or-self of every cluster, -1 if there is none: the second column of int32[K, 2]."""
    start = cupy.empty((condensed.count, 2), np.int32)
    launch("hierarchy/selection", "begin_topmost", condensed.count, condensed.count, condensed.parent, marked, start)
    return lengthened("lengthen_topmost", start)


def _frontier(condensed: Condensed, epsilon: float, root_too: np.bool_) -> cupy.ndarray:
    """The cluster that replaces each one born below epsilon: its first ancestor born above."""
    start = cupy.empty(condensed.count, np.int32)
    args = (condensed.parent, condensed.born_heights(), np.float64(epsilon), root_too, start)
    launch("hierarchy/selection", "begin_frontier", condensed.count, condensed.count, *args)
    return lengthened("lengthen_frontier", start)


def lengthened(name: str, pointers: cupy.ndarray) -> cupy.ndarray:
    """Pointers after so many passes that all have arrived, since each makes them AHEAD times as long. Of few, one block
    does all passes."""
    count, spare, passes = len(pointers), cupy.empty_like(pointers), _passes(len(pointers))
    if count <= FEW:
        args = (count, pointers, spare, np.int32(passes))
        launch("hierarchy/selection", f"few_{name}", FEW_THREADS, *args, block=FEW_THREADS)
        return spare if passes % 2 else pointers
    for _ in range(passes):
        launch("hierarchy/selection", name, count, count, pointers, spare)
        pointers, spare = spare, pointers
    return pointers


def _passes(count: int) -> int:
    """After how many passes pointers within `count` clusters are long enough."""
    passes, reach = 0, 1
    while reach < count:
        passes, reach = passes + 1, reach * AHEAD
    return passes


def label_points(
    condensed: Condensed,
    selection: Selection,
    epsilon: float,
    cluster: cupy.ndarray | None = None,
    height: cupy.ndarray | None = None,
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    tree: TreeByLinks | None = condensed.__dict__.get("by_links")
    leaving = tree.leaving if tree is not None and cluster is None else None
    if leaving is None and (cluster is None or height is None):
        cluster, height = condensed.leaving(take=take)
    of_points: Any = height if leaving is None else leaving
    n = len(of_points)
    labels, probabilities = empties((n, np.int64), (n, np.float64))
    chosen = (for_kernels(selection, "label"), for_kernels(selection, "chosen"))
    args = (cluster, height, leaving, *chosen, for_kernels(condensed, "death"), np.float64(epsilon))
    launch("hierarchy/selection", f"label_points<{ctype(of_points.dtype)}>", n, n, *args, labels, probabilities)
    return labels, probabilities


def outlier_scores(condensed: Condensed, cluster: cupy.ndarray, height: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    count, n = condensed.count, len(cluster)
    greatest, scores = cupy.empty(count, np.float64), cupy.empty(n, np.float64)
    launch("hierarchy/selection", "greatest_below", count, *climbed(condensed), condensed.death, greatest)
    launch("hierarchy/selection", f"outlier_scores<{ctype(height.dtype)}>", n, n, cluster, height, greatest, scores)
    return scores
