"""Time predictions: labels of new points near the training points, in a clustering that does not change.

    python benchmarks predictions --device cpu --sets cpu-tracks3 --n 1000000 --queries 100000 --runs 5
    python benchmarks predictions --device cuda --sets blobs3 --queries 1000000

Queries are training rows, each coordinate moved by normal noise of a thousandth of its column's interquartile range.
Timed is `approximate_predict` of all of them at once, by a model with `prediction_data`; neither the fit nor the first
call, which compiles. README.md says how the device and the checksum are treated.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np
from contestants import checksum
from race import common_options, facts_of, measure, open_set, point_options
from report import RACE, Record, median_of, table, write

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


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    point_options(top)
    top.add_argument("--queries", type=int, default=100_000)
    top.set_defaults(sets=["cpu-tracks3"])
    return top.parse_args(given)


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


def contest(case: str, options: argparse.Namespace) -> list[Record]:
    """The record of one set."""
    title, points = open_set(case, options)
    parameters = {"min_cluster_size": MIN_CLUSTER_SIZE, "min_samples": MIN_SAMPLES, "metric": options.metric}
    model = HDBSCANGPU(**parameters, device=options.device, prediction_data=True).fit(points)
    queries = backend_of(options.device).asarray(near(to_host(points), options.queries, options.seed))
    call = partial(approximate_predict, model, queries)
    call()  # compiles, fills pools and caches
    facts = facts_of(title, points, MIN_SAMPLES)
    facts |= {"queries": options.queries, "clusters": int(model.labels_.max()) + 1}
    return measure(title, facts, {NAME: (call, figures)}, {NAME: options.runs}, options)


def run(options: argparse.Namespace) -> None:
    write(table(COLUMNS, (contest(case, options) for case in options.sets)), COLUMNS, options)
