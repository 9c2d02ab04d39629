"""The array code of the published algorithms, function by function, on both backends."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.graph.algorithms.edges import NO_KEY, TILE, Arcs, arcs_of, merged, segment_minima
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
def test_chains_of_vertices_merge_into_their_roots(ops, length):
    """Two chains; the vertices of each hang on the one before, and only the first two choose each other."""
    vertex = np.arange(2 * length, dtype=np.int32)
    rest = vertex[vertex % length > 0]
    first = vertex[::length][: 2 * (length > 1)]
    component, u = np.r_[rest, first], np.r_[rest - 1, first]
    given = (to_device(ops, a) for a in (vertex.copy(), vertex, component, u, u + np.int32(1)))
    np.testing.assert_array_equal(to_host(merged(*given, ops)), np.repeat([0, length], length))


@pytest.mark.parametrize("groups", [1, 7, 300])
def test_components_of_several_vertices_merge(ops, groups):
    """The root of every component is its first vertex; edges join vertices anywhere in two components."""
    g = np.random.default_rng(groups)
    group = np.r_[np.arange(groups), g.integers(0, groups, 1000)].astype(np.int32)
    ends = np.array([[g.choice(np.flatnonzero(group == k)) for k in (i, i - 1)] for i in range(1, groups)], np.int32)
    ends = np.sort(ends.reshape(-1, 2), axis=1)
    if groups > 1:
        ends = np.r_[ends[:1], ends]  # component 0 chooses the edge that component 1 chooses
    component = np.arange(groups * (groups > 1), dtype=np.int32)
    roots = np.arange(groups, dtype=np.int32)
    given = (to_device(ops, a) for a in (group, roots, component, ends[:, 0].copy(), ends[:, 1].copy()))
    assert not to_host(merged(*given, ops)).any()


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
