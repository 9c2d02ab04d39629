"""`emst cluster`: HDBSCAN* of the points in a file."""

from __future__ import annotations

import argparse
import contextlib
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emst.cli.known import HELP as KNOWN_HELP
from emst.cli.known import constraints_in_words, known_in
from emst.cli.layers import HELP as LAYERS_HELP
from emst.cli.layers import MOST, check_layers, layer_columns, layer_names, layers_in_words, size_of
from emst.cli.pages import add_page, check_page, hover_of
from emst.cli.shared import (
    Commands,
    add_command,
    add_input_options,
    add_metric,
    check_files,
    dialect_in,
    metric_options,
    note,
    points_in,
    save_picture,
    sentence,
    shape_of,
    warnings_in_a_line,
    written,
)
from emst.cli.streams import STREAM, reading, suffix_of, summary_file, writing
from emst.cli.weights import add_weights, weights_in

if TYPE_CHECKING:
    import numpy as np

    from emst.hdbscan import HDBSCANGPU
    from emst.io.points import PointTable
    from emst.progress import Seconds

DESCRIPTION = """\
Read points, cluster them with HDBSCAN*, and print a summary. -o writes one label for each point. Clusters are numbered
from 0; -1 is noise, -2 a row with an infinite value, -3 a row with a NaN (or an empty field of a .csv) or with
infinities of both signs. An .npy holds the labels only; the other formats hold `label` and `probability`.
"""

EXAMPLES = """\
examples:
  emst cluster points.csv --min-cluster-size 50 --plot clusters.png
  emst cluster points.npy --min-cluster-size 50 -o labels.npy
  emst cluster points.npy --min-cluster-size 50 -o labels.npy --plot clusters.png --tree condensed.png
  emst cluster points.npy --min-cluster-size 50 -o labels.npy --html clusters.html
  emst cluster places.csv --columns lat,lon --metric haversine --degrees --min-cluster-size 20 -o labels.csv
  emst cluster towns.csv --metric haversine --degrees -o labels.csv --html towns.html --hover name,country
  emst cluster stones.csv --columns x,y --append -o clustered.csv
  emst cluster stones.csv --columns x,y --known kind --append -o clustered.csv
  emst cluster towns.csv --columns x,y --weights population --min-cluster-size 50000 --min-samples 1000 -o labels.csv
  emst cluster points.npy --min-cluster-size auto --layers -o layers.csv
  emst cluster - --sep ';' --decimal , -o - < points.txt | head
  emst cluster scan.laz --min-cluster-size 200 --min-samples 10 --append -o labelled.laz
"""

SIZE_HELP = "smallest size of a cluster (default 5); auto takes the size of the most persistent leaves, see --layers"
MIN_SAMPLES_HELP = """\
the core distance of a point is the distance to its K-th nearest point, counting the point itself (default: N of
--min-cluster-size; 5 for auto). hdbscan and cuML do not count it: K here is theirs plus one"""


APPEND_HELP = """\
write the columns of POINTS, too, and the labels and probabilities beside them: .csv or .tsv; of other files than texts
also .parquet; of a .las or .laz also .las or .laz, with the labels as ClusterID"""
FEW = 5  # if min_cluster_size sets min_samples to more than this, a note says so
MIN_SAMPLES_NOTE = (
    "min_samples is {0:,} because --min-cluster-size is; a lower one, such as --min-samples 5, takes less time and "
    "leaves fewer points as noise"
)
EPSILON_HELP = "merge clusters that separate at a smaller distance than this (with --degrees: kilometres)"
PERSISTENCE_HELP = "drop sides of a split that have less persistence than this; keep splits of two or more sides"


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = add_command(
        commands, "cluster", help="clusters of the points in a file", description=DESCRIPTION, epilog=EXAMPLES
    )
    add = command.add_argument
    add(
        "-o",
        "--output",
        type=Path,
        metavar="LABELS",
        help=".npy, .npz, .csv, .tsv or .parquet to write; - for standard output, as .csv",
    )
    add("--append", action="store_true", help=APPEND_HELP)
    add("--layers", action="store_true", help=LAYERS_HELP)
    add("--plot", type=Path, metavar="PICTURE", help="also draw the clusters: .png, .pdf, .svg, ...")
    add("--tree", type=Path, metavar="PICTURE", help="also draw the condensed tree")
    add_page(command)
    add("--min-cluster-size", type=size_of, default=5, metavar="N", help=SIZE_HELP)
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
    add("--known", metavar="COLUMN", help=KNOWN_HELP)
    add_weights(command)
    add_metric(command, "euclidean (default), manhattan, cosine, haversine, ...")
    add_input_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Points in a file -> summary, labels in a file, and pictures of clusters and tree."""
    from emst.io.column_files import write_columns
    from emst.io.labels import check_appended, check_labels, result_names, write_appended

    suffix, dialect = "", dialect_in(arguments)
    if arguments.output is not None:
        suffix = suffix_of(arguments.output, ".csv")
        check_labels(arguments.output, suffix, arguments.append)
    elif arguments.append:
        raise ValueError("--append needs -o FILE, where the columns of the points and the labels are written")
    check_layers(arguments, suffix)
    check_files(arguments.points, arguments.output, "the labels", arguments.plot, arguments.tree)
    check_page(arguments)
    options = metric_options(arguments)
    if arguments.plot is not None and arguments.metric == "precomputed":
        raise ValueError("--plot draws points, and --metric precomputed has only distances")
    if arguments.known and arguments.weights:
        raise ValueError("--known takes no --weights: leave one of the two out")
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(writing(arguments.output))
        plot, tree, page = (stack.enter_context(writing(at)) for at in (arguments.plot, arguments.tree, arguments.html))
        start = time.perf_counter()
        source = stack.enter_context(reading(arguments.points))
        table = points_in(source, arguments, gaps=True)
        if arguments.append:
            names = [*result_names(suffix), *layer_names(arguments)]
            check_appended(source, suffix, table.whole or table, dialect, names)
        weights = weights_in(source, arguments, dialect)
        hover = hover_of(arguments, source, len(table.array))
        known = known_in(arguments, source, table)
        read = time.perf_counter() - start
        model, seconds = _fit(table.array, known, weights, source, arguments, options)
        labels = model.labels_
        results = dict(zip(result_names(suffix), (labels, model.probabilities_)))
        layers = model.layers(MOST) if arguments.layers else None
        if layers is not None:
            results |= layer_columns(layers)
        if output and arguments.append:
            write_appended(output, suffix, source, table.whole or table, dialect, results)
        elif output:
            write_columns(output, suffix, results, exact=False)
        if plot:
            d = table.array.shape[1]
            save_picture(plot, arguments.plot, lambda axis: _draw_clusters(axis, table, model), dimensions=d)
        if tree:
            save_picture(tree, arguments.tree, lambda axis: _draw_tree(axis, table.array, model), size=(10, 6.5))
        if page:
            title = "points" if arguments.points == STREAM else source.name
            model.save_html(page, names=table.names, title=title, hover=hover)
    sizes = f"min_cluster_size {model.min_cluster_size_}, min_samples {model.min_samples}"
    show = partial(print, file=summary_file(arguments.output))
    show(f"{shape_of(table)}, {sizes}")
    show(_counts(labels))
    constraints = constraints_in_words(model)
    if constraints is not None:
        show(constraints)
    if layers is not None:
        show(layers_in_words(layers))
    show(f"read in {read:.2f} s, {seconds.of('clustered')} on {model.device_}")
    show(written(arguments.output, arguments.plot, arguments.tree, arguments.html))


def _fit(
    points: np.ndarray,
    known: np.ndarray | None,
    weights: np.ndarray | None,
    source: Path,
    arguments: argparse.Namespace,
    metric: dict[str, Any],
) -> tuple[HDBSCANGPU, Seconds]:
    """The model, and the seconds that its fit took."""
    from emst.hdbscan import HDBSCANGPU
    from emst.hdbscan.parameters import samples_of
    from emst.progress import Seconds

    k = samples_of(arguments)
    if arguments.min_samples is None and k > FEW:
        note(MIN_SAMPLES_NOTE.format(k))
    model = HDBSCANGPU(
        min_cluster_size=arguments.min_cluster_size,
        min_samples=k,
        cluster_selection_epsilon=arguments.epsilon,
        max_cluster_size=arguments.max_cluster_size,
        **metric,
        cluster_selection_method=arguments.method,
        cluster_selection_persistence=arguments.persistence,
        allow_single_cluster=arguments.allow_single_cluster,
        semi_supervised=known is not None,
        device=arguments.device,
        device_ids=arguments.gpus,
        dtype=arguments.dtype,
        verbose="bar",
    )
    try:
        with warnings_in_a_line(), Seconds() as seconds:
            model.fit(points, known, sample_weight=weights)
    except ValueError as error:
        raise ValueError(f"{source}: {sentence(error)}") from error
    return model, seconds


def _counts(labels: np.ndarray) -> str:
    """Number of clusters, and of points in none of them."""
    clusters, noise, missing = int(labels.max(initial=-1)) + 1, int((labels == -1).sum()), int((labels < -1).sum())
    counts = f"{clusters:,} cluster{'s' * (clusters != 1)}, {noise:,} points of noise ({noise / len(labels):.1%})"
    return counts + (f", {missing:,} with NaN or infinity" if missing else "")


def _draw_clusters(axis: Any, points: PointTable, model: HDBSCANGPU) -> None:
    from emst.plots import plot_clusters

    unit = model._model.metric.geographic
    plot_clusters(points.array, model.labels_, model.probabilities_, axis, names=points.names, geographic=unit)


def _draw_tree(axis: Any, points: np.ndarray, model: HDBSCANGPU) -> None:
    """The condensed tree; clusters have the colours of --plot."""
    from emst.plots import cluster_colours

    metric = model._model.metric
    places = None if metric.name == "precomputed" else points
    palette = cluster_colours(model.labels_, places, geographic=metric.geographic)
    model.condensed_tree_.plot(
        select_clusters=True, label_clusters=True, selection_palette=palette, log_size=True, ax=axis
    )
