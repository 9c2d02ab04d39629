"""A flat clustering: the selected clusters of the condensed tree, and the cluster of every point."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Condensed, Selection
from emst.hierarchy.constraints import Constraints, select_by_constraints
from emst.inputs.numbers import real_number
from emst.spanning_forest import check_min_cluster_size


@dataclass(frozen=True)
class Options:
    """The parameters of a flat clustering; those of `HDBSCANGPU` with the same meaning."""

    min_cluster_size: int = 5
    method: str = "eom"
    epsilon: float = 0.0
    persistence: float = 0.0
    max_cluster_size: int | None = None
    allow_single_cluster: bool = False
    epsilon_max: float = math.inf
    auto: bool = False  # whether `min_cluster_size` is only the least one, and the data are to say which
    unsplit_root: bool = True  # whether "leaf" may select a root that never splits
    constraint_weight: float = 1.0  # of the share of satisfied constraints, against stability; see `constraints.py`


@dataclass(frozen=True, eq=False)
class FlatClustering:
    """The selected clusters and the label of every point. Arrays live on the backend."""

    condensed: Condensed
    selection: Selection
    labels: Array  # int64[n], -1 for noise
    probabilities: Array  # float64[n], 0 for noise


def flat_clustering(
    condensed: Condensed, options: Options, ops: Backend, constraints: Constraints | None = None
) -> FlatClustering:
    """Select clusters of the condensed tree, and label the points.

    Parameters
    ----------
    condensed : Condensed
        The condensed tree of two or more points.
    options : Options
        How to select.
    ops : Backend
        The backend that holds the arrays of `condensed`.
    constraints : Constraints, optional
        What is known of the points; then the method is "eom", and epsilon is 0.

    Returns
    -------
    FlatClustering
    """
    n = condensed.linkage.points
    largest = n if options.max_cluster_size is None else min(options.max_cluster_size, n)
    eligible = condensed if options.epsilon_max == math.inf else _too_wide_too_large(condensed, options.epsilon_max)
    single = options.allow_single_cluster
    if options.method == "leaf" and condensed.count == 1:
        single &= options.unsplit_root
    if constraints is None:
        selection = ops.select(eligible, options.method, options.epsilon, largest, single)
    else:
        selection = select_by_constraints(eligible, constraints, options.constraint_weight, largest, single, ops)
    labels, probabilities = ops.label_points(condensed, selection, options.epsilon)
    if options.allow_single_cluster and len(selection.chosen) == 1 and not bool((labels >= 0).any()):
        # Epsilon has selected the root, but no point leaves it late enough to be a member: there is no cluster.
        selection = Selection(selection.chosen[:0], np.full_like(selection.label, -1))
    return FlatClustering(condensed, selection, labels, probabilities)


def _too_wide_too_large(condensed: Condensed, epsilon_max: float) -> Condensed:
    """The same tree, in which clusters born at a greater distance than `epsilon_max` have more points than any cluster
    may have. As in hdbscan, the root counts as born at the greatest distance of the tree."""
    size = condensed.size.copy()
    size[condensed.born_heights() > epsilon_max] = condensed.linkage.points + 1
    return replace(condensed, size=size)


def check_cut(cut_distance: Any, min_cluster_size: Any) -> tuple[float, int]:
    """Both parameters as numbers, or ValueError that names the one out of range."""
    height = real_number(cut_distance)
    if not height >= 0:
        raise ValueError(f"cut_distance must be a number of at least 0; got {cut_distance!r}")
    return height, check_min_cluster_size(min_cluster_size)
