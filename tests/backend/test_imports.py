"""The first import of CuPy where its folder for kernels cannot be made."""

import os
import subprocess
import sys

import pytest

from emst.backend import imports

INTERRUPTED = """
import os, signal, sys
import numpy as np
from emst import EMST

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.types":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
for _ in range(2):
    try:
        print(len(EMST(device="cpu").fit(np.eye(3)).weights_))
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.fixture
def environment(monkeypatch):
    """Without CuPy's variables; what is set meanwhile is forgotten."""
    for name in ("CUPY_CACHE_DIR", imports.IN_MEMORY):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(imports, "unkept", [])
    return monkeypatch


@pytest.fixture
def unwritable(environment):
    def refuse(folder, exist_ok):
        raise PermissionError(13, "Permission denied", folder)

    environment.setattr(os, "makedirs", refuse)


@pytest.mark.parametrize("before", [None, "", "unwritable"])
def test_another_folder_takes_its_place(environment, unwritable, before):
    if before is not None:
        environment.setenv("CUPY_CACHE_DIR", before)
    with imports._folder_of_cupy():
        folder = os.environ["CUPY_CACHE_DIR"]
        assert os.path.isdir(folder) and not os.listdir(folder)
    assert os.path.isdir(folder)  # CuPy still knows it
    assert os.environ.get("CUPY_CACHE_DIR") == before and os.environ[imports.IN_MEMORY] == "1"
    assert len(imports.unkept) == 1 and "Permission denied" in imports.unkept[0]


def test_an_import_that_fails_leaves_nothing(environment, unwritable):
    with pytest.raises(ImportError), imports._folder_of_cupy():
        raise ImportError("no CUDA")
    assert "CUPY_CACHE_DIR" not in os.environ and imports.IN_MEMORY not in os.environ and imports.unkept == []


def test_a_folder_that_can_be_made_is_taken(environment, tmp_path):
    environment.setenv("CUPY_CACHE_DIR", str(tmp_path / "kernels"))
    with imports._folder_of_cupy():
        assert os.environ["CUPY_CACHE_DIR"] == str(tmp_path / "kernels")
    assert imports.IN_MEMORY not in os.environ and imports.unkept == []


def test_a_fit_after_an_interrupted_import():
    """Python keeps modules that are half-imported, and what needs them fails from then on."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["interrupted", "2"]
