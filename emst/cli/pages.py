"""The option --html of `emst cluster`: a page for the browser."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

HTML_HELP = """\
also write a page for the browser (.html): the clusters, with a slider over the minimum cluster size; one file, which
needs no network"""


def add_page(command: argparse.ArgumentParser) -> None:
    """Add --html."""
    command.add_argument("--html", type=Path, metavar="PAGE", help=HTML_HELP)


def check_page(arguments: argparse.Namespace) -> None:
    """Check --html before anything is read."""
    if arguments.html is None:
        return
    if arguments.html.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{arguments.html}: the page is written as .html")
    if arguments.metric == "precomputed":
        raise ValueError("--html shows points, and --metric precomputed has only distances")
    if importlib.util.find_spec("bokeh") is None:
        raise ValueError("--html needs Bokeh: pip install 'emst[html]'")
