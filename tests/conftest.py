"""Two fixtures. `ops` is the backend under test: every test that takes it runs once on the CPU and once on the GPU.
With `size`, a test runs twice on the GPU: in the ways for few points and for many."""

import gc
import importlib
import os
import pathlib
import sys

import matplotlib
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".numba_cache")

matplotlib.use("Agg")  # no test opens a window
sys.path.append(str(ROOT))  # datasets/ and benchmarks/ are not installed

# Started first, in this order: if several workers share the files, none is left with one of these when the others have
# finished. While one compiles most kernels for the CPU, another one takes files that need few of them.
LONG = (
    "tests/cli/test_warm_up.py",
    "tests/runtime/test_kernels_compile.py",
    "tests/project/",
    "tests/dask/",
    "tests/partitions/",
    "tests/hdbscan/",
)


def why_no_gpu():
    """The sentence that a skipped GPU test shows, or None where there is a GPU."""
    try:
        import cupy
    except ImportError:
        return "needs CuPy, which is not installed"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"needs an NVIDIA GPU: {error}"
    return None if count else "needs an NVIDIA GPU, and CuPy sees none"


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU and CuPy")
    config.option.loadscopereorder = False  # xdist takes the files in the order below, not by their number of tests


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: next((i for i, name in enumerate(LONG) if item.nodeid.startswith(name)), len(LONG)))
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = why_no_gpu() if marked else None
    for item in marked if reason else []:
        item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish():
    """The collected tests are a million objects. Python's garbage collector need not look at them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)], scope="session")
def ops(request):
    """The backend under test: the module with its operations."""
    return importlib.import_module(f"emst.{request.param}")


@pytest.fixture(params=["few", "many"])
def size(request, monkeypatch, ops):
    """Few points, keys, merges and clusters go ways of their own on the GPU; few points and merges, or few threads, on
    the CPU. With "many", none are few."""
    if request.param == "many":
        if ops.name == "cpu":
            from helpers import LIMITS  # it imports numba, which reads NUMBA_CACHE_DIR

            for name in ("emst.cpu.hierarchy.linkage.THREADS", "emst.cpu.hierarchy.linkage.MANY", *LIMITS):
                monkeypatch.setattr(name, 0)
            for name in ("rounds.GRAIN", "chains.GRAIN"):  # several chunks
                monkeypatch.setattr(f"emst.cpu.hierarchy.{name}", 64)
            return
        for name in ("points.bvh.FEW_POINTS", "points.rounds.ALL_UP_TO", "points.rounds.MOST_POINTS"):
            monkeypatch.setattr(f"emst.cuda.{name}", 0)
        for module in ("runtime.sort", "hierarchy.chains", "hierarchy.condensed", "hierarchy.selection"):
            monkeypatch.setattr(f"emst.cuda.{module}.FEW", 0)
