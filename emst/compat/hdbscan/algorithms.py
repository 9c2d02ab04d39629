"""hdbscan's `algorithm` and `metric` with its parameters, as `HDBSCANGPU` takes them.

Every algorithm gives the exact result here, so the choice has no effect; but a metric that hdbscan's choice refuses is
refused.
"""

from __future__ import annotations

from typing import Any

ALGORITHMS = {
    "best": "auto",
    "generic": "auto",
    "prims_kdtree": "kd_tree",
    "prims_balltree": "ball_tree",
    "boruvka_kdtree": "kd_tree",
    "boruvka_balltree": "ball_tree",
}


def algorithm_of(name: Any) -> str:
    """The `algorithm` of `HDBSCANGPU`.

    Raises
    ------
    TypeError
        hdbscan has no such algorithm.
    """
    if name not in ALGORITHMS:
        raise TypeError(f"algorithm must be one of {', '.join(map(repr, ALGORITHMS))}; got {name!r}")
    return ALGORITHMS[name]


def metric_of(name: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """The `metric` and `metric_params` of `HDBSCANGPU`.

    Parameters
    ----------
    name : str or callable
        hdbscan's metric.
    params : dict
        Its parameters; those that are None are left out. "precomputed" takes `max_dist`, which stands for missing
        distances in a sparse matrix if it is greater than 0.

    Raises
    ------
    TypeError
        "minkowski" without `p`.
    """
    given = {key: value for key, value in params.items() if value is not None}
    if name in ("minkowski", "p"):
        if "p" not in given:
            raise TypeError("metric='minkowski' needs p")
    else:
        given.pop("p", None)  # as in hdbscan, p has no effect on other metrics
    if name == "arccos":
        name = "cosine"  # hdbscan's generic algorithm computes this; its others have no such metric
    if name == "precomputed":
        farthest = given.pop("max_dist", 0)
        if farthest:
            given["max_distance"] = farthest
    return name, given or None
