"""The bounding volume hierarchy: boxes and labels of every node on every level."""

import importlib

import numpy as np
import pytest
import reference
from changed_kernels import changed_kernels
from helpers import (
    DIMENSIONS,
    DTYPES,
    cloud,
    hierarchies,
    random_components,
    scale_and_order,
    to_device,
    to_host,
)

from emst.backend.records import EUCLIDEAN
from emst.cpu.points.walk import STACK
from emst.cpu.runtime.lanes import LANES

SIZES = [1, 2, 7, 8, 9, 16, 17, 64, 65, 257, 5_000]


def shape(index):
    return [(int(count), int(size)) for count, size in index.levels]


@pytest.mark.parametrize("n", SIZES)
def test_levels_cover_all_points_and_shrink(ops, n):
    index, _, _ = hierarchies(ops, cloud(n, 3, np.float32))
    levels = shape(index)
    assert index.n == n
    assert levels[0][1] == index.leaf_size
    assert all(count == -(-n // size) for count, size in levels)
    assert all(below > above for (below, _), (above, _) in zip(levels, levels[1:]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_points_are_scaled_exactly_and_in_curve_order(ops, d, dtype):
    index, expected_bvh, _ = hierarchies(ops, cloud(300, d, dtype, "uneven"))
    points = to_host(index.points())
    some = np.random.default_rng(0).integers(0, len(points), 40, np.int32)
    np.testing.assert_array_equal(to_host(index.points(to_device(ops, some))), points[some])
    assert points.dtype == dtype
    np.testing.assert_array_equal(points, expected_bvh.points())


@pytest.mark.parametrize("d", [2, 7, 40])
def test_no_points(ops, d):
    """A partition without a neighbour asks for the edges between no points."""
    none = to_device(ops, np.empty(0, np.int32))
    index = ops.build_index(to_device(ops, np.empty((0, d), np.float32)), none, 1.0, EUCLIDEAN)
    assert len(to_host(ops.edge_powers(index, none, none))) == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", SIZES[:-1])
def test_boxes_are_tight(ops, n, d, dtype):
    index, expected_bvh, _ = hierarchies(ops, cloud(n, d, dtype, "uneven"))
    for level, (count, size) in enumerate(shape(index)):
        boxes = to_host(ops.node_boxes(index, level, to_device(ops, np.arange(count, dtype=np.int32))))
        for corner, expected in enumerate(reference.boxes_of(expected_bvh.points(), size)):
            np.testing.assert_array_equal(boxes[:, corner], expected)


@pytest.mark.gpu
@pytest.mark.parametrize("d", [2, 3])
def test_a_node_waits_for_its_last_child(d):
    """Some children are late, on every level."""
    cuda, x = pytest.importorskip("emst.cuda"), cloud(40_000, d, np.float32, "uneven")
    scale, order = scale_and_order(x)
    store = "  store<T, D>(nodes, 2 * (h.offset[level] + node), low);\n"
    with changed_kernels("points/bvh", store, "  if (node % 3 == 1) __nanosleep(30000);\n" + store):
        index = cuda.build_index(to_device(cuda, x), to_device(cuda, order), scale, EUCLIDEAN)
        points, levels = to_host(index.points()), shape(index)
        assert len(levels) == 3
        for level, (count, size) in enumerate(levels):
            boxes = to_host(cuda.node_boxes(index, level, to_device(cuda, np.arange(count, dtype=np.int32))))
            for corner, expected in enumerate(reference.boxes_of(points, size)):
                np.testing.assert_array_equal(boxes[:, corner], expected)


@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("components", ["one", "runs", "scattered", "all"])
def test_a_node_has_the_label_its_points_share(ops, n, d, components):
    x = cloud(n, d, np.float32)
    labels = {
        "one": np.zeros(n, np.int32),
        "runs": np.arange(n, dtype=np.int32) // 20 * 20,
        "scattered": random_components(x, 1, 3),
        "all": np.arange(n, dtype=np.int32),
    }[components]
    index, _, _ = hierarchies(ops, x)
    ops.label_nodes(index, of_points := to_device(ops, labels))
    for level, (count, size) in enumerate(shape(index)):
        nodes = (to_device(ops, one) for one in (np.full(count, level, np.int32), np.arange(count, dtype=np.int32)))
        found = to_host(ops.box_labels(index, of_points, None, *nodes))
        np.testing.assert_array_equal(found, reference.labels_of(labels, size))


def test_the_stack_of_a_walk_has_room_for_the_most_points():
    """A climb puts one node of every level there; then every level that is descended adds up to 16."""
    levels, nodes = 1, 2**31 // LANES
    while nodes > LANES:
        levels, nodes = levels + 1, -(-nodes // LANES)
    assert levels + LANES * levels <= STACK


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_everything_that_is_read_is_written(d, dtype):
    """Rows of nodes are loaded with their padding, labels as whole leaves; what memory held before must not stay."""
    import cupy

    def filled(size):
        memory = cupy.get_default_memory_pool().malloc(size)
        memory.memset(0x5A, size)
        return memory

    n = 8 * 100 + 1
    cuda = importlib.import_module("emst.cuda")
    with cupy.cuda.using_allocator(filled):
        index, _, _ = hierarchies(cuda, cloud(n, d, dtype))
        forest = cuda.join_duplicates(index)
        cuda.label_nodes(index, forest.labels)
    assert not (index.nodes.view(np.uint8) == 0x5A).reshape(-1, index.dtype.itemsize).all(axis=1).any()
    labels = cupy.ndarray(-(-n // index.leaf_size) * index.leaf_size, np.int32, forest.labels.data)
    assert labels[n:].tolist() == [-1] * (len(labels) - n)
