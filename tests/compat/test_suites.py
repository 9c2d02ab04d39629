"""hdbscan's own tests pass with its names taken by `emst.compat.hdbscan`."""

import os
import pathlib
import re
import subprocess
import sys

import pytest


def test_hdbscans_own_tests(ops):
    """All cases but those of the files that `hdbscan_suite` lists with their reasons."""
    pytest.importorskip("hdbscan")
    here = pathlib.Path(__file__).parent
    suite = ["--pyargs", "hdbscan.tests", "-p", "hdbscan_suite", "-p", "no:cacheprovider", "-q"]
    path = os.pathsep.join([str(here), str(here.parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(here), *suite],
        env=dict(os.environ, PYTHONPATH=path, EMST_TEST_DEVICE=ops.name, MPLBACKEND="Agg"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    passed, expected = (int(re.search(rf"(\d+) {word}", run.stdout).group(1)) for word in ("passed", "xfailed"))
    assert passed >= 73
    assert expected <= 7
