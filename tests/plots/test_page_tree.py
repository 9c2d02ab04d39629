"""The condensed tree of a page: levels, clusters of a level, colours and shapes."""

import io
import re

import numpy as np
import pytest

from emst import HDBSCANGPU
from emst.hdbscan.page import _tree
from emst.plots import page as page_room
from emst.plots.colours import PALETTE
from emst.plots.page_tree import LEVELS, ancestors, branch_colours, counts_of, levels_of, passed, tree_of

pytest.importorskip("bokeh", reason="Bokeh (the extra html) is not installed")


def sets():
    g = np.random.default_rng(5)
    blobs = np.repeat(g.random((9, 2)) * 30, 60, axis=0) + g.normal(size=(540, 2))
    yield "blobs", blobs, {}
    yield "lattice", g.integers(0, 15, (400, 2)).astype(float), {"min_samples": 3}  # heights that equal levels
    yield "equal points", np.vstack([blobs, np.full((30, 2), 3.0)]), {"min_samples": 4}
    yield "gaps", np.vstack([[[np.nan, 0.0], [np.inf, 1.0]], blobs.astype(np.float32)]), {}
    yield "persistent", blobs, {"cluster_selection_persistence": 0.3}
    yield "places", blobs, {"metric": "haversine", "metric_params": {"degrees": True}}
    yield "one cluster", g.normal(size=(200, 2)), {"allow_single_cluster": True, "min_cluster_size": 60}
    yield "none", g.random((40, 2)), {"min_cluster_size": 35}


@pytest.fixture(params=list(sets()), ids=lambda one: one[0], scope="module")
def fitted(request):
    _, points, options = request.param
    model = HDBSCANGPU(**{"min_cluster_size": 10, "min_samples": 2} | options, device="cpu").fit(points)
    return model, _tree(model._model)


def clusters_at(tree, level, levels):
    """The cluster of every row at a level, -1 for none: what the page shows."""
    at = ancestors(tree, passed(tree.birth, levels), level)
    return np.where(passed(tree.leaves, levels) >= level, at[tree.cluster], -1)


def test_the_clusters_of_a_level_are_those_of_a_cut(fitted):
    model, tree = fitted
    levels = levels_of(tree)
    assert 1 <= len(levels) <= LEVELS and (np.diff(levels) < 0).all()
    counts = counts_of(tree, levels)
    for level, distance in enumerate(levels.tolist(), 1):
        assert float(f"{distance:.3g}") == distance  # the page tells it in full
        ours = clusters_at(tree, level, levels)
        found = np.unique(ours[ours >= 0])
        assert counts[level - 1] == [len(found), (ours >= 0).sum()]
        if model.cluster_selection_persistence or model.allow_single_cluster:
            continue  # of a tree with fewer splits a cut knows nothing
        cut = model.single_linkage_tree_.get_clusters(np.nextafter(distance, np.inf), model.min_cluster_size)
        pairs = np.unique(np.stack([ours, np.maximum(cut, -1)]), axis=1)
        assert len(pairs[0]) == len(np.unique(pairs[0])) == len(np.unique(pairs[1]))
        assert ((pairs[0] < 0) == (pairs[1] < 0)).all()


def test_levels_by_the_table(fitted):
    """The definition, by the table of the condensed tree: walk up from every point."""
    model, tree = fitted
    levels, n = levels_of(tree), len(model.labels_)
    rows = model.condensed_tree_.to_numpy()
    above = {c: (p, v) for p, c, v, _ in rows.tolist()}
    for level in (1, len(levels) // 2, len(levels)):
        ours = clusters_at(tree, max(level, 1), levels)
        lowest = 1 / levels[max(level, 1) - 1]
        for row in range(0, n, 7):
            cluster, leaves = above[row]
            if np.isclose(leaves, lowest, rtol=1e-12, atol=0):
                continue  # what 1 / distance rounds to
            while cluster > n and above[cluster][1] >= lowest:
                cluster = above[cluster][0]
            assert ours[row] == (cluster - n if leaves >= lowest and leaves > 0 else -1)


def test_selected_clusters_have_the_colours_of_the_map(fitted):
    _, tree = fitted
    shown = np.flatnonzero(tree.cluster >= 0)
    places = np.random.default_rng(0).random((len(shown), 2))
    selected = (7 * np.arange(len(tree.chosen)) + 3) % len(PALETTE)
    colours = branch_colours(tree, tree.cluster[shown], places, selected)
    assert colours[tree.chosen].tolist() == selected.tolist() and colours.min() >= 0
    for parent in range(len(tree.parent)):
        children = np.flatnonzero(tree.parent == parent)
        if len(children):  # the largest child goes on in the colour of its parent
            largest = children[np.argmax(tree.size[children])]
            assert colours[largest] == colours[parent] or {largest, parent} & set(tree.chosen.tolist())


def test_what_the_page_tells_is_in_the_table(fitted):
    model, tree = fitted
    given = tree_of(tree, np.zeros(len(tree.parent), int), len(model.labels_))
    rows, first = model.condensed_tree_.to_numpy(), given["first"]
    for i, c in enumerate(given["drawn"]):
        own = rows[rows["parent"] == first + c]
        own = own[~((own["child"] < first) & (own["lambda_val"] == 0))]  # rows that are not in the tree
        born = rows[rows["child"] == first + c]
        below, todo = [], [first + c]
        while todo:
            part = rows[rows["parent"] == todo.pop()]
            todo += part["child"][part["child"] > first].tolist()
            below += part["lambda_val"].tolist()
        begins = born["lambda_val"][0] if len(born) else 0.0
        lasting = 0.0 if max(below) == begins else max(below) - begins
        for name, exact in (("begins", begins), ("ends", own["lambda_val"].max()), ("persistence", lasting)):
            assert given[name][i] == (float(f"{exact:.6g}") if np.isfinite(exact) else None)
        assert tree.size[c] == (own["child_size"].sum() if c == 0 else born["child_size"][0])
    levels = np.array(given["levels"])
    for level in range(1, len(levels) + 1):  # a cluster is coloured where it has points
        ours = clusters_at(tree, level, levels)
        alive = np.flatnonzero((given["born"] < level) & (level <= given["died"]))
        assert alive.tolist() == np.unique(ours[ours >= 0]).tolist()


def test_shapes_lie_in_the_square_and_levels_in_order(fitted):
    model, tree = fitted
    given = tree_of(tree, np.zeros(len(tree.parent), int), len(model.labels_))
    assert (np.diff(given["heights"]) > 0).all() and 0 < given["heights"][0] and given["heights"][-1] < 1
    for shape in [*given["shapes"], given["lines"]]:
        numbers = [int(number) for number in re.findall(r"-?\d+", shape)]
        assert min(numbers, default=0) >= 0 and max(numbers, default=0) <= given["side"]
    assert len(given["shapes"]) == len(given["drawn"]) and given["shapes"][0].count("M") >= 1


def test_equal_points_have_no_levels():
    model = HDBSCANGPU(min_cluster_size=5, device="cpu").fit(np.ones((30, 2)))
    tree = _tree(model._model)
    given = tree_of(tree, np.zeros(1, int), 30)
    assert given["levels"] == [] and given["drawn"] == [0] and given["ends"] == [None]


def test_points_of_the_page_leave_the_clusters_of_the_tree(monkeypatch):
    found = {}
    monkeypatch.setattr(page_room, "html_of", lambda data, *rest: found.update(data) or "<html>")
    monkeypatch.setattr(page_room, "MOST", 300)
    points = dict((name, points) for name, points, _ in sets())["gaps"]
    model = HDBSCANGPU(min_cluster_size=10, device="cpu").fit(points)
    model.save_html(io.BytesIO())
    tree = _tree(model._model)
    np.testing.assert_array_equal(found["tree"]["own"][found["group"]], tree.cluster[found["row"]])
    levels = np.array(found["tree"]["levels"])
    np.testing.assert_array_equal(found["left"], (tree.leaves[found["row"]][:, None] <= levels).sum(axis=1))
    assert len(found["row"]) == 300 and found["tree"]["counts"] == counts_of(tree, levels)
    assert found["sizes"][found["tree"]["position"]] == 10
    alone = HDBSCANGPU(min_cluster_size=2, device="cpu").fit([[0.0, 0.0], [np.nan, 0.0]])
    found.clear()
    alone.save_html(io.BytesIO())
    assert "tree" not in found
