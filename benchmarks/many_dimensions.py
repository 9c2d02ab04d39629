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
from typing import Any

from sklearn.metrics import adjusted_rand_score

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from contestants import MIN_CLUSTER_SIZE, ours
from memory import peak_of
from race import invited, open_set, parser, race
from report import MANY_DIMENSIONS, head, median_of, row, write
from stages import time_labels

OURS = "HDBSCANGPU"
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


def measure(title: str, points: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time every contestant on one set; our record comes first."""
    field = {OURS: ours(options.device)[OURS].under(options.metric)} | invited(title, len(points), K, PEERS, options)
    runs = {name: options.runs if name == OURS else options.peer_runs or options.runs for name in field}
    records = race(title, points, K, field, runs, options)
    mine = records[0]
    mine["peak_bytes"] = None if options.no_memory else peak_of(OURS, points, K, options)
    if options.stages:
        mine["stages"] = time_labels(points, K, MIN_CLUSTER_SIZE, options.device, options.metric)
    labels = [record.pop("labels") for record in records]
    for record, theirs in zip(records[1:], labels[1:]):
        record["ratio"] = median_of(record) / median_of(mine)
        record["rand"] = float(adjusted_rand_score(labels[0], theirs))
    return records


def main() -> None:
    options = arguments()
    records = []
    print(head(MANY_DIMENSIONS), flush=True)
    for case in options.sets or CASES[options.device]:
        name, _, n = case.partition(":")
        measured = measure(*open_set(name, int(n) if n else None, options), options)
        records += measured
        print(*(row(MANY_DIMENSIONS, record) for record in measured), sep="\n", flush=True)
    write(records, MANY_DIMENSIONS, options)


if __name__ == "__main__":
    main()
