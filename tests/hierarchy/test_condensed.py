"""The condensed tree: clusters, when they begin and end, and when their points leave."""

import dataclasses
import importlib

import numpy as np
import pytest
import reference
from dendrograms import SHAPES, WEIGHTS, assert_same, contracted, give, nested, of_points, tree, weights
from helpers import DTYPES, KINDS, to_host

from emst.cpu.hierarchy.condensed import FEW
from emst.spanning_forest import to_scipy

SIZES = [2, 3, 10, 60, 5_000]


def check(ops, edges, heights, min_cluster_size, persistences, known=None):
    """`known` is the linkage of the reference, if it is known."""
    known = reference.linkage(edges, heights) if known is None else known
    ours, from_reference = (
        ops.condense(give(ops, edges, heights), min_cluster_size),
        reference.condense(known, min_cluster_size),
    )
    assert_same(ours, from_reference)
    for persistence in persistences:
        lasting, expected = ops.simplify(ours, persistence), reference.simplify(from_reference, persistence)
        assert_same(lasting, expected)
        assert_same(ops.simplify(lasting, 2 * persistence), reference.simplify(expected, 2 * persistence))
    return from_reference


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("min_cluster_size", SIZES)
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_equal_the_reference(ops, shape, weight, min_cluster_size):
    for n, dtype in [(2, np.float32), (9, np.float64), (150, np.float32)]:
        edges, heights = tree(shape, n), weights(weight, n - 1, dtype)
        check(ops, edges, heights, min_cluster_size, [1e-9, 0.02, np.inf])


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("n", range(4, 10))
def test_small_trees_equal_the_reference(ops, n):
    """In the order of chains, the parent of a round's last merge is often the first merge of the next round."""
    for seed in range(40):
        check(ops, tree("random", n, seed), weights("ties", n - 1, np.float32), 2, [])


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_clusters_of_points_equal_the_reference(ops, kind, dtype):
    edges, heights = of_points(kind, 1_200, dtype)
    known = reference.linkage(edges, heights)
    for min_cluster_size in (2, 7, 40):
        check(ops, edges, heights, min_cluster_size, [0.5, 20.0], known)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("shape", ["random", "path", "nested"])
def test_long_clusters_are_summed_in_the_agreed_order(ops, shape):
    """More terms than a piece holds, so that another order would show in the last bits."""
    n = 3_000
    edges, heights = tree(shape, n), weights("distinct", n - 1, np.float64)
    from_reference = check(ops, edges, heights, 5, [1.0])
    longest = np.bincount(from_reference.of_merge[from_reference.of_merge >= 0]).max()
    assert longest > 1024 or shape != "path"


@pytest.mark.parametrize("shape", ["random", "path"])
@pytest.mark.parametrize("more", [0, 1])
def test_as_many_nodes_as_are_few_and_one_more(ops, monkeypatch, more, shape):
    """One block of a GPU measures few clusters with few nodes; that of the path has more nodes than a piece holds."""
    edges, heights = tree(shape, 3_000), weights("distinct", 2_999, np.float64)
    expected = reference.condense(reference.linkage(edges, heights), 5)
    if ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.hierarchy.condensed.FEW", int((expected.of_merge >= 0).sum()) - more)
    assert_same(ops.condense(give(ops, edges, heights), 5), expected)


@pytest.mark.parametrize(("n", "count"), [(1_024, 1_023), (1_026, 1_025)])
def test_as_many_clusters_as_a_block_measures_and_one_more(ops, n, count):
    edges, heights = nested(n).astype(np.int32), np.arange(1, n, dtype=np.float64)
    assert check(ops, edges, heights, 2, [0.01]).count == count


CLUSTERS = ("parent", "children", "birth", "death", "size", "stability")


def check_contracted(ops, edges, heights, least, share, persistence):
    """Clusters of vertices are those of the points that they stand for, bit for bit, and so are labels and scores."""
    n = len(heights) + 1
    *fewer, sizes, vertex, kept = contracted(edges, heights, least, share)
    counts = []
    for min_cluster_size in (least, 2 * least):
        ours = ops.condense(give(ops, *fewer, sizes), min_cluster_size)
        known = reference.condense(reference.linkage(edges, heights), min_cluster_size)
        if persistence:
            ours, known = ops.simplify(ours, persistence), reference.simplify(known, persistence)
        for name in CLUSTERS:
            np.testing.assert_array_equal(to_host(getattr(ours, name)), getattr(known, name), err_msg=name)
        np.testing.assert_array_equal(to_host(ours.of_merge), known.of_merge[kept])
        np.testing.assert_array_equal(to_host(ours.cluster)[vertex], known.cluster)
        np.testing.assert_array_equal(kept[to_host(ours.leaving_merge)][vertex], known.leaving_merge)
        scores = to_host(ops.outlier_scores(ours, *ours.leaving()))
        np.testing.assert_array_equal(scores[vertex], reference.outlier_scores(known, *known.leaving()))
        for method, limit, single in [
            ("eom", n, False),
            ("eom", n - 1, True),
            ("eom", n // 4, True),
            ("leaf", n, True),
        ]:
            rules = (method, 0.0, limit, single)
            selection, expected = ops.select(ours, *rules), reference.select(known, *rules)
            assert_same(selection, expected)
            found = ops.label_points(ours, selection, 0.0, *ours.leaving())
            for values, theirs in zip(found, reference.label_points(known, expected, 0.0, *known.leaving())):
                np.testing.assert_array_equal(to_host(values)[vertex], theirs)
        counts.append(known.count)
    return len(sizes), counts[0]


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("weight", ["ties", "distinct", "zeros"])
@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_of_vertices_are_those_of_their_points(ops, shape, weight, share):
    for n, least, persistence in [(2, 2, 0.0), (9, 3, 0.0), (300, 4, 0.05), (300, 20, 0.0), (300, 500, 0.0)]:
        edges, heights = tree(shape, n), weights(weight, n - 1, np.float64)
        check_contracted(ops, edges, heights, least, share, persistence)


@pytest.mark.usefixtures("size")
def test_vertices_make_more_splits_than_as_many_points_could(ops):
    """300 groups of 16 points are two vertices each, and every other merge is a split."""
    n, least = 4_800, 16
    edges, heights = nested(n, least).astype(np.int32), np.arange(1, n, dtype=np.float64)
    vertices, clusters = check_contracted(ops, edges, heights, least, 1.0, 0.0)
    assert (vertices, clusters) == (600, 2 * 299 + 1)


def test_a_single_point_never_leaves(ops):
    """Without a merge there is no lambda at which it leaves: lambda is infinite, and so is the death of its cluster."""
    edges, heights = np.empty((0, 2), np.int32), np.empty(0, np.float32)
    check(ops, edges, heights, 2, [1.0])


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("weight", ["distinct", "ties"])
def test_infinity_minus_infinity_is_no_stability(ops, weight):
    """Clusters are born, and points leave them, at different heights whose lambda is infinite."""
    edges = tree("nested", 64)
    for exponent in (-1030, -1027):  # all of them, or the lower ones
        heights = np.ldexp(1 + weights(weight, 63, np.float64), exponent)
        known = check(ops, edges, heights, 2, [1.0])
        assert np.isinf(known.birth).any() and not np.isnan(known.stability).any()


@pytest.mark.parametrize("members", [1_023, 1_024, 1_025])
def test_a_cluster_of_as_many_nodes_as_one_warp_adds(ops, members):
    edges, heights = tree("path", members + 4), weights("distinct", members + 3, np.float64)
    known = check(ops, edges, heights, 5, [])
    assert np.bincount(known.of_merge[known.of_merge >= 0]).max() == members


def test_every_point_counts_in_the_stability(ops):
    """By the definition over points, without merges and without an order: the sum of lambda - birth."""
    edges, heights = of_points("uniform", 2_000, np.float64)
    condensed = ops.condense(give(ops, edges, heights), 10)
    c = {
        name: to_host(getattr(condensed, name))
        for name in ("cluster", "leaving_merge", "birth", "parent", "size", "stability")
    }
    expected = np.zeros(condensed.count)
    np.add.at(expected, c["cluster"], 1 / heights[c["leaving_merge"]] - c["birth"][c["cluster"]])
    for child in range(1, condensed.count):  # a split cluster's points leave it where the children are born
        p = c["parent"][child]
        expected[p] += c["size"][child] * (c["birth"][child] - c["birth"][p])
    np.testing.assert_allclose(c["stability"], expected, rtol=1e-10)
    assert c["size"][0] == 2_000


@pytest.mark.parametrize("weight", ["distinct", "ties", "equal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_chunks_of_any_length_make_the_same_tree(shape, weight, monkeypatch):
    """On the CPU, threads share a descent and a sort whose chunks the other tests are too small for."""
    ops = importlib.import_module("emst.cpu")
    for room in ("descent", "nodes", "condensed", "simplify", "cut"):
        module = importlib.import_module(f"emst.cpu.hierarchy.{room}")
        monkeypatch.setattr(module, "grain_for", lambda size, least: 7)
    condensed = importlib.import_module("emst.cpu.hierarchy.condensed")
    monkeypatch.setattr(condensed, "thread_count", lambda: 5)
    monkeypatch.setattr(condensed, "PART", 7)
    monkeypatch.setattr(condensed, "FEW", 0)
    edges, heights = tree(shape, 600), weights(weight, 599, np.float64)
    for min_cluster_size in (2, 9, 1_000):
        check(ops, edges, heights, min_cluster_size, [0.1, np.inf])
    ours, from_reference = give(ops, edges, heights), reference.linkage(edges, heights)
    np.testing.assert_array_equal(ops.cut(ours, heights[400], 3), reference.cut(from_reference, heights[400], 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 3, 600, 1_025, 5_000, FEW - 1])
@pytest.mark.parametrize("weight", ["distinct", "ties", "equal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_few_points_have_the_clusters_of_many(shape, weight, n, dtype, monkeypatch):
    """On the CPU, to the last bit: the clusters of few points are found in one call."""
    ops = importlib.import_module("emst.cpu")
    edges, heights = tree(shape, n), weights(weight, n - 1, dtype)
    for min_cluster_size in (2, 9, n + 1):
        at_once = ops.condense(give(ops, edges, heights), min_cluster_size)
        with monkeypatch.context() as many:
            many.setattr("emst.cpu.hierarchy.condensed.FEW", 0)
            in_stages = ops.condense(give(ops, edges, heights), min_cluster_size)
        in_chain = in_stages.of_merge >= 0
        for field in dataclasses.fields(in_stages):
            ours, theirs = getattr(at_once, field.name), getattr(in_stages, field.name)
            if field.name == "linkage":
                ours, theirs = ours.scratch, theirs.scratch
            elif field.name == "left":  # not set for other merges
                ours, theirs = ours[in_chain], theirs[in_chain]
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype
            np.testing.assert_array_equal(ours, theirs, field.name)


@pytest.mark.parametrize(
    ("shape", "weight"),
    [("random", "distinct"), ("path", "distinct"), ("nested", "distinct"), ("nested", "ties"), ("random", "equal")],
)
def test_trees_of_many_points_equal_the_reference(ops, shape, weight):
    """So many that threads and blocks have several chunks each."""
    n = 70_000
    edges, heights = tree(shape, n), weights(weight, n - 1, np.float32)
    known = reference.linkage(edges, heights)
    for min_cluster_size in (2, 50):
        check(ops, edges, heights, min_cluster_size, [], known)


@pytest.mark.parametrize("min_cluster_size", [2, 5, 25])
@pytest.mark.parametrize("seed", range(3))
def test_hdbscan_finds_the_same_clusters(ops, seed, min_cluster_size):
    peer = pytest.importorskip("hdbscan._hdbscan_tree")
    edges, heights = of_points("uneven", 1_000, np.float64, k=2, seed=seed)
    linkage = give(ops, edges, heights)
    condensed = ops.condense(linkage, min_cluster_size)
    theirs = peer.condense_tree(to_scipy(linkage), min_cluster_size)
    stability = peer.compute_stability(theirs)
    assert condensed.count == len(stability)
    np.testing.assert_allclose(np.sort(to_host(condensed.stability)), np.sort(list(stability.values())), rtol=1e-9)
    points = theirs[theirs["child"] < 1_000]
    leaves = np.empty(1_000)
    leaves[points["child"]] = points["lambda_val"]
    np.testing.assert_array_equal(1 / heights[to_host(condensed.leaving_merge)], leaves)
    born = np.sort(theirs["lambda_val"][theirs["child"] >= 1_000])
    np.testing.assert_array_equal(np.sort(to_host(condensed.birth))[1:], born)


@pytest.mark.parametrize("persistence", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_hdbscan_keeps_the_same_clusters(ops, seed, persistence):
    """It keeps lambdas in single precision here; and of a cluster that had taken up others before it was dropped it
    moves its own points only, which is why some points of its tree outstay their clusters."""
    peer = pytest.importorskip("hdbscan._hdbscan_tree")
    edges, heights = of_points("uneven", 1_000, np.float64, k=2, seed=seed)
    linkage = give(ops, edges, heights)
    whole = ops.condense(linkage, 5)
    condensed = ops.simplify(whole, persistence)
    theirs = peer.simplify_hierarchy(peer.condense_tree(to_scipy(linkage), 5), persistence)
    assert 1 < condensed.count < whole.count
    born = np.sort(theirs["lambda_val"][theirs["child"] >= 1_000])
    np.testing.assert_allclose(np.sort(to_host(condensed.birth))[1:], born, rtol=1e-6)
    points = theirs[theirs["child"] < 1_000]
    leaves, cluster = np.empty(1_000), np.empty(1_000, int)
    leaves[points["child"]], cluster[points["child"]] = points["lambda_val"], points["parent"]
    assert len(set(zip(cluster, to_host(condensed.cluster)))) == len(set(cluster))
    ours = 1 / heights[to_host(condensed.leaving_merge)]
    assert (ours <= leaves * (1 + 1e-6)).all()
    assert np.isclose(ours, leaves, rtol=1e-6).mean() > 0.8
