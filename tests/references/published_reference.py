"""Reference for the operations of the published graph algorithms, in slow Python. See `reference.py`."""

from __future__ import annotations

import numpy as np

NO_KEY = np.uint64(2**64 - 1)


def grow_subtrees(indptr, columns, keys, gamma, ascending):
    """One worker that takes all start vertices in order."""
    n = len(indptr) - 1
    owner = np.full(n, -1, np.int32)
    via, hook = np.full(n, -1), np.full(n, -1)
    for root in range(n):
        if owner[root] >= 0:
            continue
        owner[root] = root
        subtree = [root]
        while True:
            entries = [e for v in subtree for e in range(indptr[v], indptr[v + 1]) if owner[columns[e]] != root]
            if not entries:
                break
            lightest = min(entries, key=keys.__getitem__)
            v = columns[lightest]
            if len(subtree) == gamma or owner[v] >= 0:
                hook[root] = lightest
                break
            owner[v], via[v] = root, lightest
            subtree.append(v)
    return owner, via, hook


def lightest_of_edges(u, v, key, labels):
    a, b = labels[u], labels[v]
    leaving = a != b
    a, b, key = a[leaving], b[leaving], key[leaving]
    least = np.full(len(labels), NO_KEY)
    np.minimum.at(least, a, key)
    np.minimum.at(least, b, key)
    return least, a, b, key
