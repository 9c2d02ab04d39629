"""Pictures: every edge is there once, coloured by its weight, whatever the weights are."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm

from emst.mst import MinimumSpanningTree
from emst.plots import plot_mst, weight_norm


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


def drawn_edges(ax):
    (lines,) = [drawn for drawn in ax.collections if isinstance(drawn, LineCollection)]
    return lines


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


def test_draws_where_it_is_told_and_returns_the_axes():
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
    assert isinstance(weight_norm(np.array([1.0, 5.0, 11.0])), LogNorm)
    assert not isinstance(weight_norm(np.array([1.0, 5.0, 10.0])), LogNorm)


def test_one_pair_of_near_duplicates_does_not_stretch_the_scale():
    weights = np.concatenate([[1e-12], np.linspace(1.0, 20.0, 999)])
    assert weight_norm(weights).vmin > 0.5


@pytest.mark.parametrize("shape", [(5, 3), (5, 1), (5,)])
def test_only_the_plane(shape):
    with pytest.raises(ValueError, match="only 2-D points"):
        plot_mst(np.zeros(shape), path_through(np.zeros((5, 2))))


def test_a_tree_of_other_points():
    with pytest.raises(ValueError, match="the tree has 5 points; X has 6"):
        plot_mst(np.zeros((6, 2)), path_through(np.zeros((5, 2))))


def test_importing_plots_imports_no_matplotlib():
    code = "import emst, emst.plots, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
