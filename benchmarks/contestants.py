"""What the commands for points time: this library, and the peers that are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import xor
from typing import Any

import numpy as np

import emst

MIN_CLUSTER_SIZE = 50  # of all clusterings
CHUNK = 1 << 26
MIXERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def _always(n: int, k: int) -> str:
    return ""


@dataclass(frozen=True)
class Contestant:
    """What is timed, and what is computed from its result afterwards.

    Attributes
    ----------
    build : callable
        ``build(points, k)``: a tree, or a clustering. k counts the point itself; 1 is the Euclidean tree.
    figures : callable
        Takes what `build` returned. "total": the sum of all weights. "checksum": must be the same in every run; None
        for peers, which do not promise that. Of a clustering also "labels" (on the host), "clusters" and "noise".
    module : str
        Module that must be installed.
    obstacle : callable
        ``obstacle(n, k)``: why it cannot take part, or an empty text.
    any_metric : bool
        Whether ``build(points, k, metric)`` takes another metric than the Euclidean.
    """

    build: Callable[..., Any]
    figures: Callable[[Any], dict[str, Any]]
    module: str = "emst"
    obstacle: Callable[[int, int], str] = _always
    any_metric: bool = False

    def under(self, metric: str) -> Contestant:
        """The same contestant under a metric."""
        return self if metric == "euclidean" else replace(self, build=partial(self.build, metric=metric))


def checksum(*columns: Any) -> str:
    """One number for a set of rows, whatever their order: equal for all runs, numbers of threads and devices."""
    total = 0
    for start in range(0, len(columns[0]), CHUNK):
        part = (column[start : start + CHUNK].astype(np.uint64) for column in columns)
        mixed = reduce(xor, (column * np.uint64(mixer) for column, mixer in zip(part, MIXERS)))
        total += int(mixed.sum())
    return f"{total % 2**64:016x}"


def ours(device: str) -> dict[str, Contestant]:
    """The tree ("emst") and the clustering ("HDBSCANGPU")."""

    def tree(points: Any, k: int, metric: str = "euclidean") -> Any:
        return emst.minimum_spanning_tree(points, min_samples=k, metric=metric, device=device)

    def clustering(points: Any, k: int, metric: str = "euclidean") -> Any:
        parameters = {"min_cluster_size": MIN_CLUSTER_SIZE, "min_samples": k, "metric": metric}
        return emst.HDBSCANGPU(**parameters, device=device).fit(points)

    return {"emst": Contestant(tree, _of_tree), "HDBSCANGPU": Contestant(clustering, _of_clustering)}


def _of_tree(tree: Any) -> dict[str, Any]:
    return {"total": tree.total_weight, "checksum": checksum(tree.edges[:, 0], tree.edges[:, 1])}


def _of_clustering(model: Any) -> dict[str, Any]:
    labels, probabilities = model.labels_, model.probabilities_
    # Summed on their device: minimum_spanning_tree_ would copy the weights to the host.
    total = float(model._model.weights.sum(dtype=np.float64))
    rows = np.arange(len(labels), like=labels)
    return _of_labels(labels, total) | {"checksum": checksum(rows, labels, probabilities.view(np.uint64))}


def _of_labels(labels: Any, total: float) -> dict[str, Any]:
    counts = {"clusters": int(labels.max()) + 1, "noise": int((labels == -1).sum())}
    host = labels if isinstance(labels, np.ndarray) else labels.get()
    return counts | {"total": total, "checksum": None, "labels": host}


# The peers. Only scikit-learn counts the point itself among its neighbours.


def _quitefastmst(points: np.ndarray, k: int) -> Any:
    from quitefastmst import mst_euclid

    return mst_euclid(points, M=k - 1)


def _mlpack(points: np.ndarray, k: int) -> Any:
    import mlpack

    return mlpack.emst(input_=points)


def _fast_hdbscan(points: np.ndarray, k: int) -> Any:
    import fast_hdbscan

    return fast_hdbscan.HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=k - 1).fit(points)


def _hdbscan(points: np.ndarray, k: int, metric: str = "euclidean") -> Any:
    import hdbscan

    return hdbscan.HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=k - 1, metric=metric).fit(points)


def _scikit_learn(points: np.ndarray, k: int, metric: str = "euclidean") -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=k, metric=metric, copy=True).fit(points)


def _scikit_learn_brute(points: np.ndarray, k: int) -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=k, algorithm="brute", copy=True).fit(points)


def _of_scikit_learn(model: Any) -> dict[str, Any]:
    return _of_labels(model.labels_, float(model._single_linkage_tree_["value"].sum()))


def _of_single_linkage(model: Any) -> dict[str, Any]:
    heights = np.asarray(model._single_linkage_tree)[:, 2]
    return _of_labels(model.labels_, float(heights.sum()))


PEERS = {
    "quitefastmst": Contestant(
        _quitefastmst,
        lambda result: {"total": float(result[0].sum()), "checksum": None},
        "quitefastmst",
        lambda n, k: "takes M = 1 (k = 2) as Euclidean" if k == 2 else "",
    ),
    "mlpack": Contestant(
        _mlpack,
        lambda result: {"total": float(result["output"][:, 2].sum()), "checksum": None},
        "mlpack",
        lambda n, k: f"has no mutual reachability (k = {k})" if k > 1 else "",
    ),
    "fast_hdbscan": Contestant(_fast_hdbscan, _of_single_linkage, "fast_hdbscan"),
    "hdbscan": Contestant(_hdbscan, _of_single_linkage, "hdbscan", any_metric=True),
    "scikit-learn": Contestant(
        _scikit_learn,
        _of_scikit_learn,
        "sklearn",
        lambda n, k: "takes O(n^2) time: up to 20,000 points here" if n > 20_000 else "",
        any_metric=True,
    ),
    "scikit-learn brute": Contestant(
        _scikit_learn_brute,
        _of_scikit_learn,
        "sklearn",
        lambda n, k: "takes 8 bytes a pair: up to 20,000 points here" if n > 20_000 else "",
    ),
}


def peers(names: Iterable[str], n: int, k: int, metric: str) -> tuple[dict[str, Contestant], list[str]]:
    """Those of the named peers that can take part, and a sentence about each that cannot."""
    present, absent = {}, []
    for name in names:
        contestant = PEERS[name]
        if importlib.util.find_spec(contestant.module) is None:
            absent.append(f"{name} is not installed")
        elif obstacle := contestant.obstacle(n, k):
            absent.append(f"{name} {obstacle}")
        elif metric != "euclidean" and not contestant.any_metric:
            absent.append(f"{name} takes Euclidean distance only")
        else:
            present[name] = contestant.under(metric)
    return present, absent
