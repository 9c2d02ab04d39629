"""`emst cluster`: HDBSCAN* of the points in a file."""

from __future__ import annotations

import argparse
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emst.cli.pages import add_page, check_page
from emst.cli.places import columns_of
from emst.cli.shared import (
    Commands,
    add_command,
    add_input_options,
    add_metric,
    check_files,
    metric_options,
    save_picture,
    sentence,
    warnings_in_a_line,
    written,
)

if TYPE_CHECKING:
    import numpy as np

    from emst.hdbscan import HDBSCANGPU

DESCRIPTION = """\
Read points, cluster them with HDBSCAN* and write one label for each point. Clusters are numbered from 0; -1 is noise,
-2 a row with an infinite value, -3 a row with a NaN (or an empty field of a .csv) or with infinities of both signs. An
.npy holds the labels only; .npz, .csv and .parquet hold `label` and `probability`.
"""

EXAMPLES = """\
examples:
  emst cluster points.npy --min-cluster-size 50 -o labels.npy
  emst cluster points.npy --min-cluster-size 50 -o labels.npy --plot clusters.png --tree condensed.png
  emst cluster points.npy --min-cluster-size 50 -o labels.npy --html clusters.html
  emst cluster places.csv --columns lat,lon --metric haversine --degrees --min-cluster-size 20 -o labels.csv
"""

MIN_SAMPLES_HELP = """\
the core distance of a point is the distance to its K-th nearest point, counting the point itself (default: N of
--min-cluster-size). hdbscan and cuML do not count it: K here is theirs plus one"""


EPSILON_HELP = "merge clusters that separate at a smaller distance than this (with --degrees: kilometres)"
PERSISTENCE_HELP = "merge back splits whose smaller side has less persistence than this"


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = add_command(
        commands, "cluster", help="clusters of the points in a file", description=DESCRIPTION, epilog=EXAMPLES
    )
    add = command.add_argument
    add("-o", "--output", type=Path, metavar="LABELS", required=True, help=".npy, .npz, .csv or .parquet to write")
    add("--plot", type=Path, metavar="PICTURE", help="also draw the clusters: .png, .pdf, .svg, ...")
    add("--tree", type=Path, metavar="PICTURE", help="also draw the condensed tree")
    add_page(command)
    add("--min-cluster-size", type=int, default=5, metavar="N", help="smallest size of a cluster (default 5)")
    add("--min-samples", type=int, metavar="K", help=MIN_SAMPLES_HELP)
    add(
        "--method",
        choices=("eom", "leaf"),
        default="eom",
        help="select by excess of mass (default), or select the leaves",
    )
    add(
        "--epsilon",
        type=float,
        default=0.0,
        metavar="DISTANCE",
        help=EPSILON_HELP,
    )
    add(
        "--persistence",
        type=float,
        default=0.0,
        metavar="LAMBDA",
        help=PERSISTENCE_HELP,
    )
    add("--max-cluster-size", type=int, metavar="N", help="largest size of a cluster that excess of mass may select")
    add("--allow-single-cluster", action="store_true", help="allow the root to be selected as the only cluster")
    add_metric(command, "euclidean (default), manhattan, cosine, haversine, ...")
    add_input_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Points in a file -> labels in a file, and pictures of clusters and tree."""
    from emst.io.atomic import replacing
    from emst.io.labels import check_labels, write_labels
    from emst.io.points import read_points

    check_labels(arguments.output)
    check_files(arguments.points, arguments.output, "the labels", arguments.plot, arguments.tree)
    check_page(arguments)
    options = metric_options(arguments)
    if arguments.plot is not None and arguments.metric == "precomputed":
        raise ValueError("--plot draws points, and --metric precomputed has only distances")
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(replacing(arguments.output))
        plot = stack.enter_context(replacing(arguments.plot)) if arguments.plot else None
        tree = stack.enter_context(replacing(arguments.tree)) if arguments.tree else None
        page = stack.enter_context(replacing(arguments.html)) if arguments.html else None
        start = time.perf_counter()
        points = read_points(arguments.points, columns_of(arguments), arguments.array, gaps=True)
        read = time.perf_counter() - start
        model = _fit(points, arguments, options)
        fitted = time.perf_counter() - start - read
        labels, probabilities = model.labels_, model.probabilities_
        write_labels(output, arguments.output, {"label": labels, "probability": probabilities})
        if plot:
            d = points.shape[1]
            save_picture(plot, arguments.plot, lambda axis: _draw_clusters(axis, points, model), dimensions=d)
        if tree:
            save_picture(tree, arguments.tree, lambda axis: _draw_tree(axis, points, model), size=(10, 6.5))
        if page:
            model.save_html(page, title=arguments.points.name)
    sizes = f"min_cluster_size {model.min_cluster_size}, min_samples {model.min_samples or model.min_cluster_size}"
    print(f"{len(points):,} points in {points.shape[1]} dimensions, {sizes}")
    print(_counts(labels))
    print(f"read in {read:.2f} s, clustered in {fitted:.2f} s on {model.device_}")
    print(written(arguments.output, arguments.plot, arguments.tree, arguments.html))


def _fit(points: np.ndarray, arguments: argparse.Namespace, metric: dict[str, Any]) -> HDBSCANGPU:
    from emst.hdbscan import HDBSCANGPU
    from emst.progress import progress_bar

    model = HDBSCANGPU(
        min_cluster_size=arguments.min_cluster_size,
        min_samples=arguments.min_samples,
        cluster_selection_epsilon=arguments.epsilon,
        max_cluster_size=arguments.max_cluster_size,
        **metric,
        cluster_selection_method=arguments.method,
        cluster_selection_persistence=arguments.persistence,
        allow_single_cluster=arguments.allow_single_cluster,
        device=arguments.device,
        dtype=arguments.dtype,
    )
    try:
        with warnings_in_a_line(), progress_bar(len(points)) as report:
            model._report = report
            return model.fit(points)
    except ValueError as error:
        raise ValueError(f"{arguments.points}: {sentence(error)}") from error


def _counts(labels: np.ndarray) -> str:
    """Number of clusters, and of points in none of them."""
    clusters, noise, missing = int(labels.max(initial=-1)) + 1, int((labels == -1).sum()), int((labels < -1).sum())
    counts = f"{clusters:,} cluster{'s' * (clusters != 1)}, {noise:,} points of noise ({noise / len(labels):.1%})"
    return counts + (f", {missing:,} with NaN or infinity" if missing else "")


def _draw_clusters(axis: Any, points: np.ndarray, model: HDBSCANGPU) -> None:
    from emst.plots import plot_clusters

    unit = model._model.metric.geographic
    plot_clusters(points, model.labels_, model.probabilities_, axis, geographic=unit)


def _draw_tree(axis: Any, points: np.ndarray, model: HDBSCANGPU) -> None:
    """The condensed tree; clusters have the colours of --plot."""
    from emst.plots import cluster_colours

    metric = model._model.metric
    places = None if metric.name == "precomputed" else points
    palette = cluster_colours(model.labels_, places, geographic=metric.geographic)
    model.condensed_tree_.plot(
        select_clusters=True, label_clusters=True, selection_palette=palette, log_size=True, ax=axis
    )
