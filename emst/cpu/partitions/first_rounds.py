"""Borůvka's first round over points in partitions. On the CPU none is kept: the dendrogram takes its own."""

from __future__ import annotations


def ends_of_joined(first_round, listed, places, joined, numbering, n, base):
    """See `emst.backend.partition_operations`."""
    return None


def seen_by_partition(here, ends, rows, which):
    """See `emst.backend.partition_operations`."""
    return None


def whole_first_round(seen, of_edges):
    """See `emst.backend.partition_operations`."""
    return None
