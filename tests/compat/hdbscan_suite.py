"""hdbscan's own tests, run on `emst.compat.hdbscan`.

    python -m pytest -p hdbscan_suite --pyargs hdbscan.tests

with this folder on PYTHONPATH puts `emst.compat.hdbscan` in the place of the package `hdbscan` in the tests of the
installed hdbscan, and expects the tests below to fail, and no others. `EMST_TEST_DEVICE` says where to compute.
"""

import functools
import importlib.util
import os
import pathlib
import sys

import pytest

from emst.compat import hdbscan

EXPECTED = {}

DEVICE = os.environ.get("EMST_TEST_DEVICE", "auto")
MODULES = ("branches", "flat", "plots", "prediction", "validity")
TESTS = pathlib.Path(importlib.util.find_spec("hdbscan").origin).parent / "tests"

for one in (hdbscan.HDBSCAN, hdbscan.RobustSingleLinkage):
    one.__init__ = functools.partialmethod(one.__init__, device=DEVICE)
hdbscan.__path__.append(str(TESTS.parent))  # where `hdbscan.tests` is
sys.modules["hdbscan"] = hdbscan
sys.modules.update({f"hdbscan.{name}": getattr(hdbscan, name) for name in MODULES})


def pytest_collection_modifyitems(items):
    for item in items:
        reason = EXPECTED.get(item.originalname)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
