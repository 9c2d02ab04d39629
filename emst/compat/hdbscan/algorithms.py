"""hdbscan's `algorithm` and `metric` with its parameters, as `HDBSCANGPU` takes them.

Every algorithm gives the exact result here, so the choice has no effect; but a metric that hdbscan's choice refuses is
refused.
"""

from __future__ import annotations

from typing import Any

from emst.hdbscan.parameters import INFINITE, NOT_NEGATIVE

MAX_DIST = NOT_NEGATIVE | INFINITE
ALGORITHMS = {
    "best": "auto",
    "generic": "auto",
    "prims_kdtree": "kd_tree",
    "prims_balltree": "ball_tree",
    "boruvka_kdtree": "kd_tree",
    "boruvka_balltree": "ball_tree",
}


def algorithm_of(name: Any, *, sparse: bool) -> str:
    """The `algorithm` of `HDBSCANGPU`; `sparse` says whether `X` is a sparse matrix.

    Raises
    ------
    TypeError
        hdbscan has no such algorithm.
    ValueError
        It takes no sparse matrix.
    """
    if name not in ALGORITHMS:
        raise TypeError(f"algorithm must be one of {', '.join(map(repr, ALGORITHMS))}; got {name!r}")
    if sparse and ALGORITHMS[name] != "auto":
        raise ValueError(f"algorithm must be 'best' or 'generic' for a sparse matrix X; got {name!r}")
    return ALGORITHMS[name]


def metric_of(name: Any, params: dict[str, Any], *, sparse: bool) -> tuple[Any, dict[str, Any] | None]:
    """The `metric` and `metric_params` of `HDBSCANGPU`.

    Parameters
    ----------
    name : str or callable
        hdbscan's metric.
    params : dict
        Its parameters; those that are None are left out. "precomputed" takes `max_dist`, which stands for missing
        distances in a sparse matrix if it is greater than 0.
    sparse : bool
        Whether `X` is a sparse matrix.

    Raises
    ------
    TypeError
        "minkowski" without `p`.
    ValueError
        "precomputed" with another parameter than `max_dist`, or with this one where it has no meaning.
    """
    metric_params = {key: value for key, value in params.items() if value is not None}
    if name in ("minkowski", "p"):
        if "p" not in metric_params:
            raise TypeError("metric='minkowski' needs p")
    else:
        metric_params.pop("p", None)  # as in hdbscan, p has no effect on other metrics
    if name == "arccos":
        name = "cosine"  # hdbscan's generic algorithm computes this; its others have no such metric
    if name == "precomputed":
        metric_params = _of_distances(metric_params, sparse)
    return name, metric_params or None


def _of_distances(params: dict[str, Any], sparse: bool) -> dict[str, Any]:
    farthest = params.pop("max_dist", 0)
    MAX_DIST.check("max_dist", farthest)
    if params:
        raise ValueError(f"metric='precomputed' takes no parameter but max_dist; got {', '.join(map(repr, params))}")
    if not farthest:
        return {}
    if not sparse:
        raise ValueError(
            f"max_dist={farthest!r} stands for distances that a sparse matrix does not store; X is dense: mark missing "
            "distances by infinity"
        )
    return {"max_distance": farthest}
