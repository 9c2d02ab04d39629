"""Time minimum spanning trees on either device, beside peers, with a correctness number for each time.

    python benchmarks/emst_bench.py --device cpu --peers --k 1 6 --stages --markdown benchmarks/results/$(hostname).md
    python benchmarks/emst_bench.py --device cuda --stages
    python benchmarks/emst_bench.py --device cuda --uniform 1000000000 --runs 3

README.md in this folder says what is timed and what is not.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from contestants import ours
from memory import peak_of
from race import invited, open_set, parser, race
from report import TREES, table, write
from stages import time_stages

from datasets.synthetic import SETS, uniform_on_device

PEERS = ["quitefastmst", "mlpack"]
CPU_SETS = ["cpu-uniform2", "cpu-uniform3", "cpu-blobs2", "cpu-blobs3"]
CUDA_SETS = ["uniform3", "halo3", "normal3", "visualvar3", "traj3", "uniform2", "visualvar2", "normal2"]


def arguments() -> argparse.Namespace:
    top = parser(__doc__, PEERS)
    top.add_argument("--sets", nargs="+", metavar="SET", help=f"{', '.join(SETS)}, or a .npy file")
    top.add_argument("--uniform", nargs="+", type=int, metavar="N", help="N uniform 3-D points generated on the device")
    top.add_argument("--n", type=int, help="number of points of every set (default: its own)")
    top.add_argument("--k", nargs="+", type=int, default=[1], help="min_samples, counting the point itself")
    options = top.parse_args()
    if options.uniform and options.device == "cpu":
        top.error("--uniform generates its points on the GPU: use --device cuda")
    if options.sets is None:
        options.sets = [] if options.uniform else CPU_SETS if options.device == "cpu" else CUDA_SETS
    return options


def point_sets(options: argparse.Namespace):
    """(title, points on their device), one at a time."""
    for name in options.sets:
        yield open_set(name, options.n, options)
    for n in options.uniform or []:
        yield f"uniform {n}", uniform_on_device(n, 3)


def measure(title: str, points: Any, k: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time every contestant on one set."""
    field = {"emst": ours(options.device)["emst"].under(options.metric)} | invited(
        title, len(points), k, PEERS, options
    )
    records = race(title, points, k, field, dict.fromkeys(field, options.runs), options)
    for record in records:
        name = record["contestant"]
        record["peak_bytes"] = None if options.no_memory else peak_of(name, points, k, options)
        if options.stages and name == "emst":
            record["stages"] = time_stages(points, k, options.device, options.metric)
    return records


def races(options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    for title, points in point_sets(options):
        for k in options.k:
            yield measure(title, points, k, options)
        del points


def main() -> None:
    options = arguments()
    write(table(TREES, races(options)), TREES, options)


if __name__ == "__main__":
    main()
