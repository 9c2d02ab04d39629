"""What a wheel would carry if kernels were compiled beforehand: bytes and seconds of cubins, by NVRTC. Needs no GPU.

    python benchmarks/cubin_sizes.py --jobs 2

The kernels are those of a tree and of labels of many and of few points, for the fits that most calls make: float32 and
float64, in two and three dimensions, Euclidean, core distances from lists of up to 16 neighbours. Any other number of
dimensions, metric or k would still be compiled when it is first called.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from emst.backend.records import EUCLIDEAN
from emst.cuda.points.ahead import kernels_of
from emst.cuda.points.engine import Engine
from emst.cuda.runtime.compile import OPTIONS, source_of
from emst.cuda.runtime.launch import Kernel

ARCHITECTURES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


def kernels() -> list[Kernel]:
    """All kernels of these fits, each once."""
    found: dict[Kernel, None] = {}
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        for d in (2, 3):
            for few, rest in ((True, False), (False, True), (False, False)):
                found |= dict.fromkeys(kernels_of(few, rest, few, Engine.WALKS, d, dtype, EUCLIDEAN, 1, None))
                for k in range(2, 17):
                    found |= dict.fromkeys(kernels_of(few, rest, few, Engine.WALKS, d, dtype, EUCLIDEAN, k, dtype))
    return list(found)


def cubin_of(one: Kernel, architecture: str) -> tuple[bytes, float]:
    """The machine code of a kernel, and the seconds that it takes."""
    from cupy.cuda import nvrtc

    begin = time.perf_counter()
    program = nvrtc.createProgram(source_of(one.room, one.name), "kernels.cu", [], [])
    try:
        nvrtc.addNameExpression(program, one.name)
        nvrtc.compileProgram(program, (*OPTIONS, f"-arch={architecture}", "-ftz=true"))
        return nvrtc.getCUBIN(program), time.perf_counter() - begin
    finally:
        nvrtc.destroyProgram(program)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--architectures", nargs="+", default=list(ARCHITECTURES))
    options = parser.parse_args()
    wanted = kernels()
    print("| architecture | kernels | MB | MB in a wheel | seconds of one core |\n|---|---|---|---|---|")
    total = np.zeros(3)
    with ThreadPoolExecutor(options.jobs) as pool:
        for architecture in options.architectures:
            found: list[Any] = list(
                pool.map(lambda one, architecture=architecture: cubin_of(one, architecture), wanted)
            )
            packed = sum(len(zlib.compress(cubin, 9)) for cubin, _ in found)
            size, took = sum(len(cubin) for cubin, _ in found), sum(seconds for _, seconds in found)
            figures = np.array([size / 1e6, packed / 1e6, took])
            total += figures
            print(
                f"| {architecture} | {len(wanted)} | {figures[0]:.1f} | {figures[1]:.1f} | {figures[2]:.0f} |",
                flush=True,
            )
    print(f"| all | {len(wanted)} | {total[0]:.1f} | {total[1]:.1f} | {total[2]:.0f} |")


if __name__ == "__main__":
    main()
