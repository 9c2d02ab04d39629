"""Points that are painted as pixels look as matplotlib's dots do."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from emst.plots import clusters as clusters_room
from emst.plots import dots, plot_clusters
from emst.plots.dots import Dots, painted

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def pixels(image):
    """(row, column) of the pixels that are painted."""
    return set(zip(*(part.tolist() for part in np.nonzero(image[:, :, 3]))))


@pytest.mark.parametrize(
    ("place", "radius", "wanted"),
    [
        ((2.5, 1.5), 0.1, {(1, 2)}),
        ((2.1, 1.9), 0.1, {(1, 2)}),  # its pixel's centre is outside the disc
        ((2.5, 1.5), 1.0, {(1, 2), (0, 2), (2, 2), (1, 1), (1, 3)}),
        ((3.0, 1.5), 0.6, {(1, 2), (1, 3)}),
        ((0.2, 0.2), 1.0, {(0, 0)}),  # at the border: other centres are farther than the radius
        ((-0.5, 1.5), 1.2, {(1, 0)}),  # beyond the border, but its disc is not
        ((-0.5, 1.5), 0.4, set()),
        ((4.5, 3.2), 1.0, {(2, 4)}),
        ((90.0, 1.0), 1.0, set()),
    ],
)
def test_a_disc_covers_the_pixels_whose_centres_it_holds(place, radius, wanted):
    image = painted(np.array([place]), radius, np.array([RED]), 5, 3)
    assert image.shape == (3, 5, 4) and image.dtype == np.uint8
    assert pixels(image) == wanted
    assert all(image[at].tolist() == [255, 0, 0, 255] for at in wanted)


def test_the_area_of_discs_is_that_of_circles():
    """Also of those that are smaller than two pixels, on average over their places."""
    rng = np.random.default_rng(0)
    for radius in (0.8, 1.7, 3.0):
        counts = [len(pixels(painted(rng.uniform(8, 9, (1, 2)), radius, np.array([RED]), 20, 20))) for _ in range(2000)]
        assert np.mean(counts) == pytest.approx(np.pi * radius * radius, rel=0.03)


@pytest.mark.parametrize("block", [1, 1 << 14])
def test_a_disc_lies_whole_above_earlier_ones(block, monkeypatch):
    monkeypatch.setattr(dots, "BLOCK", block)
    places = np.array([[5.5, 5.5], [7.5, 5.5]])
    alone = painted(places[1:], 2.5, np.array([BLUE]), 14, 12)
    image = painted(places, 2.5, np.array([RED, BLUE]), 14, 12)
    assert (image[alone[:, :, 3] > 0] == (0, 0, 255, 255)).all()
    assert (image[:, :, 0] > 0).any()


def test_later_points_lie_above_earlier_ones():
    places = np.array([[1.5, 1.5], [1.5, 1.5], [2.5, 1.5]])
    image = painted(places, 0.9, np.array([RED, BLUE, RED]), 5, 3)
    assert image[1, 1].tolist() == [0, 0, 255, 255]
    assert image[1, 2].tolist() == [255, 0, 0, 255]


def picture(points, labels, many, monkeypatch, limits=None):
    """The pixels of a plot, float[h, w, 3]."""
    monkeypatch.setattr(clusters_room, "MANY", many)
    figure = Figure(figsize=(4, 4), layout="constrained")
    ax = plot_clusters(points, labels, ax=figure.subplots())
    assert all(isinstance(drawn, Dots) is (many == 0) for drawn in ax.collections)
    if limits:
        ax.set(xlim=limits, ylim=limits)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=150)
    return imread(io.BytesIO(file.getvalue()))[:, :, :3].astype(float)


@pytest.mark.parametrize("limits", [None, (0.2, 0.6)])
def test_pixels_look_as_dots(monkeypatch, limits):
    rng = np.random.default_rng(2)
    points = rng.random((30_000, 2)) ** 2  # dense towards one corner
    labels = np.where(rng.random(30_000) < 0.2, -1, (points[:, 0] > 0.3).astype(int))
    one, other = (picture(points, labels, many, monkeypatch, limits) for many in (0, 10**9))
    assert one.shape == other.shape
    blocks = [image[:592, :592].reshape(37, 16, 37, 16, 3).mean(axis=(1, 3)) for image in (one, other)]
    assert np.abs(blocks[0] - blocks[1]).max() < 0.12
    assert np.abs(blocks[0] - blocks[1]).mean() < 0.02
    assert blocks[1].min() < 0.6  # there is something to see


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_a_vector_file_holds_the_pixels(monkeypatch, kind):
    monkeypatch.setattr(clusters_room, "MANY", 0)
    points = np.random.default_rng(2).random((20_000, 2))
    sizes = []
    for count in (10, 20_000):
        figure = Figure()
        plot_clusters(points[:count], np.zeros(count, int), ax=figure.subplots())
        file = io.BytesIO()
        figure.savefig(file, format=kind)
        sizes.append(len(file.getvalue()))
    assert sizes[0] + 5_000 < sizes[1] < sizes[0] + 400_000


def test_nothing_to_draw(monkeypatch):
    monkeypatch.setattr(clusters_room, "MANY", -1)
    figure = Figure()
    ax = plot_clusters(np.zeros((0, 2)), np.zeros(0, int), ax=figure.subplots())
    figure.savefig(io.BytesIO(), format="png")
    assert [len(drawn.get_offsets()) for drawn in ax.collections] == [0, 0]
