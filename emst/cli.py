"""The command `emst`: one subcommand for each question that the library answers.

Everything foreseen that goes wrong (a file, the data, the device) is one line on standard error and status 2;
Ctrl-C is one line and status 130. Heavy modules are imported once the arguments are known to be good.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from emst import __version__

if TYPE_CHECKING:
    import numpy as np

    from emst import MinimumSpanningTree

TREE_HELP = """\
Read points, build their exact Euclidean minimum spanning tree, write it to an .npz: `edges` (n - 1 pairs of rows,
counted from 0), `weights` (ascending) and, with --min-samples above 1, `core_distances`.
"""

TREE_EXAMPLES = """\
examples:
  emst tree points.npy -o tree.npz
  emst tree points.csv -o tree.npz --columns x,y --plot tree.png
  emst tree scans.npz --array first -o tree.npz --min-samples 5 --device cuda
"""


MIN_SAMPLES_HELP = """\
above 1: mutual reachability, where a point's core distance is the distance to its K-th nearest, counting the point
itself (default 1: plain Euclidean)"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    arguments = parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except (ValueError, RuntimeError, MemoryError, OSError) as error:
        return _complain(_sentence(error), 2)
    return 0


def parser() -> argparse.ArgumentParser:
    """The arguments of all subcommands."""
    top = argparse.ArgumentParser(prog="emst", description="Exact Euclidean minimum spanning trees.")
    top.add_argument("--version", action="version", version=f"emst {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_tree(commands)
    return top


def _add_tree(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tree = commands.add_parser(
        "tree",
        help="minimum spanning tree of the points in a file",
        description=TREE_HELP,
        epilog=TREE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = tree.add_argument
    add("points", type=Path, metavar="POINTS", help="file of points: .npy, .npz, .csv or .parquet")
    add("-o", "--output", type=Path, metavar="TREE.npz", required=True, help="where to write the tree")
    add("--plot", type=Path, metavar="PICTURE", help="also draw it (2-D points only): .png, .pdf, .svg, ...")
    add("--min-samples", type=int, default=1, metavar="K", help=MIN_SAMPLES_HELP)
    add("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute (default: auto)")
    add("--dtype", choices=("float32", "float64"), help="what to compute in (default: as in the file)")
    add("--columns", type=_names, metavar="A,B,...", help="columns to read, by name or 0-based number (default: all)")
    add("--array", metavar="NAME", help="which array of an .npz that holds several")
    tree.set_defaults(run=tree_command)


def tree_command(arguments: argparse.Namespace) -> None:
    """Points in a file -> tree in a file, and a picture of it."""
    from emst.files import read_points, replacing

    _check_outputs(arguments)
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(replacing(arguments.output))
        picture = stack.enter_context(replacing(arguments.plot)) if arguments.plot else None
        start = time.perf_counter()
        points = read_points(arguments.points, arguments.columns, arguments.array)
        d = points.shape[1]
        if picture is not None and d != 2:
            raise ValueError(f"--plot draws 2-D points; these have {d} dimensions: choose two with --columns")
        read = time.perf_counter() - start
        mst = _build(points, arguments)
        built = time.perf_counter() - start - read
        _write_tree(output, mst)
        if picture is not None:
            _draw(picture, arguments.plot, points, mst)
    print(f"{len(points):,} points in {d} dimensions, {mst.weights.dtype}, min_samples {arguments.min_samples}")
    print(f"total weight {mst.total_weight:.9g}")
    print(f"read in {read:.2f} s, tree in {built:.2f} s on {mst.device}")
    print("wrote " + " and ".join(str(path) for path in (arguments.output, arguments.plot) if path))


def _check_outputs(arguments: argparse.Namespace) -> None:
    """What can be told of the outputs before anything is read or opened."""
    if arguments.output.suffix.lower() != ".npz":
        raise ValueError(f"{arguments.output}: the tree is written as .npz")
    if arguments.output.exists() and arguments.points.exists() and arguments.output.samefile(arguments.points):
        raise ValueError(f"{arguments.output} holds the points: write the tree to another file")
    if not arguments.points.exists():
        raise FileNotFoundError(f"{arguments.points}: no such file")
    if arguments.plot is not None:
        from matplotlib.backend_bases import FigureCanvasBase

        kinds = sorted(FigureCanvasBase.get_supported_filetypes())
        if arguments.plot.suffix.lower()[1:] not in kinds:
            raise ValueError(f"{arguments.plot}: a picture is written as .{', .'.join(kinds)}")


def _build(points: np.ndarray, arguments: argparse.Namespace) -> MinimumSpanningTree:
    from emst import minimum_spanning_tree
    from emst.progress import progress_bar

    try:
        with progress_bar(len(points)) as report:
            return minimum_spanning_tree(
                points,
                min_samples=arguments.min_samples,
                device=arguments.device,
                dtype=arguments.dtype,
                report=report,
            )
    except ValueError as error:
        raise ValueError(f"{arguments.points}: {_sentence(error)}") from error


def _write_tree(file: BinaryIO, mst: MinimumSpanningTree) -> None:
    import numpy as np

    arrays = {"edges": mst.edges, "weights": mst.weights}
    if mst.core_distances is not None:
        arrays["core_distances"] = mst.core_distances
    np.savez(file, **arrays)


def _draw(file: BinaryIO, path: Path, points: np.ndarray, mst: MinimumSpanningTree) -> None:
    """A figure of the shape of the data, drawn without a display."""
    from matplotlib.figure import Figure

    from emst.plots import plot_mst

    points = points.astype("float64")
    width, height = (float(extent) or 1.0 for extent in points.max(axis=0) - points.min(axis=0))
    ratio = min(max(height / width, 0.4), 2.0)
    figure = Figure(figsize=(8 / ratio**0.5 + 1.2, 8 * ratio**0.5), layout="constrained")
    plot_mst(points, mst, ax=figure.subplots())
    figure.savefig(file, format=path.suffix.lower()[1:], dpi=150)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of columns like x,y")
    return names


def _sentence(error: BaseException) -> str:
    """The first line of what an error says."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return (str(error) or type(error).__name__).splitlines()[0]


def _complain(sentence: str, status: int) -> int:
    print(f"emst: {sentence}", file=sys.stderr)
    return status
