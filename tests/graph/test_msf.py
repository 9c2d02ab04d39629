"""`graph_msf` as callers use it: every form of input and every algorithm give the same forest."""

from __future__ import annotations

import math
from collections import defaultdict
from types import SimpleNamespace

import graph_reference as reference
import numpy as np
import pytest
import scipy.sparse as sp
from graph_reference import GRAPHS, KINDS, WEIGHTS, csr_of, weights_for
from helpers import to_device, to_host
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import emst
import emst.graph.algorithms.boruvka
from emst import MinimumSpanningForest, graph_msf
from emst.graph.msf import ALGORITHMS

FORMS = [
    "tuple", "object", "csr_array", "csr_matrix", "csc", "coo", "shuffled coo", "unsorted csr", "upper", "lower",
    "one way", "lil", "dok", "int64", "uint16", "lists",
]  # fmt: skip


def assert_forest(forest, n, rows, columns, weights, ops):
    """Compare with Kruskal's algorithm on all entries of the input, whatever their order and direction."""
    taken, roots = reference.kruskal(n, rows, columns, weights)
    low, high = np.minimum(rows, columns)[taken], np.maximum(rows, columns)[taken]
    expected = {"edge_id": taken, "source": low, "target": high, "weight": np.asarray(weights)[taken]}
    for name, values in expected.items():
        np.testing.assert_array_equal(to_host(getattr(forest, name)), values, name)
    assert forest.edge_id.dtype == np.int64
    assert forest.source.dtype == forest.target.dtype == np.int32
    assert forest.weight.dtype == np.asarray(weights).dtype
    assert (forest.n_vertices, forest.n_components) == (n, n - len(taken))
    assert forest.device == ops.name
    if forest.component_labels is not None:
        np.testing.assert_array_equal(to_host(forest.component_labels), reference.number_components(roots))
        assert forest.component_labels.dtype == np.int32


def forest_of(ops, arrays, **options):
    """The forest of compressed rows on the device of the backend."""
    return graph_msf(tuple(to_device(ops, a) for a in arrays), device=ops.name, **options)


def entry_rows(indptr):
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", ["no vertices", "isolated vertices", "path", "star", "grid", "random", "parallel"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_gives_kruskals_forest(ops, algorithm, name, dtype, symmetric):
    n, rows, columns = GRAPHS[name]
    indptr, indices, weights, _ = csr_of(n, rows, columns, weights_for(len(rows), dtype, "ties"), symmetric)
    forest = forest_of(ops, (indptr, indices, weights), algorithm=algorithm, return_labels=True)
    assert_forest(forest, n, entry_rows(indptr), indices, weights, ops)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_takes_any_weights(ops, algorithm, kind):
    n, rows, columns = GRAPHS["random"]
    for dtype in WEIGHTS:
        indptr, indices, weights, _ = csr_of(n, rows, columns, weights_for(len(rows), dtype, kind))
        forest = forest_of(ops, (indptr, indices, weights), algorithm=algorithm)
        assert_forest(forest, n, entry_rows(indptr), indices, weights, ops)


def stored(form, n, rows, columns, weights):
    """A graph in some form, and its entries in the order of that form: rows, columns, weights."""
    g = np.random.default_rng(5)
    indptr, indices, values, _ = csr_of(n, rows, columns, weights)
    row = entry_rows(indptr)
    if form in ("shuffled coo", "one way"):
        if form == "one way":
            row, indices, values = rows, columns, weights
        order = g.permutation(len(row))
        row, indices, values = row[order], indices[order], values[order]
        return sp.coo_array((values, (row, indices)), shape=(n, n)), row, indices, values
    if form in ("upper", "lower"):
        kept = indices > row if form == "upper" else indices < row
        indptr = np.r_[0, np.cumsum(np.bincount(row[kept], minlength=n))]
        return (indptr, indices[kept], values[kept]), row[kept], indices[kept], values[kept]
    if form == "unsorted csr":
        order = np.lexsort((g.random(len(row)), row))
        indices, values = indices[order], values[order]
    if form == "csc":  # what stands in row i of the arrays is column i
        graph = sp.csc_array((values, indices, indptr), shape=(n, n))
    elif form == "tuple":
        graph = (indptr, indices, values)
    elif form == "lists":
        graph = (indptr.tolist(), indices.tolist(), values)
    elif form == "object":
        graph = SimpleNamespace(indptr=indptr, indices=indices, data=values)
    elif form in ("int64", "uint16"):
        graph = (indptr.astype(form), indices.astype(form), values)
    elif form == "csr_matrix":
        graph = sp.csr_matrix((values, indices, indptr), shape=(n, n))
    else:
        graph = sp.csr_array((values, indices, indptr), shape=(n, n))
        if form == "coo":
            graph = graph.tocoo()
        elif form in ("lil", "dok"):
            graph = graph.asformat(form)
    return graph, row, indices, values


@pytest.mark.parametrize("name", ["random", "shuffled path", "star", "isolated vertices"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_graph(ops, form, name):
    n, rows, columns = GRAPHS[name]
    if form in ("lil", "dok"):  # hold no parallel edges
        pairs = np.unique(np.sort([rows, columns], axis=0), axis=1)
        rows, columns = pairs
    weights = 1 + weights_for(len(rows), np.int32, "ties").astype(np.float64)
    weights += (weights <= 0) * 1e4
    graph, *entries = stored(form, n, rows, columns, weights)
    policy = "min" if form == "one way" else "check"  # parallel edges are stored in either direction
    forest = graph_msf(graph, device=ops.name, return_labels=True, symmetric=policy)
    if form in ("lil", "dok"):
        csr = graph.tocsr()
        entries = entry_rows(csr.indptr), csr.indices, csr.data
    assert_forest(forest, n, *entries, ops)
    assert type(forest.weight) is np.ndarray
    edges = csr_of(n, rows, columns, weights)
    again = graph_msf(edges[:3], device=ops.name)
    for field in ("source", "target", "weight"):  # the same edges however they came
        ours, theirs = [getattr(f, field)[np.lexsort((f.target, f.source))] for f in (forest, again)]
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("lil", "dok")])
@pytest.mark.parametrize("dtype", ["i4", "f8", ">i4", "u4", "f2"])
def test_indices_and_weights_as_the_algorithm_receives_them(ops, monkeypatch, form, dtype):
    """Kernels take int32 indices and four dtypes of weights; other dtypes are converted."""
    n, rows, columns = GRAPHS["random"]
    graph, *_ = stored(form, n, rows, columns, weights_for(len(rows), np.int32, "distinct"))
    names = ("row", "col") if form in ("coo", "shuffled coo", "one way") else ("indptr", "indices")
    arrays = graph if isinstance(graph, tuple) else [getattr(graph, name) for name in (*names, "data")]
    ends = dict(zip(names, arrays), data=np.asarray(arrays[2]).astype(dtype))
    shape = {} if isinstance(graph, tuple) else {"shape": (n, n)}
    graph = SimpleNamespace(format=getattr(graph, "format", None), **ends, **shape)
    given = []
    forest = emst.graph.algorithms.boruvka.forest
    monkeypatch.setattr(
        emst.graph.algorithms.boruvka, "forest", lambda graph, ops: given.append(graph) or forest(graph, ops)
    )
    graph_msf(graph, device=ops.name, symmetric="min")
    assert given[0].indices.dtype == np.int32 and given[0].indices.dtype.isnative
    assert given[0].indptr.dtype in (np.int32, np.int64) and given[0].indptr.dtype.isnative
    assert given[0].weights.dtype in WEIGHTS and given[0].weights.dtype.isnative
    assert isinstance(given[0].weights, np.ndarray) == (ops.name == "cpu")


@pytest.mark.parametrize("allowed", [None, 500_000])
def test_a_triangle_of_another_size_mirrors_none(ops, monkeypatch, allowed):
    """Even if the fingerprint matches: the kernel that searches for mirrored entries assumes that they exist."""
    n, rows, columns = GRAPHS["random"]
    indptr, indices, weights, _ = csr_of(n, rows, columns, weights_for(len(rows), np.int32, "distinct"))
    row = entry_rows(indptr)
    kept = (indices > row) | (row % 3 == 0)
    graph = np.r_[0, np.cumsum(np.bincount(row[kept], minlength=n))], indices[kept], weights[kept]
    look = ops.graph_statistics
    monkeypatch.setattr(ops, "graph_statistics", lambda *arrays: look(*arrays)._replace(fingerprint=(0, 0)))
    forest = graph_msf(graph, device=ops.name, max_device_bytes=allowed, return_labels=True)
    assert_forest(forest, n, row[kept], indices[kept], weights[kept], ops)


@pytest.mark.gpu
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "shuffled coo", "dense", "int64"])
def test_what_comes_from_a_gpu_goes_back_there(form):
    cupy = pytest.importorskip("cupy")
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    n, rows, columns = GRAPHS["grid"]
    weights = 1.0 + weights_for(len(rows), np.float64, "distinct") + len(rows)
    graph, *entries = stored("shuffled coo" if form == "shuffled coo" else "tuple", n, rows, columns, weights)
    row, column, value = (cupy.asarray(a) for a in entries)
    if form == "int64":
        there = tuple(cupy.asarray(a) for a in (graph[0].astype(np.int64), graph[1].astype(np.int64), graph[2]))
    elif form in ("csr", "csc"):
        kind = sparse.csr_matrix if form == "csr" else sparse.csc_matrix
        there = kind((value, column, cupy.asarray(graph[0])), shape=(n, n))
    elif form == "dense":
        there = cupy.zeros((n, n))
        there[row, column] = value
    else:
        there = sparse.coo_matrix((value, (row, column)), shape=(n, n))
    for device in ("auto", "cpu"):
        forest = graph_msf(there, device=device, return_labels=True)
        for field in ("source", "target", "weight", "edge_id", "component_labels"):
            assert isinstance(getattr(forest, field), cupy.ndarray)
        if form != "dense":
            assert_forest(forest, n, *entries, SimpleNamespace(name="cuda" if device == "auto" else "cpu"))
    assert forest.to_csr().nnz == n - 1
    assert (
        forest.total_weight == graph_msf((graph if form != "shuffled coo" else there.get()), device="cpu").total_weight
    )


def test_in_a_dense_array_zeros_are_no_edges(ops):
    dense = np.array([[9, 0, 3, 0], [0, 0, -1, 0], [3, -1, 0, 0], [0, 0, 0, 0]])
    for array in (dense, dense.tolist(), np.asfortranarray(dense), np.triu(dense)):
        forest = graph_msf(array, device=ops.name, return_labels=True)
        assert forest.edge_id.tolist() == [2, 6]  # of the array, row by row
        assert forest.weight.tolist() == [3, -1]
        assert forest.component_labels.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
def test_in_a_dense_array_subnormal_numbers_are_edges(ops, dtype):
    low = np.finfo(dtype).smallest_subnormal
    dense = np.array([[0, -0.0, 2 * low], [0, 0, -low], [2 * low, 0, 0]], dtype)
    arrays = [dense] if dtype == ">f4" else [dense, to_device(ops, dense)]
    for array in arrays:
        forest = graph_msf(array, device=ops.name)
        assert to_host(forest.edge_id).tolist() == [2, 5]
        assert to_host(forest.weight).tolist() == [2 * low, -low]


NARROW = [np.bool_, np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, ">f8", ">i4"]


@pytest.mark.parametrize("dtype", NARROW, ids=lambda t: np.dtype(t).str)
def test_other_real_weights_keep_their_order_and_their_dtype(ops, dtype):
    dtype = np.dtype(dtype)
    n, rows, columns = GRAPHS["random"]
    g = np.random.default_rng(0)
    weights = g.integers(0, 100, len(rows)).astype(dtype)
    if dtype.kind in "iu":
        weights[::3], weights[1::5] = np.iinfo(dtype).max, np.iinfo(dtype).min
        weights[2::7] = np.iinfo(dtype).max - 1
    if dtype.kind == "f":
        weights[::3] = -weights[::3]
    indptr, indices, values, _ = csr_of(n, rows, columns, weights)
    ranks = np.unique(values, return_inverse=True)[1]
    forest = graph_msf((indptr, indices, values), device=ops.name)
    taken = reference.kruskal(n, entry_rows(indptr), indices, ranks)[0]
    np.testing.assert_array_equal(forest.edge_id, taken)
    np.testing.assert_array_equal(forest.weight, values[taken])
    assert forest.weight.dtype == dtype
    exact = sum(map(int, values[taken].tolist())) if dtype.kind in "biu" else math.fsum(values[taken].tolist())
    assert forest.total_weight == exact


def test_parallel_entries_are_not_added_up_and_loops_are_left_out(ops):
    indptr, indices = np.array([0, 4, 7, 7]), np.array([0, 1, 1, 2, 0, 0, 1])
    weights = np.array([-5.0, 4.0, 3.0, 2.0, 3.0, 4.0, -9.0])
    graph = sp.csr_array((weights, indices, indptr), shape=(3, 3))
    assert not graph.has_canonical_format
    forest = graph_msf(graph, device=ops.name)
    assert forest.edge_id.tolist() == [2, 3]
    assert graph.nnz == 7


def test_stored_zeros_are_edges(ops):
    graph = sp.coo_array(([0, 5, 7], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    forest = graph_msf(graph, device=ops.name)
    assert forest.weight.tolist() == [0, 5]
    matrix = forest.to_csr()
    assert isinstance(matrix, sp.csr_array) and matrix.shape == (3, 3) and matrix.nnz == 2
    assert (matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()) == ([0, 1, 2, 2], [1, 2], [0, 5])


@pytest.mark.parametrize("dtype", NARROW, ids=lambda t: np.dtype(t).str)
def test_a_sparse_matrix_of_any_weights(ops, dtype):
    n, rows, columns = GRAPHS["grid"]
    arrays = csr_of(n, rows, columns, np.arange(len(rows)).astype(dtype))[:3]
    forest = forest_of(ops, arrays) if np.dtype(dtype).isnative else graph_msf(arrays, device=ops.name)
    matrix = forest.to_csr().tocoo()
    order = np.lexsort((to_host(forest.target), to_host(forest.source)))
    np.testing.assert_array_equal(to_host(matrix.row), to_host(forest.source)[order])
    np.testing.assert_array_equal(to_host(matrix.col), to_host(forest.target)[order])
    np.testing.assert_array_equal(to_host(matrix.data), to_host(forest.weight)[order])
    assert matrix.shape == (n, n)


def test_of_equal_entries_the_first_is_named(ops):
    graph = sp.coo_array((np.array([3, 3, 2, 2, 2]), ([1, 0, 2, 1, 1], [0, 1, 1, 2, 2])), shape=(3, 3))
    forest = graph_msf(graph, device=ops.name)
    assert forest.edge_id.tolist() == [0, 2]
    assert (forest.source.tolist(), forest.target.tolist()) == ([0, 1], [1, 2])


def test_the_lighter_direction(ops):
    rows, columns, weights = np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]), np.array([5.0, 4.0, 1.0, 1.0])
    for order in ([0, 1, 2, 3], [3, 0, 1, 2]):
        graph = sp.coo_array((weights[order], (rows[order], columns[order])), shape=(3, 3))
        forest = graph_msf(graph, device=ops.name, symmetric="min")
        assert_forest(forest, 3, rows[order], columns[order], weights[order], ops)
        assert forest.total_weight == 5


def test_infinite_weights_are_edges_of_last_resort(ops):
    graph = sp.coo_array(([np.inf, 1.0, np.inf], ([0, 1, 2], [1, 2, 0])), shape=(4, 4))
    forest = graph_msf(graph, device=ops.name)
    assert forest.weight.tolist() == [np.inf, 1.0]
    assert forest.total_weight == np.inf
    assert forest.n_components == 2


@pytest.mark.parametrize("form", ["tuple", "shuffled coo", "unsorted csr", "lower", "int64"])
def test_the_graph_is_not_written_to(ops, form):
    n, rows, columns = GRAPHS["random"]
    graph, *_ = stored(form, n, rows, columns, weights_for(len(rows), np.float32, "ties"))
    names = ("data", "row", "col") if form == "shuffled coo" else ("data", "indices", "indptr")
    arrays = graph if isinstance(graph, tuple) else [getattr(graph, name) for name in names]
    before = [a.copy() for a in arrays]
    for array in arrays:
        array.flags.writeable = False
    first = graph_msf(graph, device=ops.name, return_labels=True)
    for array, old in zip(arrays, before):
        np.testing.assert_array_equal(array, old)
    again = graph_msf(graph, device=ops.name, return_labels=True)
    for field in ("source", "target", "weight", "edge_id", "component_labels"):
        np.testing.assert_array_equal(getattr(first, field), getattr(again, field))


def test_arrays_that_are_not_contiguous(ops):
    n, rows, columns = GRAPHS["random"]
    indptr, indices, weights, _ = csr_of(n, rows, columns, weights_for(len(rows), np.int64, "ties"))
    spread = [np.repeat(a, 2)[::2] for a in (indptr, indices, weights)]
    assert_forest(graph_msf(tuple(spread), device=ops.name), n, entry_rows(indptr), indices, weights, ops)


@pytest.mark.parametrize("name", GRAPHS)
def test_labels_are_scipys(ops, name):
    n, rows, columns = GRAPHS[name]
    graph = csr_of(n, rows, columns, np.ones(len(rows)))[:3]
    forest = graph_msf(graph, device=ops.name, return_labels=True)
    if n:  # scipy takes no graph without vertices
        count, labels = connected_components(sp.csr_array((graph[2], graph[1], graph[0]), shape=(n, n)), directed=False)
        np.testing.assert_array_equal(forest.component_labels, labels)
        assert forest.n_components == count
    assert graph_msf(graph, device=ops.name).component_labels is None


def forest_with(weight):
    k = len(weight)
    ids = np.arange(k)
    return MinimumSpanningForest(
        ids.astype(np.int32), (ids + 1).astype(np.int32), np.asarray(weight), ids, k + 1, 1, None, "cpu"
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64])
def test_integers_are_summed_exactly(dtype):
    info = np.iinfo(dtype)
    weights = np.array([info.max, info.max, info.min, info.max - 1, 3, info.max], dtype)
    assert forest_with(weights).total_weight == sum(map(int, weights))
    assert forest_with(np.zeros(0, dtype)).total_weight == 0
    assert isinstance(forest_with(weights).total_weight, int)


def test_floats_are_summed_with_one_rounding():
    assert forest_with([1e16, 1.0, 1.0, -1e16]).total_weight == 2.0
    assert forest_with(np.array([0.1] * 10, np.float32)).total_weight == math.fsum([float(np.float32(0.1))] * 10)
    assert forest_with([1e308, 1e308, -1e308]).total_weight == 1e308
    assert forest_with([1e308, 1e308]).total_weight == math.inf
    assert forest_with([-1e308, -1e308, -1e308]).total_weight == -math.inf
    assert forest_with([np.inf, 1.0]).total_weight == math.inf
    assert forest_with([-np.inf, 1.0]).total_weight == -math.inf
    assert math.isnan(forest_with([np.inf, -np.inf]).total_weight)


def test_the_result_cannot_be_changed():
    with pytest.raises(AttributeError):
        forest_with([1.0]).weight = None


def lightest_of_directions(entries):
    """The least weight of every pair in each direction."""
    seen = defaultdict(dict)
    for row, column, weight in entries:
        if row != column:
            pair, way = (min(row, column), max(row, column)), row < column
            seen[pair][way] = min(weight, seen[pair].get(way, math.inf))
    return seen


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_list_of_entries(data):
    """Edges in one direction or both, any order, loops, parallel edges; "check" raises where "min" chooses."""
    n = data.draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    entries = data.draw(st.lists(st.tuples(vertex, vertex, st.integers(-2, 2)), max_size=40))
    if data.draw(st.booleans()):
        entries += [(column, row, weight) for row, column, weight in entries]
    if data.draw(st.booleans()):
        entries.sort(key=lambda entry: entry[:1])
    rows, columns, weights = (np.array([e[i] for e in entries], np.int64) for i in range(3))
    weights = weights.astype(data.draw(st.sampled_from(WEIGHTS)))
    graph = sp.coo_array((weights, (rows, columns)), shape=(n, n))
    ops = SimpleNamespace(name="cpu")
    assert_forest(graph_msf(graph, device="cpu", symmetric="min", return_labels=True), n, rows, columns, weights, ops)
    wrong = [pair for pair, ways in lightest_of_directions(entries).items() if len(set(ways.values())) > 1]
    if wrong:
        with pytest.raises(ValueError, match=f"in {len(wrong)} pairs? they are not"):
            graph_msf(graph, device="cpu")
    else:
        assert_forest(graph_msf(graph, device="cpu"), n, rows, columns, weights, ops)


def test_public_names():
    assert emst.graph_msf is graph_msf
    assert {"graph_msf", "MinimumSpanningForest"} <= set(dir(emst))
