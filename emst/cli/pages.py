"""The options --html and --hover of `emst cluster`: a page for the browser."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import Any

from emst.cli.shared import dialect_in, names

HTML_HELP = """\
also write a page for the browser (.html): the clusters, with a slider over the minimum cluster size; one file, which
needs no network"""

HOVER_HELP = """\
columns of POINTS that the page tells for the point under the pointer, by name or 0-based number; they may hold words"""


def add_page(command: argparse.ArgumentParser) -> None:
    """Add --html and --hover."""
    command.add_argument("--html", type=Path, metavar="PAGE", help=HTML_HELP)
    command.add_argument("--hover", type=names, metavar="A,B,...", help=HOVER_HELP)


def check_page(arguments: argparse.Namespace) -> None:
    """Check --html and --hover before anything is read."""
    if arguments.html is None:
        if arguments.hover is not None:
            raise ValueError("--hover goes with --html, the page that tells these columns")
        return
    if arguments.html.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{arguments.html}: the page is written as .html")
    if arguments.metric == "precomputed":
        raise ValueError("--html shows points, and --metric precomputed has only distances")
    if importlib.util.find_spec("bokeh") is None:
        raise ValueError("--html needs Bokeh: pip install 'emst[html]'")


def hover_of(arguments: argparse.Namespace, source: Path, n: int) -> dict[str, Any] | None:
    """The columns of --hover in a file of `n` points."""
    from emst.io.texts import read_texts

    if arguments.hover is None:
        return None
    return read_texts(source, arguments.hover, n, arguments.array, dialect=dialect_in(arguments))
