"""The command `emst`.

    tree.py       `emst tree`: the minimum spanning tree of points
    cluster.py    `emst cluster`: HDBSCAN* of points
    forest.py     `emst forest`: the minimum spanning forest of a graph
    warm_up.py    `emst warm-up`: compiles the kernels before the first use
    pages.py      the option --html of `emst cluster`
    places.py     latitude and longitude: options, and columns of tables
    shared.py     options, checks and messages that the subcommands share

An expected error (of a file, the data or the device) is one line on standard error and exit status 2; Ctrl-C is one
line and status 130. Heavy modules are imported after the arguments were checked, so that help comes quickly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from emst import __version__
from emst.cli import cluster, forest, tree, warm_up
from emst.cli.shared import sentence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    arguments = parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except (ValueError, RuntimeError, MemoryError, OSError) as error:
        return _complain(sentence(error), 2)
    return 0


def parser() -> argparse.ArgumentParser:
    """The arguments of all subcommands."""
    top = argparse.ArgumentParser(
        prog="emst", description="Exact minimum spanning trees of points and graphs, and clusters."
    )
    top.add_argument("--version", action="version", version=f"emst {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    tree.add_to(commands)
    cluster.add_to(commands)
    forest.add_to(commands)
    warm_up.add_to(commands)
    return top


def _complain(what: str, status: int) -> int:
    print(f"emst: {what}", file=sys.stderr)
    return status
