"""Borůvka's rounds, one by one: those of a backend are compared with those of the reference."""

import numpy as np
import reference
from helpers import forest_at_home, hierarchies, scale_and_order, to_device, to_host

from emst.backend.records import EUCLIDEAN
from emst.boruvka import spanning_forest


def leave_by(bounds, expected_bvh, labels):
    """The components whose upper bound is exactly the weight of one of their leaving edges."""
    u, v, weight, _ = expected_bvh.pairs()
    leaves = labels[u] != labels[v]
    a, b, weight = labels[u[leaves]], labels[v[leaves]], weight[leaves]
    return np.unique(np.concatenate([a[weight == bounds[a]], b[weight == bounds[b]]]))


def search(ops, index, forest, cache):
    ops.begin_round(index, forest, cache)
    bounds = forest_at_home(forest).best
    ops.nearest_outgoing(index, forest, cache)
    return bounds


def assert_same_lightest_edges(ours, theirs):
    ours, roots = forest_at_home(ours), theirs.components
    np.testing.assert_array_equal(ours.components, roots)
    for field in ("best", "edge_u", "edge_v"):
        np.testing.assert_array_equal(getattr(ours, field)[roots], getattr(theirs, field)[roots], field)


def follow(ops, x, k=1, norm=EUCLIDEAN, core_factor=1.0):
    """All rounds of Borůvka on both, compared after each; returns the number of rounds."""
    index, expected_bvh, _ = hierarchies(ops, x, k, norm)
    if core_factor != 1:
        ops.scale_cores(index, core_factor)
        reference.scale_cores(expected_bvh, core_factor)
    ours, theirs = ops.join_duplicates(index), reference.join_duplicates(expected_bvh)
    cache = ops.cache_neighbours(index, ours)
    rounds = 0
    while theirs.count > 1:
        bounds = search(ops, index, ours, cache)
        np.testing.assert_array_equal(leave_by(bounds, expected_bvh, theirs.labels), theirs.components)
        reference.nearest_outgoing(expected_bvh, theirs, None)
        assert_same_lightest_edges(ours, theirs)
        left = ops.merge(ours)
        assert left == reference.merge(theirs) == ours.count
        np.testing.assert_array_equal(forest_at_home(ours).labels, theirs.labels)
        rounds += 1
    return rounds


def begun(ops, x, k):
    """What the rounds of a backend begin with: index, forest and cache; and the order of the points."""
    scale, order = scale_and_order(x)
    index = ops.build_index(to_device(ops, x), to_device(ops, order), scale, EUCLIDEAN)
    if k > 1:
        ops.core_distances(index, k)
    forest = ops.join_duplicates(index)
    return index, forest, ops.cache_neighbours(index, forest), order


def follow_the_cpu(ops, x, k, searched):
    """All rounds on a backend and on the CPU, compared after each; for more points than `follow` takes. searched(cache)
    is called after the searches of each round."""
    from emst import cpu

    index, ours, cache, _ = begun(ops, x, k)
    of_cpu, theirs, cache_of_cpu, _ = begun(cpu, x, k)
    while theirs.count > 1:
        search(ops, index, ours, cache)
        searched(cache)
        search(cpu, of_cpu, theirs, cache_of_cpu)
        assert_same_lightest_edges(ours, forest_at_home(theirs))
        assert ops.merge(ours) == cpu.merge(theirs)


def tree_by_rounds(ops, x, k):
    """The edges and weights that a backend finds round by round."""
    index, forest, cache, order = begun(ops, x, k)
    spanning_forest(forest, lambda forest: search(ops, index, forest, cache), ops)
    return tuple(map(to_host, ops.sorted_edges(index, forest, to_device(ops, order))))
