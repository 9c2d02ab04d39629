"""How the peers count `min_samples`: without the point itself, and limited by the number of points.

hdbscan 0.8.44 asks its trees for the ``min_samples + 1`` nearest and takes index `min_samples` of sorted distances,
both of which have the point itself in front. cuML does the same. `HDBSCANGPU` counts the point itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from scipy.sparse import issparse

from emst.hdbscan.parameters import CLUSTER_SIZE, INFINITE, NONE, RULES, Rule, at_least
from emst.inputs.devices import is_cupy_sparse, on_device_of
from emst.inputs.finite import finite_rows
from emst.inputs.points import check_points

# The peers' 0, and hdbscan's infinity, are None in `HDBSCANGPU`.
MAX_CLUSTER_SIZE = Rule((at_least(0) | INFINITE | NONE).allows, "an integer of at least 0, where 0 sets no limit")


class Asked(NamedTuple):
    """How many other points the core distances take."""

    k: int
    words: str  # the caller's parameter, with his number

    def check(self, n: int) -> None:
        """Raise ValueError for more points than there are, as cuML does."""
        if self.k > n > 1:
            raise ValueError(f"{self.words} must be at most the number of samples in X; got {n} samples")


def with_the_point(k: int, n: int) -> int:
    """The `min_samples` of `HDBSCANGPU` for k neighbours besides the point itself, or for all if there are fewer."""
    return max(min(k, n - 1), 1) + 1


def limit_of(max_cluster_size: Any) -> int | None:
    """The `max_cluster_size` of `HDBSCANGPU`, or ValueError."""
    MAX_CLUSTER_SIZE.check("max_cluster_size", max_cluster_size)
    return None if max_cluster_size in (None, 0, math.inf) else int(max_cluster_size)


def neighbours_asked_for(min_samples: Any, min_cluster_size: Any) -> Asked:
    """The peers' k: `min_samples`, or `min_cluster_size` if it is None.

    Raises
    ------
    ValueError
        One of them is not an integer in its range.
    """
    CLUSTER_SIZE.check("min_cluster_size", min_cluster_size)
    RULES["min_samples"].check("min_samples", min_samples)
    if min_samples is None:
        return Asked(int(min_cluster_size), f"min_cluster_size={min_cluster_size}, which min_samples=None follows,")
    return Asked(int(min_samples), f"min_samples={min_samples}")


def is_sparse(X: Any) -> bool:
    """Whether `X` is a sparse matrix, SciPy's or CuPy's."""
    return bool(issparse(X) or is_cupy_sparse(X))


def number_of_points(X: Any, metric: Any) -> int:
    """How many rows of `X` take part in the clustering: those that are finite, or all for distances."""
    if is_sparse(X):
        return int(X.shape[0] if metric == "precomputed" else len(finite_rows(X.tocsr()).kept))
    rows = check_points(X).array
    if metric == "precomputed":
        return len(rows)
    with on_device_of(rows):
        return len(finite_rows(rows).kept)
