"""Flat clusters chosen from the condensed tree; labels, probabilities and outlier scores of the points."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Selection
from emst.cpu.hierarchy.condensed import density
from emst.cpu.hierarchy.sums import sum_of
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.gather import take
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for


def select(condensed, method, epsilon, max_cluster_size, allow_single_cluster):
    """See `emst.backend.operations`."""
    count, epsilon = condensed.count, float(epsilon)  # one type: kernels are compiled for every type of argument
    parent, children = condensed.parent, condensed.children
    chosen = np.zeros(count, np.bool_)
    if method == "leaf":
        _choose_leaves(children, allow_single_cluster, chosen)
    else:
        value = condensed.stability.copy()
        _choose_by_mass(children, condensed.size, value, max_cluster_size, allow_single_cluster, chosen)
    selection = number_chosen(parent, chosen)
    old = selection.chosen
    if epsilon != 0 and len(old) and old[0] > 0:
        chosen[:] = False
        born = condensed.born_heights()
        _choose_above(parent, born, old, epsilon, allow_single_cluster, np.empty(count, np.int32), chosen)
        selection = number_chosen(parent, chosen)
    return selection


def number_chosen(parent, chosen):
    """The topmost of the chosen clusters, numbered in ascending order."""
    number, label = np.empty(len(parent), np.int32), np.empty(len(parent), np.int32)
    size = _number(parent, chosen, number, label)
    return Selection(number[:size].copy(), label)


@kernel
def _choose_leaves(children, allow_single_cluster, chosen):
    for c in range(len(children)):
        chosen[c] = children[c, 1] == 0
    if len(children) == 1:
        chosen[0] = allow_single_cluster


@kernel
def _choose_by_mass(children, size, value, max_cluster_size, allow_single_cluster, chosen):
    """Choose clusters of at least the stability of those chosen below them; the topmost ones are the clustering."""
    for c in range(len(children) - 1, -1 if allow_single_cluster else 0, -1):
        below = sum_of(value, children[c, 0], children[c, 1])
        chosen[c] = not (below > value[c] or size[c] > max_cluster_size)
        if not chosen[c]:
            value[c] = below


@kernel
def _choose_above(parent, born, old, epsilon, allow_single_cluster, instead, chosen):
    """Replace each chosen cluster born below epsilon by its first ancestor born above it."""
    for c in range(1, len(parent)):
        p = parent[c]
        if p == 0:
            instead[c] = 0 if allow_single_cluster else c
        else:
            instead[c] = p if born[p] > epsilon else instead[p]
    for i in range(len(old)):
        c = old[i]
        chosen[instead[c] if born[c] < epsilon else c] = True


@kernel
def _number(parent, chosen, number, label):
    """Number the topmost chosen clusters in ascending order."""
    count = 0
    for c in range(len(parent)):
        label[c] = label[parent[c]] if c > 0 else -1
        if label[c] < 0 and chosen[c]:
            label[c] = count
            number[count] = c
            count += 1
    return count


def label_points(condensed, selection, epsilon, cluster=None, height=None):
    """See `emst.backend.operations`."""
    if cluster is None:
        cluster, height = condensed.leaving(take=take)
    n = len(cluster)
    labels, probabilities = np.empty(n, np.int64), np.empty(n)
    chosen = selection.chosen
    least, farthest = 0.0, np.inf  # lambda and height at which a member leaves
    if len(chosen) == 1 and chosen[0] == 0:
        least, farthest = (0.0, float(epsilon)) if epsilon != 0 else (condensed.death[0], np.inf)
    rules = (condensed.death[chosen], selection.label, least, farthest)
    for_chunks(_label_points, n, grain_for(n, 1 << 15), cluster, height, *rules, labels, probabilities)
    return labels, probabilities


@kernel
def _label_points(cluster, height, death, label, least, farthest, labels, probabilities, begin, end):
    for p in range(begin, end):
        lambda_p = density(height[p])
        mine = label[cluster[p]]
        if mine < 0 or lambda_p < least or height[p] > farthest:
            labels[p], probabilities[p] = -1, 0.0
        else:
            labels[p] = mine
            full = death[mine]
            probabilities[p] = 1.0 if lambda_p == np.inf or full == 0.0 else lesser(lambda_p, full) / full


def outlier_scores(condensed, cluster, height):
    """See `emst.backend.operations`."""
    greatest = condensed.death.copy()
    _raise_greatest(condensed.parent, greatest)
    n = len(cluster)
    scores = np.empty(n)
    for_chunks(_outlier_scores, n, grain_for(n, 1 << 15), cluster, height, greatest, scores)
    return scores


@kernel
def _raise_greatest(parent, greatest):
    for c in range(len(parent) - 1, 0, -1):
        greatest[parent[c]] = greater(greatest[parent[c]], greatest[c])


@kernel
def _outlier_scores(cluster, height, greatest, scores, begin, end):
    for p in range(begin, end):
        lambda_p = density(height[p])
        most = greatest[cluster[p]]
        scores[p] = 0.0 if lambda_p == np.inf or most == 0.0 else 1.0 - lambda_p / most
