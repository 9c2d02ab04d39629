"""Benchmarks, a command for each kind of work: `python benchmarks COMMAND --help` says more.

    python benchmarks trees --device cpu --sets cpu-uniform3 --n 100000

A command is a module in `commands/` with two functions: `arguments(top, given)` adds its options and parses them, and
`run(options)` does the work. Most give their sets and contestants to `race.measure`, and the records to `report`.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))  # emst of this checkout, not an installed one

COMMANDS = {  # name: (module in `commands`, what it measures)
    "trees": ("points", "minimum spanning trees of points"),
    "labels": ("points", "clusterings, from points to labels and probabilities"),
    "dimensions": ("points", "the same in 50 to 1,536 dimensions"),
    "predictions": ("predictions", "labels of new points"),
    "forests": ("forests", "minimum spanning forests of graphs"),
    "scaling": ("scaling", "trees, clusterings and forests on 1, 2, 4, ... threads"),
    "first-call": ("first_call", "the first call in a new process, which compiles"),
    "workers": ("workers", "trees and clusterings over several workers"),
    "gpus": ("gpus", "trees and clusterings over several GPUs of one process"),
    "crossing": ("crossing", "from which dimension on products are faster on the GPU"),
    "periodic": ("periodic", "trees in a periodic box beside those in an open one"),
    "icpp22": ("icpp22", "the figures of the ICPP'22 paper on trees"),
    "graph-papers": ("graph_papers", "the experiments of the papers on graphs"),
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        lines = [f"    {command:13} {what}" for command, (_, what) in COMMANDS.items()]
        print(__doc__, *lines, sep="\n")
        sys.exit(name not in ("-h", "--help"))
    command = importlib.import_module(f"commands.{COMMANDS[name][0]}")
    top = argparse.ArgumentParser(
        prog=f"python benchmarks {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.set_defaults(command=name)
    command.run(command.arguments(top, sys.argv[2:]))


if __name__ == "__main__":
    main()
