"""Keywords of hdbscan, cuML and fast_hdbscan: a call that uses one is told what to write instead."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

EXACT = "leave it out, because the tree is always exact"
THREADS = "leave it out, and limit the threads with numba.set_num_threads"
BUILD = "leave it out, because no neighbour graph is built"
INSTEAD = {
    "approx_min_span_tree": EXACT,
    "branch_detection_data": "leave it out, and pass the fitted model to emst.BranchDetector().fit(...)",
    "build_algo": BUILD,
    "build_kwds": BUILD,
    "core_dist_n_jobs": THREADS,
    "eps": "use cluster_selection_epsilon, or the clusters of DBSCAN* at this distance: fit(X).dbscan_clustering(eps)",
    "gen_min_span_tree": "leave it out, because minimum_spanning_tree_ is made when it is first read",
    "knn_k": BUILD,
    "knn_n_clusters": BUILD,
    "match_reference_implementation": "leave it out, and pass min_samples=k and min_cluster_size=m + 1 for k and m",
    "max_dist": "use metric_params={'max_distance': ...}",
    "memory": "leave it out, and select other clusters of the same tree with recluster(...)",
    "metric_kwds": "use metric_params",
    "metric_kwargs": "use metric_params",
    "output_type": "leave it out, because results are arrays of the same kind as X",
    "p": "use metric='minkowski' with metric_params={'p': ...}",
    "prediction_data": "leave it out, because predictions prepare what they need",
    "reproducible": "leave it out, because every run gives the same result",
    "sample_weight": "pass it to the fit of HDBSCANGPU or EMST, of emst or of emst.dask",
    "semi_supervised": "use emst.HDBSCANGPU(semi_supervised=True)",
    "ss_algorithm": "leave it out, because constraints are counted in pairs, see constraint_weight",
    "V": "use metric_params={'V': ...}",
    "VI": "use metric_params={'VI': ...}",
    "w": "use metric_params={'w': ...}",
}


def tells_equivalents(method: Method) -> Method:
    """Let a method of an estimator raise a TypeError that names the equivalent of an unknown keyword.

    The signature that scikit-learn reads stays that of `method`, so there is no ``**kwargs`` in it.
    """
    taken = [name for name in inspect.signature(method).parameters if name != "self"]
    suffix = "" if method.__name__ == "__init__" else f".{method.__name__}"

    @wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in taken:
                raise TypeError(f"{type(self).__name__}{suffix} has no parameter {name!r}: {_instead(name, taken)}")
        return method(self, *args, **kwargs)

    return checked  # type: ignore[return-value]


def _instead(name: str, taken: list[str]) -> str:
    near = difflib.get_close_matches(name, taken, 1)
    if name in INSTEAD:
        return INSTEAD[name]
    return f"did you mean {near[0]!r}?" if near else f"it has {', '.join(taken)}"
