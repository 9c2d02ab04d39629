"""`emst warm-up`: what it says, and that nothing is left to compile."""

import pathlib
import re
import subprocess
import sys

import pytest

import emst.hierarchy.validity
from emst.cli import main
from emst.cli.warm_up import _steps

CALLS = """
import numpy as np
from emst import EMST, HDBSCANGPU, graph_msf
from emst.cpu.runtime.compile import kernels

random = np.random.default_rng(1)
for d in (1, 2, 3, 7):
    for dtype in ("float32", "float64", "int64"):
        X = (100 * random.random((500, d))).astype(dtype)
        EMST(device="cpu").fit(X)
        model = HDBSCANGPU(device="cpu").fit(X)
        model.predict(X[:20])
        for p in (1, 1.5, 2.7, 3, np.inf):
            EMST(metric="minkowski", metric_params={"p": p}, device="cpu").fit(X)
for dtype in ("float32", "float64"):
    for X in (random.normal(size=(1000, 256)), random.normal(size=(600, 40)) + 9 * random.integers(0, 2, (600, 1))):
        EMST(device="cpu").fit(X.astype(dtype))
        HDBSCANGPU(min_samples=20, device="cpu").fit(X.astype(dtype))
graph_msf(np.triu(random.random((50, 50)), 1), device="cpu")
used = [kernel for kernel in kernels if kernel.signatures]
missed = {kernel.py_func.__name__: list(kernel.stats.cache_misses) for kernel in used if kernel.stats.cache_misses}
assert len(used) > 35, len(used)
assert not missed, missed
"""


def test_nothing_is_left_to_compile(capsys):
    assert main(["warm-up", "--device", "cpu"]) == 0
    said = capsys.readouterr()
    count, folder = re.fullmatch(r"ready after [\d.]+ s: ([\d,]+) kernels for cpu in (.+)\n", said.out).groups()
    assert int(count.replace(",", "")) > 150 and said.err == ""
    assert any(pathlib.Path(folder).rglob("*.nbc"))
    done = subprocess.run([sys.executable, "-c", CALLS], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_validity_is_compiled_for_the_device_of_the_step(device, monkeypatch):
    devices = []
    monkeypatch.setattr(
        emst.hierarchy.validity, "validity_index", lambda X, labels, device="auto": devices.append(device)
    )
    dict(_steps(device))["validity"]()
    assert devices == [device]


def test_help_says_where_kernels_are_kept(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["warm-up", "--help"])
    assert stop.value.code == 0 and "NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_kernels_that_could_not_be_kept_are_an_error(monkeypatch, capsys):
    monkeypatch.setattr("emst.cli.warm_up._steps", lambda device: [])
    monkeypatch.setattr("emst.cli.warm_up.keeps_kernels", lambda: False)
    assert main(["warm-up", "--device", "cpu"]) == 2
    assert capsys.readouterr().err == "emst: kernels were compiled, but not all of them could be kept on disk\n"
