"""Who runs: ours, and the peers that are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import emst


@dataclass(frozen=True)
class Contestant:
    """What is timed, and what is read off its answer afterwards.

    Attributes
    ----------
    build : callable
        ``build(points, k)``: the tree. k counts the point itself; 1 is the Euclidean tree.
    total : callable
        Total weight of what `build` returned.
    edges : callable
        Its edges, or None if they cannot be compared with ours.
    """

    build: Callable[[Any, int], Any]
    total: Callable[[Any], float]
    edges: Callable[[Any], Any] = lambda answer: None


def ours_on(device: str) -> Contestant:
    return Contestant(
        lambda points, k: emst.minimum_spanning_tree(points, min_samples=k, device=device),
        lambda tree: tree.total_weight,
        lambda tree: tree.edges,
    )


def _quitefastmst(points: np.ndarray, k: int) -> Any:
    from quitefastmst import mst_euclid

    return mst_euclid(points, M=k - 1)  # its M does not count the point itself


def _mlpack(points: np.ndarray, k: int) -> Any:
    import mlpack

    return mlpack.emst(input_=points)


PEERS = {
    "quitefastmst": Contestant(_quitefastmst, lambda answer: float(answer[0].sum())),
    "mlpack": Contestant(_mlpack, lambda answer: float(answer["output"][:, 2].sum())),
}
EUCLIDEAN_ONLY = {"mlpack"}


def peers(k: int) -> tuple[dict[str, Contestant], list[str]]:
    """The peers that can take part, and a sentence about each that cannot."""
    present, absent = {}, []
    for name, contestant in PEERS.items():
        if importlib.util.find_spec(name) is None:
            absent.append(f"{name} is not installed")
        elif k > 1 and name in EUCLIDEAN_ONLY:
            absent.append(f"{name} has no mutual reachability (k = {k})")
        elif k == 2 and name == "quitefastmst":
            absent.append("quitefastmst takes M = 1 (k = 2) as Euclidean")
        else:
            present[name] = contestant
    return present, absent
