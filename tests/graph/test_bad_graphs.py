"""The errors of `graph_msf` for bad input: the first faulty entry, its value, and the number of such entries."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from graph_reference import GRAPHS, csr_of, weights_for
from helpers import to_device

import emst.graph.input
from emst import graph_msf


def refuses(error, sentence, graph, **options):
    with pytest.raises(error, match=re.escape(sentence)):
        graph_msf(graph, **options)


def fair(dtype=np.float64, index=np.int32):
    n, rows, columns = GRAPHS["random"]
    indptr, indices, weights, _ = csr_of(n, rows, columns, weights_for(len(rows), dtype, "ties"))
    return indptr.astype(index), indices.astype(index), weights


def there(ops, *arrays):
    return tuple(to_device(ops, a) for a in arrays)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_indices_out_of_range(ops, index):
    indptr, indices, weights = fair(index=index)
    indices[[100, 4000, 4001]] = [len(indptr) - 1, -7, 1500]
    row = np.searchsorted(indptr, 100, side="right") - 1
    refuses(
        ValueError,
        f"indices must lie between 0 and 1,499 in a graph of 1,500 vertices; 3 entries lie outside, first column 1,500 "
        f"at position 100 (row {row}, column 1500)",
        there(ops, indptr, indices, weights),
        device=ops.name,
    )


def test_rows_of_a_matrix_by_columns(ops):
    indptr, indices, weights = fair()
    indices[[100, 4000]] = [1500, -7]
    column = np.searchsorted(indptr, 100, side="right") - 1
    graph = SimpleNamespace(format="csc", indptr=indptr, indices=indices, data=weights, shape=(1500, 1500))
    sentence = f"2 entries lie outside, first row 1,500 at position 100 (row 1500, column {column})"
    refuses(ValueError, sentence, graph, device=ops.name)


@pytest.mark.parametrize("value", [2**31, 2**32 + 5, -(2**31) - 1, 2**63 - 1, -(2**63)])
def test_indices_that_no_32_bits_hold(ops, value):
    """Conversion to int32 must not turn them into vertices."""
    indptr, indices, weights = fair(index=np.int64)
    indices[77] = value
    refuses(
        ValueError, f"1 entry lies outside, first column {value:,} at position 77",
        there(ops, indptr, indices, weights), device=ops.name,
    )  # fmt: skip


def test_unsigned_indices_out_of_range(ops):
    indptr, indices, weights = fair()
    for dtype, value in ((np.uint32, 2**32 - 1), (np.uint64, 2**64 - 1)):
        wide = indices.astype(dtype)
        wide[5] = value
        refuses(ValueError, f"first column {value:,} at position 5", (indptr, wide, weights), device=ops.name)


def test_rows_and_columns_of_coordinates(ops):
    rows, columns, weights = np.array([0, 9, 1, 3]), np.array([1, 0, 2, 0]), np.arange(4.0)
    graph = SimpleNamespace(format="coo", row=rows, col=columns, data=weights, shape=(3, 3))
    sentence = "2 entries lie outside, first row 9 at position 1 (row 9, column 0)"
    refuses(ValueError, sentence, graph, device=ops.name)
    graph.row, graph.col = columns, rows
    for shuffle in ([0, 1, 2, 3], [2, 1, 0, 3]):
        graph.row, graph.col, graph.data = columns[shuffle], rows[shuffle], weights[shuffle]
        refuses(ValueError, "2 entries lie outside, first column 9 at position 1 (row 0", graph, device=ops.name)


@pytest.mark.parametrize(
    "where, value, sentence",
    [
        (0, 1, "indptr must begin with 0; it begins with 1"),
        (-1, 17, "indptr must end with the number of entries, 17,994; it ends with 17"),
        ([500, 900], -(2**31), "indptr must not descend; it does so in 2 rows, first in row 499, from "),
        (900, 2**31 - 1, "indptr must not descend; it does so in 1 row, first in row 900, from 2,147,483,647 to "),
    ],
)
def test_an_indptr_out_of_order(ops, where, value, sentence):
    indptr, indices, weights = fair()
    sentence = sentence.replace("17,994", f"{len(indices):,}")
    indptr[where] = value
    refuses(ValueError, sentence, there(ops, indptr, indices, weights), device=ops.name)


def test_lengths_and_dimensions(ops):
    indptr, indices, weights = fair()
    refuses(
        ValueError,
        f"indices and data must have the same length; got {len(indices):,} and {len(indices) - 1:,}",
        there(ops, indptr, indices, weights[1:]),
        device=ops.name,
    )
    graph = SimpleNamespace(indptr=indptr[1:], indices=indices, data=weights, shape=(1500, 1500))
    refuses(ValueError, "indptr must have 1,501 elements for 1,500 rows; it has 1,500", graph, device=ops.name)
    refuses(ValueError, "indptr must have one dimension and at least one element", (indptr[:0], indices, weights))
    refuses(ValueError, "indices must have one dimension", (indptr, indices[:, None], weights))
    refuses(ValueError, "data must have one dimension", (indptr, indices, weights[:, None]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nan(ops, dtype):
    indptr, indices, weights = fair(dtype)
    at = [17, 99, 5000]
    weights[at] = np.nan
    row = np.searchsorted(indptr, 17, side="right") - 1
    sentence = f"weights must not be NaN; 3 entries are, first at position 17 (row {row}, column {indices[17]})"
    refuses(ValueError, sentence, there(ops, indptr, indices, weights), device=ops.name)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    if dtype != np.float16:
        graph = sp.coo_array((weights[::-1], (rows[::-1], indices[::-1])), shape=(1500, 1500))
        place = f"first at position {len(rows) - 5001:,} (row {rows[5000]}, column {indices[5000]})"
        refuses(ValueError, place, graph, device=ops.name)
        graph = sp.csc_array((weights, indices, indptr), shape=(1500, 1500))  # rows are columns there
        refuses(ValueError, f"first at position 17 (row {indices[17]}, column {row})", graph, device=ops.name)


def test_nan_in_a_dense_array(ops):
    dense = np.ones((3, 3))
    dense[1, 2] = np.nan
    refuses(ValueError, "1 entry is, first at position 5 (row 1, column 2)", dense, device=ops.name)


def test_weights_that_differ_by_direction(ops):
    indptr, indices, weights = fair(np.int32)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    pair = (rows == np.minimum(rows, indices)) & (np.diff(np.r_[-1, indices]) != 0)  # not parallel
    at = np.flatnonzero(pair & (np.r_[indices[1:], -1] != indices))[[40, 700]]
    reverse = [np.flatnonzero((rows == indices[a]) & (indices == rows[a]))[0] for a in at]
    weights[reverse] += 1
    first = f"first at position {at[0]:,} (row {rows[at[0]]}, column {indices[at[0]]}) weighs {weights[at[0]]} and its "
    sentence = f"in 2 pairs they are not, {first}reverse {weights[reverse[0]]}. symmetric='min' takes the lighter one"
    refuses(ValueError, sentence, there(ops, indptr, indices, weights), device=ops.name)
    graph_msf((indptr, indices, weights), device=ops.name, symmetric="min")
    weights[at] = weights[reverse]
    graph_msf((indptr, indices, weights), device=ops.name)


def test_parallel_edges_differ_by_their_lightest(ops):
    """Only the lightest entry of each direction is compared; others do not change the forest."""
    rows, columns = np.array([0, 0, 1, 1, 1]), np.array([1, 1, 0, 0, 0])
    graph = sp.coo_array((np.array([3, 5, 9, 3, 4]), (rows, columns)), shape=(2, 2))
    assert graph_msf(graph, device=ops.name).edge_id.tolist() == [0]
    graph.data[3] = 4
    refuses(
        ValueError, "in 1 pair they are not, first at position 0 (row 0, column 1) weighs 3 and its reverse 4", graph
    )


def test_signs_of_zero_do_not_differ(ops):
    graph = sp.coo_array(([0.0, -0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert graph_msf(graph, device=ops.name).edge_id.tolist() == [0]


def test_a_graph_is_square(ops):
    for given in (sp.csr_array((3, 4)), sp.coo_array((3, 4)), np.zeros((3, 4))):
        refuses(ValueError, "graph must be square; its shape is (3, 4)", given, device=ops.name)


def test_too_many_vertices(monkeypatch):
    monkeypatch.setattr(emst.graph.input, "MOST_VERTICES", 1000)
    refuses(ValueError, "graph has 1,500 vertices; ids are 32-bit, so at most 1,000 are possible", fair(), device="cpu")


@pytest.mark.parametrize(
    "data", [np.ones(2, complex), np.ones(2, np.longdouble), np.array([1, None]), np.array(["a", "b"])]
)
def test_weights_are_real_numbers(data):
    if data.dtype.itemsize == 8 and data.dtype.kind == "f":
        pytest.skip("long doubles are doubles here")
    graph = np.array([0, 1, 2]), np.array([1, 0]), data
    refuses(ValueError, f"weights must be real numbers of at most 64 bits; got dtype {data.dtype}", graph)


def test_indices_are_integers():
    indptr, indices, weights = fair()
    refuses(TypeError, "indices must hold integers; got dtype float64", (indptr, indices * 1.0, weights))
    refuses(TypeError, "indptr must hold integers; got dtype float64", (indptr * 1.0, indices, weights))


@pytest.mark.parametrize("nothing", [None, 7, "graph", [1, 2, 3], (1, 2), np.zeros((2, 2, 2)), {}])
def test_not_a_graph(nothing):
    refuses(TypeError, "graph must be a sparse matrix", nothing)


def test_rows_of_different_lengths():
    refuses(TypeError, "got list that is no array", [[1, 2], [3]])


def test_a_format_that_only_looks_like_scipys():
    class Rows:
        format = "CSR"
        indptr, indices, data = fair()

    assert graph_msf(Rows(), device="cpu").total_weight == graph_msf(fair(), device="cpu").total_weight


def test_options():
    graph = fair()
    refuses(
        ValueError,
        "algorithm must be one of 'boruvka', 'contraction', 'primitives', 'partial-prim', 'hybrid'; got 'prim'",
        graph,
        algorithm="prim",
    )
    refuses(ValueError, "symmetric must be one of 'check', 'min'; got 'max'", graph, symmetric="max")
    refuses(ValueError, "device must be one of 'auto', 'cpu', 'cuda'; got 'gpu'", graph, device="gpu")
    sentence = "graph_msf() got an unexpected keyword argument 'gamma'; algorithm='boruvka' takes no options"
    refuses(TypeError, sentence, graph, gamma=3)
    sentence = "graph_msf() got an unexpected keyword argument 'gama'; algorithm='partial-prim' takes gamma, variant"
    refuses(TypeError, sentence, graph, algorithm="partial-prim", gama=3)
    for wrong in (1e9, True, "8G"):
        refuses(TypeError, "max_device_bytes must be an integer; got " + repr(wrong), graph, max_device_bytes=wrong)
    refuses(ValueError, "max_device_bytes must not be negative; got -1", graph, max_device_bytes=-1)
    refuses(ValueError, "offload must be a number from 0 to 1; got True", graph, algorithm="hybrid", offload=True)
    with pytest.raises(TypeError, match="Options are given by name"):
        graph_msf(graph, "boruvka")
    with pytest.raises(TypeError, match="positional"):
        graph_msf(graph, None, "weight", "boruvka")


def test_masks():
    masked = np.ma.masked_array([0, 1, 2], mask=[0, 0, 1])
    for place, name in enumerate(("source", "target", "weight")):
        arrays = [np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([1.0, 6, 5])]
        assert len(graph_msf(*(np.ma.masked_array(one) for one in arrays)).weight) == 2
        arrays[place] = masked
        with pytest.raises(ValueError, match=f"{name} must not be masked: leave the masked values out, or fill them"):
            graph_msf(*arrays)
    refuses(ValueError, "data must not be masked", (np.array([0, 2, 3, 3]), np.array([1, 2, 2]), masked))
