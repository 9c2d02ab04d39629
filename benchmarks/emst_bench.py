"""Time minimum spanning trees: one driver for both devices, the peers beside us, a correctness number beside each time.

    python benchmarks/emst_bench.py --device cpu --peers --k 1 6 --stages --markdown benchmarks/results/$(hostname).md
    python benchmarks/emst_bench.py --device cuda --stages
    python benchmarks/emst_bench.py --device cuda --uniform 1000000000 --runs 3

What is timed, and what is not, stands in README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
import time
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from contestants import Contestant, ours_on, peers
from memory import peak_of
from report import HEAD, machine, markdown, row, stage_table
from stages import synchronize, time_stages

from datasets.synthetic import SETS, uniform_on_device

CPU_SETS = ["cpu-uniform2", "cpu-uniform3", "cpu-blobs2", "cpu-blobs3"]
CUDA_SETS = ["uniform3", "halo3", "normal3", "visualvar3", "traj3", "uniform2", "visualvar2", "normal2"]
CHUNK = 1 << 26


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--sets", nargs="+", metavar="SET", help=f"{', '.join(SETS)}, or a .npy file")
    parser.add_argument("--uniform", nargs="+", type=int, metavar="N", help="N uniform 3-D points made on the device")
    parser.add_argument("--n", type=int, help="make the sets this large instead")
    parser.add_argument("--dtype", choices=["float32", "float64"], help="convert the sets")
    parser.add_argument("--k", nargs="+", type=int, default=[1], help="min_samples, counting the point itself")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the order of the runs")
    parser.add_argument("--peers", action="store_true", help="quitefastmst and mlpack in the same run (cpu)")
    parser.add_argument("--stages", action="store_true", help="one more run with a stopwatch on every operation")
    parser.add_argument("--no-memory", action="store_true", help="leave the peak out")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if options.uniform and options.device == "cpu":
        parser.error("--uniform makes its points on the device: use --device cuda")
    if options.sets is None:
        options.sets = [] if options.uniform else CPU_SETS if options.device == "cpu" else CUDA_SETS
    return options


def point_sets(options: argparse.Namespace):
    """(name, points where they will be used), one at a time."""
    for name in options.sets:
        x = np.load(name)[: options.n] if name.endswith(".npy") else SETS[name](options.n)
        x = np.ascontiguousarray(x, options.dtype or x.dtype)
        yield name if options.n is None else f"{name} {options.n}", _on(options.device, x)
    for n in options.uniform or []:
        yield f"uniform {n}", uniform_on_device(n, 3)


def _on(device: str, x: np.ndarray) -> Any:
    if device == "cpu":
        return x
    import cupy

    return cupy.asarray(x)


def checksum(edges: Any) -> str:
    """One number for the set of edges, on whichever device they are: equal between runs, threads and devices."""
    total = 0
    for start in range(0, len(edges), CHUNK):
        part = edges[start : start + CHUNK].astype(np.uint64)
        total += int((part[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ part[:, 1] * np.uint64(0xBF58476D1CE4E5B9)).sum())
    return f"{total % 2**64:016x}"


def measure(name: str, points: Any, k: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every contestant `runs` times on one set, in shuffled order."""
    n, d = points.shape
    field: dict[str, Contestant] = {"emst": ours_on(options.device)}
    if options.peers and options.device == "cpu":
        present, absent = peers(k)
        field |= present
        for sentence in absent:
            print(f"{name}, k = {k}: {sentence}", file=sys.stderr)
    for contestant in field.values():  # compiles, fills pools and caches
        contestant.build(points[: max(2000, k)] if options.device == "cpu" else points, k)
    order = [contestant for contestant in field for _ in range(options.runs)]
    random.Random(f"{options.seed} {name} {k}").shuffle(order)
    seconds: dict[str, list[float]] = {contestant: [] for contestant in field}
    totals: dict[str, float] = {}
    checksums: dict[str, set[str | None]] = {contestant: set() for contestant in field}
    for contestant in order:
        synchronize(options.device)
        start = time.perf_counter()
        answer = field[contestant].build(points, k)
        synchronize(options.device)
        seconds[contestant].append(time.perf_counter() - start)
        edges = field[contestant].edges(answer)
        totals[contestant] = field[contestant].total(answer)
        checksums[contestant].add(None if edges is None else checksum(edges))
        del answer, edges  # a billion edges do not fit twice
    records = []
    for contestant, times in seconds.items():
        if len(checksums[contestant]) > 1:
            raise AssertionError(f"{name}, k = {k}: runs of {contestant} differ: {checksums[contestant]}")
        record = {"set": name, "n": n, "d": d, "dtype": str(points.dtype), "k": k, "contestant": contestant}
        record |= {"seconds": times, "total": totals[contestant], "checksum": checksums[contestant].pop()}
        record["peak_bytes"] = None if options.no_memory else peak_of(contestant, points, k, options.device)
        if options.stages and contestant == "emst":
            record["stages"] = time_stages(points, k, options.device)
        records.append(record)
    return records


def main() -> None:
    options = arguments()
    records = []
    print(HEAD, flush=True)
    for name, points in point_sets(options):
        for k in options.k:
            measured = measure(name, points, k, options)
            records += measured
            print(*map(row, measured), sep="\n", flush=True)
        del points
    where = machine(options.device)
    text = f"# {where}\n\n`{' '.join(['python', *sys.argv])}`\n\n{markdown(records)}"
    print(stage_table(records), f"\n\n{where}")
    if options.markdown:
        options.markdown.write_text(text + "\n")
    if options.json:
        options.json.write_text(json.dumps({"machine": where, "argv": sys.argv, "records": records}, indent=1))


if __name__ == "__main__":
    main()
