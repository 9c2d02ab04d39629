"""Atomic operations of the CPU: threads load and store shared elements by them, and no minimum or claim is lost."""

import threading

import numpy as np
import pytest
from numba import int32, int64, typeof, uint8

from emst.cpu.contract import flatten_chunk as flatten
from emst.cpu.graph import hybrid, worklist
from emst.cpu.graph.offers import Offers, offer
from emst.cpu.graph.partial_prim import _grow as grow
from emst.cpu.graph.worklist import Worklist
from emst.cpu.hierarchy import nodes
from emst.cpu.hierarchy.descent import follow
from emst.cpu.runtime.atomics import compare_and_swap, load, lower, lower_bound, store
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numba_internals import without_counts


@kernel
def _exchange(array, at, value):
    before = load(array, at)
    store(array, at, value)
    return before


@kernel
def _lower_all(least, first, values):
    for value in values:
        lower(least, 0, value)
        lower_bound(first, 0, np.int32(value))


@kernel
def _claim(owner, me, count):
    for i in range(len(owner)):
        count += compare_and_swap(owner, i, np.int32(-1), me) == -1
    return count


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.float32, np.float64])
def test_an_element_is_loaded_and_stored(dtype):
    array = np.arange(5, dtype=dtype)
    assert _exchange(array, 3, dtype(9)) == 3
    assert array.tolist() == [0, 1, 2, 9, 4]


def on_threads(count, work):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_least_value_stays():
    values = np.random.default_rng(0).permutation(200_000).astype(np.uint64) + 7
    least, bound = np.full(1, 2**63, np.uint64), np.full(1, 2**31 - 1, np.int32)
    _lower_all(least, bound, values[:1])
    on_threads(4, lambda i: _lower_all(least, bound, values[i::4]))
    assert least[0] == 7 and bound[0] in values


def test_every_element_is_claimed_once():
    owner, claimed = np.full(100_000, -1, np.int32), [0] * 4
    _claim(owner[:0], np.int32(0), 0)

    def claim(i):
        claimed[i] = _claim(owner, np.int32(i), 0)

    on_threads(4, claim)
    assert sum(claimed) == len(owner) and claimed == np.bincount(owner, minlength=4).tolist()


def lines_of(function, types):
    """The instructions in the code that LLVM makes of a function."""
    compiled = without_counts(nogil=True)(function.py_func)
    compiled.compile(types)
    return [line.strip() for line in compiled.inspect_llvm(compiled.signatures[0]).splitlines()]


def monotonic_lines(function, types):
    """The atomic ones."""
    return [line for line in lines_of(function, types) if "monotonic" in line]


@pytest.mark.parametrize(
    "shared, arrays, loads, others",
    [
        (flatten, (int32, int32, int64), 7, False),
        (follow, (int32,), 2, False),
        (nodes.look_down, (int32[:, ::1], int32, int32, None, int32, int32, uint8), 0, True),
    ],
    ids=["contract", "descent", "nodes"],
)
def test_shared_elements_are_accessed_atomically(shared, arrays, loads, others):
    """Plain accesses would give the same results nearly always: the code that LLVM gets tells them apart. `others`:
    some elements of the same type are not shared."""
    numbers = shared.py_func.__code__.co_argcount - len(arrays)
    kinds = (int64 if kind is None else kind if hasattr(kind, "ndim") else kind[::1] for kind in arrays)
    types = (*kinds, *(int64,) * numbers)
    lines = lines_of(shared, types)
    assert sum("load atomic" in line for line in lines) >= loads
    assert any("store atomic" in line for line in lines)
    assert others or not any(line.startswith("store i32 %") for line in lines)


ONE, WIDE, LONG = (np.empty(1, dtype) for dtype in (np.int32, np.uint64, np.int64))
OFFERS = Offers(WIDE, np.uint64(32), np.uint64(2**32 - 1), np.bool_(True))
EDGES = Worklist(ONE, ONE, WIDE, LONG, LONG, LONG)
LISTED = (ONE, ONE, WIDE)


@pytest.mark.parametrize(
    "shared, arguments",
    [
        (offer, (OFFERS, EDGES, 0)),
        (grow, ((WIDE, LONG, ONE), LONG, ONE, WIDE, 4, True, ONE, LONG, LONG, 0, 1)),
        (worklist._first_places, (EDGES, WIDE, WIDE, 0, 1)),
        (hybrid._lightest, (WIDE, *LISTED, ONE, *LISTED, LONG, 1, 0, 1)),
    ],
    ids=["offers", "partial_prim", "places", "hybrid"],
)
def test_shared_elements_are_lowered_or_claimed_in_one_step(shared, arguments):
    """At both ends of an edge; a start vertex, and one that a subtree reaches. x86 takes minima by compare-and-swap."""
    monotonic = monotonic_lines(shared, tuple(map(typeof, arguments)))
    assert sum("cmpxchg" in line or "atomicrmw" in line for line in monotonic) >= 2
