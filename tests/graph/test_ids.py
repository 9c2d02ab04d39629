"""`graph_msf` of ids of vertices: they are numbered in ascending order, and given back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers import to_device, to_host

from emst import graph_msf
from emst.graph import ids

G = np.random.default_rng(4)
M = 500
LOW = G.choice(200, 120, replace=False).astype(np.int64)
IDS = {  # name: ids of 120 vertices
    "OpenStreetMap": 8_123_456_789 + LOW * 7919,
    "negative": LOW - 150,
    "of 64 bits": np.where(LOW % 2, 2**63 - 1 - LOW, -(2**63) + LOW),
    "unsigned": (LOW.astype(np.uint64) + np.uint64(2**63)),
    "sparse": LOW * 1_000_003,
    "floats": LOW * 1e13,
}


def edges(kind, seed=7):
    """Sources, targets and weights of edges between ids, and the same edges between their numbers."""
    g = np.random.default_rng(seed)
    ends = IDS[kind][g.integers(0, 120, (2, M))]
    found, numbers = np.unique(ends, return_inverse=True)
    return (*ends, g.integers(-20, 20, M)), (*numbers.reshape(2, M), found)


@pytest.mark.parametrize("kind", IDS)
def test_ids_are_numbered_and_given_back(ops, kind):
    (source, target, weight), (rows, columns, found) = edges(kind)
    arrays = (to_device(ops, array) for array in (source, target, weight))
    forest = graph_msf(*arrays, device=ops.name, symmetric="min", return_labels=True)
    numbers = (to_device(ops, array) for array in (rows, columns, weight))
    expected = graph_msf(*numbers, device=ops.name, symmetric="min", return_labels=True, n_vertices=len(found))
    for name in ("source", "target", "weight", "edge_id", "component_labels"):
        ours, theirs = (to_host(getattr(one, name)) for one in (forest, expected))
        np.testing.assert_array_equal(ours, theirs, name)
        assert ours.dtype == theirs.dtype
    assert isinstance(forest.nodes, np.ndarray) and forest.nodes.tolist() == found.tolist()
    assert (forest.nodes.dtype.kind == "u") is (kind == "unsigned")
    assert forest.n_vertices == len(found) and expected.nodes is None
    drawn = [(found[u], found[v], w) for u, v, w in expected.weighted_edge_list()]
    assert forest.weighted_edge_list() == drawn
    assert forest.to_pandas()[["source", "target", "weight"]].values.tolist() == [list(edge) for edge in drawn]
    assert sorted(forest.to_networkx()) == found.tolist()
    for u, v, w in drawn:
        assert forest.to_networkx()[u][v]["weight"] == w


@pytest.mark.parametrize("greatest, numbered", [(999_999, False), (1_000_000, True)])
def test_few_numbers_are_vertices(ops, greatest, numbered):
    forest = graph_msf([0, 3], [3, greatest], [1.0, 2.0], device=ops.name)
    assert (forest.nodes is not None) is numbered
    assert forest.n_vertices == (3 if numbered else 1_000_000)
    given = graph_msf([0, 3], [3, greatest], [1.0, 2.0], device=ops.name, n_vertices=greatest + 1)
    assert given.nodes is None and given.n_vertices == greatest + 1


@pytest.mark.parametrize("greatest, numbered", [(4 * M - 1, False), (4 * M, True)])
def test_four_numbers_for_each_edge_are_vertices(monkeypatch, greatest, numbered):
    monkeypatch.setattr(ids, "FEW", 100)
    source, target = np.full(M, greatest), np.zeros(M, np.int32)
    assert ids.vertex_count(source, target) == (None if numbered else 4 * M)
    assert ids.vertex_count(target, source) == (None if numbered else 4 * M)
    assert ids.vertex_count(target, target - 1) is None


def test_no_more_vertices_than_32_bits_can_number(monkeypatch):
    monkeypatch.setattr(ids, "MOST_VERTICES", 1000)
    assert ids.vertex_count(np.array([0]), np.array([999])) == 1000
    assert ids.vertex_count(np.array([0]), np.array([1000])) is None


def test_whole_floats_are_vertices(ops):
    frame = pd.DataFrame({"source": [0.0, 1.0], "target": [1.0, 5.0], "weight": [3, 4]})
    forest = graph_msf(frame, device=ops.name)
    assert forest.nodes is None and forest.n_vertices == 6 and forest.weighted_edge_list() == [(0, 1, 3), (1, 5, 4)]


def test_signed_and_unsigned_ids_are_joined_exactly(ops):
    forest = graph_msf(np.array([2**62 + 1], np.uint64), np.array([-1]), [1.0], device=ops.name)
    assert forest.weighted_edge_list() == [(-1, 2**62 + 1, 1.0)]
    forest = graph_msf(np.array([2**63 + 1], np.uint64), np.array([5]), [1.0], device=ops.name)
    assert forest.weighted_edge_list() == [(5, 2**63 + 1, 1.0)]


def test_ids_of_more_than_64_bits_are_names(ops):
    forest = graph_msf([2**70, 3], [3, -1], [1.0, 2.0], device=ops.name)
    assert forest.nodes == [2**70, 3, -1]


def test_places_of_ids_are_found(ops):
    forest = graph_msf([-5, 10**10], [10**10, 7], [1.0, 2.0], device=ops.name)
    forest.plot({-5: (0, 0), 7: (1, 0), 10**10: (0, 1)})
    with pytest.raises(ValueError, match="positions has no place for the node 7"):
        forest.plot({-5: (0, 0), 10**10: (0, 1)})


def test_a_data_frame_whose_numbers_are_no_ids():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"source": [0, 5], "target": [5, 3_000_000], "weight": [1.0, 2.0]})
    assert graph_msf(frame, device="cpu").nodes.tolist() == [0, 5, 3_000_000]
    forest = graph_msf(frame, n_vertices=3_000_002, device="cpu")
    assert (forest.n_vertices, forest.nodes, forest.target.tolist()) == (3_000_002, None, [5, 3_000_000])
    with pytest.raises(ValueError, match="from 0 to 99"):
        graph_msf(frame, n_vertices=100, device="cpu")


def test_an_infinite_number_is_no_vertex():
    with pytest.raises(ValueError, match=r"source must hold whole numbers or names .*; 1 row with others, first inf"):
        graph_msf([0, np.inf], [1, 2], [1.0, 2.0], device="cpu")
