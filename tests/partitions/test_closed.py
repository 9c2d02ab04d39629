"""Groups of vertices that leave clusters together: closed subtrees of a partition's dendrogram."""

import numpy as np
import pytest
import reference
from dendrograms import SHAPES, give, tree, weights
from helpers import to_host

from emst.backend.records import Linkage


def check(ops, n, phantoms, beyond, least, edges, sizes=None):
    """The last `phantoms` vertices are phantoms, and the last `beyond` merges only hold components together."""
    dendrogram = give(ops, edges, weights("ties", n - 1, np.float64), sizes)
    given = n - phantoms, n - 1 - beyond, least
    found = ops.closed_groups(dendrogram, *given)
    on_host = Linkage(to_host(dendrogram.child), to_host(dendrogram.size), None)
    wanted = reference.closed_groups(on_host, *given)
    for ours, theirs in zip(found, wanted):
        assert to_host(ours).dtype == theirs.dtype
        np.testing.assert_array_equal(to_host(ours), theirs)
    return wanted


@pytest.mark.parametrize("least", [2, 3, 10, 200, 5_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_groups(ops, shape, least):
    """Of few and many vertices, with and without phantoms; all may leave together."""
    for n in (2, 3, 34, 700):
        for phantoms, beyond in ((0, 0), (1, 0), (n // 30, n // 20), (n // 2, 1)):
            check(ops, n, phantoms, beyond, least, tree(shape, n))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_points_that_vertices_stand_for(ops, dtype):
    n, most = 900, 2**40 if dtype == np.int64 else 50
    sizes = np.random.default_rng(0).integers(1, most, n).astype(dtype)
    _, closed = check(ops, n, 20, 9, 12 * most, tree("random", n), sizes)
    assert closed.any() and not closed.all()


@pytest.mark.parametrize("n", [60_000, 150_000])
@pytest.mark.parametrize("phantom", [None, 4_000])
def test_long_chains(ops, n, phantom):
    """Three of them, of which the first may have a phantom that far up. A vertex may lie thousands of merges below the
    highest closed one."""
    least, leaves, joined = 9_000, n - (phantom is not None), np.arange(3, n)  # in this order, each to one chain
    vertex = np.arange(leaves)
    alone = vertex // 3 > least - 2
    if phantom is not None:
        joined = np.insert(joined[:-1], 3 * phantom, n - 1)
        alone |= (vertex % 3 == 0) & (vertex // 3 > phantom)
    edges = np.stack([joined % 3, joined], axis=1)
    if phantom is not None:
        edges[3 * phantom, 0] = 0
    edges = np.concatenate([edges, [[0, 1], [0, 2]]]).astype(np.int32)
    dendrogram = give(ops, edges, np.arange(1.0, n))
    group, closed = map(to_host, ops.closed_groups(dendrogram, leaves, n - 1, least))
    np.testing.assert_array_equal(group, np.where(alone, 2 + np.cumsum(alone), vertex % 3))
    np.testing.assert_array_equal(closed[:-2], ~np.append(alone, True)[joined])
    group, closed = map(to_host, ops.closed_groups(dendrogram, leaves, n - 1, 3 * n))
    assert closed.all() == (phantom is None) and (group == 0).all() == (phantom is None)
