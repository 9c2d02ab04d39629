"""Graphs of a million vertices or entries: the worst cases, and the memory they take."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from graph_reference import csr_of, grid
from helpers import to_device, to_host

from emst import graph_msf
from emst.graph.msf import ALGORITHMS

MILLION = 1_000_000
MOST_BYTES = 25  # an entry, beside the input, of a symmetric graph with weights of 32 bits


def forest_of(ops, arrays, algorithm):
    return graph_msf(tuple(to_device(ops, a) for a in arrays), device=ops.name, algorithm=algorithm, return_labels=True)


def assert_tree(forest, n, edge_id):
    np.testing.assert_array_equal(to_host(forest.edge_id), edge_id)
    assert forest.n_components == n - len(edge_id)
    assert len(edge_id) < n - 1 or not to_host(forest.component_labels).any()


def path(n, weights):
    """Both directions of edges from every vertex to the next."""
    indptr = np.clip(2 * np.arange(n + 1) - 1, 0, 2 * n - 2).astype(np.int32)
    indices, both = np.empty(2 * n - 2, np.int32), np.repeat(weights, 2)
    indices[::2], indices[1::2] = np.arange(1, n), np.arange(n - 1)
    return indptr, indices, both


def star(n, centre, weights):
    """Both directions of edges between the centre and all others."""
    leaves = np.delete(np.arange(n, dtype=np.int32), centre)
    cut = [centre]
    indices = np.insert(np.full(n - 1, centre, np.int32), np.repeat(cut, n - 1), leaves)
    both = np.insert(weights, np.repeat(cut, n - 1), weights)
    degrees = np.ones(n, np.int64)
    degrees[centre] = n - 1
    return np.r_[0, np.cumsum(degrees)], indices, both


def weights_of(kind, k):
    if kind == "equal":
        return np.zeros(k, np.int32)
    return np.arange(k, dtype=np.int32) if kind == "ascending" else np.random.default_rng(0).permutation(k).astype("i4")


@pytest.mark.parametrize("kind", ["equal", "ascending", "shuffled"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_path(ops, algorithm, kind):
    forest = forest_of(ops, path(MILLION, weights_of(kind, MILLION - 1)), algorithm)
    assert_tree(forest, MILLION, np.arange(0, 2 * MILLION - 2, 2))


@pytest.mark.parametrize("centre", [0, MILLION // 2, MILLION - 1])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_star(ops, algorithm, centre):
    arrays = star(MILLION, centre, weights_of("shuffled", MILLION - 1))
    above = np.r_[np.arange(centre), np.arange(2 * centre, centre + MILLION - 1)]  # leaves before it, and its own row
    assert_tree(forest_of(ops, arrays, algorithm), MILLION, above)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_isolated_vertices(ops, algorithm):
    """All vertices but two in the middle."""
    indptr = np.repeat(np.array([0, 1, 2], np.int32), [MILLION // 2, 1, MILLION // 2])
    arrays = indptr, np.array([MILLION // 2, MILLION // 2 - 1], np.int32), np.array([7, 7], np.int32)
    forest = forest_of(ops, arrays, algorithm)
    assert_tree(forest, MILLION, [0])
    labels = to_host(forest.component_labels)
    np.testing.assert_array_equal(labels, np.r_[np.arange(MILLION // 2), np.arange(MILLION // 2 - 1, MILLION - 1)])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_giant_row(ops, algorithm):
    """Two million edges in one row, to a thousand vertices, stored in one direction."""
    n, k = 1_001, 2 * MILLION
    g = np.random.default_rng(0)
    columns, weights = np.sort(g.integers(1, n, k)).astype(np.int32), g.integers(0, 1000, k).astype(np.int32)
    order = np.lexsort((weights, columns))
    lightest = order[np.searchsorted(columns, np.arange(1, n))]
    assert_tree(forest_of(ops, (np.r_[0, np.full(n, k)], columns, weights), algorithm), n, lightest)


def symmetric_graphs():
    g = np.random.default_rng(0)
    side = 512
    for name, (n, rows, columns) in {
        "grid": grid(side),
        "random, 8 entries a vertex": (2**17, *g.integers(0, 2**17, (2, 2**19))),
        "random, 64 entries a vertex": (2**15, *g.integers(0, 2**15, (2, 2**20))),
    }.items():
        yield name, csr_of(n, rows, columns, g.integers(0, 10**6, len(rows)).astype(np.int32))[:3]


def test_the_default_takes_few_bytes_an_entry():
    """On the CPU, where allocations can be traced; the first run may compile."""
    for name, graph in symmetric_graphs():
        arrays, peaks = (graph[0], graph[1].astype(np.int32), graph[2]), []
        for _ in range(2):
            tracemalloc.start()
            try:
                graph_msf(arrays, device="cpu", return_labels=True)
                peaks.append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
        assert 1 < min(peaks) / len(arrays[1]) < MOST_BYTES, name


@pytest.mark.gpu
def test_the_default_takes_few_bytes_an_entry_on_a_gpu():
    cupy = pytest.importorskip("cupy")
    pool = cupy.get_default_memory_pool()
    for name, graph in symmetric_graphs():
        arrays = [cupy.asarray(a) for a in (graph[0], graph[1].astype(np.int32), graph[2])]
        graph_msf(tuple(arrays), return_labels=True)  # compiles
        pool.free_all_blocks()
        before = pool.total_bytes()
        graph_msf(tuple(arrays), return_labels=True)
        assert 1 < (pool.total_bytes() - before) / len(arrays[1]) < MOST_BYTES, name
