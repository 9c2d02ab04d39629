"""Time trees and clusterings over several GPUs of this process (`device_ids`) beside one GPU.

    python benchmarks gpus --sets uniform halos --points 250000000 1000000000 --gpus 2 4
    python benchmarks gpus --labels --sets halos --k 5 --points 160000000 --gpus 2

Points are float32, made on the GPUs: a chunk on each, a random sample of all points (`dask_sets.py`). They are given to
emst as the list of these arrays. "one GPU" is emst without `device_ids` on all points in one array; then all edges,
weights and core distances (or labels and probabilities) are compared with those of several GPUs, element by element.
With `--through`, one GPU is timed on this way, too. Times are the best of `--runs`, after one that compiles.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from dask_sets import KINDS, make_chunk
from race import file_options
from report import Column, Record, table, write

import emst
from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.gpus import memory
from emst.gpus.inputs import given_points
from emst.gpus.tree import tree_over_gpus
from emst.inputs.devices import on_gpu
from emst.partitions.records import Request
from emst.progress import Progress

MIN_CLUSTER_SIZE = 50
COLUMNS: list[Column] = [
    ("set", lambda r: r["set"]),
    ("points", lambda r: f"{r['n']:,}"),
    ("k", lambda r: r["k"]),
    ("GPUs", lambda r: r["gpus"]),
    ("best s", lambda r: f"{min(r['seconds']):.3f}"),
    ("all s", lambda r: " ".join(f"{s:.3f}" for s in r["seconds"])),
    ("one GPU s", lambda r: f"{r['one']:.3f}" if r["one"] else "-"),
    ("times as fast", lambda r: f"{r['one'] / min(r['seconds']):.2f}" if r["one"] else "-"),
    ("GB reserved, a GPU", lambda r: " ".join(f"{size / 1e9:.1f}" for size in r["reserved"])),
    ("the bits of one GPU", lambda r: r["same"]),
]


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    file_options(top)
    top.add_argument("--sets", nargs="+", choices=KINDS, default=KINDS)
    top.add_argument(
        "--k", "--min-samples", nargs="+", type=int, default=[1], help="min_samples, with the point itself"
    )
    top.add_argument("--points", nargs="+", type=int, default=[1_000_000], help="on all GPUs together")
    top.add_argument("--gpus", nargs="+", type=int, default=[2], help="how many")
    top.add_argument("--dimensions", type=int, default=3)
    top.add_argument("--labels", action="store_true", help="clusterings instead of trees")
    top.add_argument("--through", action="store_true", help="also one GPU by the way of several")
    top.add_argument(
        "--no-check", action="store_true", help="do not compare with one GPU: it may have too little memory"
    )
    top.set_defaults(device="cuda")
    top.add_argument("--runs", type=int, default=3)
    top.add_argument("--seed", type=int, default=0)
    return top.parse_args(given)


def run(options: argparse.Namespace) -> None:
    memory.WORTH = 2  # also where one GPU would be chosen
    write(table(COLUMNS, _records(options)), COLUMNS, options)


def _records(options: argparse.Namespace) -> Iterator[list[Record]]:
    for kind in options.sets:
        for n in options.points:
            for k in options.k:
                for count in options.gpus:
                    yield [_record(kind, n, k, count, options)]


def _record(kind: str, n: int, k: int, count: int, options: argparse.Namespace) -> Record:
    ops, gpus = backend_of("cuda"), list(range(count))
    chunks = []
    for gpu in gpus:
        with on_gpu(gpu):
            chunks.append(make_chunk(ops, kind, n, n // count, options.dimensions, options.seed, gpu))
    seconds, found = _timed(lambda: _several(chunks, k, gpus, options), options)
    record = {"set": kind, "n": n // count * count, "k": k, "gpus": count, "seconds": seconds, "one": None, "same": "-"}
    record["reserved"] = [_reserved(ops, gpu) for gpu in gpus]
    if not options.no_check:
        kept = [[_on_host(part) for part in _listed(one)] for one in found]
        del found
        _free(ops, gpus)
        with on_gpu(0):
            points = ops.xp.concatenate([ops.asarray(chunk) for chunk in chunks])
            del chunks
            _free(ops, gpus)
            alone, wanted = _timed(lambda: _one(points, k, options), options)
            if options.through:
                through, _ = _timed(lambda: _through(points, k, options), options)
                print(f"{kind}, {n:,}, k = {k}: one GPU by this way {min(through):.3f} s")
        record["one"] = min(alone)
        record["same"] = all(_equal(one, other) for one, other in zip(kept, wanted, strict=True))
        del points, wanted
    _free(ops, gpus)
    return record


def _timed(call: Callable[[], Any], options: argparse.Namespace) -> tuple[list[float], Any]:
    seconds, result = [], None
    for _ in range(options.runs + 1):
        del result
        gc.collect()
        start = time.perf_counter()
        result = call()
        _wait_for(result)
        seconds.append(time.perf_counter() - start)
    return seconds[1:], result


def _wait_for(result: list[Any]) -> None:
    for array in (part for one in result for part in _listed(one)):
        array.device.synchronize()


def _several(chunks: list[Any], k: int, gpus: list[int], options: argparse.Namespace) -> list[Any]:
    """What emst finds over several GPUs."""
    return _found(chunks, k, options, device_ids=gpus)


def _one(points: Any, k: int, options: argparse.Namespace) -> list[Any]:
    return _found(points, k, options)


def _through(points: Any, k: int, options: argparse.Namespace) -> list[Any]:
    """What one GPU finds by the way of several."""
    given = given_points([points], [0])
    metric = tree_metric_of("euclidean", None)
    found = tree_over_gpus(given, Request(metric, k, 1), Progress())
    assert found is not None
    return [found.tree.edges, found.tree.weights]


def _found(points: Any, k: int, options: argparse.Namespace, **keywords: Any) -> list[Any]:
    if options.labels:
        model = emst.HDBSCANGPU(MIN_CLUSTER_SIZE, k, **keywords).fit(points)
        return [model.labels_, model.probabilities_]
    mst = emst.minimum_spanning_tree(points, min_samples=k, **keywords)
    return [mst.edges, mst.weights] + ([] if mst.core_distances is None else [mst.core_distances])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _on_host(array: Any) -> np.ndarray:
    return array.get()


def _equal(parts: list[np.ndarray], whole: Any) -> bool:
    """Whether the parts, one after the other, are the same as an array on the GPU."""
    start = 0
    for part in parts:
        if not np.array_equal(part, whole[start : start + len(part)].get()):
            return False
        start += len(part)
    return start == len(whole)


def _reserved(ops: Any, gpu: int) -> int:
    """Bytes that CuPy's pool of a GPU has taken: the most that it needed, with what it could not use."""
    with on_gpu(gpu):
        return int(ops.xp.get_default_memory_pool().total_bytes())


def _free(ops: Any, gpus: list[int]) -> None:
    gc.collect()
    for gpu in gpus:
        with on_gpu(gpu):
            ops.xp.get_default_memory_pool().free_all_blocks()
