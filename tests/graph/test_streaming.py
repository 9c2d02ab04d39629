"""Graphs that are read in blocks: the same forest and errors as in one piece, within the bound on memory."""

from __future__ import annotations

import functools
import re
import tracemalloc
from types import SimpleNamespace

import graph_reference as reference
import numpy as np
import pytest
import scipy.sparse as sp
from graph_reference import GRAPHS, WEIGHTS, csr_of, weights_for
from helpers import to_host
from hypothesis import given, settings
from hypothesis import strategies as st

import emst.backend
import emst.graph.memory
import emst.graph.streaming
from emst import graph_msf
from emst.graph.canonical import canonical
from emst.graph.input import check_graph
from emst.graph.memory import block_size, bytes_needed, bytes_to_sort
from emst.graph.msf import ALGORITHMS

FIELDS = ("source", "target", "weight", "edge_id", "component_labels")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(emst.graph.memory, "LEAST_BLOCK", 1)


def solver_of(algorithm="boruvka"):
    return emst.graph.msf._solver(algorithm, {})


def bytes_in_one_piece(graph, device, algorithm="boruvka"):
    """Bytes that a graph is expected to need in one piece, before its values are read."""
    return bytes_needed(check_graph(graph, device), solver_of(algorithm))


def least_bytes(graph, device, algorithm="boruvka"):
    """The least bound within which a graph can be streamed."""
    try:
        block_size(check_graph(graph, device), solver_of(algorithm), 0)
    except MemoryError as error:
        return figures_of(error)[1]


def figures_of(error):
    """Bytes that a MemoryError names: in one piece, and in blocks."""
    numbers = re.search(r"\(([\d,]+) bytes\) in one piece, or .* \(([\d,]+) bytes\) in blocks", str(error)).groups()
    return tuple(int(number.replace(",", "")) for number in numbers)


def assert_streamed(graph, ops, entries, allowed, **options):
    """Compare with the forest in one piece and with Kruskal's algorithm; there must be several blocks."""
    given, solver = check_graph(graph, ops.name), solver_of(options.get("algorithm", "boruvka"))
    assert allowed < bytes_needed(given, solver)
    assert block_size(given, solver, allowed) < given.m
    forest = graph_msf(graph, device=ops.name, return_labels=True, max_device_bytes=allowed, **options)
    taken, roots = reference.kruskal(given.n, *entries)
    np.testing.assert_array_equal(forest.edge_id, taken)
    np.testing.assert_array_equal(forest.component_labels, reference.number_components(roots))
    whole = graph_msf(graph, device=ops.name, return_labels=True, **options)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(forest, field), getattr(whole, field), field)
        assert getattr(forest, field).dtype == getattr(whole, field).dtype


def graph_and_entries(name, dtype=np.int32, symmetric=True, kind="ties"):
    n, rows, columns = GRAPHS[name]
    arrays = csr_of(n, rows, columns, weights_for(len(rows), dtype, kind), symmetric)[:3]
    return arrays, (np.repeat(np.arange(n), np.diff(arrays[0])), arrays[1], arrays[2])


@pytest.mark.parametrize("more", [0, 20_000])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "name, symmetric",
    [("random", True), ("complete", True), ("complete", False), ("parallel", True), ("parallel", False)],
)
def test_blocks_of_rows(ops, name, symmetric, dtype, more):
    graph, entries = graph_and_entries(name, dtype, symmetric)
    least = least_bytes(graph, ops.name)
    assert_streamed(graph, ops, entries, min(least + more, (least + bytes_in_one_piece(graph, ops.name)) // 2))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_with_every_algorithm(ops, algorithm):
    graph, entries = graph_and_entries("complete")
    assert_streamed(graph, ops, entries, least_bytes(graph, ops.name, algorithm), algorithm=algorithm)


@pytest.mark.parametrize("ends", [np.int32, np.int64])
def test_a_row_longer_than_a_block(ops, ends):
    """A hub among 200 vertices, its 20,000 parallel edges cut wherever a block ends."""
    g = np.random.default_rng(0)
    rows, columns = np.zeros(20_000, int), 1 + g.integers(0, 199, 20_000)
    arrays = csr_of(200, rows, columns, g.integers(0, 50, 20_000), index=ends)[:3]
    entries = np.repeat(np.arange(200), np.diff(arrays[0])), arrays[1], arrays[2]
    assert_streamed(arrays, ops, entries, least_bytes(arrays, ops.name) + 5_000)


def disordered(how, symmetric=True):
    """A dense graph that has to be sorted, or whose lower triangle has to be read: hundreds of the smallest blocks."""
    n, ends = 36, np.triu_indices(36, 1)
    indptr, indices, weights, _ = csr_of(n, *ends, weights_for(len(ends[0]), np.float64, "distinct"))
    rows, g = np.repeat(np.arange(n), np.diff(indptr)), np.random.default_rng(1)
    order = np.arange(len(rows))
    if how == "unsorted rows":
        order = np.lexsort((g.random(len(rows)), rows))
    elif how in ("lower", "partly mirrored"):
        order = np.flatnonzero((rows > indices) | (rows % 3 == 0 if how == "partly mirrored" else False))
    elif how == "one row unsorted":
        order[[indptr[20], indptr[21] - 1]] = order[[indptr[21] - 1, indptr[20]]]
    elif how in ("coordinates", "coordinates one way"):
        order = g.permutation(len(rows) if how == "coordinates" else np.flatnonzero(rows < indices))
    rows, indices, weights = rows[order], indices[order], weights[order]
    if how.startswith("coordinates"):
        return sp.coo_array((weights, (rows, indices)), shape=(n, n)), (rows, indices, weights)
    indptr = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))].astype(np.int32)
    return (indptr, indices, weights), (rows, indices, weights)


HOW = ["unsorted rows", "one row unsorted", "lower", "partly mirrored", "coordinates", "coordinates one way"]


@pytest.mark.parametrize("how", HOW)
def test_blocks_in_any_order(ops, how):
    graph, entries = disordered(how)
    for more in (0, 1500, 5000):
        assert_streamed(graph, ops, entries, least_bytes(graph, ops.name) + more)


@pytest.mark.parametrize("how", ["unsorted rows", "partly mirrored", "coordinates"])
def test_directions_are_compared_in_bounded_memory(ops, how):
    graph, (rows, columns, weights) = disordered(how)
    pairs = [(3, 30), (6, 7), (3, 9)]
    for small, large in pairs:
        weights[(rows == small) & (columns == large)] += 1000
    if how == "coordinates":
        graph = sp.coo_array((weights, (rows, columns)), shape=graph.shape)
    sentences = []
    for options in ({}, {"max_device_bytes": least_bytes(graph, ops.name)}):
        with pytest.raises(ValueError, match="in 3 pairs they are not, first at position") as error:
            graph_msf(graph, device=ops.name, **options)
        sentences.append(str(error.value))
    assert sentences[0] == sentences[1]
    assert_streamed(graph, ops, (rows, columns, weights), least_bytes(graph, ops.name), symmetric="min")


@pytest.mark.parametrize("what", ["outside", "NaN", "start", "end", "descending", "row", "far"])
def test_the_same_errors(ops, what):
    graph, (rows, columns, weights) = graph_and_entries("complete", np.float64)
    indptr, indices, _ = graph
    if what == "outside":
        indices[4000] = -3
    if what == "far":
        indices = indices.astype(np.int64)
        indices[4000] = 2**32
    if what == "NaN":
        weights[4500] = np.nan
    if what == "start":
        indptr[0] = 1
    if what == "end":
        indptr[-1] -= 1
    if what == "descending":
        indptr[40] = -9
    graph = indptr, indices, weights
    if what == "row":
        rows = rows.copy()
        rows[4100] = 70
        graph = SimpleNamespace(format="coo", row=rows, col=columns, data=weights, shape=(70, 70))
    sentences = []
    for options in ({}, {"max_device_bytes": least_bytes(graph, ops.name)}):
        with pytest.raises(ValueError) as error:
            graph_msf(graph, device=ops.name, **options)
        sentences.append(str(error.value))
    assert sentences[0] == sentences[1]


@pytest.mark.parametrize("form", ["csr", "coordinates", "coordinates in order"])
def test_faults_are_counted_over_all_blocks(ops, form):
    """NaN in some blocks, columns out of range in others, rows out of range in others."""
    (indptr, indices, weights), (rows, *_) = graph_and_entries("complete", np.float64)
    order = np.random.default_rng(0).permutation(len(rows)) if form == "coordinates" else np.arange(len(rows))
    rows, indices, weights = rows[order], indices[order], weights[order]
    graph = indptr, indices, weights
    if form != "csr":
        graph = SimpleNamespace(format="coo", row=rows, col=indices, data=weights, shape=(70, 70))
    allowed = least_bytes(graph, ops.name) + 20_000
    assert block_size(check_graph(graph, ops.name), solver_of(), allowed) < 1000
    weights[[300, 4500]] = np.nan
    assert_refused(graph, ops, allowed, "2 entries are, first at position 300 ")
    indices[[1500, 3000, 4600]] = 70
    assert_refused(graph, ops, allowed, "3 entries lie outside, first column 70 at position 1,500 ")
    if form != "csr":
        rows[[2500, 4700]] = 70
        assert_refused(graph, ops, allowed, "2 entries lie outside, first row 70 at position 2,500 ")


def assert_refused(graph, ops, allowed, sentence):
    """In one piece and in blocks."""
    for options in ({}, {"max_device_bytes": allowed}):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            graph_msf(graph, device=ops.name, **options)


def test_rows_cut_where_their_columns_descend(ops):
    """Only the first row does not ascend, and a block ends exactly where its columns descend."""
    k = 500
    first = np.r_[np.arange(k + 1, 2 * k + 1), np.arange(1, k + 1)]
    rows, columns = np.r_[np.zeros(2 * k, int), np.arange(1, k + 1)], np.r_[first, np.arange(k + 1, 2 * k + 1)]
    weights = np.r_[np.ones(2 * k, np.int32), np.zeros(k, np.int32)]
    graph = np.r_[0, np.cumsum(np.bincount(rows, minlength=2 * k + 1))], columns, weights
    given, solver, least = check_graph(graph, ops.name), solver_of(), least_bytes(graph, ops.name)
    allowed = next(bound for bound in range(least, 2 * least, 50) if block_size(given, solver, bound) == k)
    chosen = emst.graph.streaming.streamed(given, ops, solver, "check", allowed)
    taken = reference.kruskal(2 * k + 1, rows, columns, weights)[0]
    np.testing.assert_array_equal(np.sort(to_host(chosen.entries)), taken)


def test_arrays_mapped_from_files(ops, tmp_path):
    graph, entries = graph_and_entries("complete", np.float32)
    mapped = []
    for i, array in enumerate(graph):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    assert_streamed(tuple(mapped), ops, entries, least_bytes(graph, ops.name))


def peak_of(action, bound):
    """Peak bytes of an action on the host, as far as they can be traced, and its result. If they reach the bound, those
    of a second run: the first may have compiled."""
    for _ in range(2):
        tracemalloc.start()
        try:
            result = action()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if peak < bound:
            break
    return peak, result


@functools.cache  # tests only read them
def large(form, n=2_000, k=250_000, dtype=np.float64):
    """A graph of k random edges, in both directions unless it is "upper"."""
    g = np.random.default_rng(0)
    rows, columns = g.integers(0, n, (2, k))
    indptr, indices, weights, _ = csr_of(n, rows, columns, (1e6 * g.random(k)).astype(dtype), form != "upper")
    rows = np.repeat(np.arange(n), np.diff(indptr))
    if form in ("csr", "upper"):
        return indptr, indices, weights
    order = np.lexsort((g.random(len(rows)), rows)) if form == "unsorted" else np.arange(len(rows))
    order = g.permutation(len(rows)) if form == "coordinates" else order
    if form == "unsorted":
        return indptr, indices[order], weights[order]
    ends = rows[order].astype(np.int32), indices[order].astype(np.int32)
    graph = sp.coo_array((weights[order], ends), shape=(n, n))
    return graph.toarray() if form == "dense" else graph


FORMS = ["csr", "upper", "unsorted", "coordinates", "sorted coordinates"]


@functools.cache
def chosen_of_large(form):
    """The entries that `graph_msf` chooses in one piece."""
    return graph_msf(large(form), device="cpu").edge_id


CASES = [("boruvka", form) for form in FORMS] + [(a, f) for a in ALGORITHMS[1:] for f in ("csr", "coordinates")]


@pytest.mark.parametrize("algorithm, form", CASES)
def test_the_memory_stays_within_the_bound(algorithm, form):
    """Half a million entries, on the CPU, where allocations can be traced."""
    graph, allowed = large(form), 3_000_000
    assert block_size(check_graph(graph, "cpu"), solver_of(algorithm), allowed) < 50_000
    peak, forest = peak_of(
        lambda: graph_msf(graph, device="cpu", max_device_bytes=allowed, algorithm=algorithm), allowed
    )
    np.testing.assert_array_equal(forest.edge_id, chosen_of_large(form))
    assert peak < allowed, f"{peak:,} bytes"


def test_mapped_files_are_read_block_by_block(tmp_path):
    mapped, allowed = [], 3_000_000
    for i, array in enumerate(large("csr")):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    peak, _ = peak_of(lambda: graph_msf(tuple(mapped), device="cpu", max_device_bytes=allowed), allowed)
    assert peak < allowed, f"{peak:,} bytes"


@pytest.mark.parametrize("n, k", [(1_000, 100_000), (50_000, 100_000), (200_000, 10)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_in_one_piece_it_takes_no_more_than_was_expected(algorithm, n, k):
    solver, ops = solver_of(algorithm), emst.backend.backend_of("cpu")
    for form in (*FORMS, "dense")[: 6 if n < 10_000 else 5]:
        graph = large(form, n, k)
        given = check_graph(graph, "cpu")
        sort = bytes_to_sort(given) * (form in ("unsorted", "coordinates"))
        expected = max(bytes_needed(given, solver, canonical(given, ops)), sort)
        options = {"device": "cpu", "algorithm": algorithm, "return_labels": True}
        peak, _ = peak_of(lambda graph=graph, options=options: graph_msf(graph, **options), expected)
        assert peak < expected, f"{form}: {peak:,} bytes for {expected:,}"


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("form", ["csr", "upper", "coordinates"])
def test_the_memory_of_a_gpu_stays_within_the_bound(algorithm, form):
    """CuPy's pool may hold no more, plus an eighth, since it allocates from the device in larger pieces."""
    cupy = pytest.importorskip("cupy")
    pool = cupy.get_default_memory_pool()
    graph = large(form, 20_000, 2_000_000, np.float32)
    expected = graph_msf(graph, device="cuda")  # compiles
    given, ops = check_graph(graph, "cuda"), emst.backend.backend_of("cuda")
    sort = bytes_to_sort(given) * (form == "coordinates")
    whole = max(bytes_needed(given, solver_of(algorithm), canonical(given, ops)), sort)
    for allowed in (whole, 100_000_000):
        pool.free_all_blocks()
        pool.set_limit(size=pool.used_bytes() + allowed + allowed // 8)
        try:
            forest = graph_msf(graph, device="cuda", max_device_bytes=allowed, algorithm=algorithm)
        finally:
            pool.set_limit(size=0)
        np.testing.assert_array_equal(forest.edge_id, expected.edge_id)


def test_a_graph_that_fits_once_sorted_is_not_streamed(monkeypatch):
    """Once sorted, coordinates hold every edge once: half as many as there were entries."""
    graph = large("coordinates", 1_000, 20_000, np.int32)
    given, solver = check_graph(graph, "cpu"), solver_of()
    wide = solver._replace(per_edge={4: 1_000})  # so that more is needed to solve it than to sort it
    monkeypatch.setattr(emst.graph.msf, "_solver", lambda *_: wide)
    monkeypatch.setattr(emst.graph.msf, "streamed", None)
    allowed = bytes_needed(given, wide) + given.m * 16
    graph_msf(graph, device="cpu", max_device_bytes=allowed)


def test_too_large_even_for_blocks(ops):
    graph, _ = graph_and_entries("grid")
    sentence = (
        r"the forest of 1,600 vertices and 6,240 entries needs at least 0\.1 GB of memory \([\d,]+ bytes\) in one "
        r"piece, or 0\.1 GB \([\d,]+ bytes\) in blocks of 200 entries; 0\.0 GB \(5,000 bytes\) may be used; emst"
    )
    with pytest.raises(MemoryError, match=sentence):
        graph_msf(graph, device=ops.name, max_device_bytes=5_000)


@pytest.mark.parametrize("form", ["csr", "unsorted", "coordinates", "sorted coordinates", "dense"])
def test_the_figures_of_the_error_are_true(ops, form):
    """Both figures exceed every bound that is too small, and suffice. Here blocks need more than one piece."""
    graph = large(form, 300, 300)
    expected = graph_msf(graph, device=ops.name).edge_id
    in_one_piece = set()
    for allowed in range(0, 200_000, 5_000):
        try:
            found = graph_msf(graph, device=ops.name, max_device_bytes=allowed)
        except MemoryError as error:
            whole, blocks = figures_of(error)
            assert allowed < min(whole, blocks)
            in_one_piece.add(whole)
        else:
            np.testing.assert_array_equal(found.edge_id, expected)
    assert in_one_piece
    found = graph_msf(graph, device=ops.name, max_device_bytes=max(in_one_piece))
    np.testing.assert_array_equal(found.edge_id, expected)


@pytest.mark.parametrize("form", ["unsorted", "coordinates"])
def test_the_figure_in_one_piece_includes_the_sort(ops, form):
    graph = large(form, 500, 300)
    given = check_graph(graph, ops.name)
    assert bytes_needed(given, solver_of()) < bytes_to_sort(given)
    with pytest.raises(MemoryError) as error:
        graph_msf(graph, device=ops.name, max_device_bytes=bytes_to_sort(given) - 1)
    assert figures_of(error.value)[0] == bytes_to_sort(given)


@pytest.mark.parametrize(
    "dtype, form, per_vertex",
    [
        (np.int32, "csr", 185),
        (np.float64, "csr", 212),
        (np.uint32, "csr", 212),  # computed as int64
        (np.int32, "coordinates", 271),
        (np.float64, "coordinates", 281),
    ],
)
def test_the_least_bound_is_the_documented_one(dtype, form, per_vertex, monkeypatch):
    monkeypatch.undo()  # blocks of their real size
    graph = large(form, 50_000, 50_000, dtype)
    assert round(least_bytes(graph, "cpu") / 50_000) == per_vertex
    assert str(per_vertex) in graph_msf.__doc__


def test_free_memory_is_the_default_bound(ops, monkeypatch):
    graph, _ = graph_and_entries("complete")
    expected = graph_msf(graph, device=ops.name)
    asked = []
    monkeypatch.setattr(ops, "bytes_free", lambda: asked.append(1) or 5_000)
    graph_msf(graph, device=ops.name)  # small graphs do not ask
    assert not asked
    monkeypatch.setattr(emst.graph.memory, "ASK_FROM", 0)
    with pytest.raises(MemoryError, match=r"\(5,000 bytes\) may be used"):
        graph_msf(graph, device=ops.name)
    monkeypatch.setattr(ops, "bytes_free", lambda: least_bytes(graph, ops.name))
    np.testing.assert_array_equal(graph_msf(graph, device=ops.name).edge_id, expected.edge_id)


def test_without_memory_to_sort_a_graph_is_streamed(ops, monkeypatch):
    """The graph would fit in one piece if it were sorted."""
    graph, entries = disordered("coordinates")
    passed = []
    streamed = emst.graph.msf.streamed
    monkeypatch.setattr(emst.graph.msf, "streamed", lambda *args: passed.append(1) or streamed(*args))
    for allowed, times in ((10**9, 0), (bytes_in_one_piece(graph, ops.name), 1)):
        forest = graph_msf(graph, device=ops.name, max_device_bytes=allowed)
        np.testing.assert_array_equal(forest.edge_id, reference.kruskal(graph.shape[0], *entries)[0])
        assert len(passed) == times


def test_dense_arrays(ops):
    dense = np.random.default_rng(0).integers(-3, 60, (60, 60))
    dense = np.minimum(dense, dense.T)
    whole = graph_msf(dense, device=ops.name)
    streamed = graph_msf(dense, device=ops.name, max_device_bytes=least_bytes(dense, ops.name))
    assert least_bytes(dense, ops.name) < bytes_in_one_piece(dense, ops.name)
    np.testing.assert_array_equal(to_host(whole.edge_id), to_host(streamed.edge_id))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_list_of_entries_in_blocks_of_a_few(data):
    n = data.draw(st.integers(1, 9))
    vertex = st.integers(0, n - 1)
    entries = data.draw(st.lists(st.tuples(vertex, vertex, st.integers(-2, 2)), min_size=1, max_size=40))
    if data.draw(st.booleans()):
        entries += [(column, row, weight) for row, column, weight in entries]
    form = data.draw(st.sampled_from(["coo", "csr", "ascending csr"]))
    if form != "coo":
        entries.sort(key=lambda entry: entry[: 1 if form == "csr" else 2])
    rows, columns, weights = (np.array([e[i] for e in entries]) for i in range(3))
    graph = sp.coo_array((weights, (rows, columns)), shape=(n, n))
    if form != "coo":
        graph = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))], columns, weights
    given, ops = check_graph(graph, "cpu"), emst.backend.backend_of("cpu")
    edge = least_bytes(graph, "cpu") // 64
    allowed = least_bytes(graph, "cpu") + data.draw(st.integers(0, 8)) * edge
    chosen = emst.graph.streaming.streamed(given, ops, solver_of(), "min", allowed)
    taken, roots = reference.kruskal(n, rows, columns, weights)
    np.testing.assert_array_equal(np.sort(chosen.entries), taken)
    np.testing.assert_array_equal(reference.number_components(chosen.roots), reference.number_components(roots))
