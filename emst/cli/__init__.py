"""The command `emst`.

    tree.py       `emst tree`: the minimum spanning tree of points
    cluster.py    `emst cluster`: HDBSCAN* of points
    forest.py     `emst forest`: the minimum spanning forest of a graph
    warm_up.py    `emst warm-up`: compiles the kernels before the first use
    info.py       `emst info`: versions, devices, threads and caches
    interrupts.py    Ctrl-C: one line, whatever it meets
    streams.py    files, or standard input and output for `-`
    pages.py      the options --html and --hover of `emst cluster`
    layers.py     the option --layers of `emst cluster`
    known.py      the option --known of `emst cluster`
    weights.py    the option --weights of `emst tree` and `emst cluster`
    places.py     latitude and longitude: options, and columns of tables
    shared.py     options, checks and messages that the subcommands share

Exit status: 0 when all is done; 2 for an expected error (of the arguments, a file, the data or the device), 1 for an
unexpected one, both with one line on standard error; 130 after Ctrl-C; 141 if the reader of standard output is gone.
`--debug` shows where an error was raised. Heavy modules are imported after the arguments were checked, so that help
comes quickly.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

from emst import __version__
from emst.cli import cluster, forest, info, tree, warm_up
from emst.cli.interrupts import Interrupts, heard
from emst.cli.shared import sentence
from emst.cli.streams import fill_closed_streams

STATUS = """\
exit status: 0 done; 2 wrong arguments, files or data; 1 a fault of emst; 130 interrupted; 141 standard output closed"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    fill_closed_streams()
    with heard() as interrupts:
        return _status(argv, interrupts)


def _status(argv: Sequence[str] | None, interrupts: Interrupts) -> int:
    debug = False
    try:
        with interrupts.before_errors():
            arguments = parser().parse_args(argv)
            debug = arguments.debug
            arguments.run(arguments)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return _complain("interrupted", 130, debug)
    except BrokenPipeError:
        with contextlib.suppress(OSError):  # Python flushes standard output once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, RuntimeError, MemoryError, OSError) as error:
        return _complain(sentence(error), 2, debug)
    except Exception as error:
        what = f"unexpected {type(error).__name__}: {sentence(error)}"
        return _complain(f"{what}; --debug shows where, please report it", 1, debug)
    return 0


def parser() -> argparse.ArgumentParser:
    """The arguments of all subcommands."""
    top = argparse.ArgumentParser(
        prog="emst", description="Exact minimum spanning trees of points and graphs, and clusters.", epilog=STATUS
    )
    top.add_argument("--version", action="version", version=f"emst {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for subcommand in (tree, cluster, forest, warm_up, info):
        subcommand.add_to(commands)
    for command in commands.choices.values():
        command.add_argument("--debug", action="store_true", help="show where an error was raised")
    return top


def _complain(what: str, status: int, debug: bool) -> int:
    """One line on standard error; with `debug` below the traceback of the error."""
    if debug:
        traceback.print_exc()
    print(f"emst: {what}", file=sys.stderr)
    return status
