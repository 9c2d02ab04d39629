"""`emst tree`: the minimum spanning tree of the points in a file."""

from __future__ import annotations

import argparse
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from emst.cli.places import columns_of, unit_of
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

    from emst import MinimumSpanningTree

DESCRIPTION = """\
Read points, build their exact minimum spanning tree and write it to an .npz: `edges` (n - 1 pairs of row
numbers of the points, counted from 0), `weights` (ascending) and, with --min-samples above 1, `core_distances`.
"""

EXAMPLES = """\
examples:
  emst tree points.npy -o tree.npz
  emst tree points.csv -o tree.npz --columns x,y --plot tree.png
  emst tree points.npy -o tree.npz --metric minkowski --p 1.5
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
    from emst.io.atomic import replacing
    from emst.io.points import read_points

    if arguments.output.suffix.lower() != ".npz":
        raise ValueError(f"{arguments.output}: the tree is written as .npz")
    check_files(arguments.points, arguments.output, "the tree", arguments.plot)
    options = metric_options(arguments)
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(replacing(arguments.output))
        picture = stack.enter_context(replacing(arguments.plot)) if arguments.plot else None
        start = time.perf_counter()
        points = read_points(arguments.points, columns_of(arguments), arguments.array)
        d = points.shape[1]
        if picture is not None and d not in (2, 3):
            raise ValueError(f"--plot draws points of 2 or 3 dimensions; these have {d}: choose some with --columns")
        read = time.perf_counter() - start
        mst = _build(points, arguments, options)
        built = time.perf_counter() - start - read
        _write_tree(output, mst)
        if picture is not None:
            _draw(picture, arguments, points, mst)
    print(f"{len(points):,} points in {d} dimensions, {mst.weights.dtype}, min_samples {arguments.min_samples}")
    print(f"total weight {mst.total_weight:.9g}{unit_of(arguments)}")
    print(f"read in {read:.2f} s, tree in {built:.2f} s on {mst.device}")
    print(written(arguments.output, arguments.plot))


def _build(points: np.ndarray, arguments: argparse.Namespace, metric: dict[str, Any]) -> MinimumSpanningTree:
    from emst import minimum_spanning_tree
    from emst.progress import progress_bar

    try:
        with warnings_in_a_line(), progress_bar(len(points)) as report:
            return minimum_spanning_tree(
                points,
                min_samples=arguments.min_samples,
                **metric,
                device=arguments.device,
                dtype=arguments.dtype,
                report=report,
            )
    except ValueError as error:
        raise ValueError(f"{arguments.points}: {sentence(error)}") from error


def _write_tree(file: BinaryIO, mst: MinimumSpanningTree) -> None:
    import numpy as np

    arrays = {"edges": mst.edges, "weights": mst.weights}
    if mst.core_distances is not None:
        arrays["core_distances"] = mst.core_distances
    np.savez(file, **arrays)


def _draw(file: BinaryIO, arguments: argparse.Namespace, points: np.ndarray, mst: MinimumSpanningTree) -> None:
    from emst.distances.metrics import tree_metric_of
    from emst.plots import plot_mst

    options = metric_options(arguments)
    unit = tree_metric_of(options["metric"], options["metric_params"]).geographic
    d = points.shape[1]
    save_picture(file, arguments.plot, lambda axis: plot_mst(points, mst, ax=axis, geographic=unit), dimensions=d)
