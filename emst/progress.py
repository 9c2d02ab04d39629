"""What a long run shows of itself: lines with `verbose=True`, a bar on the command line's terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from emst.boruvka import Report


def round_printer(n: int) -> Report:
    """Report that writes rounds, components left and time since now to standard error."""
    start = time.perf_counter()
    sys.stderr.write(f"[emst] {n:,} points\n")

    def report(rounds: int, left: int) -> None:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"[emst] round {rounds}: {left:,} components left, {seconds:.3f} s\n")

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
