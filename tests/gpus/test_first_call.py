"""The first fit over several GPUs waits for no kernels but those of the package, which are compiled side by side."""

import os
import re
import subprocess
import sys

import pytest

FIT = """
import sys
import numpy as np
import cupy
import emst
from emst.gpus import inputs, memory

memory.WORTH = 2
if cupy.cuda.runtime.getDeviceCount() == 1:  # two partitions on one GPU
    inputs.checked_gpus = lambda device_ids, device: [0] * len(device_ids)
x = np.random.default_rng(0).random((300_000, 3)).astype(sys.argv[1])
emst.EMST(min_samples=int(sys.argv[2]), device_ids=[0, 1]).fit(x)
"""


@pytest.mark.gpu
@pytest.mark.parametrize(("k", "dtype"), [(1, "float32"), (5, "float32"), (5, "float64")])
def test_cupy_compiles_no_kernel_of_its_own(ops, tmp_path, k, dtype):
    """CuPy has one for every type and array operation, and compiles it where the operation is first called."""
    if ops.name == "cpu":
        pytest.skip("CuPy compiles for GPUs")
    environment = {**os.environ, "CUPY_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", FIT, dtype, str(k)], check=True, env=environment)
    compiled = [file.read_bytes() for file in tmp_path.iterdir()]
    assert any(b"join_answers" in code for code in compiled)
    assert {name for code in compiled for name in re.findall(rb"cupy_\w+", code)} == set()
