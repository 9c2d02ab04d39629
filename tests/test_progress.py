"""What `verbose` shows: lines, or a bar; what is compiled; which parts of a run move it."""

import contextlib
import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import cloud
from tqdm import tqdm

from emst import EMST, HDBSCANGPU, cpu, minimum_spanning_tree
from emst.cpu.runtime import parallel
from emst.cpu.runtime.numba_internals import without_counts
from emst.progress import COMPILING, Bar, Lines, reading_bar, showing

POINTS = cloud(40_000, 2, np.float64)


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
    assert re.fullmatch(r"\[emst\] round \d+: 1 components left, \d+\.\d{3} s", lines[-1])


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


@pytest.mark.parametrize("kind", [Lines, Bar])
def test_compiling_is_said_only_when_it_happens(kind, monkeypatch):
    """Of a kernel with parts, whose compilation is nested in its own; and of no function of others."""

    def new(module):
        def part(x):
            return x + 1

        part.__module__ = module
        part = without_counts()(part)

        def kernel(x):
            return part(x) * 2

        kernel.__module__ = module
        return without_counts()(kernel)

    ours, others = new("emst.cpu.test"), new("elsewhere")
    screen = terminal(monkeypatch)

    def said():
        return screen.getvalue().count(COMPILING["cpu"])

    progress = kind()
    with progress.contexts:
        progress.watch(cpu)
        assert (others(1), said()) == (4, 0)
        assert (ours(1), said()) == (4, 1)
        assert (ours(2), said()) == (6, 1)
    assert (new("emst.cpu.test")(1), said()) == (4, 1)  # nobody listens any more


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


def test_a_failed_fit_ends_bar_and_listener(monkeypatch):
    terminal(monkeypatch)
    from numba.core import event

    before = len(event._registered["numba:compile"])
    with pytest.raises(ValueError, match="NaN"):
        EMST(verbose="bar", device="cpu").fit([[0.0, 0.0], [np.nan, 1.0]])
    assert len(event._registered["numba:compile"]) == before
