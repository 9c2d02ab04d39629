"""What the subcommands share: options, checks of files, pictures, and messages."""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from emst.cli.places import add_places, place_params

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(commands: Commands, name: str, **texts: Any) -> argparse.ArgumentParser:
    """Add a subcommand that reads points."""
    command = commands.add_parser(name, formatter_class=argparse.RawDescriptionHelpFormatter, **texts)
    command.add_argument("points", type=Path, metavar="POINTS", help="file of points: .npy, .npz, .csv or .parquet")
    return command


def add_device(command: argparse.ArgumentParser) -> None:
    """Add --device."""
    help = "where to compute (default: auto)"
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help=help)


def add_input_options(command: argparse.ArgumentParser) -> None:
    """Add the options of reading points and of computing: --device, --dtype, --columns, --array."""
    add_device(command)
    add = command.add_argument
    add(
        "--dtype",
        choices=("float32", "float64"),
        help="type to compute in (default: float32 for float16 and float32, else float64)",
    )
    add("--columns", type=names, metavar="A,B,...", help="columns to read, by name or 0-based number (default: all)")
    add("--array", metavar="NAME", help="which array of an .npz that holds several")


def add_metric(command: argparse.ArgumentParser, help: str) -> None:
    """Add --metric, with the given help, --p, --degrees and --radius."""
    command.add_argument("--metric", default="euclidean", metavar="NAME", help=help)
    command.add_argument("--p", type=float, metavar="P", help="exponent of --metric minkowski, from 1 to 32")
    add_places(command)


def metric_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters `metric` and `metric_params` of --metric, --p, --degrees and --radius."""
    params = place_params(arguments) | ({} if arguments.p is None else {"p": arguments.p})
    return {"metric": arguments.metric, "metric_params": params or None}


def check_files(given: Path, output: Path, what: str, *pictures: Path | None, holds: str = "the points") -> None:
    """Check names of files before anything is read; `given` holds `holds`, and `output` will hold `what`."""
    if output.exists() and given.exists() and output.samefile(given):
        raise ValueError(f"{output} holds {holds}: write {what} to another file")
    if not given.exists():
        raise FileNotFoundError(f"{given}: no such file")
    drawn = [picture for picture in pictures if picture is not None]
    if len({output, *drawn}) <= len(drawn):
        raise ValueError("the files to write must have different names")
    if drawn:
        from matplotlib.backend_bases import FigureCanvasBase

        kinds = sorted(FigureCanvasBase.get_supported_filetypes())
        for picture in drawn:
            if picture.suffix.lower()[1:] not in kinds:
                raise ValueError(f"{picture}: a picture is written as .{', .'.join(kinds)}")


def save_picture(
    file: BinaryIO,
    path: Path,
    draw: Callable[[Axes], Any],
    size: tuple[float, float] | None = None,
    dimensions: int = 2,
) -> None:
    """Draw a figure without a display and save it; its size is `size` in inches, or follows the shape of the data.

    Data of three `dimensions` is drawn in space."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size or (8, 8), layout="constrained")
    space = dimensions == 3
    axis = figure.subplots(subplot_kw={"projection": "3d"} if space else None)
    draw(axis)
    if size is None and not space:
        ratio = min(max((axis.dataLim.height or 1.0) / (axis.dataLim.width or 1.0), 0.4), 2.0)
        figure.set_size_inches(8 / ratio**0.5 + 1.2, 8 * ratio**0.5)
    figure.savefig(file, format=path.suffix.lower()[1:], dpi=150, bbox_inches="tight")


def written(*paths: Path | None) -> str:
    """The last line of a summary."""
    *first, last = [str(path) for path in paths if path]
    return f"wrote {', '.join(first)} and {last}" if first else f"wrote {last}"


@contextlib.contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Show warnings as errors are shown: one line, without the place in the code."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"emst: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield


def sentence(error: BaseException) -> str:
    """The first line of an error's message; of an OSError, file and reason."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return (str(error) or type(error).__name__).splitlines()[0]


def names(text: str) -> list[str]:
    """The columns of a list like x,y."""
    columns = [name.strip() for name in text.split(",")]
    if not all(columns):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of columns like x,y")
    return columns
