"""The stable radix sort."""

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.cpu.runtime import sort
from emst.cuda.runtime.constants import FEW


@pytest.mark.parametrize("n", [1, 2, 3, 1_000, FEW, FEW + 1, 70_001, 1_000_003])
@pytest.mark.parametrize("highest", [0, 1, 255, 2**16, 2**40, 2**64 - 1])
def test_sort_is_stable(ops, n, highest):
    codes = np.random.default_rng(n).integers(0, highest, n, np.uint64, endpoint=True)
    given = to_device(ops, codes)
    order = to_host(ops.sort_order(given))
    assert order.dtype == np.int32
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))
    np.testing.assert_array_equal(to_host(given), codes)


@pytest.mark.parametrize("n", [0, 1, sort.SHORT, sort.SHORT + 1, 1_000, sort.FEW - 1, sort.FEW])
@pytest.mark.parametrize("lowest, highest", [(0, 0), (0, 3), (0, 2**16), (2**40, 2**41), (0, 2**64 - 1)])
def test_few_keys_are_sorted_stably_with_their_values(n, lowest, highest):
    """On the CPU, by an odd and an even number of digits that differ."""
    g = np.random.default_rng(n)
    keys, values = g.integers(lowest, highest, n, np.uint64, endpoint=True), g.permutation(n).astype(np.int32)
    given, order = (keys.copy(), values.copy()), np.argsort(keys, kind="stable")
    found = sort.radix_order(keys, values)
    np.testing.assert_array_equal(found, (keys[order], values[order]))
    np.testing.assert_array_equal((keys, values), given)


@pytest.mark.parametrize("threads", [1, 3, 5])
def test_equal_keys_stay_in_the_order_of_the_parts(monkeypatch, threads):
    monkeypatch.setattr(sort, "thread_count", lambda: threads)
    codes = np.random.default_rng(threads).integers(0, 5_000, 6 * sort.SHORTEST + 1).astype(np.uint64)
    keys, order = sort.radix_order(codes)
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))
    np.testing.assert_array_equal(keys, codes[order])


@pytest.mark.gpu
@pytest.mark.parametrize("n", [1, FEW, FEW + 1, 70_001])
@pytest.mark.parametrize("bits", [1, 8, 9, 30, 47, 64])
def test_indices_travel_within_keys_that_leave_room(bits, n):
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime.sort import sort_pairs

    keys = np.random.default_rng(n).integers(0, 2**bits - 1, n, np.uint64, endpoint=True)
    found, order = sort_pairs(cupy.asarray(keys), bits=bits)
    expected = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(order.get(), expected)
    np.testing.assert_array_equal(found.get(), keys[expected])


@pytest.fixture(params=[True, False], ids=["at once", "pass by pass"])
def at_once(request, monkeypatch):
    """Whether one launch takes all passes."""
    pytest.importorskip("cupy")
    if not request.param:
        monkeypatch.setattr("emst.cuda.runtime.sort._all_resident", lambda name, tiles: False)


@pytest.mark.gpu
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("bits", [1, 9, 24, 32])
@pytest.mark.parametrize("n", [FEW + 1, 70_001, 900_000])
def test_pairs_are_sorted_stably(n, bits, dtype):
    """One to four passes, over values that are given, which may be spoilt, and over indices."""
    import cupy

    from emst.cuda.runtime.sort import sort_pairs

    g = np.random.default_rng(n)
    keys, values = g.integers(0, 2**bits, n).astype(dtype), g.permutation(n).astype(np.int32)
    expected, given = np.argsort(keys, kind="stable"), cupy.asarray(keys)
    for of_keys, spoil in ((values, False), (None, False), (values, True)):
        np.testing.assert_array_equal(given.get(), keys)
        found, order = sort_pairs(given, None if of_keys is None else cupy.asarray(of_keys), bits=bits, spoil=spoil)
        np.testing.assert_array_equal(order.get(), expected if of_keys is None else of_keys[expected])
        np.testing.assert_array_equal(found.get(), keys[expected])


@pytest.mark.gpu
@pytest.mark.parametrize("bits", [9, 24])
def test_pairs_that_may_be_spoilt(bits):
    """More than the GPU reads at once, in two and three passes."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime.sort import sort_pairs

    g, n = np.random.default_rng(bits), 6_000_000
    keys, values = g.integers(0, 2**bits, n).astype(np.uint64), g.permutation(n).astype(np.int32)
    found, order = sort_pairs(cupy.asarray(keys), cupy.asarray(values), bits=bits, spoil=True)
    expected = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(order.get(), values[expected])
    np.testing.assert_array_equal(found.get(), keys[expected])


@pytest.mark.gpu
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("n", [9_000, 70_001])
@pytest.mark.parametrize(("passes", "free"), [(3, 56), (4, 40), (5, 32), (6, 24)])
def test_packed_keys_are_sorted_by_as_many_bits_as_their_ties_ask_for(passes, free, n):
    """Above the free bits, there are 256 keys only. Six passes are too many."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime.constants import LEAST_PASSES, MOST_PASSES
    from emst.cuda.runtime.memory import array_at
    from emst.cuda.runtime.sort import index_bits, sample_ties, sort_packed

    g, bits = np.random.default_rng(n), np.uint64(index_bits(n))
    keys = g.integers(0, 256, n, np.uint64) << np.uint64(free) | g.integers(0, 2**free, n, np.uint64)
    keys = keys >> bits << bits | np.arange(n, dtype=np.uint64)
    many, state = sample_ties(cupy.asarray(keys), LEAST_PASSES, MOST_PASSES + 1, 8)
    assert array_at(state, 1).get().tolist() == [0]
    tried = range(LEAST_PASSES, MOST_PASSES + 1)
    assert array_at(many, len(tried)).get().tolist() == [p < passes for p in tried]
    exact = sample_ties(cupy.asarray(keys), LEAST_PASSES, MOST_PASSES + 1, 8, fewer=-1)[0]  # never few enough
    assert array_at(exact, len(tried)).get().tolist() == [p < max(passes, MOST_PASSES) for p in tried]
    if passes <= MOST_PASSES:
        order = np.argsort(keys >> np.uint64(64 - 8 * passes), kind="stable")
        np.testing.assert_array_equal(sort_packed(cupy.asarray(keys), many).get(), keys[order])
