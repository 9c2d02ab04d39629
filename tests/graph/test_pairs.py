"""Rows of entries, where they begin, and the lightest entries of pairs, against the reference."""

import graph_reference as reference
import numpy as np
import pytest
from graph_reference import WEIGHTS, weights_for
from helpers import to_device, to_host

from emst.cpu.graph import pairs
from emst.cpu.runtime import parallel

LENGTHS = {
    "none": [],
    "empty": [0, 0, 0],
    "one": [5],
    "gaps": [0, 0, 3, 0, 1, 0, 0],
    "long": [0, 70_000, 2, 0],
    "many": [3, 0, 1] * 40_000,
}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", LENGTHS)
def test_rows_and_where_they_begin(ops, name, dtype):
    indptr = np.r_[0, np.cumsum(LENGTHS[name], dtype=dtype)].astype(dtype)
    n, m = len(indptr) - 1, int(indptr[-1])
    rows = ops.entry_rows(to_device(ops, indptr), m)
    assert rows.dtype == np.int32
    np.testing.assert_array_equal(to_host(rows), reference.entry_rows(indptr, m))
    starts = ops.row_starts(rows, n)
    assert starts.dtype == np.int64
    np.testing.assert_array_equal(to_host(starts), indptr)


def entries(n, m, kind, dtype, seed=0):
    g = np.random.default_rng(seed)
    rows, columns = g.integers(0, n, (2, m)).astype(np.int32)
    return rows, columns, weights_for(m, dtype, kind)


def assert_alike(ours, theirs):
    for name, array, expected in zip(theirs._fields, ours, theirs):
        if isinstance(expected, np.ndarray):
            assert array.dtype == expected.dtype, name
            array, expected = to_host(array).view(f"i{array.dtype.itemsize}"), expected.view(f"i{expected.itemsize}")
        np.testing.assert_array_equal(array, expected, err_msg=name)


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize("kind", ["equal", "ties", "distinct", "special"])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("n, m", [(1, 0), (1, 3), (2, 50), (40, 3000), (3000, 3000)])
def test_lightest_entries(ops, n, m, kind, dtype, above):
    """With 2 vertices all entries are one pair, with 40 most pairs have both directions and parallel entries."""
    given = entries(n, m, kind, dtype)
    ours = ops.lightest_entries(*(to_device(ops, array) for array in given), n, above)
    assert_alike(ours, reference.lightest_entries(*given, n, above))


@pytest.mark.parametrize("most", [2**31 - 1, 100])
def test_pairs_that_several_chunks_hold(monkeypatch, most):
    """Chunks of a few entries on two threads; and more entries than 32 bits can count."""
    monkeypatch.setattr(pairs, "GRAIN", 7)
    monkeypatch.setattr(pairs, "MOST", most)
    monkeypatch.setattr(parallel, "thread_count", lambda: 2)
    for seed in range(5):
        given = entries(30, 3000, "ties", np.int32, seed)
        assert_alike(pairs.lightest_entries(*given, 30), reference.lightest_entries(*given, 30))
