"""Time predictions: labels of new points near the training points, in a clustering that does not change.

    python benchmarks/prediction.py --device cpu --set cpu-tracks3 --n 1000000 --queries 100000 --runs 5
    python benchmarks/prediction.py --device cuda --set blobs3 --queries 1000000

Queries are training rows, each coordinate moved by normal noise of a thousandth of its column's interquartile range.
Timed is `approximate_predict` of all of them at once, by a model with `prediction_data`; neither the fit nor the first
call, which compiles. README.md says how the device and the checksum are treated.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from functools import partial
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from contestants import checksum
from race import open_set, shuffled
from report import RACE, median_of, table, write

from datasets.synthetic import SETS
from emst import HDBSCANGPU
from emst.backend import backend_of
from emst.hdbscan.prediction import approximate_predict
from emst.inputs.devices import to_host

MIN_CLUSTER_SIZE, MIN_SAMPLES = 100, 10
NOISE = 1e-3  # of a column's interquartile range
NAME = "approximate_predict"
COLUMNS = [
    *RACE,
    ("queries", lambda record: f"{record['queries']:,}"),
    ("us/query", lambda record: f"{median_of(record) / record['queries'] * 1e6:.4g}"),
    ("clusters", lambda record: record["clusters"]),
    ("noise", lambda record: record["noise"]),
    ("labels", lambda record: record["checksum"]),
]


def arguments() -> argparse.Namespace:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    top.add_argument("--set", default="cpu-tracks3", help=f"{', '.join(SETS)}, or a .npy file")
    top.add_argument("--n", type=int, help="points of the set; all by default")
    top.add_argument("--queries", type=int, default=100_000)
    top.add_argument("--runs", type=int, default=5)
    top.add_argument("--seed", type=int, default=0, help="seed of the queries")
    top.add_argument("--dtype", choices=["float32", "float64"], help="convert the points to this type")
    top.add_argument("--metric", default="euclidean")
    top.add_argument("--json", type=pathlib.Path, metavar="FILE")
    top.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    return top.parse_args()


def near(points: np.ndarray, m: int, seed: int) -> np.ndarray:
    """New points near training points."""
    g = np.random.default_rng(seed)
    low, high = np.quantile(points, [0.25, 0.75], axis=0)
    noise = NOISE * (high - low) * g.standard_normal((m, points.shape[1]))
    return (points[g.integers(0, len(points), m)] + noise).astype(points.dtype)


def figures(result: tuple[Any, Any]) -> dict[str, Any]:
    labels, _ = result
    rows = np.arange(len(labels), like=labels)
    return {"noise": int((labels == -1).sum()), "checksum": checksum(rows, labels)}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    title, points = open_set(options.set, options.n, options)
    parameters = {"min_cluster_size": MIN_CLUSTER_SIZE, "min_samples": MIN_SAMPLES, "metric": options.metric}
    model = HDBSCANGPU(**parameters, device=options.device, prediction_data=True).fit(points)
    queries = backend_of(options.device).asarray(near(to_host(points), options.queries, options.seed))
    call = partial(approximate_predict, model, queries)
    call()  # compiles, fills pools and caches
    n, d = points.shape
    record = {"set": title, "n": n, "d": d, "dtype": str(points.dtype), "k": MIN_SAMPLES, "contestant": NAME}
    record |= {"queries": options.queries, "clusters": int(model.labels_.max()) + 1}
    return record | shuffled(title, {NAME: (call, figures)}, {NAME: options.runs}, options)[NAME]


def main() -> None:
    options = arguments()
    write(table(COLUMNS, [[measure(options)]]), COLUMNS, options)


if __name__ == "__main__":
    main()
