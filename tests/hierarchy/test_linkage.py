"""Dendrograms: merges in the order of the edges, at any depth, and the clusters that a cut leaves."""

import importlib
import time
from dataclasses import replace

import numpy as np
import pytest
import reference
from dendrograms import SHAPES, WEIGHTS, assert_same, contracted, give, nested, of_points, tree, weights
from helpers import DTYPES, KINDS, cloud, to_device, to_host
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist, squareform

import emst
from emst.cpu.hierarchy import descent
from emst.cpu.hierarchy import linkage as cpu_linkage
from emst.spanning_forest import to_scipy


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("n", [2, 3, 33, 1_500])
@pytest.mark.parametrize("shape", SHAPES)
def test_merges_equal_the_reference(ops, shape, n):
    for seed, (kind, dtype) in enumerate([("distinct", np.float32), ("ties", np.float64)]):
        edges, heights = tree(shape, n, seed), weights(kind, n - 1, dtype)
        assert_same(give(ops, edges, heights), reference.linkage(edges, heights))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_merges_of_points_equal_the_reference(ops, kind, dtype):
    edges, heights = of_points(kind, 700, dtype)
    assert_same(give(ops, edges, heights), reference.linkage(edges, heights))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("n", [2, 3, 33, 1_500])
@pytest.mark.parametrize("shape", SHAPES)
def test_vertices_count_as_many_points_as_they_stand_for(ops, shape, n):
    """Any sizes, up to 2^31 - 1 points in all."""
    edges, heights = tree(shape, n), weights("ties", n - 1, np.float64)
    sizes = np.random.default_rng(n).integers(1, 1_000, n).astype(np.int32)
    for last in (1, 2**31 - 1 - int(sizes[:-1].sum())):
        sizes[-1] = last
        ours = give(ops, edges, heights, sizes)
        assert_same(ours, reference.linkage(edges, heights, sizes))
        assert (ours.n, ours.points) == (n, int(sizes.sum(dtype=np.int64)))
    assert give(ops, edges, heights).points == n


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_vertices_merge_and_are_cut_as_the_points_that_they_stand_for(ops, shape, share):
    n = 400
    for (kind, least), dtype in zip([("ties", 2), ("distinct", 7), ("zeros", 60), ("ties", 1_000)], DTYPES * 2):
        edges, heights = tree(shape, n), weights(kind, n - 1, dtype)
        of_all = reference.linkage(edges, heights)
        *fewer, sizes, vertex, kept = contracted(edges, heights, least, share)
        ours = give(ops, *fewer, sizes)
        np.testing.assert_array_equal(to_host(ours.size), of_all.size[kept])
        assert ours.points == n
        for height in [0.0, 0.1, float(np.median(heights)), float(heights[-1]), np.inf]:
            labels = to_host(ops.cut(ours, height, least))
            np.testing.assert_array_equal(labels[vertex], reference.cut(of_all, height, least))


@pytest.mark.gpu
@pytest.mark.parametrize("shape", SHAPES)
def test_wide_keys_order_the_chains_alike(monkeypatch, shape):
    """Beyond 16 million points a slot and a round take more than 32 bits."""
    monkeypatch.setattr("emst.cuda.hierarchy.linkage.KEY_BITS", 0)
    edges, heights = tree(shape, 20_000), weights("ties", 19_999, np.float32)
    assert_same(give(importlib.import_module("emst.cuda"), edges, heights), reference.linkage(edges, heights))


@pytest.mark.parametrize("n", [2, 3, 50, 40_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_threads_find_the_merges_and_their_parents(monkeypatch, shape, n):
    """Also chains of more merges than a chunk has, whose sizes are carried from chunk to chunk."""
    edges, heights = tree(shape, n), weights("distinct", n - 1, np.float32)
    expected = cpu_linkage.linkage(edges, heights)
    monkeypatch.setattr(cpu_linkage, "THREADS", 0)
    monkeypatch.setattr(cpu_linkage, "MANY", 0)
    monkeypatch.setattr("emst.cpu.hierarchy.chains.GRAIN", 500)
    ours = cpu_linkage.linkage(edges, heights)
    assert_same(ours, expected)
    np.testing.assert_array_equal(ours.scratch, descent.parents(expected))


@pytest.mark.parametrize("shape", SHAPES)
def test_many_threads_add_sizes_of_64_bits(monkeypatch, shape):
    """Of vertices that stand for more than 2^31 points in all, in chains of several chunks."""
    edges, heights = tree(shape, 9_000), weights("ties", 8_999, np.float64)
    sizes = np.random.default_rng(0).integers(1, 1 << 40, 9_000)
    expected = cpu_linkage.linkage(edges, heights, sizes)
    assert expected.size.dtype == np.int64 and expected.size[-1] == sizes.sum()
    monkeypatch.setattr(cpu_linkage, "THREADS", 0)
    monkeypatch.setattr(cpu_linkage, "MANY", 0)
    monkeypatch.setattr("emst.cpu.hierarchy.chains.GRAIN", 500)
    ours = cpu_linkage.linkage(edges, heights, sizes)
    assert_same(ours, expected)
    np.testing.assert_array_equal(ours.scratch, descent.parents(expected))


@pytest.mark.parametrize(("most", "called"), [(49, True), (48, False)])
def test_more_edges_than_rounds_have_numbers_for(monkeypatch, most, called):
    calls = []
    for name, value in (("THREADS", 0), ("MANY", 0), ("MOST", most), ("components_of", calls.append)):
        monkeypatch.setattr(cpu_linkage, name, value)
    cpu_linkage.linkage(tree("path", 50), weights("distinct", 49, np.float32))
    assert bool(calls) == called


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 2)], [(0, 1), (0, 1), (2, 3)], [(0, 1), (1, 1), (2, 3)]])
def test_many_threads_refuse_what_is_no_tree(monkeypatch, edges):
    edges, heights = np.array(edges, np.int32), np.arange(3.0)
    with pytest.raises(ValueError, match="closes a cycle") as few:
        cpu_linkage.linkage(edges, heights)
    monkeypatch.setattr(cpu_linkage, "THREADS", 0)
    monkeypatch.setattr(cpu_linkage, "MANY", 0)
    with pytest.raises(ValueError) as many:
        cpu_linkage.linkage(edges, heights)
    assert str(many.value) == str(few.value)


def test_one_point_makes_no_merge(ops):
    edges, heights = np.empty((0, 2), np.int32), np.empty(0, np.float32)
    linkage = give(ops, edges, heights)
    assert linkage.n == 1
    assert_same(linkage, reference.linkage(edges, heights))
    assert to_scipy(linkage).shape == (0, 4)


@pytest.mark.parametrize("k", [1, 5])
def test_scipy_finds_the_same_heights_and_sizes(ops, k):
    x = cloud(300, 3, np.float64)
    distances = squareform(pdist(x))
    core = np.sort(distances, axis=1)[:, k - 1]
    reachable = np.maximum(distances, np.maximum(core[:, None], core))
    np.fill_diagonal(reachable, 0)
    expected = scipy_linkage(squareform(reachable), "single")
    found = emst.minimum_spanning_tree(x, min_samples=k, device="cpu")
    ours = to_scipy(give(ops, found.edges, found.weights))
    assert is_valid_linkage(ours, throw=True)
    np.testing.assert_allclose(ours[:, 2], expected[:, 2], rtol=1e-12)
    if k == 1:  # without ties the merges are the same ones
        np.testing.assert_array_equal(ours[:, [0, 1, 3]], expected[:, [0, 1, 3]])


def test_scipy_finds_the_same_sizes_at_every_height_of_a_lattice(ops):
    """Which of several equal merges comes first is free; what they have made together is not."""
    x = cloud(200, 2, np.float64, "lattice")
    found = emst.minimum_spanning_tree(x, device="cpu")
    linkage = give(ops, found.edges, found.weights)
    expected = scipy_linkage(x, "single")
    from scipy.cluster.hierarchy import fcluster

    for height in np.unique(expected[:, 2]):
        ours = to_host(ops.cut(linkage, np.nextafter(height, np.inf), 1))
        theirs = fcluster(expected, height, "distance")
        assert len(set(zip(ours, theirs))) == len(set(ours)) == len(set(theirs))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("min_cluster_size", [1, 2, 5, 1_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_cuts_equal_the_reference(ops, shape, min_cluster_size):
    n = 400
    for kind, dtype in zip(WEIGHTS, [np.float32, np.float64, np.float32, np.float64, np.float32]):
        edges, heights = tree(shape, n), weights(kind, n - 1, dtype)
        ours, from_reference = give(ops, edges, heights), reference.linkage(edges, heights)
        finite = heights[np.isfinite(heights)]
        for height in [0.0, float(finite[0]), 0.1, float(np.median(finite)), float(finite[-1]), 1e30, np.inf]:
            labels = to_host(ops.cut(ours, height, min_cluster_size))
            assert labels.dtype == np.int64
            np.testing.assert_array_equal(labels, reference.cut(from_reference, height, min_cluster_size))


def test_a_cut_compares_heights_in_double_precision(ops):
    """The float32 nearest to 0.1 is above it: not below a cut at 0.1. That nearest to 0.7 is below it."""
    edges = np.array([[0, 1]], np.int32)
    cases = [(0.1, 0.1, [0, 1]), (0.1, 0.11, [0, 0]), (0.7, 0.7, [0, 0])]
    cases += [(3e-45, 2e-45, [0, 1]), (3e-45, 1e-60, [0, 1]), (1e-45, 2e-45, [0, 0])]  # subnormal numbers are not 0
    cases += [(1.0, 1e300, [0, 0]), (np.inf, 1e300, [0, 1]), (np.inf, np.inf, [0, 1])]
    for height, cut, labels in cases:
        linkage = give(ops, edges, np.array([height], np.float32))
        assert to_host(ops.cut(linkage, cut, 1)).tolist() == labels


def test_one_point_is_cut_too(ops):
    linkage = give(ops, np.empty((0, 2), np.int32), np.empty(0, np.float64))
    assert to_host(ops.cut(linkage, 1.0, 1)).tolist() == [0]
    assert to_host(ops.cut(linkage, 1.0, 2)).tolist() == [-1]


def test_the_public_linkage_is_the_backends(ops):
    x = cloud(200, 2, np.float32)
    found = emst.minimum_spanning_tree(x, device="cpu")
    np.testing.assert_array_equal(found.linkage(), to_scipy(give(ops, found.edges, found.weights)))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("n", [3, 4, 700])
@pytest.mark.parametrize("twice", [False, True])
def test_edges_with_a_cycle_are_an_error(ops, n, twice):
    """The last edge joins what others have joined: as a cycle, or as a repetition of the one before."""
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    edges[-1] = edges[-2] if twice else (0, n - 2)
    with pytest.raises(ValueError, match="edges are not a spanning tree"):
        give(ops, edges, np.arange(n - 1.0))


@pytest.mark.gpu
@pytest.mark.parametrize("n", [2, 300, 9_000, 70_001])
def test_an_early_dendrogram_stays_within_bounds(n):
    """Whatever the edges are: the caller does not know them yet."""
    cupy = pytest.importorskip("cupy")
    import emst.cuda as ops
    from emst.cuda.first_round import FirstRound

    g, info = np.random.default_rng(n), np.iinfo(np.int32)
    heights = np.arange(n - 1.0)
    for lowest, highest in [(info.min, info.max), (-1, 0), (0, n - 1), (n, 2 * n)]:
        edges = g.integers(lowest, highest, (n - 1, 2), np.int32, endpoint=True)
        ops.linkage(to_device(ops, edges), to_device(ops, heights), early=True)
        for components in {1, max(n // 2, 1)}:  # the numbers of a first round, too, may not have been written
            seen = cupy.asarray(g.integers(0, 1 << 32, n - 1, np.uint32))
            between = cupy.asarray(g.integers(info.min, info.max, (components, 2), np.int32))
            round = FirstRound(seen, between, components)
            ops.linkage(to_device(ops, edges), to_device(ops, heights), early=True, first_round=round)
    cupy.cuda.Device().synchronize()
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    sizes = to_host(ops.linkage(to_device(ops, edges), to_device(ops, heights)).size)
    assert sizes.tolist() == list(range(2, n + 1))


@pytest.mark.parametrize("what", ["loop", "cycle", "range", "negative", "rows", "columns"])
def test_changed_edges_are_an_error(ops, what):
    """A result's arrays belong to the caller, who may have written to them."""
    found = emst.minimum_spanning_tree(cloud(200, 2, np.float64), device=ops.name)
    edges = to_host(found.edges).copy()
    if what == "cycle":
        edges[100:102] = [[4, 5], [4, 5]]
    elif what in ("rows", "columns"):
        edges = edges[:-1] if what == "rows" else edges[:, :1]
    else:
        edges[100] = {"loop": (3, 3), "range": (3, 200), "negative": (-1, 3)}[what]
    changed = replace(found, edges=to_device(ops, edges))
    with pytest.raises(ValueError, match="edges"):
        changed.linkage()


def test_interrupts_are_served_between_steps(monkeypatch):
    """On the CPU the merges run on one thread, in steps: a few milliseconds each."""
    edges, heights = of_points("uniform", 700, np.float64)
    expected = cpu_linkage.linkage(edges, heights)
    merge, steps = cpu_linkage._merge, []
    monkeypatch.setattr(cpu_linkage, "STEP", 100)
    monkeypatch.setattr(cpu_linkage, "_merge", lambda *args: steps.append(args[-1]) or merge(*args))
    assert_same(cpu_linkage.linkage(edges, heights), expected)
    assert steps == [100, 200, 300, 400, 500, 600, 699]


def chain(n):
    return np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)


def star(n):
    return np.stack([np.zeros(n - 1, int), np.arange(1, n)], axis=1)


LARGE = {"chain": chain, "star": star, "nested": nested}


def everything(ops, shape, n, min_cluster_size):
    """Sizes, labels, scores, and clusters at half the height, of a tree with the heights 1, 2, ..., n - 1."""
    edges, heights = LARGE[shape](n).astype(np.int32), np.arange(1, n, dtype=np.float32)
    linkage = give(ops, edges, heights)
    condensed = ops.condense(linkage, min_cluster_size)
    lasting = ops.simplify(condensed, 1e-12)
    ops.simplify(condensed, 1e12)
    for method in ("eom", "leaf"):
        selection = ops.select(lasting, method, 10.0, n + 1, True)
        labels, _ = ops.label_points(lasting, selection, 10.0, *lasting.leaving())
    scores = ops.outlier_scores(lasting, *lasting.leaving())
    return [to_host(array) for array in (linkage.size, labels, scores, ops.cut(linkage, n / 2, 1))]


def everything_of_one_cluster(n, min_cluster_size):
    """The same where every merge adds one point, so that point i joins at height i: written down without a tree."""
    least = min(min_cluster_size, n) - 1  # height at which the first that are many enough come together
    density = 1.0 / np.maximum(np.arange(n), max(least, 1))
    labels = np.where(density >= 1 / 10.0, 0, -1)
    return np.arange(2, n + 1), labels, 1.0 - density / density[0], np.maximum(np.arange(n) - (n - 1) // 2, 0)


@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("min_cluster_size", [2, 100, 10_000_000])
def test_a_million_merges_of_any_depth_take_no_longer(ops, shape, min_cluster_size):
    """All operations on a chain and a star of a million merges, and half a million splits each below another. One
    microsecond for every level, or anything quadratic, would break the limit many times over."""
    n = 1_000_001
    everything(ops, shape, 5_000, min_cluster_size)  # compiles what a million will use
    start = time.perf_counter()
    ours = everything(ops, shape, n, min_cluster_size)
    assert time.perf_counter() - start < 3
    if shape != "nested":
        expected = everything_of_one_cluster(n, min_cluster_size)
    else:  # what the GPU makes of it is the CPU's, and that the same in every run
        expected = everything(importlib.import_module("emst.cpu"), shape, n, min_cluster_size)
    for array, known in zip(ours, expected):
        np.testing.assert_array_equal(array, known)
    assert ours[0][-1] == n and ours[3][0] == 0


def test_a_split_into_hundreds_of_thousands_takes_no_longer(ops):
    """If each of the children looked at all others, the limit would be broken many times over."""

    def selected(n):
        edges, heights = nested(n, 3).astype(np.int32), np.repeat(np.float32([1, 2]), [n - n // 3, n // 3 - 1])
        condensed = ops.condense(give(ops, edges, heights), 2)
        lasting = ops.simplify(condensed, 0.1)
        selection = ops.select(lasting, "eom", 0.0, n, False)
        return condensed.count, to_host(selection.chosen), to_host(ops.outlier_scores(lasting, *lasting.leaving()))

    selected(60_000)  # compiles what more will use
    start = time.perf_counter()
    count, chosen, scores = selected(900_000)
    assert time.perf_counter() - start < 3
    assert count == 300_001
    np.testing.assert_array_equal(chosen, np.arange(1, count))
    assert not scores.any()


@pytest.mark.gpu
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_scan_several_tiles_of_a_round(monkeypatch, shape, weighted):
    """As where there are more tiles than blocks of a GPU: two blocks take them all."""
    cpu, cuda = (importlib.import_module(f"emst.{device}") for device in ("cpu", "cuda"))
    monkeypatch.setattr("emst.cuda.runtime.launch.most_resident", lambda *_: 2)
    monkeypatch.setattr("emst.cuda.hierarchy.chains.FEW", 0)
    n = 20_000
    edges, heights = tree(shape, n), weights("ties", n - 1, np.float32)
    sizes = np.random.default_rng(n).integers(1, 1 << 20, n) if weighted else None
    ours, expected = (give(ops, edges, heights, sizes) for ops in (cuda, cpu))
    assert_same(ours, expected)
    assert_same(cuda.condense(ours, 3), cpu.condense(expected, 3))
    for height in (float(np.median(heights)), float(heights[-1])):
        np.testing.assert_array_equal(to_host(cuda.cut(ours, height, 2)), cpu.cut(expected, height, 2))
