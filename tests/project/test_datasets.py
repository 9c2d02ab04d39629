"""The point sets behind the figures are those that were measured."""

import importlib.util
import pathlib

import numpy as np
import pytest

from datasets.synthetic import SETS, uniform_like_device, uniform_on_device

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ROOT.parent / "shared" / "reference" / "points.py"  # what the measurements were made with


@pytest.mark.parametrize("name", SETS)
def test_shape_and_type(name):
    x = SETS[name](4_000)
    assert x.shape == (4_000, SETS[name].d)
    assert x.dtype == (np.float64 if name.startswith("cpu-") else np.float32)
    np.testing.assert_array_equal(x, SETS[name](4_000))


@pytest.mark.skipif(not PUBLISHED.exists(), reason="needs ../shared/reference/points.py")
def test_the_very_points_that_were_measured():
    spec = importlib.util.spec_from_file_location("published_points", PUBLISHED)
    published = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(published)
    n = 20_000
    expected = {
        "uniform3": published.uniform(n, 3, 1),
        "uniform2": published.uniform(n, 2, 2),
        "normal3": published.normal(n, 3, 3),
        "halo3": published.halos(n, 4),
        "halob3": published.halos(n, 7),
        "visualvar2": published.seed_spreader(n, 2, 5),
        "visualvar3": published.seed_spreader(n, 3, 6),
        "traj3": published.trajectories(n, 8),
        "uniform5": published.uniform(n, 5, 9),
        "normal2": published.normal(n, 2, 10),
        "blobs3": published.blobs(n, 3).astype(np.float32),
        "blobs384": published.blobs(n, 384).astype(np.float32),
        "cpu-blobs2": published.blobs(n, 2),
        "cpu-blobs10": published.blobs(n, 10),
    }
    assert published.SETS.keys() <= expected.keys()
    for name, x in expected.items():
        np.testing.assert_array_equal(SETS[name](n), x, name)


def test_splitmix_is_splitmix():
    mask = 2**64 - 1
    for i, ours in enumerate(uniform_like_device(50, 3).ravel()):
        z = (i + 1) * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        assert ours == ((z ^ z >> 31) >> 40) / 2**24


@pytest.mark.gpu
def test_points_made_on_the_device():
    np.testing.assert_array_equal(uniform_on_device(100_003, 3).get(), uniform_like_device(100_003, 3))
