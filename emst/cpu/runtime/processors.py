"""How many processors this process may use: its affinity, and the limits of its control groups (Linux).

A container that may use half of one core sees all cores of the machine. More threads than it may use only wait for each
other: the system stops all of them when they have used up their time.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numba

from emst.cpu.runtime.memory import ROOT, groups


@functools.cache
def processors() -> int:
    """At least one; read once."""
    return min(of_affinity(), of_groups(ROOT) or of_affinity())


def parallelism() -> tuple[int, str]:
    """See `emst.backend.operations`."""
    wanted, cores = int(numba.get_num_threads()), os.cpu_count() or 1
    threads = min(wanted, processors())
    if threads < processors():
        limit = os.environ.get("NUMBA_NUM_THREADS")
        return threads, f"NUMBA_NUM_THREADS={limit}" if limit == str(wanted) else "numba.set_num_threads"
    if threads < of_affinity():
        return threads, "the limit of a container (its control group)"
    return threads, "all cores" if threads == cores else f"of {cores} cores, those that this process may use (affinity)"


def of_affinity() -> int:
    """Processors that the system lets this process run on."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def of_groups(root: Path) -> int | None:
    """The limit of the process's control groups and of their ancestors, rounded up; None where there is no limit."""
    known = [
        quota
        for first, group in groups(root, "cpu")
        for mount in (("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct") if first else ("sys/fs/cgroup",))
        for folder in (group, *group.parents)
        if (quota := _quota(root / mount / folder, first)) is not None
    ]
    return min(known) if known else None


def _quota(folder: Path, first: bool) -> int | None:
    """Microseconds of a period that a group may use, divided by the period, in version 1 or 2 of control groups."""
    try:
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if first else ("cpu.max",)
        quota, period = (int(word) for name in names for word in (folder / name).read_text().split())
    except (OSError, ValueError):  # no such group, or "max": no limit
        return None
    return -(-quota // period) if quota > 0 and period > 0 else None
