"""How much of the host's memory is free."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

ROOT = Path("/")


class GroupFiles(NamedTuple):
    """Where one version of Linux' control groups keeps a group's memory."""

    mounts: tuple[str, ...]  # below the root, in the order in which they are tried
    limit: str
    used: str
    reclaimable: str  # entry of memory.stat: bytes of page cache that the kernel gives up before it kills a process


VERSION_1 = GroupFiles(
    ("sys/fs/cgroup/memory",), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
)
VERSION_2 = GroupFiles(("sys/fs/cgroup", "sys/fs/cgroup/unified"), "memory.max", "memory.current", "inactive_file")
NO_LIMIT = 1 << 62  # version 1 writes the greatest number of whole pages below 2^63 where there is no limit


def bytes_free() -> int | None:
    """Memory this process can still get, None where the machine does not say."""
    limits = [free for free in (machine_free(ROOT), groups_free(ROOT)) if free is not None]
    return min(limits) if limits else None


def machine_free(root: Path) -> int | None:
    """Memory that the machine has left."""
    try:
        with (root / "proc/meminfo").open() as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def groups_free(root: Path) -> int | None:
    """What the limits of the process's control groups leave, the least of all; None where there is no limit.

    A group's limit holds for the groups in it together, so the group's ancestors count as well. A container that sees
    only its own groups finds its limit at the mount point, whatever path `/proc/self/cgroup` gives.
    """
    limits = [
        free
        for first, group in groups(root, "memory")
        for files in (VERSION_1 if first else VERSION_2,)
        for mount in files.mounts
        for folder in (group, *group.parents)
        if (free := _group_free(root / mount / folder, files)) is not None
    ]
    return min(limits) if limits else None


def groups(root: Path, controller: str) -> list[tuple[bool, Path]]:
    """The groups that the process is in, as paths below the mount points, and whether they are of version 1; lines are
    ``number:controllers:path``."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    listed = []
    for line in lines:
        controllers, _, path = line.partition(":")[2].partition(":")
        if not controllers or controller in controllers.split(","):
            listed.append((bool(controllers), Path(path.lstrip("/"))))
    return listed


def _group_free(folder: Path, files: GroupFiles) -> int | None:
    """What the limit of one group leaves, page cache that can be reclaimed counted as free; None without a limit."""
    try:
        limit, used = (int((folder / name).read_text()) for name in (files.limit, files.used))
        entries = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # no such group, or "max": no limit
        return None
    if limit >= NO_LIMIT:
        return None
    return max(limit - used + int(entries.get(files.reclaimable, 0)), 0)
