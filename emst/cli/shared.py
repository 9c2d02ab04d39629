"""What the subcommands share: options, checks of files, pictures, and messages."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from emst.cli.places import add_places, columns_of, latitude_first, note_plane, place_params
from emst.cli.streams import STREAM
from emst.cli.weights import without_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from emst.io.points import PointTable
    from emst.io.tables import Dialect

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


# Keywords of `emst.read_points`, which are options here; behind a quote it is the name of a column.
KEYWORD = re.compile(r"(?<!['\w])(columns|array|sep|decimal|encoding)=(?=(.?))")
PERIOD_HELP = """\
length of a periodic box, around which coordinates wrap, or one length for each column, with 0 for an open one"""
SHOWN = 8  # names of columns in a summary, at most
POINTS_HELP = """\
file of points: .npy, .npz, .csv, .tsv, .parquet, .las, .laz or .fits; with --sep any text; - for standard input"""


def add_command(commands: Commands, name: str, **texts: Any) -> argparse.ArgumentParser:
    """Add a subcommand that reads points."""
    command = commands.add_parser(name, formatter_class=argparse.RawDescriptionHelpFormatter, **texts)
    command.add_argument("points", type=Path, metavar="POINTS", help=POINTS_HELP)
    return command


def add_device(command: argparse.ArgumentParser) -> None:
    """Add --device."""
    help = "where to compute (default: auto)"
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help=help)


def _gpus(text: str) -> str | list[int]:
    """What `device_ids` takes."""
    if text == "all":
        return text
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'all' nor a list of numbers like 0,1") from None


COLUMNS_HELP = "columns to read, by name or 0-based number (default: all but words and ids)"


def add_input_options(command: argparse.ArgumentParser) -> None:
    """Add the options of reading points and of computing."""
    add_device(command)
    add = command.add_argument
    add("--gpus", type=_gpus, metavar="all|0,1,...", help="GPUs that compute together (default: one)")
    add(
        "--dtype",
        choices=("float32", "float64"),
        help="type to compute in (default: float32 for float16 and float32, else float64)",
    )
    add("--columns", type=names, metavar="A,B,...", help=COLUMNS_HELP)
    add("--array", metavar="NAME", help="which array of an .npz, or table of a .fits, that holds several")
    add("--sep", metavar="C", help="separator of a text: ',', ';', '\\t', or ' ' for any white space (default: found)")
    add("--decimal", metavar="C", default=".", help="decimal mark of a text: . or , (default .)")
    add("--encoding", metavar="NAME", help="of a text, such as latin-1 (default: UTF-8)")


def points_in(path: Path, arguments: argparse.Namespace, *, gaps: bool = False) -> PointTable:
    """The points in a file, read as the options say. Without --columns, columns that hold no numbers or no value and
    those that number the rows are left out, and a note tells which."""
    from emst.backend.memory import POINTS
    from emst.io.points import read_table
    from emst.io.tables import is_number, is_text

    dialect = dialect_in(arguments)
    columns: Sequence[str | int] | None = columns_of(path, arguments, dialect)
    every = columns is not None or arguments.metric == "precomputed"
    if not every:
        columns = _columns_of_numbers(path, dialect)
    try:
        table = read_table(path, columns, arguments.array, gaps=gaps, dialect=dialect, leave_words=not every)
    except MemoryError as error:
        raise MemoryError(f"{path}: {sentence(error)}; {POINTS}") from error
    for name in table.left_out:
        note(f"column {name!r} numbers or names the rows and is left out; --columns chooses others")
    if table.names and is_text(path, dialect) and any(map(is_number, table.names)):
        note(f"the first line is taken for names of columns: {', '.join(table.names)}")
    for name in table.words:
        note(f"column {name!r} holds no numbers and is left out")
    if table.others and table.names:
        others = f"--columns chooses others, of which the table has {table.others}"
        note(f"the columns {', '.join(table.names)} are taken; {others}")
    weights = getattr(arguments, "weights", None)
    if weights is not None and arguments.columns is None:
        table = without_weights(path, table, weights, dialect)
    table = table if every else _without_ids(path, table, dialect)
    if arguments.metric != "precomputed":
        _check_finite(path, table)
    note_plane(table.names, arguments.metric)
    return latitude_first(table) if arguments.metric == "haversine" else table


def _columns_of_numbers(path: Path, dialect: Dialect) -> list[int] | None:
    """Positions of the columns of a text or a .parquet that hold values, and no words; None if all do, or none."""
    from emst.io.columns import is_axis
    from emst.io.index import index_columns
    from emst.io.points import check_suffix
    from emst.io.tables import column_names, empty_columns, worded_columns

    check_suffix(path, dialect=dialect)
    if not _is_table(path, dialect):
        return None
    names, count = column_names(path, dialect)
    index, worded = index_columns(path, names), worded_columns(path, dialect)
    empty = [i for i in empty_columns(path, dialect) if i not in index]
    held = [i for i in range(count) if i not in index and i not in empty]
    words = [i for i in held if worded[i]] if names else []
    if len(words) == len(held) or any(is_axis(names[i]) for i in words):
        words = []  # words in a column of coordinates are a fault
    if not held or not (words or empty):
        return None
    for i in index:
        note(f"column {names[i]!r} numbers or names the rows and is left out; --columns chooses others")
    for i in empty:
        called = f"column {names[i]!r}" if names and names[i] else f"column {i}, which has no name,"
        note(f"{called} holds no value and is left out")
    for i in words:
        note(f"column {names[i]!r} holds no numbers and is left out")
    return [i for i in held if i not in words]


def _is_table(path: Path, dialect: Dialect) -> bool:
    """Whether the columns of a file are known before it is read."""
    from emst.io.tables import is_text

    return is_text(path, dialect) or path.suffix.lower() == ".parquet"


def _without_ids(path: Path, table: PointTable, dialect: Dialect) -> PointTable:
    """The table without columns of ids and of row numbers."""
    import numpy as np

    from emst.io.columns import as_argument, id_columns
    from emst.io.tables import column_names

    ids = id_columns(table.names, table.array)
    if not ids:
        return table
    d = table.array.shape[1]
    names = table.names or [str(i) for i in range(d)]
    of_file = column_names(path, dialect)[0] if table.names and _is_table(path, dialect) else names
    kept = [i for i in range(d) if i not in ids]
    for i in ids:
        advice = f"--columns {as_argument(of_file, names)} keeps it"
        note(f"column {names[i]!r} numbers the rows and is left out; {advice}")
    array = np.ascontiguousarray(table.array[:, kept])
    whole = table.whole or table
    return table._replace(array=array, names=table.names and [names[i] for i in kept], whole=whole)


def _check_finite(path: Path, table: PointTable) -> None:
    """Raise ValueError if every row has a NaN or an infinite value."""
    import numpy as np

    array = table.array
    if array.dtype.kind != "f" or not len(array):
        return
    if np.isfinite(array[:1000]).all(axis=1).any() or np.isfinite(array).all(axis=1).any():
        return
    names = table.names or [str(i) for i in range(array.shape[1])]
    column = next((repr(name) for name, values in zip(names, array.T) if not np.isfinite(values).any()), None)
    why = f"column {column} has no finite value" if column else "each has an empty field, a NaN or an infinite value"
    raise ValueError(f"{path}: no row can be used: {why}; --columns chooses others")


def dialect_in(arguments: argparse.Namespace) -> Dialect:
    """How texts are written, by the options."""
    from emst.io.tables import dialect_of

    return dialect_of(arguments.sep, arguments.decimal, arguments.encoding)


def shape_of(points: PointTable) -> str:
    """Number of points, and of their dimensions with their names, for a summary."""
    n, d = points.array.shape
    dimensions = f"{n:,} points in {d} dimension{'s' * (d != 1)}"
    if not points.names:
        return dimensions
    shown = points.names if d <= SHOWN else [*points.names[: SHOWN - 1], "..."]
    return f"{dimensions} ({', '.join(shown)})"


def note(text: str) -> None:
    """Write a note to standard error."""
    print(f"emst: note: {text}", file=sys.stderr)


def add_metric(command: argparse.ArgumentParser, help: str) -> None:
    """Add --metric, with the given help, --p, --period, --degrees and --radius."""
    command.add_argument("--metric", default="euclidean", metavar="NAME", help=help)
    command.add_argument("--p", type=float, metavar="P", help="exponent of --metric minkowski, from 1 to 32")
    command.add_argument("--period", type=_lengths, metavar="L[,L,...]", help=PERIOD_HELP)
    add_places(command)


def _lengths(text: str) -> float | list[float]:
    """What the parameter `period` takes."""
    try:
        lengths = [float(length) for length in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a length nor a list of lengths like 1,1,0") from None
    return lengths if len(lengths) > 1 else lengths[0]


def metric_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters `metric` and `metric_params` of --metric, --p, --period, --degrees and --radius."""
    params = place_params(arguments)
    for name in ("p", "period"):
        if getattr(arguments, name) is not None:
            params[name] = getattr(arguments, name)
    return {"metric": arguments.metric, "metric_params": params or None}


def check_files(
    source: Path, output: Path | None, what: str, *pictures: Path | None, holds: str = "the points"
) -> None:
    """Check names of files before anything is read; `source` holds `holds`, and `output` will hold `what`."""
    if source != STREAM and output and output.exists() and source.exists() and output.samefile(source):
        raise ValueError(f"{output} holds {holds}: write {what} to another file")
    if source != STREAM and not source.exists():
        raise FileNotFoundError(f"{source}: no such file")
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a folder; name a file")
    drawn = [picture for picture in pictures if picture is not None]
    all_files = [output, *drawn] if output else drawn
    if len(set(all_files)) < len(all_files):
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
    """The last line of a summary. It names the files that were written; None stands for a file that was not."""
    if not any(paths):
        return "wrote no file: -o FILE writes the results"
    *first, last = ["standard output" if path == STREAM else str(path) for path in paths if path]
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
    """The first line of an error's message, with options for keywords; of an OSError, file and reason."""
    if isinstance(error, MemoryError) and not str(error):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = (str(error) or type(error).__name__).splitlines()[0]
    return KEYWORD.sub(lambda match: f"--{match[1]}" + " " * (match[2] > " "), text)


def names(text: str) -> list[str]:
    """The columns of a list like x,y."""
    columns = [name.strip() for name in text.split(",")]
    if not all(columns):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of columns like x,y")
    return columns
