"""First calls in one process, one after the other, with an empty cache of kernels: seconds of each, without imports.

    CUPY_CACHE_DIR=$(mktemp -d) python benchmarks/first_calls.py
    CUPY_CACHE_DIR=$(mktemp -d) python benchmarks/first_calls.py --gpus 2
    NUMBA_CACHE_DIR=$(mktemp -d) python benchmarks/first_calls.py --device cpu
    NUMBA_CACHE_DIR=$(mktemp -d) python benchmarks/first_calls.py --device cpu --processor "tree blobs 5000 3 float32 1"

A call is WHAT SET N D DTYPE K, such as "labels blobs 300000 3 float32 5"; the sets are those of datasets/synthetic.py.
With `--processor` the seconds are those of the processor, which other users of the machine change less.
`python benchmarks first-call` times whole processes on a CPU, with imports.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import emst
from datasets import synthetic
from emst.backend import backend_of
from emst.gpus import memory

CALLS = (
    "tree uniform 300000 3 float32 1",
    "labels blobs 300000 3 float32 5",
    "tree uniform 300000 3 float64 1",
    "tree uniform 300000 2 float32 1",
    "labels blobs 300000 3 float32 7",
)


def seconds(call: str, options: argparse.Namespace) -> tuple[float, float]:
    """How long a call takes, and a number that shows its result."""
    what, name, n, d, dtype, k = call.split()
    x = backend_of(options.device).asarray(np.asarray(getattr(synthetic, name)(int(n), int(d), 0), dtype))
    gpus = list(range(options.gpus)) or None
    tree, given = what == "tree", {"min_samples": int(k), "device": options.device, "device_ids": gpus}
    model = emst.EMST(**given) if tree else emst.HDBSCANGPU(20, **given)
    clock = time.process_time if options.processor else time.perf_counter
    begin = clock()
    model.fit(x)
    shown = model.total_weight_ if tree else int(model.labels_.max())
    return clock() - begin, shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("calls", nargs="*", default=CALLS, help="by default a tree, labels, and those of other kinds")
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--processor", action="store_true", help="seconds of the processor")
    parser.add_argument("--gpus", type=int, default=0, help="how many work together; 0: one, without device_ids")
    options = parser.parse_args()
    memory.WORTH = 2  # also for few points
    backend_of(options.device).asarray(np.zeros(1))  # the GPU begins to work
    print("| call | seconds | total weight, or greatest label |\n|---|---|---|")
    for call in options.calls:
        took, shown = seconds(call, options)
        print(f"| {call} | {took:.2f} | {shown:,.10g} |")


if __name__ == "__main__":
    main()
