"""Predictions and memberships written from their definitions, one query at a time, from the condensed tree of a model.

All pairs are compared, and rounded as the package rounds them: labels, probabilities and neighbours are those of the
package, bit for bit. Memberships are rounded in another order.
"""

from __future__ import annotations

import numpy as np
from helpers import scale_and_order, to_host
from norms_reference import power_between, rooted

from emst.backend.records import EUCLIDEAN


def flat_of(model):
    return model._model.flat


def host(condensed):
    """Arrays of the condensed tree, on the host."""
    names = ("parent", "birth", "death", "cluster", "leaving_merge")
    return {name: to_host(getattr(condensed, name)) for name in names}


def lambdas(heights):
    with np.errstate(divide="ignore"):
        return 1 / np.asarray(heights, np.float64)


def expected_join(model, x, queries, k, norm=EUCLIDEAN):
    """(row, whether the query is that point, weight) of every query, all pairs compared, rounded as in `reference`."""
    scale, order = scale_and_order(x, norm)
    if norm == EUCLIDEAN:
        scale = 1.0  # a power of two changes no bits, and far queries would overflow
    place, x, queries = np.argsort(order), x * x.dtype.type(scale), queries * x.dtype.type(scale)
    between = power_between(queries[:, None], x[None], norm)
    core = np.sort(power_between(x[:, None], x[None], norm), axis=1)[:, k - 1]
    own = np.sort(between, axis=1)[:, k - 2] if k > 1 else np.zeros(len(queries), x.dtype)
    weight = np.maximum(np.maximum(between, core), own[:, None])
    weight[between == 0] = 0
    rows = np.array([np.lexsort((place, between[i], weight[i]))[0] for i in range(len(queries))], int)
    found = np.arange(len(queries))
    return rows, between[found, rows] == 0, rooted(weight[found, rows], norm, scale)


def expected_prediction(model, x, queries, k, join=None):
    """Labels and probabilities one query at a time, in words of the definition."""
    rows, same, heights = join or expected_join(model, x, queries, k)
    flat, condensed = flat_of(model), host(flat_of(model).condensed)
    leaves = lambdas(to_host(flat.condensed.linkage.height))[condensed["leaving_merge"]]
    chosen, label = to_host(flat.selection.chosen), to_host(flat.selection.label)
    epsilon = model.cluster_selection_epsilon
    labels, probabilities = [], []
    for row, is_that_point, at, joins in zip(rows, same, heights, lambdas(heights)):
        if is_that_point:
            labels.append(to_host(flat.labels)[row])
            probabilities.append(to_host(flat.probabilities)[row])
            continue
        c = condensed["cluster"][row]
        while joins < leaves[row] and c != 0 and condensed["birth"][c] >= joins:
            c = condensed["parent"][c]
        joins = min(joins, leaves[row])  # it leaves with its neighbour
        mine = label[c]
        height = max(at, to_host(flat.condensed.linkage.height)[condensed["leaving_merge"]][row])
        if list(chosen) == [0] and (height > epsilon if epsilon else joins < condensed["death"][0]):
            mine = -1
        whole = condensed["death"][chosen[mine]] if mine >= 0 else 0
        labels.append(mine)
        probabilities.append(0 if mine < 0 else 1 if joins == np.inf or whole == 0 else min(joins, whole) / whole)
    return np.array(labels), np.array(probabilities), rows


def expected_membership(model, x, cluster, leaves, distances):
    """hdbscan's definition, a point and a cluster at a time; lambdas are finite."""
    flat, condensed = flat_of(model), host(flat_of(model).condensed)
    chosen, parent, death = to_host(flat.selection.chosen), condensed["parent"], condensed["death"]

    def line(c):
        return [int(c)] if c == 0 else [int(c), *line(parent[c])]

    table = np.empty((len(cluster), len(chosen)))
    for p, (c, leave) in enumerate(zip(cluster, leaves)):
        height = np.empty(len(chosen))
        for i, other in enumerate(chosen):
            common = next(a for a in line(c) if a in line(other))
            height[i] = leave if common in (c, other) else death[common]
        with np.errstate(divide="ignore"):
            near = 1 / distances[p]
        near = np.isinf(near).astype(float) if np.isinf(near).any() else near
        score = np.exp(np.exp(-death[c] / height))
        row = near / near.sum() * score / score.sum()
        nearest = chosen[height == height.max()]
        table[p] = row / row.sum() * height.max() / max(death[nearest].min(), leave)
    return table


def exemplar_table(model, points, x):
    """Distance of every point to the nearest of each cluster's exemplars, by brute force."""
    flat, condensed = flat_of(model), host(flat_of(model).condensed)
    leaves = lambdas(to_host(flat.condensed.linkage.height))[condensed["leaving_merge"]]
    label = to_host(flat.selection.label)[condensed["cluster"]]
    leaf = ~np.isin(condensed["cluster"], condensed["parent"])
    exemplar = leaf & (leaves == condensed["death"][condensed["cluster"]])
    between = np.sqrt(((points[:, None] - x[None]) ** 2).sum(axis=2))
    return np.stack([between[:, exemplar & (label == c)].min(axis=1) for c in range(len(flat.selection.chosen))], 1)
