"""The most bytes that every task of a fit over several GPUs has in use, for one set, beside the chunks.

    python benchmarks/gpu_peaks.py uniform 500000000 1 2            # points in all, k, GPUs
    python benchmarks/gpu_peaks.py lattice 125000000 5 2 --labels   # distances tie everywhere

Points are float32 in three dimensions, a chunk on each GPU. A hook of CuPy's pool looks at every allocation.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

import cupy
import numpy as np
from dask_sets import KINDS, make_chunk

import emst
from emst.backend import backend_of
from emst.gpus import engine, memory
from emst.inputs.devices import on_gpu


class HighWater(cupy.cuda.MemoryHook):
    """Looks at how many bytes of a GPU are in use whenever a task allocates memory, and keeps the greatest number."""

    name = "high water"

    def __init__(self, peaks: dict[int, dict[str, int]], task: str) -> None:
        self.peaks, self.task = peaks, task

    def malloc_postprocess(self, device_id: int, **_: Any) -> None:
        used = cupy.get_default_memory_pool().used_bytes()  # of the current GPU, which allocates
        self.peaks[device_id][self.task] = max(self.peaks[device_id][self.task], used)


def lattice(n: int, count: int, chunk: int) -> cupy.ndarray:
    """Every `count`-th point of a cubic lattice of about n points, in random order."""
    side = round(n ** (1 / 3))
    ids = cupy.random.permutation(side**3 // count).astype(np.int64) * count + chunk
    return cupy.stack([ids // side**axis % side for axis in range(3)], axis=1).astype(np.float32)


def main() -> None:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("set", choices=[*KINDS, "lattice"])
    for name in ("points", "k", "gpus"):
        top.add_argument(name, type=int)
    top.add_argument("--labels", action="store_true")
    options = top.parse_args()
    if options.gpus < 2:
        top.error("one GPU alone takes another way: `python benchmarks trees` measures its memory")
    memory.WORTH = 2
    ops, n, gpus, chunks = backend_of("cuda"), options.points, list(range(options.gpus)), []
    before, peaks, pool = {}, {gpu: defaultdict(int) for gpu in gpus}, cupy.get_default_memory_pool()
    for gpu in gpus:
        with on_gpu(gpu):
            make = (lattice, (n, len(gpus), gpu)), (make_chunk, (ops, options.set, n, n // len(gpus), 3, 0, gpu))
            function, given = make[options.set != "lattice"]
            chunks.append(function(*given))
            pool.free_all_blocks()
            before[gpu] = pool.used_bytes()
    run = engine._run

    def watched(gpu: int, function: Any, arguments: Any) -> Any:
        with HighWater(peaks, function.__name__):
            return run(gpu, function, arguments)

    engine._run = watched
    if options.labels:
        emst.HDBSCANGPU(50, options.k, device_ids=gpus).fit(chunks)
    else:
        emst.EMST(min_samples=options.k, device_ids=gpus).fit(chunks)
    for gpu in gpus:
        print(f"GPU {gpu}, bytes for each of its {len(chunks[gpu]):,} points:")
        for task, peak in sorted(peaks[gpu].items(), key=lambda one: -one[1]):
            print(f"  {(peak - before[gpu]) / len(chunks[gpu]):6.1f}  {task}")


if __name__ == "__main__":
    main()
