"""What `verbose=True` writes."""

from __future__ import annotations

import sys
import time

from emst.boruvka import Report


def round_printer(n: int) -> Report:
    """Report that writes rounds, components left and time since now to standard error."""
    start = time.perf_counter()
    sys.stderr.write(f"[emst] {n:,} points\n")

    def report(rounds: int, left: int) -> None:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"[emst] round {rounds}: {left:,} components left, {seconds:.3f} s\n")

    return report
