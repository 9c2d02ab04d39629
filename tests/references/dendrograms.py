"""Spanning trees for the tests of the hierarchy: every shape that a dendrogram can take, and weights of every kind."""

from dataclasses import fields

import numpy as np
from helpers import cloud, to_device, to_host
from hierarchy_reference import linkage

import emst

SHAPES = ["random", "path", "star", "caterpillar", "balanced", "nested"]
WEIGHTS = ["distinct", "ties", "zeros", "infinite", "equal"]


def tree(shape, n, seed=0):
    """Edges int32[n - 1, 2], u < v, of a tree whose points are in random order; their order is that of the merges."""
    g = np.random.default_rng([seed, n])
    i = np.arange(1, n)
    if shape == "random":
        edges = np.stack([i, g.integers(0, i)], axis=1)
        edges = g.permutation(edges)
    elif shape == "path":
        edges = np.stack([i - 1, i], axis=1)  # merged from one end: a chain of n - 1 merges
    elif shape == "star":
        edges = np.stack([np.zeros_like(i), i], axis=1)
    elif shape == "caterpillar":
        edges = np.stack([i - 1 - (i - 1) % 3, i], axis=1)
    elif shape == "balanced":
        edges = np.array([(j, j + step) for step in powers(n) for j in range(0, n - step, 2 * step)], int).reshape(
            -1, 2
        )
    elif shape == "nested":
        edges = nested(n)
    edges = np.sort(g.permutation(n)[edges], axis=1).astype(np.int32)
    assert edges.shape == (n - 1, 2)
    return edges


def powers(n):
    return [1 << bit for bit in range((n - 1).bit_length())]


def nested(n, size=2):
    """Groups of `size` points, then group after group joined to the first: n / size splits, each below another."""
    i = np.arange(1, n)
    first = i // size * size
    within = np.stack([first, i], axis=1)[i > first]
    return np.concatenate([within, np.stack([np.zeros_like(i), i], axis=1)[i == first]])


def weights(kind, m, dtype, seed=0):
    """Ascending weights T[m]."""
    g = np.random.default_rng([seed, m, 1])
    values = g.random(m) * 10
    if kind == "ties":
        values = g.integers(0, max(2, m // 10), m)
    elif kind == "zeros":
        values[: m // 2] = 0
    elif kind == "infinite":
        values[m - m // 4 :] = np.inf
    elif kind == "equal":
        values[:] = g.integers(0, 3)
    return np.sort(values).astype(dtype)


def of_points(kind, n, dtype, k=4, seed=0):
    """Edges and weights of the tree under mutual reachability of a small cloud."""
    found = emst.minimum_spanning_tree(cloud(n, 2, dtype, kind, seed), min_samples=min(k, n), device="cpu")
    return found.edges, found.weights


def contracted(edges, weights, least, share, seed=0):
    """The tree whose vertices stand for several points: of the merges of fewer than `least` points, other than the
    last, a random share is contracted, each with all merges below it.

    Returns its edges and weights; the points of every vertex, int32[v]; the vertex of every point, int32[n], where
    vertices are numbered in the order of their first points; and the merges that are left, int[v - 1].
    """
    tree, m, n = linkage(edges, weights), len(weights), len(weights) + 1
    taken = (tree.size < least) & (np.random.default_rng([seed, n]).random(m) < share)
    taken[-1:] = False
    top = {}  # of every merge and point within a contracted merge, by its name: the highest such merge
    for e in reversed(range(m)):
        if taken[e]:
            top.setdefault(e, e)
        if e in top:
            top.update(dict.fromkeys(tree.child[e].tolist(), top[e]))
    number = {}
    vertex = np.array([number.setdefault(top.get(x, x), len(number)) for x in range(-n, 0)], np.int32)
    kept = np.array([e for e in range(m) if e not in top], int)
    sizes = np.bincount(vertex).astype(np.int32)
    return np.sort(vertex[edges[kept]], axis=1), weights[kept], sizes, vertex, kept


def give(ops, edges, weights, sizes=None):
    """The dendrogram on the backend."""
    return ops.linkage(*(array if array is None else to_device(ops, array) for array in (edges, weights, sizes)))


def arrays(result):
    """The arrays of a Linkage, Condensed or Selection, on the host; without those that are a backend's own."""
    values = {field.name: getattr(result, field.name) for field in fields(result) if field.name != "scratch"}
    return {name: to_host(value) for name, value in values.items() if hasattr(value, "dtype")}


def assert_same(ours, from_reference):
    """Every array of both, bit for bit."""
    ours, from_reference = arrays(ours), arrays(from_reference)
    assert ours.keys() == from_reference.keys()
    for name, value in ours.items():
        assert value.dtype == from_reference[name].dtype, name
        np.testing.assert_array_equal(value, from_reference[name], err_msg=name)
