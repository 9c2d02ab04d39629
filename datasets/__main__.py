"""`python -m datasets`: list, fetch and show the sets of the registry."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from datasets.dataset import Dataset
from datasets.registry import REGISTRY, find
from datasets.storage import fetch

PROGRAM = "python -m datasets"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one subcommand; an error is one sentence on standard error, and the exit status is 1."""
    given = parser().parse_args(arguments)
    try:
        if given.command == "list":
            print(listing())
        elif given.command == "fetch":
            print(fetch(given.name, given.folder))
        else:
            print(described(find(given.name)))
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"{PROGRAM}: {error}")


def parser() -> argparse.ArgumentParser:
    """Of the whole command."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Data behind the examples and figures of emst.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name all sets")
    fetching = commands.add_parser("fetch", help="download, generate or copy a set, and print the path of its file")
    fetching.add_argument("name")
    fetching.add_argument("folder", nargs="?", help="where to keep it; by default the user's folder for caches")
    showing = commands.add_parser("show", help="origin, licence, citation and size of a set")
    showing.add_argument("name")
    return parser


def listing() -> str:
    """One line for each set."""
    rows = [(row.name, row.origin, size(row), row.title) for row in REGISTRY.values()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def size(row: Dataset) -> str:
    """n x d of points and lines; vertices and edges of graphs."""
    if row.n is None:
        return "not known"
    if row.kind != "graph":
        return f"{row.n:,} x {row.d}"
    return f"{row.n:,} vertices" + (f", {row.edges:,} edges" if row.edges else "")


def described(row: Dataset) -> str:
    """All that is known of a set."""
    facts = {
        "name": row.name,
        "title": row.title,
        "kind": f"{row.kind}, {row.origin}",
        "size": size(row),
        "file": row.file,
        "page": row.page,
        "download": row.url,
        "licence": row.licence,
        "citation": row.citation,
        "SHA-256": row.sha256 or "",
        "weight of its forest": "" if row.forest is None else f"{row.forest:,}",
    }
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact)


if __name__ == "__main__":
    main()
