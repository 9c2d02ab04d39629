"""Reference for the operations of the published graph algorithms, in slow Python. See `reference.py`."""

from __future__ import annotations

import numpy as np

NO_KEY = np.uint64(2**64 - 1)


def grow_subtrees(indptr, columns, keys, gamma, ascending):
    """One worker that takes all start vertices in order."""
    n = len(indptr) - 1
    indptr, columns, keys = (array.tolist() for array in (indptr, columns, keys))
    owner, via, hook = ([-1] * n for _ in range(3))
    for root in range(n):
        if owner[root] >= 0:
            continue
        owner[root] = root
        size, entries = 1, list(range(indptr[root], indptr[root + 1]))
        while True:
            entries = [e for e in entries if owner[columns[e]] != root]  # those that leave the subtree
            if not entries:
                break
            lightest = min(entries, key=keys.__getitem__)
            v = columns[lightest]
            if size == gamma or owner[v] >= 0:
                hook[root] = lightest
                break
            owner[v], via[v] = root, lightest
            entries += range(indptr[v], indptr[v + 1])
            size += 1
    return np.array(owner, np.int32), np.array(via), np.array(hook)


def lightest_of_edges(u, v, key, labels):
    a, b = labels[u], labels[v]
    leaving = a != b
    a, b, key = a[leaving], b[leaving], key[leaving]
    least = np.full(len(labels), NO_KEY)
    np.minimum.at(least, a, key)
    np.minimum.at(least, b, key)
    return least, a, b, key
