"""Tiles of one launch wait for those before them, however late these are."""

from __future__ import annotations

import numpy as np
import pytest
from changed_kernels import changed_kernels

from emst import HDBSCANGPU, minimum_spanning_tree

pytestmark = pytest.mark.gpu
PUBLISH = "{ *(volatile u64 *)tile = word; }"
LATE = "{ if (blockIdx.x % 3 == 0) __nanosleep(20000); *(volatile u64 *)tile = word; }"


@pytest.fixture
def late():
    pytest.importorskip("cupy")
    with changed_kernels("runtime/sort", PUBLISH, LATE):
        yield


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("n", [70_001, 1_000_003])
def test_sorts(n):
    cupy = pytest.importorskip("cupy")
    from emst.cuda import sort_order

    codes = np.random.default_rng(n).integers(0, 2**64 - 1, n, np.uint64, endpoint=True)
    order = sort_order(cupy.asarray(codes)).get()
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))


def test_trees_and_clusters():
    x = np.random.default_rng(0).integers(0, 300, (200_000, 2)).astype(np.float32)

    def results():
        tree = minimum_spanning_tree(x, min_samples=5, device="cuda")
        return tree.edges, tree.weights, HDBSCANGPU(min_samples=5, device="cuda").fit_predict(x)

    expected = results()
    with changed_kernels("runtime/sort", PUBLISH, LATE):
        for ours, theirs in zip(results(), expected):
            np.testing.assert_array_equal(ours, theirs)
