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
    metric_options,
    points_in,
    save_picture,
    sentence,
    shape_of,
    warnings_in_a_line,
    written,
)
from emst.cli.streams import reading, suffix_of, summary_file, writing

if TYPE_CHECKING:
    import numpy as np

    from emst import MinimumSpanningTree
    from emst.io.points import PointTable

DESCRIPTION = """\
Read points, build their exact minimum spanning tree and write it to an .npz: `edges` (n - 1 pairs of row
numbers of the points, counted from 0), `weights` (ascending) and, with --min-samples above 1, `core_distances`.
"""

EXAMPLES = """\
examples:
  emst tree points.npy -o tree.npz
  emst tree points.csv -o tree.npz --columns x,y --plot tree.png
  emst tree points.npy -o tree.npz --metric minkowski --p 1.5
  emst tree scan.laz -o tree.npz --plot tree.png --columns x,y
  emst tree places.csv -o tree.npz --columns lat,lon --metric haversine --degrees
  emst tree scans.npz --array first -o tree.npz --min-samples 5 --device cuda
"""

MIN_SAMPLES_HELP = """\
above 1: distances are mutual reachability distances; the core distance of a point is the distance to its K-th nearest
point, counting the point itself (default 1: plain distances)"""

METRIC_HELP = "euclidean (default), sqeuclidean, manhattan, chebyshev, minkowski, cosine or haversine"


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = add_command(
        commands, "tree", help="minimum spanning tree of the points in a file", description=DESCRIPTION, epilog=EXAMPLES
    )
    add = command.add_argument
    add("-o", "--output", type=Path, metavar="TREE.npz", required=True, help="where to write the tree")
    add("--plot", type=Path, metavar="PICTURE", help="also draw the tree (2-D or 3-D points): .png, .pdf, .svg, ...")
    add("--min-samples", type=int, default=1, metavar="K", help=MIN_SAMPLES_HELP)
    add_metric(command, METRIC_HELP)
    add_input_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Points in a file -> tree in a file, and a picture of it."""
    if suffix_of(arguments.output, ".npz") != ".npz":
        raise ValueError(f"{arguments.output}: the tree is written as .npz")
    check_files(arguments.points, arguments.output, "the tree", arguments.plot)
    options = metric_options(arguments)
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(writing(arguments.output))
        picture = stack.enter_context(writing(arguments.plot)) if arguments.plot else None
        start = time.perf_counter()
        source = stack.enter_context(reading(arguments.points))
        table = points_in(source, arguments)
        points, d = table.array, table.array.shape[1]
        if picture is not None and d not in (2, 3):
            raise ValueError(f"--plot draws points of 2 or 3 dimensions; these have {d}: choose some with --columns")
        read = time.perf_counter() - start
        mst, built = _build(points, source, arguments, options)
        _write_tree(output, mst)
        if picture is not None:
            _draw(picture, arguments, table, mst)
    show = partial(print, file=summary_file(arguments.output))
    show(f"{shape_of(table)}, {mst.weights.dtype}, min_samples {arguments.min_samples}")
    show(f"total weight {mst.total_weight:.9g}{unit_of(arguments)}")
    show(f"read in {read:.2f} s, tree in {built:.2f} s on {mst.device}")
    show(written(arguments.output, arguments.plot))


def _build(
    points: np.ndarray, source: Path, arguments: argparse.Namespace, metric: dict[str, Any]
) -> tuple[MinimumSpanningTree, float]:
    """The tree, and the seconds that it took."""
    from emst import minimum_spanning_tree

    start = time.perf_counter()
    try:
        with warnings_in_a_line():
            mst = minimum_spanning_tree(
                points,
                min_samples=arguments.min_samples,
                **metric,
                device=arguments.device,
                dtype=arguments.dtype,
                verbose="bar",
            )
    except ValueError as error:
        raise ValueError(f"{source}: {sentence(error)}") from error
    return mst, time.perf_counter() - start


def _write_tree(file: BinaryIO, mst: MinimumSpanningTree) -> None:
    import numpy as np

    arrays = {"edges": mst.edges, "weights": mst.weights}
    if mst.core_distances is not None:
        arrays["core_distances"] = mst.core_distances
    np.savez(file, **arrays)


def _draw(file: BinaryIO, arguments: argparse.Namespace, points: PointTable, mst: MinimumSpanningTree) -> None:
    from emst.distances.metrics import tree_metric_of
    from emst.plots import plot_mst

    options = metric_options(arguments)
    unit = tree_metric_of(options["metric"], options["metric_params"]).geographic
    places, names = points.array, points.names

    def draw(axis: Any) -> None:
        plot_mst(places, mst, ax=axis, names=names, geographic=unit)

    save_picture(file, arguments.plot, draw, dimensions=places.shape[1])
