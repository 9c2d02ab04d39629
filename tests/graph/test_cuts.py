"""What trees of points and forests of graphs share: single linkage, and labels of what edges up to a weight connect."""

from __future__ import annotations

import math
import pickle
import re
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graph_reference import GRAPHS, WEIGHTS, weights_for
from helpers import DTYPES, SHARED, cloud, to_device, to_host
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import DBSCAN
from sklearn.neighbors import radius_neighbors_graph

from emst import EMST, graph_msf, minimum_spanning_tree
from emst.spanning_forest import SpanningForest


def by_first(labels):
    """Labels numbered from 0 in the order in which they first occur."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[labels]


def components_up_to(n, source, target, weight, height):
    """The components that SciPy finds when only edges of weight `height` or less are kept."""
    kept = np.array([w <= height for w in weight.tolist()], bool)
    matrix = sp.coo_array((np.ones(kept.sum()), (source[kept], target[kept])), shape=(n, n))
    return by_first(connected_components(matrix, directed=False)[1]) if n else np.empty(0, int)


def without_small(labels, least):
    """Labels of groups of fewer than `least` become -1, the others are numbered again."""
    large = np.bincount(labels, minlength=1)[labels] >= least
    found = np.full(len(labels), -1)
    found[large] = by_first(labels[large])
    return found


# ---- forests -------------------------------------------------------------------------------------------------------


def forest_of(ops, n, source, target, weight):
    ends = (to_device(ops, ends.astype(np.int32)) for ends in (source, target))
    return graph_msf(*ends, to_device(ops, weight), n_vertices=n, device=ops.name, symmetric="min")


@pytest.mark.parametrize("kind", ["ties", "special"])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", GRAPHS)
def test_labels_are_the_components_of_the_graph(ops, name, dtype, kind):
    """Of all its edges up to a height, not only of those of the forest."""
    n, source, target = GRAPHS[name]
    weight = weights_for(len(source), dtype, kind)
    forest = forest_of(ops, n, source, target, weight)
    ranked = np.sort(weight)
    heights = [-math.inf, *ranked[:: max(len(ranked) // 5, 1)].tolist(), *ranked[-1:].tolist(), math.inf]
    labels = forest.labels_at(heights)
    assert labels.shape == (len(heights), n)
    assert labels.dtype == np.int64
    assert type(labels) is type(forest.source)
    for height, found in zip(heights, to_host(labels)):
        expected = components_up_to(n, source, target, weight, height)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(to_host(forest.labels_at(height)), expected)
        np.testing.assert_array_equal(to_host(forest.cut(height)), expected)
        np.testing.assert_array_equal(to_host(forest.cut(height, min_cluster_size=3)), without_small(expected, 3))


@pytest.mark.parametrize("dtype", [np.float16, np.bool_, np.uint64, ">f8", ">i4"])
def test_weights_of_any_dtype(ops, dtype):
    if ops.name == "cuda" and np.dtype(dtype).byteorder == ">":
        pytest.skip("CuPy has no arrays in another byte order")
    n, source, target = GRAPHS["random"]
    weight = np.random.default_rng(1).integers(0, 20, len(source)).astype(dtype)
    if np.dtype(dtype) == np.uint64:
        weight += np.uint64(2**63)
    forest = forest_of(ops, n, source, target, weight)
    for height in map(int, np.unique(weight)[:4]):
        expected = components_up_to(n, source, target, weight, height)
        np.testing.assert_array_equal(to_host(forest.cut(height)), expected)


@pytest.mark.parametrize("below", [Fraction(1, 10), np.longdouble("0.1")])
def test_numbers_that_no_float_holds_are_compared_exactly(ops, below):
    """The float 0.1 is greater than a tenth."""
    if below == 0.1:
        pytest.skip("np.longdouble is float64 here")
    tree = minimum_spanning_tree(to_device(ops, np.array([[0.0], [0.1]])), device=ops.name)
    assert to_host(tree.cut(below)).tolist() == [0, 1]
    assert to_host(tree.cut(Fraction(10**400))).tolist() == to_host(tree.cut(10**400)).tolist() == [0, 0]
    assert to_host(tree.labels_at([below, Fraction(1, 3)])).tolist() == [[0, 1], [0, 0]]


def test_integers_are_compared_exactly(ops):
    """float64 cannot tell these weights apart."""
    forest = graph_msf([0, 1, 2], [1, 2, 3], to_device(ops, np.array([2**62, 2**62 + 1, 2**62 + 2])), device=ops.name)
    assert to_host(forest.cut(2**62 + 1)).tolist() == [0, 0, 0, 1]
    assert to_host(forest.cut(float(2**62))).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("name", GRAPHS)
def test_linkage_of_a_forest(ops, name):
    n, source, target = GRAPHS[name]
    weight = abs(weights_for(len(source), np.float64, "ties")) + 1
    forest = forest_of(ops, n, source, target, weight)
    matrix = forest.linkage()
    assert type(matrix) is np.ndarray
    assert matrix.shape == (max(n - 1, 0), 4)
    assert matrix.dtype == np.float64
    k = len(forest.weight)
    np.testing.assert_array_equal(matrix[:k, 2], np.sort(to_host(forest.weight)))
    assert (matrix[k:, 2] == math.inf).all()
    if n > 1:
        assert matrix[-1, 3] == n
        assert is_valid_linkage(matrix)
        for height in (1, 3, 1e9):
            expected = fcluster(matrix, height, criterion="distance")
            np.testing.assert_array_equal(to_host(forest.labels_at(height)), by_first(expected))


def test_linkage_does_not_depend_on_the_order_of_the_input(ops):
    n, source, target = GRAPHS["random"]
    weight = weights_for(len(source), np.int32, "ties")
    order = np.random.default_rng(0).permutation(len(source))
    one = forest_of(ops, n, source, target, weight)
    other = forest_of(ops, n, target[order], source[order], weight[order])
    np.testing.assert_array_equal(one.linkage(), other.linkage())


def test_components_are_joined_in_the_order_of_their_first_vertices(ops):
    forest = graph_msf([4, 1], [2, 3], to_device(ops, np.array([5.0, 7.0])), n_vertices=5, device=ops.name)
    assert forest.linkage().tolist() == [
        [2, 4, 5, 2],
        [1, 3, 7, 2],
        [0, 6, math.inf, 3],
        [5, 7, math.inf, 5],
    ]


def test_infinite_weights_are_edges(ops):
    forest = graph_msf([0, 1], [1, 2], to_device(ops, np.array([1.0, math.inf])), n_vertices=4, device=ops.name)
    assert to_host(forest.cut(1e300)).tolist() == [0, 0, 1, 2]
    assert to_host(forest.cut(math.inf)).tolist() == [0, 0, 0, 1]


def test_a_pickled_forest_can_be_cut(ops):
    forest = pickle.loads(pickle.dumps(forest_of(ops, *GRAPHS["random"], np.arange(len(GRAPHS["random"][1])))))
    assert to_host(forest.cut(-1)).tolist() == list(range(forest.n_vertices))


def test_a_forest_and_a_tree_have_the_same_names(ops):
    points = cloud(50, 2, np.float64)
    tree = minimum_spanning_tree(to_device(ops, points), device=ops.name)
    forest = graph_msf(tree.to_csr(), device=ops.name)
    assert isinstance(tree, SpanningForest) and isinstance(forest, SpanningForest)
    order = np.argsort(to_host(forest.weights), kind="stable")
    np.testing.assert_array_equal(to_host(forest.edges)[order], to_host(tree.edges))
    np.testing.assert_array_equal(to_host(forest.weights)[order], to_host(tree.weights))
    assert (forest.n_vertices, forest.n_components) == (tree.n_vertices, tree.n_components) == (50, 1)
    np.testing.assert_array_equal(forest.linkage(), tree.linkage())
    np.testing.assert_array_equal(to_host(forest.cut(0.1)), to_host(tree.cut(0.1)))


def test_edges_that_are_no_forest(ops):
    forest = graph_msf([0, 1], [1, 2], to_device(ops, np.array([1.0, 2.0])), device=ops.name)
    forest.target[:] = to_device(ops, np.array([1, 7]))
    with pytest.raises(ValueError, match="edges must join vertices from 0 to 2; got 0 to 7"):
        forest.cut(1)


# ---- trees of points -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 30, 700])
def test_friends_of_friends(ops, n, dtype):
    """The groups of DBSCAN with one point in a group, of SciPy's single linkage, and of the radius graph."""
    points = np.random.default_rng(n).integers(0, 12, (n, 2)).astype(dtype)  # many distances are exactly 1
    points += np.random.default_rng(0).choice([0, 100], n)[:, None].astype(dtype)
    model = EMST(device=ops.name).fit(to_device(ops, points))
    for distance in (0, 0.5, 1, math.sqrt(2) + 1e-6, 5):
        labels = to_host(model.cut(distance))
        graph = radius_neighbors_graph(points.astype(np.float64), distance, include_self=True)
        np.testing.assert_array_equal(labels, by_first(connected_components(graph, directed=False)[1]))
        if distance > 0:
            np.testing.assert_array_equal(labels, DBSCAN(eps=distance, min_samples=1).fit(points).labels_)
        np.testing.assert_array_equal(to_host(model.cut(distance, min_cluster_size=5)), without_small(labels, 5))
        np.testing.assert_array_equal(to_host(model.labels_at(distance)), labels)
        if n > 1:
            groups = fcluster(scipy_linkage(points.astype(np.float64), "single"), distance, criterion="distance")
            np.testing.assert_array_equal(labels, by_first(groups))
    tree = minimum_spanning_tree(to_device(ops, points), device=ops.name)
    np.testing.assert_array_equal(to_host(tree.cut(1)), to_host(model.cut(1)))


def test_a_cut_at_a_weight_makes_that_merge(ops):
    """float32 weights are compared with the number as it is, not with its nearest float32."""
    points = np.array([[0], [0.1], [0.35]], np.float32)
    model = EMST(device=ops.name).fit(to_device(ops, points))
    for first in (model.weights_[0], to_host(model.weights_)[0], np.array(to_host(model.weights_)[0])):
        assert to_host(model.cut(first)).tolist() == [0, 0, 1]
    assert to_host(model.labels_at(model.weights_)).tolist() == [[0, 0, 1], [0, 0, 0]]
    assert to_host(model.cut(0.1)).tolist() == [0, 1, 2]  # float32(0.1) > 0.1


@pytest.mark.gpu
def test_labels_come_as_the_points_came():
    import cupy

    points = cloud(100, 2, np.float32)
    assert type(EMST(device="cuda").fit(points).cut(0.1)) is np.ndarray
    assert type(EMST().fit(cupy.asarray(points)).cut(0.1)) is cupy.ndarray


def test_labels_of_torch_tensors():
    torch = pytest.importorskip("torch", reason="needs torch")
    tree = minimum_spanning_tree(torch.from_numpy(cloud(20, 2, np.float64)), device="cpu")
    assert type(tree.cut(0.1)) is type(tree.labels_at([0.1, 0.2])) is torch.Tensor


@pytest.mark.parametrize("wrong", [None, "3", math.nan, True, 1j, [1.0]])
def test_a_distance_is_a_number(wrong):
    tree = minimum_spanning_tree(cloud(5, 2, np.float64), device="cpu")
    with pytest.raises(ValueError, match=re.escape(f"distance must be a number; got {wrong!r}")):
        tree.cut(wrong)
    for heights in ([wrong], [[1.0]], np.array([[1.0]]), {}.keys):
        with pytest.raises(ValueError, match="height must be a number"):
            tree.labels_at(heights)


@pytest.mark.parametrize("wrong", [0, -3, 2.5, None, True])
def test_a_least_size_is_a_number_of_points(wrong):
    tree = minimum_spanning_tree(cloud(5, 2, np.float64), device="cpu")
    with pytest.raises(ValueError, match="min_cluster_size must be an integer of at least 1"):
        tree.cut(0.5, wrong)


def test_an_estimator_is_fitted_first():
    from sklearn.exceptions import NotFittedError

    for call in (lambda: EMST().cut(1), lambda: EMST().labels_at(1), lambda: EMST().linkage()):
        with pytest.raises(NotFittedError):
            call()


# ---- real graphs ---------------------------------------------------------------------------------------------------

REAL = {"osm-rnv-roads": 20_000, "usa-road-ny": 2_000, "tntp-berlin-center": 0}


@pytest.mark.parametrize("name", REAL)
def test_roads(ops, name):
    files = sorted((SHARED / name).glob("*.npz"))
    if not files:
        pytest.skip("needs ../shared/data")
    with np.load(files[0]) as file:
        source, target, weight = file["src"], file["dst"], file["weight"]
        n = int(file["n"]) if "n" in file else int(max(source.max(), target.max())) + 1
    forest = graph_msf(source, target, weight, n_vertices=n, device=ops.name)
    np.testing.assert_array_equal(forest.cut(REAL[name]), components_up_to(n, source, target, weight, REAL[name]))


# ---- pictures ------------------------------------------------------------------------------------------------------


def test_a_plot_has_one_line_an_edge_at_the_given_positions(ops):
    from matplotlib import pyplot as plt
    from matplotlib.collections import LineCollection

    n, source, target = GRAPHS["random"]
    forest = forest_of(ops, n, source, target, weights_for(len(source), np.float64, "ties"))
    places = np.random.default_rng(0).random((n, 2))
    _, ax = plt.subplots()
    assert forest.plot(places, ax=ax) is ax
    (lines,) = [found for found in ax.collections if isinstance(found, LineCollection)]
    np.testing.assert_array_equal(np.array(lines.get_segments()), places[to_host(forest.edges)])
    np.testing.assert_array_equal(lines.get_array(), to_host(forest.weight))
    tree = minimum_spanning_tree(places, device=ops.name)
    assert tree.plot(places, ax=ax) is ax
    plt.close("all")


def test_a_plot_with_a_layout_of_networkx():
    from matplotlib import pyplot as plt

    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "c", 1), ("a", "c", 3)])
    forest = graph_msf(graph, device="cpu")
    layout = {"c": (2.0, 5.0), "a": (0.0, 3.0), "b": (1.0, 4.0)}
    lines = forest.plot(layout).collections[1]
    assert [segment.tolist() for segment in lines.get_segments()] == [[[0, 3], [1, 4]], [[1, 4], [2, 5]]]
    with pytest.raises(ValueError, match="positions has no place for the node 'b'"):
        forest.plot({"a": (0, 0)})
    for wrong in ([[0.0, 1.0]], np.zeros((3, 3)), np.zeros(3)):
        with pytest.raises(ValueError, match=re.escape("positions must have shape (3, 2)")):
            forest.plot(wrong)
    plt.close("all")


def test_colours_of_negative_weights():
    from matplotlib import pyplot as plt

    forest = graph_msf([0, 1, 2], [1, 2, 3], [-500.0, 2.0, 90.0], device="cpu")
    norm = forest.plot(np.random.default_rng(0).random((4, 2))).collections[1].norm
    assert norm([-500, -205, 90]).tolist() == [0, 0.5, 1]
    plt.close("all")


def test_plots_of_forests_without_edges():
    from matplotlib import pyplot as plt

    forest = graph_msf(np.empty(0, int), np.empty(0, int), [], n_vertices=2, device="cpu")
    assert len(forest.plot(np.zeros((2, 2))).collections) == 2
    plt.close("all")
