"""Edges that rounds have found: the rows of their ends, those of a partition, and their total order."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, to_device, to_host

from emst.backend.partition_records import Numbering, OpenEdges

PARTITIONS = [Numbering(2**33, 3, 0), Numbering(2**33 + 400, 5, 20), Numbering(2**33 + 1000, 7, 7)]
TAKING_PART = 400, 580, 3
SIZES = 400, 600, 10


def some_edges(m, dtype, ties=3):
    """Edges between points of three partitions with weights of few values, many of them twice."""
    rng = np.random.default_rng([m, ties])
    ids = np.concatenate(
        [
            start + places + (places >= kept) * left_out
            for (start, kept, left_out), n in zip(PARTITIONS, TAKING_PART)
            for places in [np.arange(n)]
        ]
    )
    u, v = np.sort(rng.choice(ids, (2, m)), axis=0)
    weight = (rng.integers(0, ties, m) * np.finfo(dtype).smallest_subnormal * 1000).astype(dtype)
    power = np.where(rng.random(m) < 0.5, weight, weight / 2).astype(dtype)
    a, b = rng.integers(0, 2**31, (2, m)).astype(np.int32)
    edges = OpenEdges.of(a, b, u, v, weight, power)
    return OpenEdges(edges.words[rng.integers(0, m, m)] if m else edges.words)


def rows_of_partitions(dtype):
    rows = np.random.default_rng(2).permutation(2000).astype(dtype)
    return np.split(rows[: sum(TAKING_PART)], np.cumsum(TAKING_PART)[:-1])


def on(ops, edges):
    return OpenEdges(to_device(ops, edges.words))


@pytest.mark.parametrize("rows_type", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [0, 1, 3000])
def test_rows_of_the_ends_in_a_partition(ops, m, dtype, rows_type):
    """Every end lies in one partition."""
    edges, found = some_edges(m, dtype), []
    for numbering, rows in zip(PARTITIONS, rows_of_partitions(rows_type)):
        found.append(to_host(ops.rows_here(on(ops, edges), numbering, to_device(ops, rows))))
        assert found[-1].dtype == rows_type
        np.testing.assert_array_equal(found[-1], reference.rows_here(edges, numbering, rows))
    assert (np.sum(np.array(found) >= 0, axis=0) == 1).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [0, 1, 3000, 30_000])
def test_edges_from_a_partition(ops, m, dtype):
    """Every edge belongs to one partition."""
    edges, total = some_edges(m, dtype), 0
    of_parts = zip(PARTITIONS, rows_of_partitions(np.int32))
    rows = np.concatenate([reference.rows_here(edges, numbering, rows) for numbering, rows in of_parts])
    for numbering, size in zip(PARTITIONS, SIZES):
        found, which = ops.edges_from(on(ops, edges), numbering.start, size, to_device(ops, rows))
        wanted, places = reference.edges_from(edges, numbering.start, size, rows)
        np.testing.assert_array_equal(to_host(which), places)
        np.testing.assert_array_equal(to_host(found.words), wanted.words)
        total += len(found)
    assert total == m


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ties", [1, 3, 10**6])
@pytest.mark.parametrize("m", [0, 1, 2, 3000, 30_000])
def test_the_order_of_edges(ops, m, ties, dtype):
    """By weight, power of the distance, and ends. Edges that are there twice keep their order."""
    edges = some_edges(m, dtype, ties)
    found = to_host(ops.edge_order(on(ops, edges)))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, reference.edge_order(edges))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ties", [1, 3, 10**6])
def test_the_order_of_lists_that_ascend(ops, ties, dtype):
    edges = some_edges(9000, dtype, ties)
    lists = [OpenEdges(words) for words in np.split(edges.words, [4000, 4001])]
    words = np.concatenate([one.words[reference.edge_order(one)] for one in lists])
    found = to_host(ops.edge_order(on(ops, OpenEdges(words))))
    np.testing.assert_array_equal(found, reference.edge_order(OpenEdges(words)))
