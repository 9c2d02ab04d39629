"""One round's question on the GPU: the lightest edge leaving each component. Kernels: search.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.boruvka import Forest
from emst.cuda.brute import nearest_foreign
from emst.cuda.bvh import Bvh, curve_steps
from emst.cuda.launch import Compaction, launch, launch_over_points
from emst.cuda.merge import scratch_of

WARPS_A_BLOCK = 4  # of walk.cuh
BLOCKS_AN_SM = 16
# After the first round searches look this much farther (squared) than the lightest edge their component knows: a point
# that finds nothing, or something farther, then rests for several rounds. Not when components have grown so large that
# they lie apart: a whole city is about as far from the next one as its nearest suburb.
SLACK, SLACK_MRD = 1.5, 1.2
SLACK_UP_TO = 100_000  # points a component, on average


class Answers:
    """What each point knows of its nearest foreign point; see search.cu.

    Attributes
    ----------
    nearest : int32[n]
        The last answer, -1 for none.
    bound : T[n]
        Weight of the answer, or a lower bound of the next one.
    second : T[n] or None
        Distance of the answer, under mutual reachability.
    """

    def __init__(self, bvh: Bvh) -> None:
        n, mrd = bvh.n, bvh.core is not None
        self.rounds = 0
        self.nearest = cupy.empty(n, np.int32)
        self.bound = cupy.empty(n, bvh.dtype)
        self.second = cupy.empty(n, bvh.dtype) if mrd else None
        self.best_distance = cupy.empty(n, bvh.dtype) if mrd else None
        self.worklist = cupy.empty(n, np.int32)
        self.lists: cupy.ndarray | None = None  # neighbours to look at before searching, int32[k, n]
        self.step = curve_steps(bvh)
        self.count = cupy.asarray(np.array([n, 0], np.int32))  # queries in the worklist, packets taken from it
        self.compaction = Compaction(n)
        self.multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]


def first_answers(bvh: Bvh, forest: Forest) -> Answers:
    """See `emst.backend.Backend.first_answers`."""
    answers, lists, n = Answers(bvh), bvh.neighbours, bvh.n
    if lists is None:
        known = (forest.labels, answers.nearest, answers.bound)
        launch("search", f"start_answers<{bvh.T}>", n, bvh.rows, *bvh.shape, bvh.core, n, *known)
        return answers
    answers.lists, bvh.neighbours = lists, None
    _answers_from_lists(bvh, forest, answers)
    if not bvh.brute:
        answers.lists = None  # searching costs less than looking again
    return answers


def _answers_from_lists(bvh: Bvh, forest: Forest, answers: Answers) -> None:
    n, lists, again = bvh.n, answers.lists, np.bool_(answers.rounds > 0)
    if lists is None:
        return
    name = f"list_answers<{bvh.T}, {0 if bvh.brute else bvh.d}>"
    told = (forest.labels, answers.nearest, answers.bound, answers.second, forest.best)
    launch("knn", name, n, again, bvh.rows, n, *bvh.shape, len(lists), lists, *told)


def upper_bounds(bvh: Bvh, forest: Forest, answers: Answers) -> None:
    """See `emst.backend.Backend.upper_bounds`; `merge` and `join_duplicates` leave `best` at infinity."""
    if answers.best_distance is not None:
        answers.best_distance.fill(np.inf)
    known = (forest.labels, bvh.n, answers.nearest, answers.bound, answers.step)
    launch_over_points("search", f"upper_bounds<{bvh.T}>", bvh.n, *known, forest.best)


def nearest_outgoing(bvh: Bvh, forest: Forest, answers: Answers) -> None:
    """See `emst.backend.Backend.nearest_outgoing`."""
    n, T, mrd = bvh.n, bvh.T, answers.second is not None
    known = (forest.labels, n, answers.nearest, answers.bound)
    everybody = answers.rounds == 0 and not mrd and forest.count == n
    worklist = None if everybody else answers.worklist
    if answers.rounds > 0:
        _answers_from_lists(bvh, forest, answers)
    if worklist is not None:
        out = (answers.second, forest.best, bvh.rows, *bvh.shape, worklist, answers.count)
        answers.compaction.launch("search", f"list_searches<{T}>", n, *known, *out)
    search = _search_all if bvh.brute else _search_bvh
    search(bvh, forest, answers, worklist)
    answers.rounds += 1
    best = (answers.second, forest.best, answers.best_distance)
    if mrd:
        launch_over_points("search", f"nearest_of_lightest<{T}>", n, *known, *best)
    launch_over_points("search", f"first_of_lightest<{T}>", n, *known, *best, scratch_of(forest).edge)


def _search_bvh(bvh: Bvh, forest: Forest, answers: Answers, worklist: cupy.ndarray | None) -> None:
    name = f"nearest_outgoing<{bvh.template}, {'true' if answers.second is not None else 'false'}>"
    block = 32 * WARPS_A_BLOCK
    threads = min(bvh.n, answers.multiprocessors * BLOCKS_AN_SM * block)
    crowded = answers.rounds > 0 and bvh.n < SLACK_UP_TO * forest.count
    slack = bvh.dtype.type((SLACK if answers.second is None else SLACK_MRD) if crowded else 1)
    asked = (bvh.rows, forest.labels, bvh.hierarchy, bvh.nodes, worklist, answers.count)
    told = (answers.nearest, answers.bound, answers.second, forest.best)
    launch("search", name, threads, *asked, *told, slack, block=block)


def _search_all(bvh: Bvh, forest: Forest, answers: Answers, worklist: cupy.ndarray | None) -> None:
    told = (answers.nearest, answers.bound, answers.second)
    nearest_foreign(
        bvh.rows, forest.labels, worklist, answers.count, forest.best, told, forest.best, centres=bvh.centres
    )
