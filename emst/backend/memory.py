"""The words of errors where memory is short: gigabytes, and the page that says what to do. And what labels need."""

from __future__ import annotations

import math

TENTHS = 10**8  # bytes: a tenth of a gigabyte
POINTS = (
    "emst.dask spreads the points over several machines, or works through them from disk: "
    "docs/scale_out/two_billion_points.md"
)
GRAPHS = "emst.dask.graph_msf divides a graph among workers: docs/scale_out/inputs.md"
MATRICES = "metrics with a tree search need no matrix, also in emst.dask: docs/guide/metrics.md"
# Bytes a point that the stages after the tree take on a GPU at their peak, by the size of a number: a little more than
# measured.
LABELLING = {4: 130, 8: 170}
BRANCHES = "the method 'core' needs less; emst.dask clusters without branches: docs/guide/branches.md"


def needed_gb(count: int) -> str:
    """Bytes that are needed, in gigabytes: rounded up, so they exceed any smaller number of `free_gb`."""
    return f"{math.ceil(count / TENTHS) / 10:,.1f} GB"


def free_gb(count: int) -> str:
    """Bytes that are free, in gigabytes: rounded down."""
    return f"{count // TENTHS / 10:,.1f} GB"
