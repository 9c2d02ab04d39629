"""Colours of clusters: neighbours in the picture differ, for every kind of colour vision, however many there are."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from emst.plots import cluster_colours
from emst.plots.colours import NAMED, NOISE, PALETTE, colour_numbers, differences, oklab


@pytest.mark.parametrize(("count", "least"), [(NAMED, 0.11), (len(PALETTE), 0.07)])
def test_the_colours_and_noise_differ_for_every_vision(count, least):
    apart = differences(np.vstack([PALETTE[:count], NOISE]))
    assert apart[np.triu_indices(len(apart), 1)].min() >= least


def test_differences_of_red_and_green_with_and_without_cones():
    red_and_green = np.array([[0.75, 0.3, 0], [0.45, 0.5, 0]])
    normal = oklab(np.array([[0.5225, 0.0732, 0], [0.1706, 0.2140, 0]]))
    assert differences(red_and_green)[0, 1] < 0.5 * np.linalg.norm(normal[0] - normal[1])


def blobs(count, seed=0):
    """Many small blobs at random places, of different sizes, labelled in random order."""
    g = np.random.default_rng(seed)
    centres = g.random((count, 2)) * count**0.5
    sizes = g.integers(2, 12, count)
    labels = np.repeat(g.permutation(count), sizes)
    points = np.repeat(centres, sizes, axis=0) + g.normal(size=(sizes.sum(), 2)) * 0.1
    return points, labels, centres[np.argsort(labels[np.cumsum(sizes) - 1])]


@pytest.mark.parametrize("count", [2, 12, 13, 29, 145, 300, 5000])
def test_neighbours_differ_however_many_clusters(count):
    points, labels, centres = blobs(count)
    colours = cluster_colours(labels, points)
    assert colours.shape == (count, 3)
    near = min(4, count)  # itself and the three nearest
    _, other = cKDTree(centres).query(centres, near)
    equal = (colours[:, None] == colours[other[:, 1:]]).all(axis=2)
    assert not equal[:, :2].any()
    assert equal.mean() <= 0.03  # a blob can lie among those of more clusters than there are colours


def test_a_chessboard_of_many_clusters_has_no_equal_neighbours():
    side = 60
    cell = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    points = (cell[:, None] + np.array([[0.2, 0.2], [0.8, 0.8], [0.5, 0.5]])).reshape(-1, 2)
    labels = np.repeat(np.arange(side * side), 3)
    number = colour_numbers(labels, points, side * side).reshape(side, side)
    for a, b in ((number[1:], number[:-1]), (number[:, 1:], number[:, :-1]), (number[1:, 1:], number[:-1, :-1])):
        assert (a != b).all()


def test_the_largest_have_colours_of_their_own():
    points, labels, _ = blobs(400)
    colours = cluster_colours(labels, points)
    largest = np.argsort(-np.bincount(labels), kind="stable")[:12]
    assert len(np.unique(colours[largest], axis=0)) == 12
    others = np.delete(colours, largest, axis=0)  # a colour of the legend means one cluster
    assert not (others[:, None] == colours[largest]).all(axis=2).any()


def test_the_same_input_gives_the_same_colours():
    points, labels, _ = blobs(100)
    np.testing.assert_array_equal(cluster_colours(labels, points), cluster_colours(labels, points))


def test_without_points_similar_labels_differ():
    colours = cluster_colours(np.arange(500))
    for step in (1, 2, 3):
        assert (colours[step:] != colours[:-step]).any(axis=1).all()


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_any_dimension_noise_and_rows_that_are_not_drawn(d):
    points = np.random.default_rng(1).normal(size=(60, d))
    labels = np.arange(60) % 4 - 1
    points[5], labels[5] = np.nan, -3
    colours = cluster_colours(labels, points)
    assert colours.shape == (3, 3) and len(np.unique(colours, axis=0)) == 3


def test_nothing_and_points_at_one_place():
    assert cluster_colours([], np.zeros((0, 2))).shape == (0, 3)
    assert cluster_colours([-1, -1], np.zeros((2, 2))).shape == (0, 3)
    assert len(np.unique(cluster_colours(np.arange(12), np.zeros((12, 2))), axis=0)) == 12


def test_colours_that_clusters_have_already_are_kept_unless_a_neighbour_has_them():
    points = np.array([[0.0, 0], [0.01, 0], [10, 0], [10, 10]])
    kept = colour_numbers(np.arange(4), points, 4, np.array([3, -1, 3, 7]))
    assert kept[[0, 2, 3]].tolist() == [3, 3, 7] and kept[1] != 3
    changed = colour_numbers(np.arange(4), points, 4, np.array([3, 3, -1, -1]))
    assert changed[0] != changed[1]
