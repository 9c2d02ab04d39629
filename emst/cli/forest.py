"""`emst forest`: the minimum spanning forest of the graph in a file."""

from __future__ import annotations

import argparse
import math
import re
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emst.cli.shared import Commands, add_device, check_files, names, sentence, written
from emst.cli.streams import STREAM, writing

if TYPE_CHECKING:
    from emst.graph.result import MinimumSpanningForest
    from emst.io.file_graph import FileGraph

DESCRIPTION = """\
Read a graph, find its minimum spanning forest, and print a summary.

What -o writes:
  .npz                   `source` < `target` (vertices, counted from 0), `weight`, `edge_id` (position in the file of
                         each edge, counted from 0), `n_vertices`, with --labels `component_labels`, with --cut
                         `labels`, and `nodes`, the ids or names of the vertices, if they were numbered
  .csv, .tsv, .parquet   one row per edge: source, target, weight and edge_id; with --labels or --cut instead one row
                         per vertex: vertex, component (of --labels) and label (of --cut). Vertices are called as in
                         GRAPH

Formats that are read:
  .gr, .gr.gz            9th DIMACS challenge
  .mtx, .mtx.gz          MatrixMarket coordinates
  .csv, .tsv, .parquet   one row per edge: source and target (or src and dst, u and v, from and to), and perhaps a
                         weight (the column of that name, or the only other column of numbers)
  .npz                   of scipy.sparse.save_npz, or arrays (indptr, indices, data) or (source, target, weight)

Vertices are numbered from 0. In tables and lists of edges in an .npz they may also have ids or names: whole
numbers are ids if one is negative, or if the greatest is at least a million and at least four times the number of
edges. Ids and names are numbered, and memory does not depend on how great they are.

An edge may be given in one direction or in both. Without weights all are 1. The summary counts entries: an edge that is
given in both directions counts twice.
"""

EXAMPLES = """\
examples:
  emst forest USA-road-d.NY.gr.gz
  emst forest USA-road-d.NY.gr.gz -o forest.npz
  emst forest edges.csv --columns from,to,cost -o forest.csv
  emst forest edges.csv --labels -o components.csv
  emst forest roads.gr -o forest.npz --cut 500
  emst forest web.mtx -o forest.npz --symmetric min --algorithm partial-prim --gamma 8
"""

ALGORITHMS = {  # name: its own options
    "boruvka": (),
    "contraction": (),
    "primitives": (),
    "partial-prim": ("gamma", "variant"),
    "hybrid": ("offload",),
}
LIGHTER = "--symmetric min takes the lighter; also for parallel edges given in both directions"
SYMMETRIC_HELP = """\
if the two directions of an edge have different weights: check = report an error (default), min = take the lighter (also
right for parallel edges given in both directions)"""


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = commands.add_parser(
        "forest",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="minimum spanning forest of the graph in a file",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add = command.add_argument
    add(
        "graph",
        type=Path,
        metavar="GRAPH",
        help="file: .gr, .mtx (or .gz of these), .csv, .tsv, .parquet, .npz",
    )
    add("-o", "--output", type=Path, metavar="FILE", help="where to write the forest: .npz, .csv, .tsv or .parquet")
    add("--labels", action="store_true", help="also write the number of the component of every vertex")
    add(
        "--cut",
        type=_height,
        metavar="HEIGHT",
        help="also write the number of every vertex's group: what edges of weight HEIGHT or less connect",
    )
    add(
        "--columns", type=names, metavar="S,T,W", help="source, target and weight of a table, by name or 0-based number"
    )
    add("--symmetric", choices=("check", "min"), default="check", help=SYMMETRIC_HELP)
    add(
        "--algorithm",
        choices=tuple(ALGORITHMS),
        default="boruvka",
        help="all give the same forest (default: boruvka)",
    )
    add(
        "--gamma",
        type=int,
        metavar="N",
        help="partial-prim: largest number of vertices of a subtree in one round",
    )
    add("--variant", choices=("min", "sort", "hybrid"), help="partial-prim: how a subtree finds its lightest edge")
    add("--offload", type=float, metavar="F", help="hybrid: fraction of the edges that the CPU works on, 0 to 1")
    add(
        "--max-device-bytes",
        type=_bytes,
        metavar="N",
        help="memory limit, like 8G; larger graphs are streamed in blocks",
    )
    add_device(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Graph in a file -> summary, and forest in a file."""
    from emst.inputs.summary import counted
    from emst.io.forests import save_forest
    from emst.io.graphs import read_file
    from emst.progress import Seconds, reading_bar

    _check_output(arguments)
    if arguments.graph == STREAM:
        raise ValueError("graphs are not read from standard input: write the graph to a file")
    options = _options(arguments)
    check_files(arguments.graph, arguments.output, "the forest", holds="the graph")
    with writing(arguments.output) as output:
        start = time.perf_counter()
        with reading_bar(arguments.graph) as report:
            file_graph = read_file(arguments.graph, arguments.columns, report)
        graph, read = file_graph.graph, time.perf_counter() - start
        with Seconds() as seconds:
            forest = replace(_forest(file_graph, arguments, options), nodes=file_graph.nodes)
        labels = None if arguments.cut is None else forest.cut(arguments.cut)
        if output is not None:
            of_vertices = arguments.labels or labels is not None
            save_forest(output, arguments.output.suffix.lower(), forest, labels, vertices=of_vertices)
    of = f" ({file_graph.read})" if file_graph.read else ""
    sizes = f"{counted(forest.n_vertices, 'vertex', 'vertices')}, {counted(graph.nnz, 'entry', 'entries')}"
    print(f"{sizes}, {graph.dtype}{of}")
    parts = f"{counted(len(forest.source), 'edge')} in {counted(forest.n_components, 'component')}"
    print(f"{parts}, total weight {forest.total_weight!r}")
    if labels is not None:
        print(_groups(labels, arguments.cut))
    print(f"read in {read:.2f} s, {seconds.of('forest')} on {forest.device}, algorithm {arguments.algorithm}")
    print(written(arguments.output))


def _check_output(arguments: argparse.Namespace) -> None:
    """Raise ValueError for a file that cannot hold a forest, and for --labels without a file."""
    from emst.io.column_files import check_table
    from emst.io.forests import SUFFIXES

    output = arguments.output
    if output is None:
        if arguments.labels:
            raise ValueError("--labels goes with -o, the file that gets them")
        return
    if output.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{output}: the forest is written as {', '.join(SUFFIXES)}")
    check_table(output, output.suffix.lower())


def _groups(labels: Any, height: int | float) -> str:
    """How many groups a cut leaves, and how many vertices the largest has."""
    import numpy as np

    from emst.inputs.summary import counted

    sizes = np.bincount(labels)
    largest = counted(int(sizes.max(initial=0)), "vertex", "vertices")
    return f"{counted(len(sizes), 'group')} at {height}, the largest of {largest}"


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of the algorithm that were given."""
    chosen = {}
    for algorithm, options in ALGORITHMS.items():
        for option in options:
            value = getattr(arguments, option)
            if value is not None and algorithm != arguments.algorithm:
                raise ValueError(f"--{option} is an option of --algorithm {algorithm}")
            if value is not None:
                chosen[option] = value
    return chosen


def _forest(file_graph: FileGraph, arguments: argparse.Namespace, options: dict[str, Any]) -> MinimumSpanningForest:
    from emst import graph_msf
    from emst.progress import showing

    try:
        with showing("bar") as progress:
            progress.points(max(file_graph.graph.shape[0], 1))
            if arguments.algorithm != "boruvka":  # boruvka runs all rounds in one call, without reports
                options = options | {"report": progress.round}
            return graph_msf(
                file_graph.graph,
                algorithm=arguments.algorithm,
                device=arguments.device,
                return_labels=arguments.labels,
                symmetric=arguments.symmetric,
                max_device_bytes=arguments.max_device_bytes,
                **options,
            )
    except ValueError as error:
        raise ValueError(f"{arguments.graph}: {_as_in_the_file(sentence(error), file_graph)}") from error
    except MemoryError as error:
        raise MemoryError(f"{arguments.graph}: {sentence(error)}") from error


def _as_in_the_file(fault: str, file_graph: FileGraph) -> str:
    """An error of the library in terms of the file (lines, columns) and of the command line (options)."""
    if file_graph.place is not None:
        place = file_graph.place

        def named(match: re.Match[str]) -> str:
            return place(*(int(number.replace(",", "")) for number in match.groups()))

        fault = re.sub(r"at position ([\d,]+) \(row (\d+), column (\d+)\)", named, fault)
    return fault.replace("symmetric='min' takes the lighter one", LIGHTER)


def _height(text: str) -> int | float:
    """A number: an int where it is written as one, so that it is compared with integers exactly."""
    try:
        value = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value


def _bytes(text: str) -> int:
    """A number of bytes, perhaps with K, M, G or T for powers of 1024."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)", text.upper())
    size = Fraction(match[1]) * (1 << 10 * " KMGT".index(match[2] or " ")) if match else Fraction(0)
    if size < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of bytes like 800M or 1.5G")
    return int(size)
