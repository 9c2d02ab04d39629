"""Clusterings of points in partitions on GPUs, for `soak.py`: those of one device. The partitions take the GPUs that
there are in turn."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
from soak_points import Labels

from emst import HDBSCANGPU
from emst.distances.metrics import zero_rows


class OverGPUs(Labels):
    """`HDBSCANGPU` with `device_ids`, and with all its attributes."""

    staged = False

    def __init__(self, g: np.random.Generator) -> None:
        while True:
            self.fault = None
            super().__init__(g, most=1000)
            if self._takes_several():
                break
        self.partitions, self.there = int(g.integers(2, 7)), g.random() < 0.3
        self.what += f", {self.partitions} partitions" + ", on the last GPU" * self.there

    def _takes_several(self) -> bool:
        """Whether there are enough points for several partitions, and no rows of zeros under "cosine": one device takes
        the matrix of all distances for these."""
        several = len(self.kept) >= 2 * max(64, 4 * self.points.k)
        return several and not (self.keywords["metric"] == "cosine" and zero_rows(self.kept).any())

    def fit(self, device: str) -> HDBSCANGPU:
        if device != "cuda":
            return super().fit(device)
        x = on_last_gpu(self.points.x) if self.there else self.points.x
        with mock.patch("emst.gpus.inputs.checked_gpus", in_turn), mock.patch("emst.gpus.memory.WORTH", 2):
            return HDBSCANGPU(device_ids=list(range(self.partitions)), **self.keywords).fit(x)


def on_last_gpu(x: np.ndarray) -> Any:
    import cupy

    with cupy.cuda.Device(cupy.cuda.runtime.getDeviceCount() - 1):
        return cupy.asarray(x)


def in_turn(device_ids: list[int], device: str) -> list[int]:
    """For each partition the number of a GPU that there is."""
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    return [number % count for number in device_ids]
