"""Pictures: positions, sizes and colours match the data, and hdbscan's arguments work."""

import io
import subprocess
import sys
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import LogNorm, to_rgb, to_rgba
from matplotlib.patches import Ellipse
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.sparse import csr_array

from emst import EMST, HDBSCANGPU, BranchDetector, minimum_spanning_tree
from emst.euclidean import MinimumSpanningTree
from emst.hdbscan.trees import SingleLinkageTree, SpanningTree
from emst.hdbscan.trees.sources import ROW
from emst.plots import (
    cluster_colours,
    plot_approximation_graph,
    plot_clusters,
    plot_condensed_tree,
    plot_mst,
    plot_single_linkage_tree,
    plot_spanning_tree,
    weight_norm,
)
from emst.plots import clusters as clusters_room
from emst.plots import icicles as icicles_room
from emst.plots import spanning as spanning_room
from emst.plots.icicles import icicles


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def path_through(points):
    """Some tree of the points, its edges by weight."""
    steps = np.arange(len(points) - 1, dtype=np.int32)
    weights = np.linalg.norm(np.diff(points, axis=0), axis=1)
    order = np.argsort(weights, kind="stable")
    return MinimumSpanningTree(np.stack([steps, steps + 1], axis=1)[order], weights[order], None, "cpu")


def line_collections(ax):
    return [drawn for drawn in ax.collections if isinstance(drawn, LineCollection)]


def drawn_edges(ax):
    (lines,) = line_collections(ax)
    return lines


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def names_of_axes(ax):
    return ax.get_xlabel(), ax.get_ylabel()


def test_one_line_collection_of_all_edges_coloured_by_weight():
    points = np.random.default_rng(0).random((200, 2))
    mst = path_through(points)
    lines = drawn_edges(plot_mst(points, mst))
    np.testing.assert_array_equal(np.array(lines.get_segments()), points[mst.edges])
    np.testing.assert_array_equal(lines.get_array(), mst.weights)
    assert lines.get_rasterized() is False


def test_many_points_are_kept_as_pixels():
    points = np.random.default_rng(1).random((10_001, 2))
    assert drawn_edges(plot_mst(points, path_through(points))).get_rasterized() is True


def test_draws_on_the_given_axes_and_returns_them():
    points = np.random.default_rng(2).random((5, 2))
    _, ax = plt.subplots()
    figures = plt.get_fignums()
    assert plot_mst(points, path_through(points), ax=ax) is ax
    assert plt.get_fignums() == figures
    assert isinstance(plot_mst(points, path_through(points)), Axes)
    assert len(plt.get_fignums()) == len(figures) + 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(n):
    points = np.random.default_rng(3).random((n, 2))
    ax = plot_mst(points, path_through(points))
    ax.figure.canvas.draw()
    assert len(drawn_edges(ax).get_segments()) == n - 1


def test_equal_points_have_edges_of_weight_zero():
    points = np.zeros((4, 2))
    plot_mst(points, path_through(points)).figure.canvas.draw()
    points = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1000.0, 0.0]])
    ax = plot_mst(points, path_through(points))
    ax.figure.canvas.draw()
    assert isinstance(drawn_edges(ax).norm, LogNorm)
    assert np.isfinite(drawn_edges(ax).get_linewidths()).all()


def test_the_scale_is_logarithmic_above_a_decade_only():
    """One pair of near duplicates does not stretch it."""
    assert [isinstance(weight_norm(np.array([1.0, 5.0, most])), LogNorm) for most in (11.0, 10.0)] == [True, False]
    assert weight_norm(np.concatenate([[1e-12], np.linspace(1.0, 20.0, 999)])).vmin > 0.5


def test_importing_plots_imports_no_matplotlib():
    code = "import emst, emst.plots, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda **to: plot_clusters(np.eye(2), [0, -1], **to),
        lambda **to: plot_condensed_tree(condensed(SPLITS), **to),
        lambda **to: plot_single_linkage_tree(single_linkage(9), **to),
        lambda **to: plot_spanning_tree(np.eye(3), [[0, 1], [1, 2]], [1.0, 2.0], **to),
    ],
)
def test_the_axis_is_the_given_one_or_the_current_one(draw):
    _, (one, other) = plt.subplots(ncols=2)
    plt.sca(other)
    assert draw(ax=one) is one
    assert draw() is other
    assert len(plt.get_fignums()) == 1


# The condensed tree. A cluster is born, splits or ends at a lambda, and its points leave in between.

SPLITS = {0: (0.0, 1.0, 60), 1: (1.0, 4.0, 20), 2: (1.0, 2.0, 30), 3: (2.0, 3.0, 12), 4: (2.0, 5.0, 10)}


def condensed(clusters, below=MappingProxyType({0: (1, 2), 2: (3, 4)})):
    """Rows of a tree of clusters {id: (birth, death, size)}: the points that its children do not have leave evenly."""
    n, point, rows = clusters[0][2], 0, []
    for c, (birth, death, size) in clusters.items():
        inner = [child for child in below.get(c, ()) if child in clusters]
        leave = size - sum(clusters[child][2] for child in inner)
        levels = np.linspace(birth, death, leave + 1)[1:]
        rows += [(n + c, point + i, level, 1) for i, level in enumerate(levels)]
        point += leave
        rows += [(n + c, n + child, clusters[child][0], clusters[child][2]) for child in inner]
    assert point == n and len(rows) == n + len(clusters) - 1
    return np.sort(np.array(rows, ROW), order=["parent", "lambda_val", "child"])


def drawn_bars(ax):
    """Left, right, top and bottom of the bars."""
    (bars,) = [drawn for drawn in ax.collections if isinstance(drawn, PolyCollection)]
    corners = np.array([path.vertices[:4] for path in bars.get_paths()])
    return bars, np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def assert_no_overlap(boxes):
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_icicles_hang_below_each_other_without_overlap():
    ax = plot_condensed_tree(condensed(SPLITS))
    bars, boxes = drawn_bars(ax)
    assert bars.get_array().max() == 60
    assert boxes[:, 1].min() == 0 and boxes[:, 3].max() == 5
    assert_no_overlap(boxes)
    low, high = ax.get_ylim()
    assert low > 5 and high == 0
    assert ax.get_ylabel() == "$\\lambda$ value"
    assert len(drawn_edges(ax).get_segments()) == 4
    assert ax.get_title(loc="right") == ""


def test_a_cluster_splits_into_three_at_once():
    """The child in the middle hangs straight below its parent, so no line leads to it."""
    ax = plot_condensed_tree(condensed({0: (0, 1, 60), 1: (1, 4, 20), 2: (1, 2, 20), 3: (1, 3, 20)}, {0: (1, 2, 3)}))
    _, boxes = drawn_bars(ax)
    assert_no_overlap(boxes)
    lines = np.array(drawn_edges(ax).get_segments())
    assert lines.shape == (2, 2, 2)
    assert (lines[:, :, 1] == 1).all() and np.ptp(lines[:, 0, 0]) == 0
    assert np.sign(lines[:, 1, 0] - lines[:, 0, 0]).tolist() == [-1, 1]


@pytest.mark.parametrize("cmap, log_size, axes", [("viridis", False, 2), ("viridis", True, 2), ("none", False, 1)])
def test_colours_and_widths(cmap, log_size, axes):
    ax = plot_condensed_tree(condensed(SPLITS), cmap=cmap, log_size=log_size)
    bars, boxes = drawn_bars(ax)
    assert len(ax.figure.axes) == axes
    if cmap == "none":
        assert to_rgb(bars.get_facecolor()[0]) == (0, 0, 0)
    else:
        assert ax.figure.axes[1].get_ylabel() == "Number of points"
        assert isinstance(bars.norm, LogNorm) == log_size
        assert bars.get_array().max() == pytest.approx(60)  # numbers, not their logarithms
    assert np.ptp(boxes[:, [0, 2]], axis=1).max() == pytest.approx(np.log(60) if log_size else 60)


@pytest.mark.parametrize("palette, colours", [(None, "rrr"), ("gbk", "gbk"), ("gb", "rrr")])
def test_chosen_clusters_are_circled(palette, colours):
    ax = plot_condensed_tree(condensed(SPLITS), [61, 63, 64], label_clusters=True, selection_palette=palette)
    _, boxes = drawn_bars(ax)
    ellipses = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    assert [to_rgb(ellipse.get_edgecolor()) for ellipse in ellipses] == [to_rgb(colour) for colour in colours]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    for ellipse, cluster in zip(ellipses, (1, 3, 4)):
        birth, death, size = SPLITS[cluster]
        x, y = ellipse.center
        assert y == (birth + death) / 2
        assert (size / ellipse.width) ** 2 + ((death - birth) / ellipse.height) ** 2 < 1  # its corners lie inside
        assert any(x == pytest.approx((left + right) / 2) for left, low, right, _ in boxes if low == birth)
    unmarked = plot_condensed_tree(condensed(SPLITS), [61], ax=plt.figure().subplots())
    assert len(unmarked.patches) == 1 and not unmarked.texts


def test_infinite_lambdas_run_off_the_others():
    rows = condensed(SPLITS)
    rows["lambda_val"][rows["parent"] == 64] = np.inf
    ax = plot_condensed_tree(rows, [64])
    _, boxes = drawn_bars(ax)
    assert np.isfinite(boxes).all()
    assert boxes[:, 3].max() == pytest.approx(4.4)
    assert ax.get_ylim()[0] > 4.4
    rows["lambda_val"] = np.inf
    plot_condensed_tree(rows, [61]).figure.canvas.draw()


def test_one_dense_pair_does_not_flatten_the_picture():
    rows = condensed({0: (0.0, 1.0, 900), 1: (1.0, 4.0, 400), 2: (1.0, 3.0, 400)})
    rows["lambda_val"][np.flatnonzero(rows["parent"] == 901)[-2:]] = 1e6
    assert 4 < plot_condensed_tree(rows).get_ylim()[0] < 5
    rows["lambda_val"][np.flatnonzero(rows["parent"] == 901)[-200:]] = 1e6  # but many points do
    assert plot_condensed_tree(rows, ax=plt.figure().gca()).get_ylim()[0] > 1e6


def chain(splits, leaf=5):
    """A tree that sheds a leaf at every split."""
    clusters, size = {0: (0.0, 1.0, leaf * (splits + 1))}, leaf * (splits + 1)
    for s in range(splits):
        size -= leaf
        clusters[2 * s + 1] = (1.0 + s, 1.5 + s, leaf)
        clusters[2 * s + 2] = (1.0 + s, 2.0 + s, size)
    return condensed(clusters, {c: (c + 1, c + 2) for c in range(0, 2 * splits, 2)})


def test_a_long_chain_is_drawn_in_part():
    """Its ten thousand largest clusters are its beginning, of which nothing branches off."""
    ax = plot_condensed_tree(chain(20_000), [100_005, 100_005 + 1])
    assert ax.get_xlabel() == "20,000 branches that are less stable are not drawn, 1 selected cluster among them"
    assert len(ax.patches) == 1
    bars, _ = drawn_bars(ax)
    assert len(bars.get_paths()) <= 20 * 10_000


@pytest.mark.parametrize("most, shown", [(1, 1), (7, 7), (60, 60)])
def test_of_many_branches_the_most_stable_are_drawn(most, shown):
    """All are born at lambda 1, and live for 1 to 100."""
    lives = np.random.default_rng(0).permutation(np.arange(1, 101)).tolist()
    children = {c: (1.0, 1.0 + life, 20) for c, life in enumerate(lives, 1)}
    rows = condensed({0: (0.0, 1.0, 2000), **children}, {0: tuple(children)})
    deaths = icicles(rows, leaves=most).bounds[:, 3]
    np.testing.assert_allclose(sorted(deaths), [1.0, *range(102 - shown, 102)])
    ax = plot_condensed_tree(rows, max_leaves=most)
    assert ax.get_xlabel() == f"{100 - shown} branches that are less stable are not drawn"


def test_a_branch_is_as_stable_as_all_that_is_below_it():
    """Cluster 1 lives shortly, but splits into two that live long; of cluster 2 nothing is left."""
    clusters = {0: (0, 1, 60), 1: (1, 2, 30), 2: (1, 9, 30), 3: (2, 20, 15), 4: (2, 15, 15)}
    layout = {most: icicles(condensed(clusters, {0: (1, 2), 1: (3, 4)}), leaves=most) for most in (1, 2, 3, 4)}
    shown = {most: (one.cluster - 60).tolist() for most, one in layout.items()}
    assert shown == {1: [0, 1, 3], 2: [0, 1, 2, 3], 3: [0, 1, 2, 3, 4], 4: [0, 1, 2, 3, 4]}
    assert {most: one.hidden for most, one in layout.items()} == {1: 2, 2: 1, 3: 0, 4: 0}


def test_the_largest_of_very_many_clusters_are_looked_at(monkeypatch):
    monkeypatch.setattr(icicles_room, "BEFORE", 10)
    sizes = [*range(2, 42)]
    children = {c: (1.0, 2.0, size) for c, size in enumerate(sizes, 1)}
    layout = icicles(condensed({0: (0.0, 1.0, sum(sizes)), **children}, {0: tuple(children)}), leaves=30)
    assert (layout.cluster - sum(sizes)).tolist() == [0, *range(33, 41)]
    assert layout.hidden == 32


def test_no_branch_cannot_be_drawn():
    with pytest.raises(ValueError, match="max_leaves must be at least 1; got 0"):
        plot_condensed_tree(condensed(SPLITS), max_leaves=0)


def test_a_tree_without_clusters_or_without_rows():
    for rows in (condensed({0: (0.0, 2.0, 7)}), np.array([(1, 0, np.inf, 1)], ROW), np.zeros(0, ROW)):
        plot_condensed_tree(rows, ax=plt.figure().subplots()).figure.canvas.draw()


# Single linkage


def single_linkage(n, seed=4):
    return linkage(np.random.default_rng(seed).normal(size=(n, 2)), "single")


@pytest.mark.parametrize(
    "mode, p", [(None, 0), ("none", 7), ("lastp", 12), ("lastp", 1), ("lastp", 999), ("level", 3), ("mtica", 50)]
)
@pytest.mark.parametrize("n", [2, 3, 200])
def test_the_dendrogram_is_scipys(n, mode, p):
    matrix = single_linkage(n)
    ax = plot_single_linkage_tree(matrix, truncate_mode=mode, p=p)
    upright, level = [lines.get_segments() for lines in line_collections(ax)]
    expected = dendrogram(matrix, no_plot=True, truncate_mode=mode, p=p)
    x, y = np.array(expected["icoord"]).reshape(-1, 4), np.array(expected["dcoord"]).reshape(-1, 4)

    def sides(x, top, foot):
        return sorted(zip(np.round(x, 9).tolist(), top.tolist(), foot.tolist()))

    upright, level = np.array(upright).reshape(-1, 2, 2), np.array(level).reshape(-1, 2, 2)
    assert sides(upright[:, 0, 0], upright[:, 0, 1], upright[:, 1, 1]) == sides(
        x[:, [0, 3]].ravel(), y[:, [1, 2]].ravel(), y[:, [0, 3]].ravel()
    )
    assert sides(level[:, 0, 0], level[:, 1, 0], level[:, 0, 1]) == sides(x[:, 0], x[:, 3], y[:, 1])


def test_lines_are_coloured_by_the_points_below_them():
    ax = plot_single_linkage_tree(single_linkage(50))
    upright, _ = line_collections(ax)
    top = {tuple(segment[1]): size for segment, size in zip(upright.get_segments(), upright.get_array())}
    assert sorted(top.values())[-1] < 50 and upright.get_array().sum() == single_linkage(50)[:, 3].sum()
    assert np.ptp(upright.get_linewidths()) > 1
    assert ax.get_ylabel() == "distance" and len(ax.figure.axes) == 2
    plain = plot_single_linkage_tree(single_linkage(50), vary_line_width=False, cmap="none", ax=plt.figure().gca())
    upright, _ = line_collections(plain)
    assert np.ptp(upright.get_linewidths()) == 0 and len(plain.figure.axes) == 1


def test_main_branches_of_many_points():
    g = np.random.default_rng(6)
    parts = [np.sort(g.random(n)) * 1e-3 * n + 1000 * i for i, n in enumerate((4000, 9, 6000, 2000))]
    matrix = path_linkage(np.concatenate(parts))
    ax = plot_single_linkage_tree(matrix)
    upright, level = [lines.get_segments() for lines in line_collections(ax)]
    assert len(level) < 1000 and f"{len(level)} of 12,008 merges" == ax.get_title(loc="right")
    assert sum(segment[0, 1] > 500 for segment in level) == 2  # the nine points make no branch
    feet = np.array(upright)[:, 1, 1]
    assert set(feet) <= {0.0, *(segment[0, 1] for segment in level)}


def path_linkage(x):
    """Single linkage of points on a line, from their gaps."""
    gaps = np.diff(x)
    order = np.argsort(gaps, kind="stable")
    from emst.backend import backend_of

    edges = np.stack([order, order + 1], axis=1).astype(np.int32)
    return SingleLinkageTree(backend_of("cpu").linkage(edges, gaps[order])).to_numpy()


def test_a_chain_of_merges_takes_no_recursion():
    matrix = path_linkage(np.cumsum(np.arange(9000.0)))
    ax = plot_single_linkage_tree(matrix)
    _, level = line_collections(ax)
    assert len(level.get_segments()) == 8999
    plot_single_linkage_tree(path_linkage(np.cumsum(np.arange(50_000.0))))


def test_infinite_and_equal_distances():
    matrix = single_linkage(20)
    matrix[-2:, 2] = np.inf
    ax = plot_single_linkage_tree(matrix)
    ax.figure.canvas.draw()
    assert ax.get_ylim()[1] == pytest.approx(1.03 * 1.1 * matrix[-3, 2])
    matrix[:, 2] = 0
    plot_single_linkage_tree(matrix).figure.canvas.draw()
    plot_single_linkage_tree(np.zeros((0, 4))).figure.canvas.draw()


# The spanning tree


@pytest.mark.parametrize("d", [1, 2, 3, 40])
def test_points_of_any_dimension_are_projected(d):
    points = np.random.default_rng(7).normal(size=(30, d)) * 0.1 ** np.arange(d)
    mst = path_through(points)
    ax = SpanningTree(mst.edges, mst.weights, points).plot()
    places = ax.collections[1].get_offsets()
    if d == 3:  # a new figure has axes in space
        ax = SpanningTree(mst.edges, mst.weights, points).plot(axis=plt.figure().add_subplot())
        places = ax.collections[1].get_offsets()
    assert places.shape == (30, 2)
    if d < 3:
        np.testing.assert_array_equal(places, np.column_stack([points, np.zeros((30, 2 - d))]))
    else:  # a projection shortens, and the first components keep nearly all
        assert abs(np.var(places, axis=0).sum() / np.var(points, axis=0).sum() - 1) < 0.1
    np.testing.assert_array_equal(drawn_edges(ax).get_array(), mst.weights)
    sparse = SpanningTree(mst.edges, mst.weights, csr_array(points)).plot(axis=plt.figure().gca())
    np.testing.assert_allclose(np.abs(sparse.collections[1].get_offsets()), np.abs(places), atol=1e-8)


def test_hdbscans_arguments_of_the_spanning_tree():
    points = np.random.default_rng(8).random((50, 2))
    mst = path_through(points)
    style = {"node_size": 9, "node_color": "b", "node_alpha": 0.3, "edge_alpha": 0.7, "edge_cmap": "plasma"}
    ax = plot_spanning_tree(
        points, mst.edges, mst.weights, **style, edge_linewidth=3, vary_line_width=False, colorbar=False
    )
    lines, nodes = ax.collections
    assert nodes.get_sizes() == [9] and nodes.get_alpha() == 0.3
    assert to_rgb(nodes.get_facecolor()[0]) == to_rgb("b")
    assert lines.get_alpha() == 0.7 and lines.get_cmap().name == "plasma" and lines.get_linewidths() == [3]
    assert len(ax.figure.axes) == 1
    lines, _ = plot_spanning_tree(points, mst.edges, mst.weights, ax=plt.figure().gca()).collections
    assert (np.diff(lines.get_linewidths()) <= 0).all() and np.ptp(lines.get_linewidths()) > 0


def test_spanning_trees_with_zero_and_infinite_weights_and_none():
    points = np.random.default_rng(9).random((4, 2))
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    for weights in ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, np.inf, np.inf]):
        ax = plot_spanning_tree(points, edges, np.array(weights), ax=plt.figure().gca())
        ax.figure.canvas.draw()
        assert np.isfinite(ax.collections[0].get_linewidths()).all()
    plot_spanning_tree(points[:1], np.zeros((0, 2), int), np.zeros(0)).figure.canvas.draw()


def test_edges_shorter_than_a_pixel_are_left_to_the_points(monkeypatch):
    monkeypatch.setattr(spanning_room, "DENSE", 20)
    points = np.cumsum(np.stack([np.tile([1e-6, 1.0], 15), np.zeros(30)], axis=1), axis=0)
    mst = path_through(points)
    lines, nodes = plot_spanning_tree(points, mst.edges, mst.weights).collections
    assert len(nodes.get_offsets()) == 30
    np.testing.assert_array_equal(lines.get_array(), mst.weights[mst.weights > 0.5])


# Clusters


def scatter_of(ax):
    noise, members = ax.collections
    return noise.get_offsets(), members.get_offsets(), members.get_facecolor()[:, :3]


def test_noise_is_grey_and_colours_fade_with_the_probability():
    points = np.arange(12.0).reshape(6, 2)
    labels, strength = np.array([0, -1, 1, 0, -2, 1]), np.array([1, 0, 0.5, 0.25, 0, 0])
    ax = plot_clusters(points, labels, strength)
    noise, members, colours = scatter_of(ax)
    np.testing.assert_array_equal(noise, points[labels < 0])
    np.testing.assert_array_equal(members, points[labels >= 0])
    full, grey = cluster_colours(labels, points), clusters_room.GREY
    np.testing.assert_allclose(colours, [full[0], (full[1] + grey) / 2, full[0] / 4 + grey * 3 / 4, grey])
    assert legend_of(ax) == ["0  (2)", "1  (2)", "noise  (1)"]  # the row of label -2 has no place
    assert ax.get_legend().get_title().get_text() == "2 clusters"
    _, _, plain = scatter_of(plot_clusters(points, labels, ax=plt.figure().gca()))
    np.testing.assert_allclose(plain, full[labels[labels >= 0]])


def test_the_legend_names_the_largest_clusters():
    labels = np.repeat(np.arange(100), np.arange(1, 101))
    ax = plot_clusters(np.random.default_rng(1).random((len(labels), 2)), labels)
    assert legend_of(ax) == [*(f"{i}  ({i + 1})" for i in range(88, 100)), "and 88 more"]


def test_rows_without_a_place_are_left_out():
    points = np.arange(20.0).reshape(10, 2)
    points[2, 0], points[5, 1] = np.nan, np.inf
    labels = np.zeros(10, int)
    labels[[2, 5]] = -3, -2
    ax = plot_clusters(points, labels, np.where(labels == -3, np.nan, 1.0))
    noise, members, colours = scatter_of(ax)
    assert len(noise) == 0 and len(members) == 8 and np.isfinite(colours).all()


@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_clusters_in_any_dimension(d):
    points = np.random.default_rng(2).normal(size=(50, d)).astype(np.float32)
    ax = plot_clusters(points, np.arange(50) % 3, ax=plt.figure().add_subplot())
    assert scatter_of(ax)[1].shape == (50, 2)
    assert ax.get_xlabel() == ("x" if d < 3 else "principal component 1")


def test_of_very_many_points_a_part_is_drawn(monkeypatch):
    monkeypatch.setattr(clusters_room, "MOST", 1000)
    points = np.random.default_rng(3).random((5000, 2))
    ax = plot_clusters(points, np.arange(5000) % 2)
    assert len(scatter_of(ax)[1]) == 1000
    assert legend_of(ax) == ["0  (2,500)", "1  (2,500)"]


def test_nothing_but_noise_and_nothing_at_all():
    plot_clusters(np.eye(3), [-1, -1, -1]).figure.canvas.draw()
    plot_clusters(np.zeros((0, 2)), np.zeros(0, int), ax=plt.figure().gca()).figure.canvas.draw()


# Legends and labels inside the picture


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (1, 3)])
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_legends_lie_inside_the_saved_figure(shape, layout):
    labels = np.repeat(np.arange(40), 5)
    figure, axes = plt.subplots(*shape, squeeze=False, figsize=(4 * shape[1], 3.5 * shape[0]), layout=layout)
    for ax in axes.flat:
        plot_clusters(np.random.default_rng(1).random((len(labels), 2)), labels, ax=ax)
    figure.savefig(io.BytesIO())
    assert_inside(figure)


def test_a_legend_of_axes_that_no_layout_can_move():
    figure = plt.figure()
    labels = np.repeat(np.arange(40), 5)
    plot_clusters(np.random.default_rng(1).random((len(labels), 2)), labels, ax=figure.add_axes((0.1, 0.1, 0.89, 0.89)))
    figure.canvas.draw()
    assert_inside(figure)


def assert_inside(figure):
    for ax in figure.axes:
        box, page = ax.get_legend().get_window_extent(), figure.bbox
        assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1 and box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1


def test_labels_of_clusters_are_written_where_they_fit():
    rows = chain(300)
    chosen = [int(c) for c in rows["child"][rows["child"] >= rows["parent"].min()]]
    ax = plot_condensed_tree(rows, chosen, label_clusters=True)
    assert 5 < len(ax.texts) < len(ax.patches)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


# Space, maps and names


def test_points_of_three_dimensions_are_drawn_in_space():
    points = np.random.default_rng(2).random((40, 3))
    mst = path_through(points)
    ax = plot_mst(points, mst)
    assert ax.name == "3d"
    lines, nodes = ax.collections
    assert len(lines._segments3d) == 39 and len(nodes._offsets3d[2]) == 40
    np.testing.assert_array_equal(np.array(lines._segments3d), points[mst.edges])
    ax.figure.canvas.draw()
    plt.figure()
    assert plot_clusters(points, np.arange(40) % 2).name == "3d"
    plt.figure()
    assert plot_spanning_tree(points, mst.edges, mst.weights).name == "3d"
    flat = plt.figure().add_subplot()
    assert plot_mst(points, mst, ax=flat).get_xlabel() == "principal component 1"


def test_axes_in_space_end_at_the_points_far_from_the_origin():
    points = np.random.default_rng(2).random((40, 3)) + [637_000, 851_000, 400]
    mst = path_through(points)
    for ax in (
        plot_mst(points, mst),
        plot_spanning_tree(points, mst.edges, mst.weights, ax=plt.figure().add_subplot(projection="3d")),
    ):
        for limits, values in zip((ax.get_xlim(), ax.get_ylim(), ax.get_zlim()), points.T):
            assert values.min() - 1 < limits[0] <= values.min() and values.max() <= limits[1] < values.max() + 1


PLACES = np.array([[-17.0, 178.0], [-18.0, 179.5], [-19.0, -179.0], [-16.0, -178.0], [60.0, -10.0], [50.0, 100.0]])


@pytest.mark.parametrize("unit", ["degrees", "radians"])
def test_maps_have_longitude_on_x_and_equal_lengths(unit):
    places = PLACES if unit == "degrees" else np.radians(PLACES)
    ax = plot_clusters(places, [0, 0, 0, 0, -1, -1], geographic=unit)
    noise, members, _ = scatter_of(ax)
    np.testing.assert_allclose(members, places[:4, ::-1])
    np.testing.assert_allclose(noise, places[4:, ::-1])
    assert names_of_axes(ax) == (f"longitude ({unit})", f"latitude ({unit})")
    middle = np.radians(PLACES[:, 0].mean())
    assert ax.get_aspect() == pytest.approx(1 / np.cos(middle))


@pytest.mark.parametrize("shift", [0, 360])
@pytest.mark.parametrize("draw", ["mst", "spanning_tree"])
def test_edges_across_the_dateline_are_drawn_to_both_borders(draw, shift):
    places = PLACES.copy()
    if shift:  # longitudes from 0 to 360: the border is at 0
        places[:, 1] = np.mod(places[:, 1] + 180, 360)
    mst = path_through(places)
    if draw == "mst":
        ax = plot_mst(places, mst, geographic="degrees")
    else:
        ax = plot_spanning_tree(places, mst.edges, mst.weights, geographic="degrees")
    lines = np.array(drawn_edges(ax).get_segments())
    west, east = (0, 360) if shift else (-180, 180)
    crossing = lines[np.isin(lines[:, :, 0], (west, east)).any(axis=1)]
    assert len(lines) == 6 and len(crossing) == 2  # edge 1-2 of the path crosses
    assert np.abs(np.diff(lines[:, :, 0])).max() <= 180
    assert sorted(crossing[:, :, 0].ravel().tolist()) == sorted([places[1, 1], places[2, 1], float(west), float(east)])
    at = crossing[np.isin(crossing[:, :, 0], (west, east))][:, 1]
    np.testing.assert_allclose(at, -18 - 0.5 / 1.5)  # a third of the way from 179.5 to 181
    assert len(drawn_edges(ax).get_array()) == 6


def test_places_on_both_sides_of_the_dateline_only_are_drawn_in_one_piece():
    places = PLACES[:4]
    ax = plot_mst(places, path_through(places), geographic="degrees")
    lines = np.array(drawn_edges(ax).get_segments())
    np.testing.assert_allclose(lines[:, :, 0].min(), 178)
    np.testing.assert_allclose(lines[:, :, 0].max(), 182)
    ax.set_xticks([178, 180, 181])
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["178", "-180", "-179"]


SHAPES, FLAT = [(5, 4), (5, 1), (5,)], "only points of two or three dimensions"


@pytest.mark.parametrize(
    "draw, said",
    [
        *((lambda shape=shape: plot_mst(np.zeros(shape), path_through(np.zeros((5, 2)))), FLAT) for shape in SHAPES),
        (lambda: plot_mst(np.zeros((6, 2)), path_through(np.zeros((5, 2)))), "the tree has 5 points; X has 6"),
        (lambda: plot_single_linkage_tree(single_linkage(5), truncate_mode="first"), "truncate_mode must be"),
        (lambda: plot_clusters(np.eye(3), [0, 1]), "3 points, 2 labels, 2 prob"),
        (
            lambda: plot_clusters(PLACES, [0] * 6, geographic="km"),
            "geographic must be None, 'degrees' or 'radians'; got 'km'",
        ),
        (lambda: plot_clusters(np.eye(3), [0] * 3, geographic="degrees"), "the points have 3 columns"),
    ],
)
def test_what_is_not_drawn(draw, said):
    with pytest.raises(ValueError, match=said):
        draw()


def test_estimators_draw_maps_and_name_the_columns():
    frame = pd.DataFrame(np.radians(PLACES), columns=["lat", "lon"])
    ax = EMST(metric="haversine").fit(frame).plot()
    assert names_of_axes(ax) == ("lon", "lat")
    assert np.abs(np.diff(np.array(drawn_edges(ax).get_segments())[:, :, 0])).max() < np.pi
    model = HDBSCANGPU(min_cluster_size=2, metric="haversine").fit(frame)
    ax = model.minimum_spanning_tree_.plot(ax=plt.figure().add_subplot())
    assert names_of_axes(ax) == ("lon", "lat") and len(ax.get_xticks()) > 1
    ax = plot_clusters(frame, model.labels_, ax=plt.figure().add_subplot())
    assert names_of_axes(ax) == ("lat", "lon")  # without `geographic`, the first column is x


def test_estimators_know_degrees():
    options = {"metric": "haversine", "metric_params": {"degrees": True}}
    assert EMST(**options).fit(PLACES).plot().get_xlabel() == "longitude (degrees)"
    tree = HDBSCANGPU(min_cluster_size=2, **options).fit(PLACES).minimum_spanning_tree_
    assert tree.plot(ax=plt.figure().add_subplot()).get_xlabel() == "longitude (degrees)"


def test_trees_take_ax_and_hdbscans_axis():
    points = np.random.default_rng(3).normal(size=(60, 2))
    model = HDBSCANGPU(min_cluster_size=5).fit(points)
    for tree in (model.condensed_tree_, model.single_linkage_tree_, model.minimum_spanning_tree_):
        for name in ("ax", "axis"):
            given = plt.figure().add_subplot()
            assert tree.plot(**{name: given}) is given


def test_points_in_the_place_of_axes():
    """A tree without points takes them first, as `EMST.plot` takes axes."""
    points = np.random.default_rng(3).normal(size=(60, 2))
    with pytest.raises(TypeError, match="ax must be Axes of matplotlib; got ndarray"):
        EMST().fit(points).plot(points)


def test_points_lie_above_thin_lines():
    points = np.random.default_rng(4).random((500, 2))
    ax = plot_mst(points, path_through(points))
    nodes = next(drawn for drawn in ax.collections if not isinstance(drawn, LineCollection))
    lines = drawn_edges(ax)
    assert nodes.get_zorder() > lines.get_zorder()
    assert nodes.get_sizes().min() ** 0.5 > lines.get_linewidths()[0]  # a dot is wider than the line below it


# Approximation graphs


@pytest.fixture(scope="module")
def detector():
    g = np.random.default_rng(0)
    angle = np.repeat(np.arange(3) * 2.1, 50)
    arms = np.stack([np.cos(angle), np.sin(angle)], axis=1) * g.uniform(0, 9, (150, 1))
    x = np.concatenate([arms + g.normal(0, 0.2, (150, 2)), g.normal([30, 0], 1, (60, 2)), [[15.0, 20.0]]])
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device="cpu").fit(x)
    return BranchDetector().fit(model)


def test_approximation_graphs_have_all_edges_and_grey_noise(detector):
    graph = detector.approximation_graph_
    points, edges = graph.to_numpy()
    ax = graph.plot(ax=plt.figure().subplots())
    lines, noise, members = ax.collections
    x = detector.model_._model.data
    np.testing.assert_array_equal(lines.get_segments()[7], x[[edges["parent"][7], edges["child"][7]]])
    assert len(lines.get_segments()) == len(edges)
    np.testing.assert_array_equal(noise.get_offsets(), np.delete(x, points["id"], axis=0))
    np.testing.assert_array_equal(members.get_offsets(), x[points["id"]])
    np.testing.assert_array_equal(members.get_array(), points["label"] % 10)
    assert members.get_cmap().name == "tab10"


def test_more_than_ten_labels_have_the_colours_in_turn():
    places, rows = np.random.default_rng(3).random((23, 2)), np.arange(23)
    edges, ax = np.array([[0, 1]]), plt.figure().subplots()
    plot_approximation_graph(places, edges, rows, node_color=rows, labels=True, ax=ax)
    assert ax.collections[2].get_array().tolist() == [*range(10), *range(10), 0, 1, 2]
    assert ax.collections[2].get_clim() == (0, 9)


@pytest.mark.parametrize(
    "color, values",
    [
        ("centrality", lambda points, x: points["centrality"]),
        ("branch_probability", lambda points, x: points["branch_probability"]),
        ("feature_1", lambda points, x: x[:, 1]),
        ("height", lambda points, x: x[:, 1]),
        (np.arange(211.0), lambda points, x: points["id"].astype(float)),
    ],
)
def test_points_are_coloured_by_columns_and_features(detector, color, values):
    graph = detector.approximation_graph_
    points, _ = graph.to_numpy()
    members = graph.plot(
        feature_names=["width", "height"],
        node_color=color,
        node_vmin=0,
        node_vmax=2,
        node_cmap="Reds",
        ax=plt.figure().subplots(),
    ).collections[2]
    x = detector.model_._model.data[points["id"]]
    np.testing.assert_array_equal(members.get_array(), values(points, x))
    assert members.get_clim() == (0, 2)
    assert members.get_cmap().name == "Reds"


def test_edges_are_coloured_by_columns(detector):
    graph = detector.approximation_graph_
    _, edges = graph.to_numpy()
    for color in ("mutual_reachability", edges["mutual_reachability"]):
        lines = graph.plot(
            node_color="red", edge_color=color, edge_vmin=0, edge_vmax=3, edge_width=2, ax=plt.figure().subplots()
        )
        lines = lines.collections[0]
        np.testing.assert_array_equal(lines.get_array(), edges["mutual_reachability"])
        assert lines.get_clim() == (0, 3)
        assert lines.get_linewidth() == 2
    lines = graph.plot(edge_color="green", ax=plt.figure().subplots()).collections[0]
    np.testing.assert_array_equal(lines.get_color()[0], to_rgba("green"))


def test_approximation_graphs_at_other_places(detector):
    graph = detector.approximation_graph_
    points, _ = graph.to_numpy()
    everywhere = np.random.default_rng(1).random((211, 2))
    for positions in (everywhere, everywhere[points["id"]]):
        members = graph.plot(positions, ax=plt.figure().subplots()).collections[2]
        np.testing.assert_array_equal(members.get_offsets(), everywhere[points["id"]])
    with pytest.raises(ValueError, match=r"positions must have shape \(211, 2\) or \(\d+, 2\).*got \(5, 2\)"):
        graph.plot(everywhere[:5])


def test_infinite_centralities_have_the_last_colour():
    x = np.concatenate([np.eye(2), -np.eye(2), [[0.0, 0.0]]])
    model = HDBSCANGPU(min_cluster_size=5, min_samples=1, allow_single_cluster=True, device="cpu").fit(x)
    graph = BranchDetector().fit(model).approximation_graph_
    ax = graph.plot(node_color="centrality", edge_color="centrality", ax=plt.figure().subplots())
    assert np.isinf(graph.to_numpy()[0]["centrality"][4])
    assert ax.collections[2].get_array().max() == 1
    assert np.isfinite(ax.collections[0].get_array()).all()
    ax.figure.canvas.draw()


@pytest.mark.parametrize("d", [2, 3])
def test_of_many_edges_some_are_drawn(monkeypatch, d):
    """The heaviest, and others at even steps of their ranks; a picture of points in space is flat then."""
    monkeypatch.setattr(spanning_room, "MOST", 400)
    points = np.random.default_rng(2).normal(size=(3000, d))
    mst = minimum_spanning_tree(points, device="cpu")
    ax = plot_mst(points, mst)
    assert ax.name == "rectilinear" and ax.get_title(loc="right") == "400 of 2,999 edges"
    drawn = drawn_edges(ax).get_array()
    np.testing.assert_array_equal(drawn[-4:], mst.weights[-4:])
    steps = np.diff(np.searchsorted(mst.weights, drawn[:-4]))
    assert len(drawn) == 400 and steps.min() >= 7 and steps.max() <= 8 and drawn[0] == mst.weights[0]
    [dots] = [one for one in ax.collections if isinstance(one, PathCollection)]
    assert len(dots.get_offsets()) == 400
    few = plot_mst(points[:400], minimum_spanning_tree(points[:400], device="cpu"))
    assert few.get_title(loc="right") == "" and len(drawn_edges(few).get_array()) == 399
    assert few.name == ("3d" if d == 3 else "rectilinear")
