"""Progress of long runs: lines with `verbose=True`, and a bar if the command line runs in a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from emst.backend.records import Report


def round_printer(n: int) -> Report:
    """A report that writes round, components left and seconds since this call to standard error."""
    start = time.perf_counter()
    sys.stderr.write(f"[emst] {n:,} points\n")

    def report(rounds: int, left: int) -> None:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"[emst] round {rounds}: {left:,} components left, {seconds:.3f} s\n")

    return report


def both(first: Report | None, second: Report | None) -> Report | None:
    """A report that calls both, either of which may be None."""
    if first is None or second is None:
        return first or second

    def report(rounds: int, left: int) -> None:
        first(rounds, left)
        second(rounds, left)

    return report


@contextlib.contextmanager
def progress_bar(n: int) -> Iterator[Report]:
    """A report that fills a bar of the tree's n - 1 edges on standard error, if that is a terminal."""
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
    """A function to call with the number of bytes read so far; it fills a bar on standard error, if that is a
    terminal."""
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
    "tree": "the tree search (bounding volume hierarchy)",
    "matrix": "the full distance matrix: O(n^2) time and memory",
    "given": "the given distances",
}


def way_printed(way: str, why: str) -> None:
    """Write how the spanning tree is computed and, if the tree search is not used, why."""
    sys.stderr.write(f"[emst] spanning tree from {WAYS[way]}" + (f" ({why})" if why else "") + "\n")


def stage_printer(verbose: bool) -> Callable[[str, Any], None]:
    """A function to call after every stage with its name and an array it made; it writes how long the stage took."""
    start = time.perf_counter()

    def stage(name: str, result: Any) -> None:
        nonlocal start
        if hasattr(result, "__cuda_array_interface__"):
            result.device.synchronize()
        seconds, start = time.perf_counter() - start, time.perf_counter()
        sys.stderr.write(f"[emst] {name}: {seconds:.3f} s\n")

    return stage if verbose else lambda name, result: None
