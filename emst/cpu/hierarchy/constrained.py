"""Flat clusters chosen from the condensed tree by constraints and stability."""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.selection import number_chosen
from emst.cpu.hierarchy.sums import sum_of
from emst.cpu.runtime.compile import kernel, part


def select_constrained(condensed, gain, price, max_cluster_size, allow_single_cluster):
    """See `emst.backend.operations`."""
    chosen = np.zeros(condensed.count, np.bool_)
    best = (gain.copy(), condensed.stability.copy())
    rules = (float(price), int(max_cluster_size), bool(allow_single_cluster))  # one type each: see `select`
    _choose(condensed.children, condensed.size, *best, *rules, chosen)
    return number_chosen(condensed.parent, chosen)


@kernel
def _choose(children, size, gain, value, price, max_cluster_size, allow_single_cluster, chosen):
    """Choose clusters that are worth at least as much as those chosen below them; the topmost ones are the clustering.

    `gain` and `value` are those of each cluster, and become those of what is chosen at or below it.
    """
    for c in range(len(children) - 1, -1, -1):
        first, end = children[c, 0], children[c, 1]
        below, below_gain = sum_of(value, first, end), np.int64(0)
        for i in range(first, end):
            below_gain += gain[i]
        allowed = size[c] <= max_cluster_size and (c > 0 or allow_single_cluster)
        chosen[c] = allowed and (end == 0 or not _is_worth_more(below, below_gain, value[c], gain[c], price))
        if not chosen[c]:
            value[c], gain[c] = below, below_gain


@part
def _is_worth_more(value, gain, other, other_gain, price):
    if price == np.inf:
        return gain > other_gain or (gain == other_gain and value > other)
    return value + price * np.float64(gain) > other + price * np.float64(other_gain)
