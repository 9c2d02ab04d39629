"""Components of partitions get numbers, and the edges between them that are not certain are listed."""

import copy

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, forest_on, hierarchies, to_device, to_host

from emst.backend.partition_records import Numbering, OpenEdges


@pytest.mark.parametrize("n", [1, 2, 31, 33, 1_025, 5_000])
@pytest.mark.parametrize("pattern", ["one", "each", "runs", "mixed"])
def test_number_points(ops, n, pattern):
    """Runs of points of one component, of any length; roots anywhere among their points."""
    rng = np.random.default_rng([n, len(pattern)])
    where = {"one": np.zeros(n, int), "each": np.arange(n), "runs": np.sort(rng.integers(0, 9, n))}
    group = np.unique(where.get(pattern, rng.integers(0, 9, n)), return_inverse=True)[1]
    some = np.array([rng.choice(np.flatnonzero(group == g)) for g in range(group.max() + 1)], np.int32)
    labels, roots = some[group], np.sort(some)
    component, size = ops.number_points(to_device(ops, labels), to_device(ops, roots))
    expected = reference.number_points(labels, roots)
    for found, wanted in zip((component, size), expected):
        assert to_host(found).dtype == wanted.dtype
        np.testing.assert_array_equal(to_host(found), wanted)


def forest_of_rounds(expected, rounds, every):
    """The forest of so many rounds, the roots that were there before the last `every` of them, and their components."""
    forest = reference.join_duplicates(expected)
    roots, labels = forest.components.copy(), forest.labels.copy()
    for number in range(rounds):
        if forest.count == 1:
            break
        if number == rounds - every:
            roots, labels = forest.components.copy(), forest.labels.copy()
        reference.nearest_outgoing(expected, forest, None)
        reference.merge(forest)
    return forest, roots, labels


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rounds", [1, 2, 9])
def test_take_open(ops, kind, dtype, k, rounds):
    """The edges of the last rounds; what is left is the forest before them."""
    index, expected, _ = hierarchies(ops, cloud(700, 3, dtype, kind), k)
    forest, roots, labels = forest_of_rounds(expected, rounds, (rounds + 1) // 2)
    component, _ = reference.number_points(labels, roots)
    numbering, device = Numbering(2**33, 300, 5), forest_on(ops, copy.deepcopy(forest))
    found = ops.take_open(index, device, to_device(ops, roots), to_device(ops, component), numbering)
    wanted = reference.take_open(expected, forest, roots, component, numbering)
    np.testing.assert_array_equal(to_host(found.words), wanted.words)
    assert len(wanted) or len(roots) == forest.count == 1
    np.testing.assert_array_equal(to_host(device.components), roots)
    edges = [to_host(column) for column in ops.sorted_edges(index, device, None, powers=True)]
    for ours, theirs in zip(edges, reference.sorted_edges(expected, forest, None, powers=True)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("counts", [[5], [3, 700, 1], [2, 9, 4, 300]])
def test_number_together(ops, dtype, counts):
    """Partitions with and without edges; what is given stays as it is."""
    rng, edges, boxes, sizes = np.random.default_rng(3), [], [], []
    for at, count in enumerate(counts):
        a, b = rng.integers(0, count, (2, at * 20)).astype(np.int32)
        weight, power = rng.random((2, at * 20)).astype(dtype)
        edges.append(OpenEdges.of(a, b, *rng.integers(0, 2**40, (2, at * 20)), weight, power))
        boxes.append(rng.integers(-1, count, 5 * at + 1).astype(np.int32))
        sizes.append(rng.integers(1, 2**40, count))
    given = [[to_device(ops, one) for one in column] for column in ([e.words for e in edges], boxes, sizes)]
    found, left = ops.number_together([OpenEdges(words) for words in given[0]], *given[1:])
    expected, wanted = reference.number_together(edges, boxes, sizes)
    np.testing.assert_array_equal(to_host(found.words), expected.words)
    assert left.count == wanted.count
    for ours, theirs in zip((left.label, left.size, left.boxes), (wanted.label, wanted.size, wanted.boxes)):
        assert to_host(ours).dtype == theirs.dtype
        np.testing.assert_array_equal(to_host(ours), theirs)
    for column, kept in zip(given, ([e.words for e in edges], boxes, sizes)):
        for ours, theirs in zip(column, kept):
            np.testing.assert_array_equal(to_host(ours), theirs)
