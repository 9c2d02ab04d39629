"""Time trees and clusterings over several workers (`emst.dask`) beside one device alone.

    python benchmarks workers weak --device cuda --points-per-worker 250000000 --workers 1 2 4 --tasks
    python benchmarks workers strong --device cuda --points 250000000 --workers 1 2 4
    python benchmarks workers labels --device cuda --points-per-worker 250000000 --workers 4 --tasks
    python benchmarks workers cpu --points 20000000 --workers 2 --runs 3

weak: `--points-per-worker` on every worker. strong: `--points` on all workers together. labels: as weak, but HDBSCAN.
In these three, a worker is a thread of this process, for each GPU or core, and "alone" is `emst` without Dask on one
device: on the points of one worker (weak, labels; efficiency = alone / time), or on all points (strong;
efficiency = alone / workers / time). cpu: workers of one thread each in one process, and in processes of their own,
beside one process with as many threads; the runs are shuffled, so that other users of the machine disturb all alike. Of
workers that are processes, the peak of resident memory is measured, minus that before the chunks are made (Linux).

Chunks lie on the workers before the call, each a random sample of all points (`dask_sets.py`). All times are the best
of `--runs`, after a run on few points and (but for cpu) one on all points.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from dask_sets import KINDS, make_chunk
from dask_times import peaks, results_held, task_table, task_times
from distributed import Client
from memory import resident, start_high_water
from race import common_options, measure
from report import Column, Record, table, write
from stages import synchronize

import emst
from emst.backend import backend_of
from emst.dask import local_cluster, minimum_spanning_tree
from emst.dask.engine import DaskEngine
from emst.dask.hdbscan import HDBSCAN
from emst.inputs.devices import to_host

MIN_CLUSTER_SIZE = 50
FEW = 100_000  # points a worker of the first run, at most: it compiles
COLUMNS: list[Column] = [
    ("set", lambda r: r["set"]),
    ("points", lambda r: f"{r['n']:,}"),
    ("k", lambda r: r["k"]),
    ("workers", lambda r: r["workers"]),
    ("best s", lambda r: f"{min(r['seconds']):.4f}"),
    ("all s", lambda r: " ".join(f"{s:.3f}" for s in r["seconds"])),
    ("alone s", lambda r: f"{r['alone']:.4f}"),
    ("efficiency", lambda r: f"{r['efficiency']:.0%}"),
    ("partitions", lambda r: r["partitions"]),
    ("rounds", lambda r: r["rounds"]),
    ("components", lambda r: f"{r['components']:,}"),
    ("asked border", lambda r: _share(r, "asked_border")),
    ("asked rounds", lambda r: _share(r, "asked_rounds")),
    ("MB sent", lambda r: f"{r['bytes_sent'] / 1e6:,.1f}"),
    ("GPU GB in use", lambda r: f"{r['gigabytes']:.1f}" if r["gigabytes"] else "-"),
    ("total weight", lambda r: f"{r['total']:.10g}" if "total" in r else "-"),
    ("one device on all", lambda r: r["whole"]),
]
CONTEST: list[Column] = [
    ("set", lambda r: r["set"]),
    ("points", lambda r: f"{r['n']:,}"),
    ("k", lambda r: r["k"]),
    ("contestant", lambda r: r["contestant"]),
    ("best s", lambda r: f"{min(r['seconds']):.2f}"),
    ("all s", lambda r: " ".join(f"{s:.2f}" for s in r["seconds"])),
    ("times one process", lambda r: f"{r['ratio']:.2f}"),
    ("peak bytes/point of a worker", lambda r: f"{r['bytes']:.0f}" if "bytes" in r else "-"),
    ("total weight", lambda r: f"{r['total']:.10g}"),
]


def _share(record: dict[str, Any], name: str) -> str:
    return f"{record[name]:,} ({record[name] / record['n']:.2%})"


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    top.set_defaults(runs=3)
    top.add_argument("mode", choices=["weak", "strong", "labels", "cpu"])
    top.add_argument("--sets", nargs="+", choices=KINDS, default=KINDS)
    top.add_argument(
        "--k", "--min-samples", nargs="+", type=int, default=[1], help="min_samples, with the point itself"
    )
    top.add_argument("--dimensions", type=int, default=3)
    top.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    top.add_argument("--points-per-worker", type=int, default=1_000_000, help="of weak and labels")
    top.add_argument("--points", type=int, default=1_000_000, help="of strong and cpu")
    top.add_argument("--chunks", type=int, default=1, help="chunks a worker")
    top.add_argument("--partitions", type=int, help="by default what emst chooses")
    top.add_argument("--check", type=int, default=20_000, help="points a worker, or 0: their tree must be one device's")
    top.add_argument(
        "--whole", action="store_true", help="weak: also time one device on all points; compare the totals"
    )
    top.add_argument("--tasks", action="store_true", help="one more run: seconds of every kind of task, memory of GPUs")
    top.add_argument("--operations", action="store_true", help="with --tasks: also time operations, one at a time")
    return top.parse_args(given)


def make_chunks(client: Client, kind: str, n: int, options: argparse.Namespace) -> list[Any]:
    """Futures of chunks with `n` points in all, on the workers."""
    cluster = DaskEngine(client, options.device)
    count = cluster.threads * options.chunks
    sizes = np.diff(np.linspace(0, n, count + 1).astype(np.int64)).tolist()
    chunks = [
        cluster.submit(make_chunk, kind, n, size, options.dimensions, options.seed, i, at=i)
        for i, size in enumerate(sizes)
    ]
    cluster.gather([client.submit(len, chunk) for chunk in chunks])
    return chunks


def settle(client: Client, chunks: list[Any]) -> None:
    """Wait until workers hold nothing but the chunks, and do nothing: a result that nobody wants any more may still be
    on its way to the host."""
    gc.collect()
    for _ in range(500):
        if sum(client.run(results_held).values()) <= len(chunks):
            client.gather([client.submit(int, workers=[one], pure=False) for one in client.nthreads()])
            return
        time.sleep(0.02)
    print("workers still hold results of the last run", file=sys.stderr)


def best_of(
    call: Callable[[], Any], options: argparse.Namespace, after: Callable[[], None] = gc.collect
) -> list[float]:
    """Seconds of the runs, after one that does not count."""
    seconds = []
    for _ in range(options.runs + 1):
        synchronize(options.device)
        start = time.perf_counter()
        result = call()
        synchronize(options.device)
        seconds.append(time.perf_counter() - start)
        del result
        after()
    return seconds[1:]


def one_device(points: Any, k: int, options: argparse.Namespace) -> Any:
    """What one device does alone."""
    if options.mode == "labels":
        model = emst.HDBSCANGPU(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=k, device=options.device)
        return model.fit(points)
    return emst.minimum_spanning_tree(points, min_samples=k, device=options.device)


def alone(kind: str, n: int, k: int, options: argparse.Namespace) -> float:
    """Seconds of one device (one thread of a CPU) on a set of its own."""
    free_pools(options)
    numba.set_num_threads(1)
    ops = backend_of(options.device)
    points = make_chunk(ops, kind, n, n, options.dimensions, options.seed, 0)
    one_device(points[:FEW], k, options)
    seconds = min(best_of(lambda: one_device(points, k, options), options))
    print(f"{kind}, k = {k}: one device alone on {n:,} points: {seconds:.4f} s", flush=True)
    return seconds


def on_workers(client: Client, chunks: list[Any], k: int, options: argparse.Namespace) -> Any:
    """What the workers do together: a tree, or a clustering, with its `report_`."""
    if options.mode == "labels":
        return HDBSCAN(MIN_CLUSTER_SIZE, k, device=options.device, partitions=options.partitions, client=client).fit(
            chunks
        )
    return minimum_spanning_tree(
        chunks, min_samples=k, device=options.device, partitions=options.partitions, client=client
    )


def check(client: Client, kind: str, n: int, k: int, options: argparse.Namespace) -> None:
    """Few points: the same bits as one device. Then a run on few of the `n` points."""
    workers = sum(client.nthreads().values())
    if options.check:
        chunks = make_chunks(client, kind, options.check * workers, options)
        points = np.concatenate([to_host(chunk) for chunk in client.gather(chunks)])
        tree = minimum_spanning_tree(
            chunks, min_samples=k, device=options.device, partitions=options.partitions, client=client
        )
        found, expected = tree.to_local(), emst.minimum_spanning_tree(points, min_samples=k, device=options.device)
        for name in ("edges", "weights", "core_distances"):
            np.testing.assert_array_equal(*(to_host(getattr(one, name)) for one in (found, expected)), err_msg=name)
        print(f"{kind}, k = {k}, {workers} workers: the bits of one device on {len(points):,} points", flush=True)
        del tree, chunks
    on_workers(client, make_chunks(client, kind, min(FEW * workers, n), options), k, options)


def over_client(client: Client, kind: str, n: int, k: int, options: argparse.Namespace) -> Record:
    """A record of one set on the workers of a client."""
    check(client, kind, n, k, options)
    workers = sum(client.nthreads().values())
    chunks = make_chunks(client, kind, n, options)
    reports: list[Any] = []

    def call() -> Any:
        result = on_workers(client, chunks, k, options)
        reports.append(result.report_)
        return result

    seconds = best_of(call, options, lambda: settle(client, chunks))
    costs = reports[1 + int(np.argmin(seconds))]
    record = vars(costs) | {"set": kind, "n": n, "k": k, "workers": workers, "seconds": seconds, "whole": "-"}
    record |= {"stages": _stages(costs, min(seconds)), "gigabytes": gigabytes(workers, options)}
    if options.mode != "labels":
        record["total"] = on_workers(client, chunks, k, options).total_weight
        settle(client, chunks)
    if options.tasks:
        record["tasks"] = tasks_of(call, kind, n, k, workers, options)
        settle(client, chunks)
    if options.whole:
        record["whole"] = whole(client, chunks, record, options)
    return record


def _stages(costs: Any, wall: float) -> dict[str, Any]:
    """Seconds of the stages, and of what comes before and after them: input, and results or labels."""
    return {"seconds": costs.seconds | {"input and result": wall - sum(costs.seconds.values())}}


def tasks_of(call: Callable[[], Any], kind: str, n: int, k: int, workers: int, options: argparse.Namespace) -> str:
    """The table of tasks of one more run."""
    with task_times(options.operations) as spans:
        start = time.perf_counter()
        result = call()
        wall = time.perf_counter() - start
        text = f"\n{kind}, {n:,} points, k = {k}, {workers} workers\n\n{task_table(spans, wall, workers)}"
        if options.device == "cuda":
            used = ", ".join(f"{peak / 1e9:.2f}" for _, peak in sorted(peaks(spans).items()))
            text += f"\n\nmost GB of arrays on each GPU, the chunks included: {used}"
        del result
    print(text, flush=True)
    return text


def gigabytes(workers: int, options: argparse.Namespace) -> float:
    """GB of the fullest GPU that are in use now: pools keep what they once needed."""
    if options.device == "cpu":
        return 0.0
    import cupy

    used = []
    for number in range(min(workers, cupy.cuda.runtime.getDeviceCount())):
        with cupy.cuda.Device(number):
            free, total = cupy.cuda.runtime.memGetInfo()
            used.append((total - free) / 1e9)
    return max(used)


def free_pools(options: argparse.Namespace) -> None:
    """Give back the memory that CuPy's pools of all GPUs keep."""
    gc.collect()
    if options.device == "cpu":
        return
    import cupy

    for number in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(number):
            cupy.get_default_memory_pool().free_all_blocks()


def whole(client: Client, chunks: list[Any], record: dict[str, Any], options: argparse.Namespace) -> str:
    """Seconds of one device on the points of all workers, and whether its total weight is the same."""
    free_pools(options)
    ops = backend_of(options.device)
    points, start = ops.xp.empty((record["n"], options.dimensions), np.float32), 0
    for chunk in chunks:
        part = ops.asarray(chunk.result())
        points[start : start + len(part)] = part
        start += len(part)
    del part
    numba.set_num_threads(1)
    seconds = min(best_of(lambda: one_device(points, record["k"], options), options))
    if options.mode == "labels":
        return f"{seconds:.4f} s"
    total = float(one_device(points, record["k"], options).total_weight)
    same = np.isclose(total, record["total"], rtol=1e-12, atol=0)  # the same weights, added up in another order
    return f"{seconds:.4f} s, {'the same total' if same else f'ANOTHER TOTAL: {total:.17g}'}"


def over_workers(options: argparse.Namespace) -> Iterator[list[Record]]:
    """Weak and strong scaling, and labels."""
    strong = options.mode == "strong"
    per_worker = options.points if strong else options.points_per_worker
    single = {(kind, k): alone(kind, per_worker, k, options) for kind in options.sets for k in options.k}
    for workers in options.workers:
        with local_cluster(workers, options.device) as client:
            for kind, k in single:
                n = options.points if strong else per_worker * workers
                record = over_client(client, kind, n, k, options)
                record["alone"] = single[kind, k]
                record["efficiency"] = single[kind, k] / min(record["seconds"]) / (workers if strong else 1)
                yield [record]
                free_pools(options)


def beside_processes(options: argparse.Namespace) -> Iterator[list[Record]]:
    """Two kinds of clusters beside one process with as many threads."""
    workers = options.workers[-1]
    quiet = {"dashboard_address": "127.0.0.1:0", "set_as_default": False}
    for kind in options.sets:
        for k in options.k:
            with (
                local_cluster(workers, "cpu") as threads,
                Client(n_workers=workers, threads_per_worker=1, memory_limit=0, **quiet) as processes,
            ):
                yield side_by_side(kind, k, {"threads": threads, "processes": processes}, workers, options)


def side_by_side(
    kind: str, k: int, clients: dict[str, Client], workers: int, options: argparse.Namespace
) -> list[Record]:
    """Records of all contestants on one set; one process comes first."""
    for client in clients.values():
        check(client, kind, options.points, k, options)
    before = clients["processes"].run(start_high_water)
    chunks = {name: make_chunks(client, kind, options.points, options) for name, client in clients.items()}
    points = np.concatenate([chunk.result() for chunk in chunks["threads"]])
    numba.set_num_threads(workers)
    builds = {
        f"one process, {workers} threads": lambda: emst.minimum_spanning_tree(points, min_samples=k, device="cpu")
    } | {
        f"{workers} workers, {name}": lambda name=name: on_workers(clients[name], chunks[name], k, options)
        for name in clients
    }
    calls = {
        name: (build, lambda tree: {"total": tree.total_weight, "checksum": None}) for name, build in builds.items()
    }
    facts = {"set": kind, "n": options.points, "k": k}
    records = measure(f"{kind}, k = {k}", facts, calls, dict.fromkeys(calls, options.runs), options)
    for record in records:
        record["ratio"] = min(record["seconds"]) / min(records[0]["seconds"])
    after = clients["processes"].run(resident, "VmHWM")
    records[-1]["bytes"] = max(after[worker] - before[worker] for worker in before) * workers / options.points
    return records


def run(options: argparse.Namespace) -> None:
    processes = options.mode == "cpu"
    columns = CONTEST if processes else COLUMNS
    records = table(columns, beside_processes(options) if processes else over_workers(options))
    write(records, columns, options, "".join(f"\n{record['tasks']}" for record in records if "tasks" in record))
