"""How the peers count `min_samples`: without the point itself, and limited by the number of points.

hdbscan 0.8.44 asks its trees for the ``min_samples + 1`` nearest and takes index `min_samples` of sorted distances,
both of which have the point itself in front. cuML does the same. `HDBSCANGPU` counts the point itself.
"""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse

from emst.hdbscan.parameters import RULES
from emst.inputs.devices import is_cupy_sparse, on_device_of
from emst.inputs.finite import finite_rows
from emst.inputs.points import check_points


def with_the_point(k: int, n: int) -> int:
    """The `min_samples` of `HDBSCANGPU` for k neighbours besides the point itself, or for all if there are fewer."""
    return max(min(k, n - 1), 1) + 1


def neighbours_asked_for(min_samples: Any, min_cluster_size: Any) -> int:
    """The peers' k: `min_samples`, or `min_cluster_size` if it is None.

    Raises
    ------
    ValueError
        One of them is not an integer in its range.
    """
    RULES["min_cluster_size"].check("min_cluster_size", min_cluster_size)
    RULES["min_samples"].check("min_samples", min_samples)
    return int(min_cluster_size if min_samples is None else min_samples)


def number_of_points(X: Any, metric: Any) -> int:
    """How many rows of `X` take part in the clustering: those that are finite, or all for distances."""
    if issparse(X) or is_cupy_sparse(X):
        return int(X.shape[0] if metric == "precomputed" else len(finite_rows(X.tocsr()).kept))
    rows = check_points(X).array
    if metric == "precomputed":
        return len(rows)
    with on_device_of(rows):
        return len(finite_rows(rows).kept)
