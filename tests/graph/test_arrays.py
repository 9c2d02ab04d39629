"""The array code of the published algorithms, function by function, on both backends."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.graph.algorithms.edges import NO_KEY, TILE, Arcs, arcs_of, pointer_doubling, segment_minima
from emst.graph.algorithms.primitives import split_edges


@pytest.mark.parametrize("spare", [0, 1, TILE - 1])
@pytest.mark.parametrize("lengths", [[3], [0, 5 * TILE], [5, 3 * TILE, 0, 2 * TILE - 1, 7, TILE + 9, 0], [9] * 2000])
def test_the_least_key_of_every_segment(ops, lengths, spare):
    lengths = np.array([*lengths, spare])
    segment = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    key = np.random.default_rng(0).permutation(len(segment)).astype(np.uint64) << np.uint64(33)
    least = np.full(len(lengths), NO_KEY)
    np.minimum.at(least, segment, key)
    ours = segment_minima(to_device(ops, key), to_device(ops, segment), len(lengths), ops.xp)
    np.testing.assert_array_equal(to_host(ours), least)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 16, 17, 1000])
def test_pointers_double_until_all_have_arrived(ops, length):
    successor = np.maximum(np.arange(2 * length) - 1, 0).astype(np.int32)
    successor[length] = length
    roots = pointer_doubling(to_device(ops, successor))
    np.testing.assert_array_equal(to_host(roots), np.repeat([0, length], length))


def random_edges(n, k):
    g = np.random.default_rng(k)
    source, target = np.sort(g.integers(0, n, (2, k)), axis=0).astype(np.int32)
    different = source != target
    return source[different], target[different], g.permutation(k).astype(np.uint64)[different]


def test_both_directions_of_every_edge_in_the_order_of_the_edges(ops):
    source, target, key = random_edges(20, 300)
    arcs = arcs_of(20, *(to_device(ops, a) for a in (source, target, key)), ops)
    expected = [[row, s + t - row, k] for row in range(20) for s, t, k in zip(source, target, key) if row in (s, t)]
    np.testing.assert_array_equal(np.stack([to_host(a) for a in (arcs.row, arcs.column, arcs.key)], axis=1), expected)


def test_of_parallel_edges_only_the_lightest_stays(ops):
    """The last step of a round of "primitives". Without it the forest would be the same, but the number of edges would
    not shrink with the number of vertices."""
    source, target, key = random_edges(20, 3000)
    lightest = {}
    for s, t, k in zip(source.tolist(), target.tolist(), key.tolist()):
        for pair in ((s, t), (t, s)):
            lightest[pair] = min(k, lightest.get(pair, k))
    row, column, key = np.r_[source, target], np.r_[target, source], np.r_[key, key]
    arcs = split_edges(Arcs(20, *(to_device(ops, a) for a in (row, column, key))), ops)
    ours = zip(*(to_host(a).tolist() for a in (arcs.row, arcs.column, arcs.key)))
    assert list(ours) == [(*pair, k) for pair, k in sorted(lightest.items())]
