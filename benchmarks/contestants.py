"""Who runs: ours, and the peers that are installed. A contestant turns points and k into (total weight, edges)."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import emst

# (points, k) -> total weight, edges or None. k counts the point itself; 1 is the Euclidean tree.
Contestant = Callable[[Any, int], tuple[float, Any]]


def ours_on(device: str) -> Contestant:
    def run(points: Any, k: int) -> tuple[float, Any]:
        tree = emst.minimum_spanning_tree(points, min_samples=k, device=device)
        return tree.total_weight, tree.edges

    return run


def quitefastmst(points: np.ndarray, k: int) -> tuple[float, Any]:
    """Its M does not count the point itself."""
    from quitefastmst import mst_euclid

    weights = mst_euclid(points, M=k - 1)[0]
    return float(weights.sum()), None


def mlpack(points: np.ndarray, k: int) -> tuple[float, Any]:
    import mlpack as peer

    return float(peer.emst(input_=points)["output"][:, 2].sum()), None


PEERS: dict[str, Contestant] = {"quitefastmst": quitefastmst, "mlpack": mlpack}
EUCLIDEAN_ONLY = {"mlpack"}


def peers(k: int) -> tuple[dict[str, Contestant], list[str]]:
    """The peers that can take part, and a sentence about each that cannot."""
    present, absent = {}, []
    for name, run in PEERS.items():
        if importlib.util.find_spec(name) is None:
            absent.append(f"{name} is not installed")
        elif k > 1 and name in EUCLIDEAN_ONLY:
            absent.append(f"{name} has no mutual reachability (k = {k})")
        elif k == 2 and name == "quitefastmst":
            absent.append("quitefastmst takes M = 1 (k = 2) as Euclidean")
        else:
            present[name] = run
    return present, absent
