"""Threads on the CPU: results do not depend on them; forks, other Python threads and interrupts do not break them."""

import itertools
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import numba
import numpy as np
import pytest

from emst import minimum_spanning_tree
from emst.cpu.distances import validity
from emst.cpu.hierarchy import descent
from emst.cpu.hierarchy.linkage import linkage
from emst.cpu.runtime import parallel, processors, team
from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel

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


def test_chunks_are_neither_too_short_nor_too_long(threads):
    threads(4)
    lengths = [parallel.grain_for(size, 1_000) for size in (10, 64_000, 640_000, 10**9)]
    assert lengths == [1_000, 1_000, 10_000, 64_000]


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


# Compiled kernels, which members of the team run.


@kernel
def _count(seen, begin, end):
    for i in range(begin, end):
        seen[i] += 1


@kernel
def _note(scratch, seen, begin, end):
    scratch[0] += end - begin
    for i in range(begin, end):
        seen[i] += 1


@kernel
def _hold(number, held, seen, begin, end):
    """The calling thread waits until a member has begun, which waits until it is told to go on."""
    one = held.dtype.type(1)
    store(seen, begin, one)
    if number[0] > 0:
        store(held, 0, one)
    while load(held, 1 if number[0] > 0 else 0) == 0:
        pass
    store(seen, begin, one + one)


@kernel
def _linger(seen, rounds, begin, end):
    """A tenth of a millisecond or so a chunk."""
    for i in range(begin, end):
        for r in range(rounds):
            store(seen, i, seen.dtype.type(r))


@kernel
def _fail(at, begin, end):
    if begin <= at < end:
        raise ValueError("no kernel of emst does this")


@pytest.mark.parametrize("count", [2, 4, 40])
def test_members_cover_the_range_once(count, threads):
    threads(count)
    for size in (1, 2, 41, 1003):
        seen = np.zeros(size, np.int64)
        for _ in range(20):
            parallel.for_chunks(_count, size, 10, seen)
        assert (seen == 20).all()


@pytest.mark.parametrize("keep", [False, True])
def test_every_member_has_its_own_scratch(keep, threads):
    threads(4)
    made, seen = [], np.zeros(20_000, np.int64)

    def scratch():
        made.append(np.zeros(1, np.int64))
        return made[-1]

    make = parallel.PerThread(scratch) if keep else scratch
    for _ in range(5):
        parallel.for_chunks(_note, len(seen), 1, seen, scratch=make)
    assert (seen == 5).all() and sum(int(one[0]) for one in made) == 5 * len(seen)
    assert len(made) <= (4 if keep else 20)


@pytest.fixture
def held(threads):
    """A call that has done all but the chunk of its member: its thread, what it has done, and what lets it go on."""
    threads(2)
    go_on, seen, numbers = np.zeros(2, np.int64), np.zeros(50, np.int64), itertools.count()
    caller = threading.Thread(
        target=parallel.for_chunks,
        args=(_hold, 50, 1, go_on, seen),
        kwargs={"scratch": lambda: np.full(1, next(numbers))},
        daemon=True,
    )
    caller.start()
    try:
        until(lambda: (seen == 2).sum() == 49)
        yield caller, seen, go_on
    finally:
        go_on[:] = 1
        caller.join(10)


def test_a_call_waits_for_the_chunk_of_a_member(held):
    caller, seen, go_on = held
    time.sleep(0.02)
    assert caller.is_alive()  # awake at first, now asleep
    go_on[1] = 1
    caller.join(10)
    assert not caller.is_alive() and (seen == 2).all()


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_call_whose_members_are_busy_is_done_without_them(held):
    _, seen, _ = held
    others = np.zeros(999, np.int64)
    for _ in range(5):
        parallel.for_chunks(_count, len(others), 10, others)
    assert (others == 5).all() and (seen == 2).sum() == 49


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_ends_the_members(error, threads):
    """Here an error between two chunks of the calling thread, as an interrupt is: within 50 ms, and for good."""
    threads(3)
    seen = np.zeros(100_000, np.int64)
    parallel.for_chunks(_linger, 30, 1, seen, 100_000)  # compiled, and members have begun
    seen[:] = 0
    at = 0.0

    def report(end):
        nonlocal at
        if end > 10:
            at = time.perf_counter()
            raise error("stop")

    with pytest.raises(error):
        parallel.for_chunks(_linger, len(seen), 1, seen, 100_000, report=report)
    assert time.perf_counter() - at < 0.05
    left = seen.copy()
    time.sleep(0.02)
    np.testing.assert_array_equal(seen, left)
    assert (left == 0).sum() > 50_000
    test_members_cover_the_range_once(3, threads)


@numba.njit(nogil=True)
def _count_by_numba(seen, begin, end):
    for i in range(begin, end):
        seen[i] += 1


def test_functions_that_numba_alone_has_compiled_are_called_chunk_by_chunk(threads):
    threads(3)
    seen = np.zeros(1003, np.int64)
    parallel.for_chunks(_count_by_numba, len(seen), 10, seen)
    assert (seen == 1).all()


def test_a_kernel_that_fails_is_an_error_and_not_a_crash(threads):
    threads(3)
    for at in (0, 500, 999):
        with pytest.raises(RuntimeError, match=rf"_fail has failed at {at}"):
            parallel.for_chunks(_fail, 1000, 1, at)


@kernel
def _fail_while_another_runs(seen, low, begin, end):
    if begin == 1:
        raise ValueError
    low[0] = min(low[0], begin)
    for i in range(20_000_000 if begin == 0 else 1):
        seen[begin] += i & 1


def test_no_chunk_follows_one_that_failed(threads):
    """Not even a wrong one: the counter of chunks does not wrap around."""
    threads(2)
    seen, low = np.zeros(4, np.int64), np.zeros(1, np.int64)
    with pytest.raises(RuntimeError, match="failed at 1"):
        parallel.for_chunks(_fail_while_another_runs, 4, 1, seen, low)
    assert low[0] == 0


@kernel
def _uneven(seen, begin, end):
    """The first chunk takes a millisecond or so, long enough for a member to begin with the second, which takes ten."""
    for r in range(20_000_000 if begin else 2_000_000):
        store(seen, begin, seen.dtype.type(r))


def test_an_interrupt_does_not_end_a_call_before_its_members(threads):
    """Python serves an interrupt where a function of Python begins: none may begin between the last chunk and the end
    of the members."""
    threads(2)

    def interrupt(frame, event, arg):
        inside = frame.f_code.co_name in ("place", "give")  # an interrupt there is served while the call goes on
        if event == "call" and frame.f_code.co_filename == team.__file__ and not inside:
            raise KeyboardInterrupt

    for _ in range(10):
        seen = np.zeros(2, np.int64)
        try:
            parallel.for_chunks(_uneven, 2, 1, seen, report=lambda end: sys.settrace(interrupt))
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        left = seen.copy()
        time.sleep(0.002)
        np.testing.assert_array_equal(seen, left)


def _count_all(queue):
    seen = np.zeros(1003, np.int64)
    parallel.for_chunks(_count, len(seen), 10, seen)
    queue.put((seen.tolist(), parallel._team.process, parallel._team.count))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_team_of_its_own(threads):
    threads(3)
    parallel.for_chunks(_count, 1003, 10, np.zeros(1003, np.int64))
    assert parallel._team.count >= 2
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_count_all, args=(queue,), daemon=True)
    child.start()
    seen, process, count = queue.get(timeout=60)
    child.join(10)
    assert seen == [1] * 1003 and process == child.pid and count == 2


def test_members_that_cannot_begin_are_done_without(threads, monkeypatch):
    """As where the system allows no more threads."""
    threads(9)
    new = team.Team()

    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(parallel, "_team", new)
    monkeypatch.setattr(team._thread, "start_new_thread", refuse)
    seen = np.zeros(1003, np.int64)
    parallel.for_chunks(_count, len(seen), 10, seen)
    assert (seen == 1).all() and new.count == 0


def test_no_more_threads_than_processors(monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 1)
    assert parallel.thread_count() == 1


@pytest.mark.parametrize(
    "files, limit",
    [
        ({"proc/self/cgroup": "0::/own", "sys/fs/cgroup/own/cpu.max": "50000 100000"}, 1),
        ({"proc/self/cgroup": "0::/own", "sys/fs/cgroup/own/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/up/own", "sys/fs/cgroup/up/cpu.max": "250000 100000"}, 3),
        ({"proc/self/cgroup": "0::/hidden", "sys/fs/cgroup/cpu.max": "200000 100000"}, 2),
        (
            {
                "proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/own",
                "sys/fs/cgroup/cpu,cpuacct/own/cpu.cfs_quota_us": "400000",
                "sys/fs/cgroup/cpu,cpuacct/own/cpu.cfs_period_us": "100000",
            },
            4,
        ),
        (
            {
                "proc/self/cgroup": "3:cpu:/own",
                "sys/fs/cgroup/cpu/own/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/own/cpu.cfs_period_us": "100000",
            },
            None,
        ),
        ({}, None),
    ],
)
def test_limits_of_control_groups(files, limit, tmp_path):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert processors.of_groups(tmp_path) == limit


@pytest.mark.parametrize("limits", [{"OMP_NUM_THREADS": "0"}, {"NUMBA_NUM_THREADS": "1000"}], ids=["none", "many"])
def test_odd_numbers_of_threads_in_the_environment(limits):
    x = np.random.default_rng(0).random((POINTS, 3))
    program = f"""
import numpy as np
from emst import minimum_spanning_tree
print(minimum_spanning_tree(np.random.default_rng(0).random(({POINTS}, 3)), device="cpu").total_weight.hex())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **limits}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert float.fromhex(done.stdout) == minimum_spanning_tree(x, device="cpu").total_weight


def test_what_decides_how_many_threads_are_used(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    for wanted, allowed, affinity, number, why in [
        (8, 8, 8, 8, "all cores"),
        (8, 2, 4, 2, "container"),
        (8, 4, 4, 4, "of 8 cores"),
        (3, 4, 4, 3, "set_num_threads"),
    ]:
        monkeypatch.setattr(numba, "get_num_threads", lambda wanted=wanted: wanted)
        monkeypatch.setattr(processors, "processors", lambda allowed=allowed: allowed)
        monkeypatch.setattr(processors, "of_affinity", lambda affinity=affinity: affinity)
        assert processors.parallelism()[0] == number
        assert why in processors.parallelism()[1]


def test_a_member_that_does_not_begin_is_not_waited_for(threads, monkeypatch):
    """As on a machine where other programs run: here its thread never runs."""
    threads(2)
    new = team.Team()
    monkeypatch.setattr(parallel, "_team", new)
    monkeypatch.setattr(team._thread, "start_new_thread", lambda *_: None)
    new.grow(1)
    for state in (team.IDLE, team.ASLEEP):
        team._word(new.members).value = state
        seen = np.zeros(1003, np.int64)
        caller = threading.Thread(target=parallel.for_chunks, args=(_count, len(seen), 10, seen), daemon=True)
        caller.start()
        caller.join(10)
        assert not caller.is_alive() and (seen == 1).all()
        assert team._word(new.members).value == team.IDLE  # for the next call
    team._word(new.members).value = team.IDLE
    begin = time.monotonic()
    new._fall_asleep()  # at exit
    assert 1 <= time.monotonic() - begin < 10
    team._word(new.members).value = team.ASLEEP
