"""`emst tree`: the minimum spanning tree of the points in a file."""

from __future__ import annotations

import argparse
import contextlib
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from emst.cli.places import unit_of
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
from emst.cli.streams import reading, suffix_of, summary_file, writing
from emst.cli.weights import add_weights, weights_in

if TYPE_CHECKING:
    import numpy as np

    from emst import MinimumSpanningTree
    from emst.io.points import PointTable
    from emst.progress import Seconds

DESCRIPTION = """\
Read points, build their exact minimum spanning tree, and print a summary.

What -o writes:
  .npz                   `edges` (n - 1 pairs of row numbers of the points, counted from 0), `weights` (ascending)
                         and, with --min-samples above 1, `core_distances`
  .csv, .tsv, .parquet   one row per edge: source, target (row numbers of the points) and weight (ascending)

With --cut it also finds friends of friends: the groups of points that edges of this length or less connect. The .npz
has them as `labels`; a .csv, .tsv, .npy or .parquet gets the labels of the points instead of the edges.
"""

EXAMPLES = """\
examples:
  emst tree points.csv --plot tree.png
  emst tree points.npy -o tree.npz
  emst tree points.csv -o edges.csv --columns x,y
  emst tree points.npy -o tree.npz --metric minkowski --p 1.5
  emst tree scan.laz -o tree.npz --plot tree.png --columns x,y
  emst tree places.csv -o tree.npz --columns lat,lon --metric haversine --degrees
  emst tree scans.npz --array first -o tree.npz --min-samples 5 --device cuda
  emst tree particles.fits --cut 0.2 --period 100 --min-cluster-size 20 -o halos.csv
"""

OUTPUT_HELP = "where to write the tree: .npz, .csv, .tsv or .parquet; with --cut the labels; - for standard output"

MIN_SAMPLES_HELP = """\
above 1: distances are mutual reachability distances; the core distance of a point is the distance to its K-th nearest
point, counting the point itself (default 1: plain distances)"""

CUT_HELP = """\
friends of friends: label the groups of points that edges of this length or less connect, from 0 in the order of their
first points"""

METRIC_HELP = "euclidean (default), sqeuclidean, manhattan, chebyshev, minkowski, cosine or haversine"


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = add_command(
        commands, "tree", help="minimum spanning tree of the points in a file", description=DESCRIPTION, epilog=EXAMPLES
    )
    add = command.add_argument
    add("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    add("--plot", type=Path, metavar="PICTURE", help="also draw the tree (2-D or 3-D points): .png, .pdf, .svg, ...")
    add("--min-samples", type=int, default=1, metavar="K", help=MIN_SAMPLES_HELP)
    add("--cut", type=float, metavar="DISTANCE", help=CUT_HELP)
    add("--min-cluster-size", type=int, metavar="N", help="with --cut: the points of smaller groups get label -1")
    add_weights(command)
    add_metric(command, METRIC_HELP)
    add_input_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Points in a file -> summary, tree or groups in a file, and a picture of it."""
    _check_options(arguments)
    check_files(arguments.points, arguments.output, "the tree", arguments.plot)
    options = metric_options(arguments)
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(writing(arguments.output))
        picture = stack.enter_context(writing(arguments.plot))
        start = time.perf_counter()
        source = stack.enter_context(reading(arguments.points))
        table = points_in(source, arguments)
        weights = weights_in(source, arguments, dialect_in(arguments))
        points, d = table.array, table.array.shape[1]
        if picture is not None and d not in (2, 3):
            raise ValueError(f"--plot draws points of 2 or 3 dimensions; these have {d}: choose some with --columns")
        read = time.perf_counter() - start
        mst, seconds = _build(points, weights, source, arguments, options)
        labels = None if arguments.cut is None else mst.cut(arguments.cut, arguments.min_cluster_size or 1)
        if output is not None:
            _write(output, suffix_of(arguments.output, ".npz"), mst, labels)
        if picture is not None:
            _draw(picture, arguments, table, mst)
    show = partial(print, file=summary_file(arguments.output))
    show(f"{shape_of(table)}, {mst.weights.dtype}, min_samples {arguments.min_samples}")
    show(f"total weight {mst.total_weight:.9g}{unit_of(arguments)}")
    if labels is not None:
        show(f"{_groups(labels)} at {arguments.cut:g}{unit_of(arguments)}")
    show(f"read in {read:.2f} s, {seconds.of('tree')} on {mst.device}")
    show(written(arguments.output, arguments.plot))


def _check_options(arguments: argparse.Namespace) -> None:
    """Raise ValueError for a file that cannot hold the result, and for a --cut that is no length."""
    if arguments.cut is None and arguments.min_cluster_size is not None:
        raise ValueError("--min-cluster-size goes with --cut")
    if arguments.output is not None:
        _check_output(arguments, suffix_of(arguments.output, ".npz"))
    if arguments.cut is not None and not arguments.cut >= 0:
        raise ValueError(f"--cut is a length of at least 0; got {arguments.cut:g}")
    if arguments.min_cluster_size is not None and arguments.min_cluster_size < 1:
        raise ValueError(f"--min-cluster-size is at least 1; got {arguments.min_cluster_size}")


def _check_output(arguments: argparse.Namespace, suffix: str) -> None:
    from emst.io.column_files import TABLES, check_table
    from emst.io.labels import check_labels

    if arguments.cut is not None:
        return check_labels(arguments.output, suffix)
    if suffix not in (".npz", *TABLES):
        kinds = f".npz, {', '.join(TABLES)}"
        raise ValueError(f"{arguments.output}: the tree is written as {kinds}; --cut also writes labels as .npy")
    check_table(arguments.output, suffix)
    if arguments.min_samples > 1 and suffix != ".npz":
        note("a table holds no core distances; an .npz does")


def _groups(labels: np.ndarray) -> str:
    """How many groups there are, the size of the largest, and how many points are in none."""
    import numpy as np

    from emst.inputs.summary import counted

    sizes, left = np.bincount(labels[labels >= 0]), int((labels < 0).sum())
    largest = f", the largest of {counted(int(sizes.max()), 'point')}" if len(sizes) else ""
    return f"{counted(len(sizes), 'group')}{largest}" + (f", {counted(left, 'point')} in smaller ones" if left else "")


def _build(
    points: np.ndarray,
    weights: np.ndarray | None,
    source: Path,
    arguments: argparse.Namespace,
    metric: dict[str, Any],
) -> tuple[MinimumSpanningTree, Seconds]:
    """The tree, and the seconds that it took."""
    from emst import minimum_spanning_tree
    from emst.progress import Seconds

    try:
        with warnings_in_a_line(), Seconds() as seconds:
            mst = minimum_spanning_tree(
                points,
                min_samples=arguments.min_samples,
                **metric,
                device=arguments.device,
                device_ids=arguments.gpus,
                dtype=arguments.dtype,
                verbose="bar",
                sample_weight=weights,
            )
    except ValueError as error:
        raise ValueError(f"{source}: {sentence(error)}") from error
    return mst, seconds


def _write(file: BinaryIO, suffix: str, mst: MinimumSpanningTree, labels: np.ndarray | None) -> None:
    """The tree, with the labels if there are any, as .npz; in other formats the labels or else the edges."""
    from emst.io.column_files import write_columns

    if suffix != ".npz":
        return write_columns(file, suffix, mst._edge_columns() if labels is None else {"label": labels})
    arrays = {"edges": mst.edges, "weights": mst.weights}
    if labels is not None:
        arrays["labels"] = labels
    if mst.core_distances is not None:
        arrays["core_distances"] = mst.core_distances
    write_columns(file, suffix, arrays)


def _draw(file: BinaryIO, arguments: argparse.Namespace, points: PointTable, mst: MinimumSpanningTree) -> None:
    from emst.distances.metrics import tree_metric_of
    from emst.plots import plot_mst
    from emst.plots.spanning import drawn_in

    options = metric_options(arguments)
    unit = tree_metric_of(options["metric"], options["metric_params"]).geographic
    places, names = points.array, points.names

    def draw(axis: Any) -> None:
        plot_mst(places, mst, ax=axis, names=names, geographic=unit)

    save_picture(file, arguments.plot, draw, dimensions=drawn_in(places))
