"""Times of trees and labels on a GPU beside the goals of version 0.4.0, from points on the GPU.

    python benchmarks/goals.py

Trees are for `min_samples=1`, labels for `min_cluster_size=20`. A row has the best of eight runs after the first, and
all kernels, copies and fills of a call in milliseconds, as PyTorch's profiler counts them, if PyTorch is installed.
"""

from __future__ import annotations

import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from small_calls import on_gpu, timed

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import emst
from datasets.synthetic import SETS

GOALS = [  # set, min_samples of labels or None for a tree, milliseconds on an H200
    ("visualvar3", None, 14.0),
    ("visualvar2", None, 10.0),
    ("normal3", None, 12.0),
    ("normal2", None, 2.0),
    ("halo3", None, 50.0),
    ("uniform3", None, 12.0),
    ("uniform2", None, 8.5),
    ("halob3", 5, 22.0),
    ("earthquakes3", 51, 20.0),
    ("tails2", None, 4.0),
]
RUNS = 8


def points_of(name: str) -> np.ndarray:
    return SETS[name]().astype(np.float32)


def main() -> None:
    import cupy

    with ProcessPoolExecutor() as pool:
        sets = list(pool.map(points_of, [name for name, *_ in GOALS]))
    device = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    print(f"| set, {device} | points | k | best ms | on the GPU, ms | launches | goal, H200 |")
    print("|---|---|---|---|---|---|---|")
    for (name, k, goal), points in zip(GOALS, sets):
        on_device: Any = cupy.asarray(points)

        def call(x: Any = on_device, k: int | None = k) -> Any:
            return emst.minimum_spanning_tree(x) if k is None else emst.HDBSCANGPU(20, k).fit(x).labels_

        best, (busy, count) = min(timed(call, RUNS + 1)[1:]), on_gpu(call)
        shape = " x ".join(f"{one:,}" for one in points.shape)
        print(f"| {name} | {shape} | {k or 1} | {best:.2f} | {busy:.2f} | {count} | {goal} |", flush=True)


if __name__ == "__main__":
    main()
