"""Pictures and pages that the command line writes."""

import importlib.util

import numpy as np
import pytest
from cli_helpers import complaint, only
from matplotlib.figure import Figure
from pages import opened_page

from emst.cli import main

BLOBS = np.repeat([[0.0, 0], [9, 0], [0, 9]], 60, axis=0) + np.random.default_rng(0).normal(size=(180, 2))


@pytest.fixture
def saved(monkeypatch):
    """The figures that are saved."""
    figures = []
    save = Figure.savefig

    def keep(self, *arguments, **options):
        figures.append(self)
        save(self, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures


def run(*arguments):
    assert main([str(argument) for argument in (*arguments, "--device", "cpu")]) == 0


def test_a_page(here, capsys):
    pytest.importorskip("bokeh")
    np.save("points.npy", BLOBS)
    run("cluster", "points.npy", "-o", "l.npy", "--html", "page.html", "--min-cluster-size", 20)
    text = (here / "page.html").read_text(encoding="utf-8")
    assert "<title>points.npy</title>" in text and "180 points" in opened_page(text)
    assert "wrote l.npy and page.html" in capsys.readouterr().out
    only(here, "points.npy", "l.npy", "page.html")


@pytest.mark.parametrize(
    "options, said",
    [
        (["--html", "page.png"], "page.png: the page is written as .html"),
        (["--html", "absent/page.html"], "absent/page.html: No such file"),
        (["--html", "page.html", "--metric", "precomputed"], "--html shows points"),
    ],
)
def test_pages_that_are_refused_before_points_are_read(here, capsys, monkeypatch, options, said):
    def not_yet(*_, **__):
        raise AssertionError("read although the arguments are bad")

    np.save("points.npy", BLOBS)
    monkeypatch.setattr("emst.io.points.read_points", not_yet)
    assert said in complaint(capsys, "cluster", "points.npy", "-o", "l.npy", *options)
    only(here, "points.npy")


def test_a_page_without_bokeh(here, capsys, monkeypatch):
    np.save("points.npy", BLOBS)
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "bokeh" else find(name))
    line = complaint(capsys, "cluster", "points.npy", "-o", "l.npy", "--html", "page.html")
    assert line == "emst: --html needs Bokeh: pip install 'emst[html]'\n"
    only(here, "points.npy")


def test_an_earlier_page_stays_if_the_fit_fails(here, capsys):
    pytest.importorskip("bokeh")
    np.save("points.npy", BLOBS)
    (here / "page.html").write_text("an earlier page")
    complaint(capsys, "cluster", "points.npy", "-o", "l.npy", "--html", "page.html", "--min-samples", 999)
    assert (here / "page.html").read_text() == "an earlier page"
    only(here, "points.npy", "page.html")


def test_the_condensed_tree_has_the_colours_of_the_clusters(here, saved):
    np.save("points.npy", BLOBS)
    run("cluster", "points.npy", "-o", "l.npy", "--plot", "c.png", "--tree", "t.png", "--min-cluster-size", 20)
    clusters, tree = saved
    legend = [line.get_color() for line in clusters.axes[0].get_legend().get_lines()][:3]
    circles = [patch.get_edgecolor()[:3] for patch in tree.axes[0].patches]
    np.testing.assert_allclose(circles, legend)


def test_points_of_three_dimensions_are_drawn_in_space(here, saved):
    np.save("points.npy", np.column_stack([BLOBS, BLOBS[:, 0]]))
    run("cluster", "points.npy", "-o", "l.npy", "--plot", "c.png")
    run("tree", "points.npy", "-o", "t.npz", "--plot", "t.png")
    assert [figure.axes[0].name for figure in saved] == ["3d", "3d"]


def test_trees_of_more_dimensions_are_not_drawn(here, capsys):
    np.save("points.npy", np.eye(5))
    line = complaint(capsys, "tree", "points.npy", "-o", "t.npz", "--plot", "t.png", "--device", "cpu")
    assert "--plot draws points of 2 or 3 dimensions; these have 5: choose some with --columns" in line
    only(here, "points.npy")


def test_maps_have_longitude_on_x(here, saved):
    places = np.column_stack([BLOBS[:, 0], np.mod(BLOBS[:, 1] + 360, 360) - 180])
    for unit, points, options in (("radians", np.radians(places), []), ("degrees", places, ["--degrees"])):
        np.save("points.npy", points)
        run("cluster", "points.npy", "-o", "l.npy", "--plot", "c.png", "--metric", "haversine", *options)
        run("tree", "points.npy", "-o", "t.npz", "--plot", "t.png", "--metric", "haversine", *options)
        assert [figure.axes[0].get_xlabel() for figure in saved] == [f"longitude ({unit})"] * 2
        saved.clear()
