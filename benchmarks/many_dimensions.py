"""Time complete HDBSCAN* clusterings in many dimensions, from input to labels: blobs, noise, few intrinsic dimensions.

    python benchmarks/many_dimensions.py --peers --markdown many.md
    python benchmarks/many_dimensions.py --device cuda --markdown many.md
    python benchmarks/many_dimensions.py --sets embeddings768:5000 noise384 --peers hdbscan

A set is a name, or NAME:N for N points of it. `min_cluster_size` is 50, k is 16. "processor ms" is the time of all
threads together: it does not depend on what else runs on the machine. With NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1 all contestants have one thread. README.md says what is timed and what is not.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from hdbscan_bench import races, sized
from race import parser
from report import MANY_DIMENSIONS, table, write

PEERS = ["scikit-learn brute", "hdbscan"]
K = 16  # min_samples, counting the point itself
CASES = {
    "cuda": [
        "blobs50", "blobs384", "blobs1536", "intrinsic384", "intrinsic1536", "noise384", "noise1536", "embeddings768",
    ],
    "cpu": [
        f"{name}:{n}"
        for name in ("blobs50", "blobs384", "intrinsic384", "intrinsic1536", "noise1536", "embeddings768")
        for n in (2_000, 5_000, 20_000)
    ],
}  # fmt: skip


def arguments() -> argparse.Namespace:
    top = parser(__doc__, PEERS)
    top.add_argument("--sets", nargs="+", metavar="SET[:N]", help="of datasets/synthetic.py, or .npy files")
    top.add_argument("--peer-runs", type=int, help="runs of each peer")
    return top.parse_args()


def main() -> None:
    options = arguments()
    cases = [(*sized(case), [K]) for case in options.sets or CASES[options.device]]
    write(table(MANY_DIMENSIONS, races(cases, PEERS, options)), MANY_DIMENSIONS, options)


if __name__ == "__main__":
    main()
