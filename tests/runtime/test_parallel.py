"""Threads on the CPU: results do not depend on them; forks, other Python threads and interrupts do not break them."""

import multiprocessing
import threading
import time

import numba
import numpy as np
import pytest

from emst import minimum_spanning_tree
from emst.cpu.distances import validity
from emst.cpu.hierarchy import descent
from emst.cpu.hierarchy.linkage import linkage
from emst.cpu.runtime import parallel

POINTS = 40_000  # enough for several chunks of every kernel, and for neighbour lists


def points_with_ties():
    rng = np.random.default_rng(5)
    return np.concatenate([rng.random((POINTS // 2, 3)), rng.integers(0, 30, (POINTS // 2, 3)) / 30])


@pytest.fixture
def threads():
    """Sets the number of threads, and restores it; more than the machine has are allowed."""
    patch = pytest.MonkeyPatch()
    yield lambda count: patch.setattr(parallel, "thread_count", lambda: count)
    patch.undo()


@pytest.mark.parametrize("k", [1, 6])
def test_any_number_of_threads_gives_the_same_tree(k, threads):
    x = points_with_ties()
    trees = []
    for count in (1, 2, 7):
        threads(count)
        trees.append(minimum_spanning_tree(x, min_samples=k, device="cpu"))
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.edges, trees[0].edges)
        np.testing.assert_array_equal(tree.weights, trees[0].weights)


def test_numba_limits_the_threads():
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert parallel.thread_count() == 1
    finally:
        numba.set_num_threads(before)


def test_a_chunk_is_run_however_late_its_thread_begins_with_it(threads, monkeypatch):
    """A helper is held up after it has taken a chunk, until this thread finds none left."""

    class Late(parallel._Chunks):
        def __next__(self):
            begin = super().__next__()
            if threading.current_thread() is not threading.main_thread():
                time.sleep(0.1)
            return begin

    threads(4)
    monkeypatch.setattr(parallel, "_Chunks", Late)
    seen = np.zeros(40, int)

    def count(begin, end):
        time.sleep(0.001)
        seen[begin:end] += 1

    parallel.for_chunks(count, 40, 1)
    assert (seen == 1).all()


def test_chunks_cover_the_range_once(threads):
    threads(4)
    seen = np.zeros(1003, int)

    def count(begin, end):
        seen[begin:end] += 1

    parallel.for_chunks(count, len(seen), 10)
    assert (seen == 1).all()


class Interrupted:
    """The iterator of a range, with a pause between reading its number and moving on: what other threads may do to it
    where there is no global interpreter lock."""

    def __init__(self, begin, end, step):
        self.at, self.end, self.step = begin, end, step

    def __iter__(self):
        return self

    def __next__(self):
        begin = self.at
        if begin >= self.end:
            raise StopIteration
        time.sleep(1e-4)
        self.at = begin + self.step
        return begin


def test_no_two_threads_get_the_same_chunk(threads, monkeypatch):
    threads(4)
    monkeypatch.setattr(parallel, "range", lambda *a: Interrupted(*a) if len(a) == 3 else range(*a), raising=False)
    begins = []
    parallel.for_chunks(lambda begin, end: begins.append(begin), 1_000, 10)
    assert sorted(begins) == list(range(0, 1_000, 10))


def test_every_thread_has_its_own_scratch(threads):
    threads(3)
    owners = {}

    def note(scratch, begin, end):
        time.sleep(0.001)
        owners.setdefault(id(scratch), set()).add(threading.get_ident())

    kept = []

    def scratch():
        kept.append(object())
        return kept[-1]

    for make in (scratch, parallel.PerThread(scratch)):
        parallel.for_chunks(note, 60, 1, scratch=make)
    assert all(len(who) == 1 for who in owners.values())


def test_concurrent_callers(threads):
    threads(2)
    x = points_with_ties()
    expected = minimum_spanning_tree(x, min_samples=3, device="cpu")
    results = [None] * 4

    def call(i):
        results[i] = minimum_spanning_tree(x, min_samples=3, device="cpu")

    callers = [threading.Thread(target=call, args=(i,)) for i in range(len(results))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for tree in results:
        np.testing.assert_array_equal(tree.edges, expected.edges)


def test_a_second_caller_sees_no_half_made_parents(monkeypatch):
    """Callers share a dendrogram: while one finds the parents of its merges, another must not take them as found."""
    tree = minimum_spanning_tree(np.random.default_rng(0).random((300, 2)), device="cpu")
    made = linkage(tree.edges, tree.weights)
    run, others = descent.for_chunks, []

    def interleaved(*args):
        if not others:
            others.append(None)
            others[0] = descent.parents(made).copy()
        run(*args)

    monkeypatch.setattr(descent, "for_chunks", interleaved)
    parents = descent.parents(made)
    np.testing.assert_array_equal(others[0], parents)
    for merge, parent in enumerate(parents[:-1]):
        assert merge in made.child[parent]


def test_trees_of_large_clusters_grow_in_steps(monkeypatch):
    """Each takes time that goes with the square of its size; between steps an interrupt is heard."""
    g = np.random.default_rng(0)
    columns, core = g.random((3, 900)), g.random(900)
    args = columns, np.array([0, 700, 702, 900]), core
    expected = validity.cluster_trees(*args)
    calls, run = [], validity._grow
    monkeypatch.setattr(validity, "_grow", lambda *args: calls.append(run(*args)))
    monkeypatch.setattr(validity, "STEP", 700 * 3 * 50)
    for ours, before in zip(validity.cluster_trees(*args), expected):
        np.testing.assert_array_equal(ours, before)
    assert len(calls) == 14 + 1 + 2  # 50 points at a time, of the largest


def _meet(together):
    """Let two threads wait for each other."""
    parallel.for_chunks(lambda begin, end: together.wait(), 2, 1)


def _total(x, queue):
    together = threading.Barrier(2, timeout=10)
    try:
        _meet(together)
    finally:
        queue.put(None if together.broken else minimum_spanning_tree(x, device="cpu").total_weight)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_works(threads):
    """With threads of its own: those of its parent have not followed it."""
    threads(2)
    _meet(threading.Barrier(2))
    x = points_with_ties()
    expected = minimum_spanning_tree(x, device="cpu").total_weight
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_total, args=(x, queue))
    child.start()
    assert queue.get(timeout=120) == expected
    child.join(10)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("where", ["caller", "helper"])
def test_an_error_stops_all_chunks_and_leaves_the_pool_usable(error, where, threads):
    threads(3)
    caller = threading.get_ident()
    working, after = [0], []

    def fail(begin, end):
        working[0] += 1
        try:
            time.sleep(0.002)
            if begin >= 20 and (threading.get_ident() == caller) == (where == "caller"):
                raise error("stop")
            after.append(begin)
        finally:
            working[0] -= 1

    with pytest.raises(error):
        parallel.for_chunks(fail, 10_000, 1)
    done = len(after)
    assert working[0] == 0 and done < 5_000
    time.sleep(0.02)
    assert len(after) == done  # nobody is left working
    test_chunks_cover_the_range_once(threads)
