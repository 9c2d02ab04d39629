"""What a long run shows of itself: lines with `verbose=True`, a bar on the command line's terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from emst.backend.records import Report


def round_printer(n: int) -> Report:
    """Report that writes rounds, components left and time since now to standard error."""
    start = time.perf_counter()
    sys.stderr.write(f"[emst] {n:,} points\n")

    def report(rounds: int, left: int) -> None:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"[emst] round {rounds}: {left:,} components left, {seconds:.3f} s\n")

    return report


def both(first: Report | None, second: Report | None) -> Report | None:
    """One report that tells two, of which either may be missing."""
    if first is None or second is None:
        return first or second

    def report(rounds: int, left: int) -> None:
        first(rounds, left)
        second(rounds, left)

    return report


@contextlib.contextmanager
def progress_bar(n: int) -> Iterator[Report]:
    """Report that fills a bar of the tree's n - 1 edges on standard error, if that is a terminal."""
    from tqdm import tqdm

    with tqdm(
        total=n - 1,
        unit=" edges",
        unit_scale=True,
        desc="preparing (a first run compiles)",
        disable=not sys.stderr.isatty(),
        leave=False,
    ) as bar:

        def report(rounds: int, left: int) -> None:
            bar.set_description(f"round {rounds}", refresh=False)
            bar.n = n - left
            bar.refresh()

        yield report


@contextlib.contextmanager
def reading_bar(path: Path) -> Iterator[Callable[[int], None]]:
    """Function to call with the number of a file's bytes read so far: fills a bar on standard error, if a terminal."""
    from tqdm import tqdm

    with tqdm(
        total=path.stat().st_size,
        unit="B",
        unit_scale=True,
        desc=f"reading {path.name}",
        disable=not sys.stderr.isatty(),
        leave=False,
    ) as bar:
        yield lambda read: bar.update(read - bar.n)


WAYS = {
    "tree": "search over a tree of boxes",
    "rows": "all distances, row by row: O(n^2) time",
    "matrix": "the matrix of all distances: O(n^2) time and memory",
    "given": "the distances that are given",
}


def way_printed(way: str, why: str) -> None:
    """Write which way the spanning tree takes, and why it is not the fast one."""
    sys.stderr.write(f"[emst] spanning tree from {WAYS[way]}" + (f" ({why})" if why else "") + "\n")


def stage_printer(verbose: bool) -> Callable[[str, Any], None]:
    """Function to call after every stage with its name and an array it made: writes what the stage took."""
    start = time.perf_counter()

    def stage(name: str, result: Any) -> None:
        nonlocal start
        if hasattr(result, "__cuda_array_interface__"):
            result.device.synchronize()
        seconds, start = time.perf_counter() - start, time.perf_counter()
        sys.stderr.write(f"[emst] {name}: {seconds:.3f} s\n")

    return stage if verbose else lambda name, result: None
