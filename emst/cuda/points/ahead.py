"""Which kernels a tree and a clustering of points will launch. They are compiled, or loaded, side by side while the fit
begins, not one after the other when each is first launched.

A kernel that is missing here is compiled at its first launch, and one that is not launched is compiled in vain: both
cost time, and change no result. A test on a GPU compares these lists with what fits launch.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from emst.backend.records import MOST_CURVE_AXES, Norm
from emst.cuda.distances.metric import number_of
from emst.cuda.points.ahead_lists import KERNELS
from emst.cuda.points.bvh import are_few
from emst.cuda.points.engine import LOOK_FROM, Engine, engine_before_looking
from emst.cuda.points.knn import LONGEST_LIST
from emst.cuda.points.order import WARP
from emst.cuda.points.rounds import at_once
from emst.cuda.points.weighted import SHORT_LIST
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import LISTED_UP_TO, PRODUCT_CHUNK
from emst.cuda.runtime.launch import Kernel, current_gpu, load_side_by_side
from emst.cuda.runtime.sort import few as few_keys
from emst.cuda.runtime.sort import takes_many_blocks
from emst.cuda.runtime.tensor_cores import stages

WIDE_KEYS_FROM = (1 << 26) + 1  # points: then the keys of the dendrogram's edges take 64 bits


def load_ahead(
    n: int,
    d: int,
    dtype: Any,
    norm: Norm,
    k: int,
    labels: Any = None,
    weighted: bool = False,
    partitions: bool = False,
    first_round: bool = False,
) -> None:
    """See `emst.backend.operations`."""
    few, rest = (are_few(n, d, norm, k > 1), at_once(n)) if not partitions else (False, False)
    engine, ranked = engine_before_looking(n, d, norm), few_keys(n) and d <= WARP
    of_points = (few, rest, ranked, engine, d, np.dtype(dtype), norm, k)
    kind = (*of_points, labels, weighted, partitions, takes_many_blocks(n), first_round, n >= WIDE_KEYS_FROM)
    _load_ahead(current_gpu(), kind)


@functools.cache
def _load_ahead(gpu: int, kind: tuple[Any, ...]) -> None:
    load_side_by_side(kernels_of(*kind))


def kernels_of(
    few: bool,
    rest: bool,
    ranked: bool,
    engine: Engine,
    d: int,
    dtype: np.dtype,
    norm: Norm,
    k: int,
    labels: np.dtype | None,
    weighted: bool = False,
    partitions: bool = False,
    by_passes: bool = False,
    first_round: bool = False,
    wide_keys: bool = False,
) -> list[Kernel]:
    """What a tree launches, and its clusters, unless `labels`, the dtype of the heights, is None. With weights, these
    are what most weights take. `few` and `rest`: one launch compares all pairs, or takes all rounds. `ranked`: one
    launch puts the points in order. `partitions`: the points are one of several partitions, and keep their
    `first_round`. `by_passes`: some sorts take a launch for each pass. `wide_keys`: the dendrogram has edges whose keys
    take 64 bits."""
    walks, cores, wide = engine is Engine.WALKS, k > 1, dtype.itemsize == 8
    by_rounds = partitions or not (few or (rest and walks and d < LOOK_FROM))
    kept = by_rounds and cores and engine is not Engine.PRODUCTS and not (rest or weighted)
    first_round = kept and (first_round if partitions else labels is not None)
    k = SHORT_LIST if cores and weighted else k
    wanted = {
        "rest": not (few or partitions) and walks,
        "begin": True,
        "many axes": d > WARP,
        "ranked": ranked,
        "hierarchy": walks,
        "lists": walks and 1 < k <= LONGEST_LIST,
        "ranks": walks and k > LONGEST_LIST,
        "hierarchy cores": walks and cores,
        "products": engine is Engine.PRODUCTS,
        "products cores": engine is Engine.PRODUCTS and cores,
        "pairs": not walks,
        "pairs lists": engine is Engine.PAIRS and 1 < k <= LONGEST_LIST,
        "few": few,
        "many": not few,
        "passes at once": not few,
        "passes": by_passes,
        "walks": not few and walks,
        "without lists": not few and (partitions or weighted or not cores or (walks and k > LONGEST_LIST)),
        "look": not few and walks and d >= LOOK_FROM,
        "many cores": not few and cores,
        "rounds": by_rounds,
        "rounds cores": by_rounds and cores,
        "first round": first_round,
        "first round labels": first_round and labels is not None,
        "rounds by walks": by_rounds and walks,
        "rounds by lists": by_rounds and walks and d <= LISTED_UP_TO,
        "cores": cores,
        "far cores": cores and by_passes and not wide,
        "partitions": partitions,
        "partitions of many axes": partitions and d > WARP,
        "partitions by walks": partitions and walks,
        "partitions by pairs": partitions and not walks,
        "partitions without cores": partitions and not cores,
        "partitions with cores": partitions and cores,
        "partitions with a first round": partitions and first_round,
        "partitions with lists": partitions and walks and 1 < k <= LONGEST_LIST,
        "partitions with ranks": partitions and walks and k > LONGEST_LIST,
        "weights": weighted,
        "weights labels": weighted and labels is not None,
        "total": labels is None,
        "labels": labels is not None,
        "labels of wide keys": wide_keys and labels is not None,
        "few labels": few and labels is not None,
        "many labels": not few and labels is not None,
        "uneven": not few,
        "uneven cores": not few and cores,
    }
    names = {
        "T": ctype(dtype),
        "U": "u64" if wide else "u32",
        "WORDS": 5 if wide else 4,
        "WORD": "u64" if labels is not None and labels.itemsize == 8 else "u32",
        "R": "" if labels is None else ctype(labels),
        "S": "i64" if weighted else "int",
        "KEY": "u64" if wide_keys else "u32",
        "D": d,
        "A": min(d, MOST_CURVE_AXES),
        "M": number_of(norm),
        "K": k,
        "OTHERS": min(max(k - 1, 1), LONGEST_LIST),
        "WALKED": d if walks else 0,
        "MRD": "true" if cores else "false",
        "ROOTED": "true" if norm.degree == 2 else "false",
        "SQUARED": "true" if norm.degree == 2 and not partitions else "false",  # they keep powers
        "LISTED": "true" if partitions else "false",
        "STAGES": f"{stages()}, {'true' if d <= PRODUCT_CHUNK else 'false'}" if not walks else "",
    }
    lines = "\n".join(KERNELS[kind] for kind, needed in wanted.items() if needed).format(**names).split("\n")
    return list(dict.fromkeys(_kernel(line.strip()) for line in lines if line.strip()))


def _kernel(line: str) -> Kernel:
    name = line.removesuffix(" resident")
    path, _, kernel = name.partition(" ")
    return Kernel(path, kernel, name != line)
