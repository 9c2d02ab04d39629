"""Trees as objects: hdbscan's arrays, data frames and graphs, also if rows of the data were left out."""

import copy
import pickle
import sys

import numpy as np
import pytest
import reference
from definition_reference import by_definition
from helpers import cloud, to_device, to_host
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

from emst import HDBSCANGPU
from emst.backend.records import Condensed, Linkage, Selection
from emst.hdbscan.trees import CondensedTree, SingleLinkageTree, SpanningTree
from emst.hierarchy.selection import Options


class Fitted:
    """hdbscan's trees of some points, and ours made from its spanning tree: the same edges in the same order."""

    def __init__(self, ops, x, min_cluster_size, min_samples, persistence=0.0):
        hdbscan = pytest.importorskip("hdbscan")
        self.lambdas = np.float32 if persistence else np.float64  # what hdbscan keeps them in
        self.theirs = hdbscan.HDBSCAN(
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            cluster_selection_persistence=persistence,
            gen_min_span_tree=True,
        ).fit(x)
        kept = np.flatnonzero(np.isfinite(x).all(axis=1))
        rows = {} if len(kept) == len(x) else {"rows": to_device(ops, kept.astype(np.int32)), "n": len(x)}
        mst = self.theirs.minimum_spanning_tree_.to_numpy()
        edges = np.sort(mst[:, :2].astype(np.int32), axis=1)
        self.ties = len(np.unique(mst[:, 2])) < len(mst)
        self.edges, self.weights = to_device(ops, edges), to_device(ops, mst[:, 2])
        linkage = ops.linkage(self.edges, self.weights)
        condensed = ops.condense(linkage, min_cluster_size)
        if persistence:
            condensed = ops.simplify(condensed, persistence)
        selection = ops.select(condensed, "eom", 0.0, len(kept), False)
        self.labels = to_host(ops.label_points(condensed, selection, 0.0, *condensed.leaving())[0])
        self.whole = condensed, selection, rows.get("rows"), rows.get("n")
        self.condensed = CondensedTree(condensed, selection, **rows)
        self.linkage = SingleLinkageTree(linkage, **rows)
        self.tree = SpanningTree(self.edges, self.weights, x)


def with_gaps(x):
    x = x.copy()
    x[[0, 7, 8, 30], [0, 1, 0, 1]] = np.nan, np.inf, np.nan, -np.inf
    return x


CASES = {  # (points, min_cluster_size, min_samples without the point itself, persistence); with 1, weights do not tie
    "uniform": (cloud(400, 3, np.float64), 5, 1),
    "uneven": (cloud(300, 2, np.float64, "uneven"), 10, 1),
    "lattice": (cloud(200, 2, np.float64, "lattice"), 3, 2),
    "repeated": (cloud(200, 2, np.float64, "repeated"), 4, 2),
    "one cluster": (cloud(30, 2, np.float64), 20, 1),
    "persistent": (cloud(400, 2, np.float64), 4, 1, 2.0),
    "gaps": (with_gaps(cloud(200, 2, np.float64)), 5, 1),
}


@pytest.fixture(params=CASES)
def fitted(request, ops):
    return Fitted(ops, *CASES[request.param])


def points_below(rows):
    """Points of every cluster of a condensed tree."""
    members = {}
    for parent, child, _, size in sorted(rows.tolist(), key=lambda row: -row[0]):
        members.setdefault(parent, set()).update({child} if size == 1 else members[child])
    return members


def renamed(rows, lambdas):
    """Rows whose clusters are named by size and first point: free of how they were numbered."""
    names = {cluster: (len(points), min(points)) for cluster, points in points_below(rows).items()}
    return sorted(
        (names[parent], names.get(child, child) if size > 1 else (1, child), lambdas(lambda_val), size)
        for parent, child, lambda_val, size in rows.tolist()
    )


def defined(fitted, min_cluster_size):
    """The rows by the definition, renamed in the same way."""
    edges, weights = to_host(fitted.edges).tolist(), to_host(fitted.weights).tolist()
    clusters = by_definition(len(weights) + 1, edges, weights, min_cluster_size).clusters
    names = {cluster: (len(cluster.points), min(cluster.points)) for cluster in clusters}
    rows = [(names[c.parent], names[c], c.birth, len(c.points)) for c in clusters[1:]]
    return sorted(rows + [(names[c], (1, p), leaves, 1) for c in clusters for p, leaves in c.lambdas().items()])


def test_condensed_rows_are_hdbscans(fitted):
    """Where heights tie, which hdbscan merges one after the other, they are those of the definition."""
    ours, theirs = fitted.condensed.to_numpy(), fitted.theirs.condensed_tree_.to_numpy()
    assert ours.dtype == theirs.dtype
    if fitted.ties:
        assert renamed(ours, float) == defined(fitted, fitted.theirs.min_cluster_size)
    else:
        assert renamed(ours, fitted.lambdas) == renamed(theirs, fitted.lambdas)


def test_condensed_rows_are_ordered_and_parents_come_first(fitted):
    rows = fitted.condensed.to_numpy()
    assert_array_equal(rows, np.sort(rows, order=["parent", "lambda_val", "child"]))
    clusters = rows[rows["child_size"] > 1]
    assert (clusters["parent"] < clusters["child"]).all()
    n = int((rows["child_size"] == 1).sum())
    assert_array_equal(np.sort(rows["child"]), [*range(n), *range(n + 1, n + 1 + len(clusters))])
    assert rows["parent"][0] == n


def test_what_is_returned_is_a_copy(fitted):
    for tree in (fitted.condensed, fitted.linkage, fitted.tree):
        first = tree.to_numpy()
        kept = first.copy()
        first[:] = 0
        assert_array_equal(tree.to_numpy(), kept)


def test_chosen_clusters_hold_the_labelled_points(fitted):
    rows = fitted.condensed.to_numpy()
    kept = np.flatnonzero(np.isfinite(fitted.tree._points).all(axis=1))
    below = points_below(rows)
    chosen = fitted.condensed._select_clusters()
    assert len(chosen) == fitted.labels.max() + 1
    for label, cluster in enumerate(chosen):
        assert below[cluster] == set(kept[fitted.labels == label].tolist())


def test_condensed_tree_as_data_frame(fitted):
    rows = fitted.condensed.to_numpy()
    scaling, theirs = fitted.condensed.to_pandas(), fitted.theirs.condensed_tree_.to_pandas()
    assert list(scaling.columns) == list(theirs.columns)
    assert list(scaling.dtypes) == list(theirs.dtypes)
    for name in rows.dtype.names:
        assert_array_equal(scaling[name], rows[name])
    polars = pytest.importorskip("polars")
    scaling = fitted.condensed.to_polars()
    assert scaling.schema == dict(zip(rows.dtype.names, [polars.Int64, polars.Int64, polars.Float64, polars.Int64]))
    assert scaling.rows() == rows.tolist()


def test_condensed_graph(fitted):
    rows = fitted.condensed.to_numpy()
    graph, theirs = fitted.condensed.to_networkx(), fitted.theirs.condensed_tree_.to_networkx()
    assert type(graph) is type(theirs)
    assert sorted(graph.edges(data="weight")) == sorted((p, c, w) for p, c, w, _ in rows.tolist())
    sizes = dict(graph.nodes(data="size"))
    assert sizes == {c: size for _, c, _, size in rows.tolist()} | {rows["parent"][0]: rows["parent"][0]}
    if fitted.ties:  # hdbscan merges equal heights one after the other
        return
    weights = [sorted(fitted.lambdas(w) for *_, w in tree.edges(data="weight")) for tree in (graph, theirs)]
    assert weights[0] == weights[1]
    assert sorted(s for s in dict(theirs.nodes(data="size")).values() if s) == sorted(sizes.values())[:-1]


def test_linkage_is_hdbscans(fitted):
    ours, theirs = fitted.linkage.to_numpy(), fitted.theirs.single_linkage_tree_.to_numpy()
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert_array_equal(ours[:, 2], theirs[:, 2])
    merges = np.isfinite(theirs[:, 2])
    assert_array_equal(ours[merges], np.column_stack([np.sort(theirs[merges, :2], axis=1), theirs[merges, 2:]]))
    assert is_valid_linkage(ours)
    assert ours[-1, 3] == len(ours) + 1


def test_linkage_as_data_frame(fitted):
    matrix = fitted.linkage.to_numpy()
    scaling = fitted.linkage.to_pandas()
    assert list(scaling.columns) == list(fitted.theirs.single_linkage_tree_.to_pandas().columns)
    assert_array_equal(scaling["parent"], len(matrix) + 1 + np.arange(len(matrix)))
    assert_array_equal(scaling[["left_child", "right_child", "distance", "size"]], matrix)
    pytest.importorskip("polars")
    assert_array_equal(fitted.linkage.to_polars().to_numpy(), scaling.to_numpy())


def test_linkage_graph(fitted):
    matrix = fitted.linkage.to_numpy()
    graph, n = fitted.linkage.to_networkx(), len(matrix) + 1
    assert graph.is_directed() and graph.number_of_edges() == 2 * n - 2
    for i, (a, b, distance, size) in enumerate(matrix.tolist()):
        assert graph[n + i] == {a: {"weight": distance}, b: {"weight": distance}}
        assert graph.nodes[n + i] == {"size": size}
    assert all(graph.nodes[i] == {"size": 1} for i in range(n))


@pytest.mark.parametrize("least", [1, 3, 10])
def test_clusters_at_a_cut(fitted, least):
    matrix = fitted.linkage.to_numpy()
    heights = matrix[np.isfinite(matrix[:, 2]), 2]
    for cut in [0.0, *np.quantile(heights, [0.3, 0.6, 0.9]), heights[-1] * 2]:
        labels = fitted.linkage.get_clusters(cut, least)
        assert labels.dtype == np.int64
        flat = fcluster(matrix, np.nextafter(cut, -1.0), "distance")  # merges below the cut
        small = np.bincount(flat)[flat] < least
        missing = np.ones(len(labels), bool)
        missing[np.flatnonzero(np.isfinite(fitted.tree._points).all(axis=1))] = False
        assert_array_equal(labels == -1, small | missing)
        seen = labels >= 0
        pairs = set(zip(flat[seen].tolist(), labels[seen].tolist()))
        assert len(pairs) == len({f for f, _ in pairs}) == len({label for _, label in pairs})
        firsts = [np.flatnonzero(labels == label)[0] for label in range(labels.max() + 1)]
        assert firsts == sorted(firsts)


def test_cuts_share_what_they_find_out(fitted):
    tree = pickle.loads(pickle.dumps(fitted.linkage))
    tree.get_clusters(0.1)
    found = tree._source.scratch
    assert found is not None
    tree.get_clusters(0.2)
    assert tree._source.scratch is found
    assert pickle.loads(pickle.dumps(tree))._source.scratch is None


def test_clusters_at_a_cut_are_hdbscans(fitted):
    matrix = fitted.linkage.to_numpy()
    if np.isinf(matrix[:, 2]).any():
        pytest.skip("hdbscan mixes up the rows after those it has left out")
    cut = float(np.quantile(matrix[:, 2], 0.7))
    ours, theirs = fitted.linkage.get_clusters(cut), fitted.theirs.single_linkage_tree_.get_clusters(cut)
    assert_array_equal(ours == -1, theirs == -1)
    pairs = set(zip(ours.tolist(), theirs.tolist()))
    assert len(pairs) == len(set(ours.tolist())) == len(set(theirs.tolist()))


def test_spanning_tree_is_hdbscans(fitted):
    if len(fitted.edges) < len(fitted.tree._points) - 1:
        pytest.skip("hdbscan counts the rows that it has kept; ours are the data's")
    theirs = fitted.theirs.minimum_spanning_tree_
    expected = theirs.to_numpy()
    expected[:, :2].sort(axis=1)
    ours = fitted.tree.to_numpy()
    assert ours.dtype == expected.dtype
    assert_array_equal(ours, expected)
    assert_array_equal(fitted.tree.to_pandas(), expected)
    assert list(fitted.tree.to_pandas().dtypes) == list(theirs.to_pandas().dtypes)
    assert list(fitted.tree.to_pandas().columns) == list(theirs.to_pandas().columns)
    graph, expected = fitted.tree.to_networkx(), theirs.to_networkx()
    assert type(graph) is type(expected)
    assert dict(graph.nodes(data="data")) == dict(expected.nodes(data="data"))
    assert {frozenset(e[:2]): e[2] for e in graph.edges(data="weight")} == {
        frozenset(e[:2]): e[2] for e in expected.edges(data="weight")
    }
    pytest.importorskip("polars")
    assert fitted.tree.to_polars().columns == ["from", "to", "distance"]


def test_a_spanning_tree_between_the_rows_that_were_kept(ops):
    points = np.arange(10.0).reshape(5, 2)
    edges, weights = np.array([[0, 1], [1, 2]], np.int32), np.array([1.0, 2.0], np.float32)
    rows = to_device(ops, np.array([1, 2, 4], np.int32))
    tree = SpanningTree(to_device(ops, edges), to_device(ops, weights), to_device(ops, points), rows=rows)
    expected = [[1, 2, 1], [2, 4, 2]]
    assert_array_equal(tree.to_numpy(), expected)
    assert_array_equal(tree.to_numpy(), expected)  # the rows are put in once
    assert dict(tree.to_networkx().nodes(data="data")) == {1: (2.0, 3.0), 2: (4.0, 5.0), 4: (8.0, 9.0)}
    without = SpanningTree(edges, weights)
    assert dict(without.to_networkx().nodes(data=True)) == {0: {}, 1: {}, 2: {}}
    with pytest.raises(ValueError, match="no points"):
        without.plot()


def test_pickles_and_copies_hold_arrays_on_the_host(fitted):
    condensed, selection, rows, n = fitted.whole
    simplifying = CondensedTree(condensed, selection, rows=rows, n=n, options=Options())
    for tree in (fitted.condensed, simplifying, fitted.linkage, fitted.tree):
        again = pickle.loads(pickle.dumps(tree))
        values = list(vars(again).values())
        values += [part for value in values if isinstance(value, tuple) for part in value]
        for kind in (Condensed, Selection, Linkage):
            values += [part for value in values if isinstance(value, kind) for part in vars(value).values()]
        assert not any(hasattr(value, "__cuda_array_interface__") for value in values)
        assert_array_equal(again.to_numpy(), tree.to_numpy())
        assert_array_equal(copy.deepcopy(tree).to_numpy(), tree.to_numpy())
    again = pickle.loads(pickle.dumps(fitted.linkage))
    assert_array_equal(again.get_clusters(0.1), fitted.linkage.get_clusters(0.1))
    assert pickle.loads(pickle.dumps(fitted.condensed))._select_clusters() == fitted.condensed._select_clusters()


SIMPLER = {  # (points, persistence); splits of both kinds, merged back and kept
    "uneven": (cloud(300, 2, np.float64, "uneven"), 0.3),
    "repeated": (np.vstack([cloud(300, 2, np.float64), np.full((9, 2), 0.3)]), 2.0),  # infinite lambdas
    "gaps": (with_gaps(cloud(300, 2, np.float64)), 2.0),
}


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("kind", SIMPLER)
def test_a_simpler_tree_is_that_of_the_reference_and_of_a_fit(ops, kind, method):
    x, persistence = SIMPLER[kind]
    options = {"min_cluster_size": 4, "min_samples": 2, "cluster_selection_method": method}
    model = HDBSCANGPU(**options, device=ops.name).fit(x)
    tree = model.condensed_tree_
    before = tree.to_numpy()
    simpler = tree.simplify(persistence=persistence)
    kept = np.flatnonzero(np.isfinite(x).all(axis=1))
    edges, heights = to_host(model._model.edges), to_host(model._model.weights)
    known = reference.simplify(reference.condense(reference.linkage(edges, heights), 4), persistence)
    none = Selection(np.zeros(0, np.int32), np.zeros(0, np.int32))
    assert_array_equal(simpler.to_numpy(), CondensedTree(known, none, rows=kept, n=len(x)).to_numpy())
    refitted = HDBSCANGPU(**options, cluster_selection_persistence=persistence, device=ops.name).fit(x)
    assert_array_equal(simpler.to_numpy(), refitted.condensed_tree_.to_numpy())
    assert simpler._select_clusters() == refitted.condensed_tree_._select_clusters()
    assert simpler.to_json() == refitted.condensed_tree_.to_json() and repr(simpler) == repr(refitted.condensed_tree_)
    assert len(x) + 1 < len(simpler.to_numpy()) < len(before)
    assert_array_equal(tree.to_numpy(), before)
    again = pickle.loads(pickle.dumps(tree))
    for other in (again.simplify(persistence), copy.deepcopy(simpler), simpler.simplify(0)):
        assert_array_equal(other.to_numpy(), simpler.to_numpy())
        assert other._select_clusters() == simpler._select_clusters()


def test_a_tree_simplified_by_nothing_is_equal(ops):
    tree = HDBSCANGPU(min_cluster_size=4, device=ops.name).fit(SIMPLER["gaps"][0]).condensed_tree_
    for nothing in (0, 0.0, np.float32(0)):
        assert_array_equal(tree.simplify(nothing).to_numpy(), tree.to_numpy())
        assert tree.simplify(nothing)._select_clusters() == tree._select_clusters()
    everything = tree.simplify(1e300)
    assert len(everything.to_numpy()) == 300 and everything._select_clusters() == []
    assert everything.to_newick().startswith("300:") and everything.plot() is not None


def test_simplifying_twice_is_simplifying_once(ops):
    """A fit drops children that the next persistence asks for."""
    g = np.random.default_rng(3)
    for _ in range(12):
        model = HDBSCANGPU(3, 2, device=ops.name).fit(g.random((60, 2)))
        once, first = model.condensed_tree_.simplify(6), model.recluster(cluster_selection_persistence=2.0)
        for twice in (model.condensed_tree_.simplify(2).simplify(6), first.condensed_tree_.simplify(6)):
            assert_array_equal(twice.to_numpy(), once.to_numpy())
        assert_array_equal(once.simplify(2).to_numpy(), once.to_numpy())


def test_a_simpler_tree_keeps_the_constraints(ops):
    g = np.random.default_rng(4)
    for _ in range(12):
        x, y = g.random((60, 2)), np.where(g.random(60) < 0.15, g.integers(0, 2, 60), -1)
        model = HDBSCANGPU(3, 2, semi_supervised=True, device=ops.name).fit(x, y)
        for tree in (model.condensed_tree_, pickle.loads(pickle.dumps(model.condensed_tree_))):
            for persistence in (0.0, 2.0):
                expected = model.recluster(cluster_selection_persistence=persistence).condensed_tree_
                assert tree.simplify(persistence)._select_clusters() == expected._select_clusters()
                assert tree.simplify(0).simplify(persistence)._select_clusters() == expected._select_clusters()


@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, "1", None, True])
def test_bad_persistences(bad):
    tree = HDBSCANGPU(min_cluster_size=4, device="cpu").fit(SIMPLER["uneven"][0]).condensed_tree_
    with pytest.raises(ValueError, match=r"^persistence must be a finite number of at least 0; got "):
        tree.simplify(bad)


def test_a_table_alone_is_not_simplified():
    from emst.compat.hdbscan.plots import CondensedTree as FromTable

    model = HDBSCANGPU(min_cluster_size=4, device="cpu").fit(SIMPLER["uneven"][0])
    tree = FromTable(model.condensed_tree_.to_numpy(), model.labels_)
    with pytest.raises(ValueError, match=r"holds only a table: fit with cluster_selection_persistence instead$"):
        tree.simplify(1.0)


def alone(ops):
    """The stages over a single point."""
    linkage = ops.linkage(to_device(ops, np.zeros((0, 2), np.int32)), to_device(ops, np.zeros(0)))
    condensed = ops.condense(linkage, 2)
    return linkage, condensed, ops.select(condensed, "eom", 0.0, 1, False)


def test_a_single_point(ops):
    linkage, condensed, selection = alone(ops)
    tree = CondensedTree(condensed, selection)
    assert tree.to_numpy().tolist() == [(1, 0, np.inf, 1)]
    assert list(tree.to_networkx().edges) == [(1, 0)]
    assert SingleLinkageTree(linkage).to_numpy().shape == (0, 4)
    assert list(SingleLinkageTree(linkage).to_networkx()) == [0]
    assert SpanningTree(np.zeros((0, 2), int), np.zeros(0), np.zeros((1, 2))).to_numpy().shape == (0, 3)


def test_a_single_point_among_rows_left_out(ops):
    linkage, condensed, selection = alone(ops)
    rows = {"rows": np.array([2]), "n": 4}
    expected = [(4, 0, 0.0, 1), (4, 1, 0.0, 1), (4, 3, 0.0, 1), (4, 2, np.inf, 1)]
    assert CondensedTree(condensed, selection, **rows).to_numpy().tolist() == expected
    tree = SingleLinkageTree(linkage, **rows)
    assert tree.to_numpy().tolist() == [[0, 2, np.inf, 2], [1, 4, np.inf, 3], [3, 5, np.inf, 4]]
    assert tree.get_clusters(1.0, 1).tolist() == [-1, -1, 0, -1]
    for cut, name in (((-1.0,), "cut_distance"), ((np.nan,), "cut_distance"), ((1.0, 0), "min_cluster_size")):
        with pytest.raises(ValueError, match=name):
            tree.get_clusters(*cut)


@pytest.mark.parametrize(
    "library, method", [("pandas", "to_pandas"), ("polars", "to_polars"), ("networkx", "to_networkx")]
)
def test_what_is_not_installed_is_named(monkeypatch, library, method):
    monkeypatch.setitem(sys.modules, library, None)
    tree = SpanningTree(np.array([[0, 1]]), np.array([1.0]))
    with pytest.raises(ImportError, match=rf"pip install 'emst\[{library}\]'"):
        getattr(tree, method)()


# Plot data


def test_cluster_bounds_and_lines_are_hdbscans(fitted):
    theirs = fitted.theirs.condensed_tree_
    rows = fitted.condensed.to_numpy()
    if np.isinf(rows["lambda_val"]).any():
        pytest.skip("hdbscan draws infinite bars")

    def shapes(data, rows):
        names = {cluster: (len(points), min(points)) for cluster, points in points_below(rows).items()}
        bounds = {names[c]: (right - left, low, high) for c, (left, right, low, high) in data["cluster_bounds"].items()}
        keys = sorted(bounds)
        return keys, np.array([bounds[key] for key in keys])

    for log_size in (False, True):
        ours = fitted.condensed.get_plot_data(log_size=log_size)
        expected = theirs.get_plot_data(log_size=log_size)
        assert set(ours) == set(expected)
        names, bounds = shapes(ours, rows)
        their_names, their_bounds = shapes(expected, theirs.to_numpy())
        assert names == their_names
        np.testing.assert_allclose(bounds, their_bounds)
        lines = [np.sort(np.reshape(data["line_ys"], (-1, 2)), axis=0) for data in (ours, expected)]
        assert_array_equal(*(fitted.lambdas(ys) for ys in lines))


def bars_of_clusters(data):
    """Bottom, height and width of every cluster's bars; clusters at one place lie above each other."""
    columns = [data[f"bar_{name}"] for name in ("centers", "bottoms", "tops", "widths")]
    bars = np.stack(columns, axis=1)
    found = {}
    for cluster, (left, right, birth, death) in data["cluster_bounds"].items():
        own = (bars[:, 0] == (left + right) / 2) & (birth <= bars[:, 1]) & (bars[:, 1] < death)
        found[cluster] = bars[own, 1:]
    assert sum(map(len, found.values())) == len(bars)
    return found


def test_bars_are_as_wide_as_the_cluster_has_points(fitted):
    rows = fitted.condensed.to_numpy()
    levels = np.minimum(rows["lambda_val"], 1.1 * rows["lambda_val"][np.isfinite(rows["lambda_val"])].max())
    data = fitted.condensed.get_plot_data(leaf_separation=2, max_rectangle_per_icicle=10**9)
    for cluster, bars in bars_of_clusters(data).items():
        own = rows["parent"] == cluster
        for bottom, height, width in bars:
            assert width == rows["child_size"][own & (levels > bottom + height / 2)].sum()
        _, _, birth, death = data["cluster_bounds"][cluster]
        assert bars[:, 1].sum() == pytest.approx(death - birth)


@pytest.mark.parametrize("most", [1, 3, 20])
def test_few_bars_cover_what_many_do(fitted, most):
    data = fitted.condensed.get_plot_data(max_rectangle_per_icicle=most)
    for cluster, bars in bars_of_clusters(data).items():
        _, _, birth, death = data["cluster_bounds"][cluster]
        assert len(bars) <= most
        assert bars[:, 1].sum() == pytest.approx(death - birth)
        assert (np.diff(bars[:, 2]) < 0).all()
        assert (np.diff(bars[:, 0]) > 0).all()
