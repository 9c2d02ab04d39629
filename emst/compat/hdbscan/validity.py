"""hdbscan's density-based cluster validity."""

from __future__ import annotations

from typing import Any

from emst.hierarchy.validity import validity_index as exact_validity_index


def validity_index(
    X: Any,
    labels: Any,
    metric: Any = "euclidean",
    d: int | None = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    verbose: bool = False,
    **kwd_args: Any,
) -> Any:
    """Density-based cluster validity; see `emst.validity_index`.

    Parameters
    ----------
    X, labels, metric, per_cluster_scores, mst_raw_dist, **kwd_args
        As in `emst.validity_index`.
    d : int, optional
        The dimension of the space, for ``metric="precomputed"``; of points it is the number of columns.
    verbose : bool, default False
        Has no effect.

    Returns
    -------
    index : float
        From -1 to 1; greater is better.
    scores : float64 array of shape (greatest label + 1,)
        Score of each label. Only if ``per_cluster_scores=True``.
    """
    return exact_validity_index(
        X,
        labels,
        metric=metric,
        d=d if isinstance(metric, str) and metric == "precomputed" else None,
        per_cluster_scores=per_cluster_scores,
        mst_raw_dist=mst_raw_dist,
        **kwd_args,
    )
