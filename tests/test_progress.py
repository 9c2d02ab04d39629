"""What `verbose` shows: lines, or a bar; what is compiled; which parts of a run move it."""

import contextlib
import io
import os
import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import cloud
from tqdm import tqdm

from emst import EMST, HDBSCANGPU, cpu, minimum_spanning_tree, progress
from emst.backend.notices import NOT_KEPT
from emst.cpu.runtime import parallel
from emst.cpu.runtime.numba_internals import without_counts
from emst.progress import COMPILING, Bar, Lines, Seconds, reading_bar, showing

POINTS = cloud(40_000, 2, np.float64)
STREAMS = {"capture_output": True, "text": True, "check": True}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch):
    """Make standard error a terminal of 110 columns, from here on: pytest sets its own before every test."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_core_distances_move_it(monkeypatch):
    """About the number of points that are done: never less than before, and all of them at the end."""
    monkeypatch.setattr(parallel, "thread_count", lambda: 1)  # else another thread may find most of them
    seen = []
    with showing(False) as progress:
        progress.cores = lambda done, n: seen.append((done, n))
        fitted(progress)
    done = [done for done, _ in seen]
    assert done == sorted(done) and done[-1] == len(POINTS)
    assert {n for _, n in seen} == {len(POINTS)}
    assert len(set(done)) > 10


def fitted(progress):
    from emst.distances.metrics import tree_metric_of
    from emst.spanning import metric_tree

    return metric_tree(POINTS, None, tree_metric_of("euclidean", None), 5, cpu, progress.round, cores=progress.cores)


def test_a_report_does_not_change_the_tree(ops):
    plain = minimum_spanning_tree(POINTS, min_samples=5, device=ops.name)
    with contextlib.redirect_stderr(io.StringIO()):
        shown = minimum_spanning_tree(POINTS, min_samples=5, device=ops.name, verbose=1)
    np.testing.assert_array_equal(plain.edges, shown.edges)
    np.testing.assert_array_equal(plain.weights, shown.weights)
    np.testing.assert_array_equal(plain.core_distances, shown.core_distances)


def test_lines(ops, capsys):
    EMST(min_samples=3, device=ops.name, verbose=1).fit(POINTS)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[emst] 40,000 points"
    assert sum(line.startswith("[emst] core distances: ") for line in lines) == 1
    said = [line for line in lines if "compiling" not in line]  # in the first run of all
    assert re.fullmatch(r"\[emst\] round \d+: 1 component left, \d+\.\d{3} s", said[-1])


@pytest.mark.parametrize("size, told", [(5, False), (6, True), (200, True)])
def test_min_samples_that_follows_min_cluster_size(size, told, capsys):
    HDBSCANGPU(min_cluster_size=size, device="cpu", verbose=1).fit(POINTS[:1000])
    assert (f"min_samples is {size} because min_cluster_size is" in capsys.readouterr().err) is told
    HDBSCANGPU(min_cluster_size=size, min_samples=5, device="cpu", verbose=1).fit(POINTS[:1000])
    assert "because min_cluster_size" not in capsys.readouterr().err


@pytest.mark.parametrize("model", [HDBSCANGPU(min_samples=4), EMST(min_samples=4)])
def test_a_bar(model, monkeypatch):
    screen = terminal(monkeypatch)
    model.set_params(verbose="bar", device="cpu").fit(POINTS)
    screen = screen.getvalue()
    assert "core distances: 100%" in screen and " points/s]" in screen
    assert "round 2: " in screen and " edges/s]" in screen
    assert screen.endswith("\r") and not screen.rstrip("\r").rpartition("\r")[2].strip()  # it is removed


def test_a_file_that_is_read_fills_a_bar(tmp_path, monkeypatch):
    (tmp_path / "graph.gr").write_bytes(bytes(100))
    terminal(monkeypatch)
    update, seen = tqdm.update, []

    def watched(bar, more):
        update(bar, more)
        seen.append((bar.n, bar.total))

    monkeypatch.setattr(tqdm, "update", watched)
    with reading_bar(tmp_path / "graph.gr") as report:
        for read in (40, 70, 100):
            report(read)
    assert seen == [(40, 100), (70, 100), (100, 100)]


def test_a_bar_needs_a_terminal(capsys):
    HDBSCANGPU(min_samples=4, verbose="bar", device="cpu").fit(POINTS)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("model", [HDBSCANGPU(verbose="line"), EMST(verbose="line")])
def test_other_words_are_refused(model):
    with pytest.raises(ValueError, match=r"verbose must be .*'bar'; got 'line'"):
        model.fit(POINTS[:100])


def new_kernel(module):
    """A kernel with a part, both not compiled yet."""

    def part(x):
        return x + 1

    part.__module__ = module
    part = without_counts()(part)

    def kernel(x):
        return part(x) * 2

    kernel.__module__ = module
    return without_counts()(kernel)


@pytest.mark.parametrize("kind", [Lines, Bar])
def test_compiling_is_said_only_when_it_happens(kind, monkeypatch):
    """Of a kernel with parts, whose compilation is nested in its own; and of no function of others."""
    ours, others = new_kernel("emst.cpu.test"), new_kernel("elsewhere")
    screen = terminal(monkeypatch)

    def said():
        return screen.getvalue().count(COMPILING["cpu"])

    shown = kind()
    with shown:
        shown.watch(cpu)
        assert (others(1), said()) == (4, 0)
        assert (ours(1), said()) == (4, 1)
        assert (ours(2), said()) == (6, 1)
    assert (new_kernel("emst.cpu.test")(1), said()) == (4, 1)  # nobody listens any more
    if kind is Lines:
        assert re.search(r"\[emst\] compiling took 0\.\d{3} s of that\n$", screen.getvalue())


def test_a_run_that_shows_nothing_says_once_that_it_compiles(monkeypatch, caplog):
    """If that takes long. Silence it by ``logging.getLogger("emst").setLevel("ERROR")``."""
    monkeypatch.setattr("emst.backend.notices._said", [])

    def run():
        with showing(False) as shown:
            shown.watch(cpu)
            assert new_kernel("emst.cpu.test")(1) == 4

    monkeypatch.setattr(progress, "SILENT_FOR", 1e6)
    run()
    assert caplog.records == []
    monkeypatch.setattr(progress, "SILENT_FOR", 0.0)
    run()
    run()
    assert [(record.name, record.message) for record in caplog.records] == [("emst", progress.ONCE)]


def test_seconds_that_compiling_took():
    kernel = new_kernel("emst.cpu.test")
    seconds = []
    for _ in range(2):
        with Seconds() as measured, showing(False) as shown, showing(False) as inner:
            shown.watch(cpu)
            inner.watch(cpu)  # two that listen count it once
            kernel(1)
            time.sleep(0.02)
        seconds.append(measured)
    first, second = seconds
    assert 0.005 < first.compiled < 10 and second.compiled == 0
    assert first.computed >= 0.02 and second.computed >= 0.02
    assert re.fullmatch(r"compiled in \d+\.\d\d s, tree in \d\.\d\d s", first.of("tree"))
    assert re.fullmatch(r"tree in \d\.\d\d s", second.of("tree"))


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_that_hears_half_of_what_another_thread_compiles(when):
    """Nothing is left to count for ever."""
    tellers = []

    @contextlib.contextmanager
    def telling(tell):
        tellers.append(tell)
        yield
        tellers.remove(tell)

    ops = SimpleNamespace(name="cpu", telling_compilation=telling)
    with showing(False) as shown:
        shown.watch(ops)
        tellers[0](when == "after")
        if when == "after":
            tellers[0](True)
    assert progress.compiling._begun == 0 and not tellers
    before = progress.compiling.seconds
    time.sleep(0.02)
    progress.compiling.tell(True)
    progress.compiling.tell(False)
    assert progress.compiling.seconds - before < 0.02


def test_things_that_overlap_count_once(monkeypatch):
    times = iter([0.0, 1.0, 3.0, 7.0, 20.0, 21.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(times))
    clock = progress.Clock()
    for begins, seconds in [(True, 0), (True, 1), (False, 3), (False, 7), (True, 7), (False, 8)]:
        clock.tell(begins)
        assert clock.seconds == seconds


def test_a_fit_with_prediction_data_compiles_what_predict_needs():
    """In a new process, whose kernels are those that it has used."""
    code = (
        "import numpy as np; from emst import HDBSCANGPU; from emst.cpu import kernels_ready\n"
        "X = np.random.default_rng(0).random((500, 2))\n"
        "for metric in ('euclidean', 'braycurtis'):\n"
        "    model = HDBSCANGPU(min_samples=3, metric=metric, prediction_data={}, device='cpu').fit(X)\n"
        "    before = kernels_ready()[0]\n"
        "    model.predict(X[:100] + 0.01)\n"
        "    print(len(kernels_ready()[0] - before))"
    )
    counts = [
        list(map(int, subprocess.run([sys.executable, "-c", code.format(given)], **STREAMS).stdout.split()))
        for given in (True, False)
    ]
    assert counts[0] == [0, 0] and counts[1][0] > 0


def test_a_gpu_tells_of_every_new_kernel(monkeypatch):
    """Its library does not say whether it compiles a kernel or finds it on disk. What is loaded ahead is told of where
    a launch waits for it."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime import compile, launch

    class Module:
        def __init__(self, **_):
            told.append("here")

        def get_function(self, name):
            return SimpleNamespace(kernel=name)

    told = []
    monkeypatch.setattr(cupy, "RawModule", Module)
    monkeypatch.setattr(compile, "_ready", set())
    monkeypatch.setattr(launch, "_loads", {})
    monkeypatch.setattr(launch, "current_gpu", lambda: 0)
    new, other = (launch.Kernel("points/knn", name, False) for name in ("new<float>", "new<double>"))
    try:
        with compile.telling_compilation(told.append):
            launch._loaded(new)
            launch._loaded(new)
            launch._load(0, other)
            launch._loaded(other)
    finally:
        compile.kernel.cache_clear()
    assert told == [True, "here", False, "here"]
    assert compile.kernels_ready()[0] == {"points/knn new<float>", "points/knn new<double>"}


@pytest.mark.parametrize("given", [False, True])
def test_a_gpu_whose_kernels_cannot_be_kept(given, monkeypatch, caplog):
    """As on a full disk. They are compiled in memory, unless that was asked for before."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime import compile

    def module(**_):
        if compile.IN_MEMORY not in os.environ or given:
            raise OSError("No space left on device")
        return SimpleNamespace(get_function=lambda name: name)

    monkeypatch.setattr(cupy, "RawModule", module)
    monkeypatch.setattr(compile, "_ready", set())
    monkeypatch.setenv(compile.IN_MEMORY, "1")
    if not given:
        monkeypatch.delenv(compile.IN_MEMORY)
    monkeypatch.setattr("emst.backend.notices._said", [])
    try:
        if given:
            with pytest.raises(OSError, match="No space left"):
                compile.kernel("points/knn", "new<float>")
            return
        assert [compile.kernel("points/knn", name) for name in ("new<float>", "new<double>")] == [
            "new<float>",
            "new<double>",
        ]
    finally:
        compile.kernel.cache_clear()
    assert [record.message for record in caplog.records] == [
        NOT_KEPT.format("No space left on device", "CUPY_CACHE_DIR")
    ]


def test_kernels_that_cannot_be_kept_are_compiled_in_memory_at_once(monkeypatch):
    """One thread has set the variable before the error of the other one comes: that is of a compile that began without
    it."""
    cupy = pytest.importorskip("cupy")
    from emst.cuda.runtime import compile

    begun = threading.Barrier(2, timeout=10)

    def module(**_):
        if compile.IN_MEMORY not in os.environ:
            begun.wait()
            while threading.current_thread().name == "later" and compile.IN_MEMORY not in os.environ:
                time.sleep(0.001)
            raise OSError("No space left on device")
        return SimpleNamespace(get_function=lambda name: name)

    monkeypatch.setattr(cupy, "RawModule", module)
    monkeypatch.setattr(compile, "_ready", set())
    monkeypatch.setenv(compile.IN_MEMORY, "1")  # so that it is unset afterwards
    monkeypatch.delenv(compile.IN_MEMORY)
    found = []
    later = threading.Thread(target=lambda: found.append(compile.kernel("points/knn", "later<float>")), name="later")
    later.start()
    try:
        assert compile.kernel("points/knn", "first<float>") == "first<float>"
        later.join()
    finally:
        compile.kernel.cache_clear()
    assert found == ["later<float>"]


def test_a_failed_fit_ends_bar_and_listener(monkeypatch):
    terminal(monkeypatch)
    from numba.core import event

    before = len(event._registered["numba:compile"])
    with pytest.raises(ValueError, match="NaN"):
        EMST(verbose="bar", device="cpu").fit([[0.0, 0.0], [np.nan, 1.0]])
    assert len(event._registered["numba:compile"]) == before
