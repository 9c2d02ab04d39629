"""The memory that a tree takes on the CPU is at most what is asked for beforehand."""

import tracemalloc

import numpy as np
import pytest
from helpers import DTYPES

import emst
from emst.cpu.points.memory import bytes_needed


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice"])
@pytest.mark.parametrize("k", [1, 5])
def test_the_estimate_is_enough(kind, k, dtype):
    """On a lattice all weights are equal, and many edges are tied."""
    g, n = np.random.default_rng(0), 100_000
    lattice = np.stack(np.divmod(g.permutation(n), 400), axis=1)
    x = (lattice if kind == "lattice" else g.random((n, 2))).astype(dtype)
    emst.minimum_spanning_tree(x, min_samples=k, device="cpu")  # compiles, or loads what was compiled
    tracemalloc.start()
    try:
        tree = emst.minimum_spanning_tree(x, min_samples=k, device="cpu")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tree.edges.nbytes <= peak <= bytes_needed(*x.shape, dtype, k)
