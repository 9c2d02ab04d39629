"""The default forest on the GPU with other constants: short climbs, one block, words with few bits of the weight."""

from __future__ import annotations

import contextlib
import importlib

import numpy as np
import pytest
from changed_kernels import changed_kernels
from graph_helpers import assert_chosen, on
from graph_reference import GRAPHS, KINDS, adjacency_of, comb, path, random, shuffled, weights_for


@pytest.fixture
def ops():
    return importlib.import_module("emst.cuda")


@pytest.fixture
def constant():
    """A function that changes a constant of the kernels for one test."""
    with contextlib.ExitStack() as stack:
        yield lambda old, new: stack.enter_context(changed_kernels("graph/forest", old, new))


@pytest.mark.gpu
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_words_that_do_not_hold_the_weight(ops, constant, monkeypatch, name, kind, symmetric):
    """As with 2^32 - 1 entries or more; and so many that 12 bits are left for the weight."""
    monkeypatch.setattr("emst.cuda.graph.forest.EXACT", 0)
    constant("{weights, bits, 0, 0}", "{weights, 50, 0, 0}")
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        graph = adjacency_of(GRAPHS[name], weights_for(len(GRAPHS[name][1]), dtype, kind), symmetric)
        assert_chosen(ops.graph_forest(on(ops, graph)), graph)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize(
    "old, new",
    [
        ("HOPS = 64;", "HOPS = 1;"),  # chains are climbed in many passes
        ("ALONE = 2048;", "ALONE = 0;"),  # all blocks to the end
        ("ALONE = 2048;", "ALONE = 1 << 30;"),  # one block from the beginning
        ("rank <= SAMPLE * 11 / 16", "rank < SAMPLE"),  # light edges first, though they are nearly all
        ("rank <= SAMPLE * 11 / 16", "rank < 0"),  # all at once, however many
        ("MANY_ALIKE = 8;", "MANY_ALIKE = 2;"),  # two lanes of a warp are a crowd
        ("return (int)(u32)most;", "return 0;"),  # the giant is some vertex
        ("more <= TILE", "more <= 1"),  # rows are looked up in global memory, as where many rows are empty
    ],
)
def test_constants_decide_nothing(ops, constant, old, new, dtype):
    constant(old, new)
    for edges in (path(20_000), shuffled(path(20_000)), comb(3_000), random(3_000, 40_000), random(40_000, 50)):
        for kind in ("equal", "ties", "rising", "distinct"):
            graph = adjacency_of(edges, weights_for(len(edges[1]), dtype, kind))
            assert_chosen(ops.graph_forest(on(ops, graph)), graph)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_weights_above_all_that_a_sample_saw(ops, dtype):
    """A few heavy edges join parts whose own edges are light. Of two between the same parts, the later is lighter."""
    parts, size = 40, 1_000
    g = np.random.default_rng(0)
    at = np.repeat(np.arange(parts) * size, 3 * size)
    u, v = at + g.integers(0, size, len(at)), at + g.integers(0, size, len(at))
    ends = np.arange(parts - 1) * size
    u, v = np.r_[u, ends, ends], np.r_[v, ends + size, ends + size + 1]
    light, heavy = g.integers(1, 1_000, len(at)), 2**40 + np.arange(2 * (parts - 1))[::-1]
    kept = u != v
    graph = adjacency_of((parts * size, u[kept], v[kept]), np.r_[light, heavy][kept].astype(dtype))
    assert_chosen(ops.graph_forest(on(ops, graph)), graph)
