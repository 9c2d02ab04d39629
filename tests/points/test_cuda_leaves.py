"""Searches on the GPU from lists of leaves. Without the fixture `cuda`, only large sets of points have such lists."""

import numpy as np
import pytest
from helpers import DTYPES, KINDS, cloud
from norms_reference import BY_NAME, in_box
from rounds_reference import follow, follow_the_cpu

pytestmark = pytest.mark.gpu


@pytest.fixture
def cuda(monkeypatch):
    """The backend with searches of four warps: 256 queries are enough for lists, 1,505 for groups of four packets."""
    ops = pytest.importorskip("emst.cuda")
    monkeypatch.setattr("emst.cuda.points.search.multiprocessors", lambda: 1)
    monkeypatch.setattr("emst.cuda.points.search.BLOCKS_AN_SM", 1)
    return ops


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_every_round_equals_the_reference(cuda, d, kind, dtype, k):
    n = 1_900 if k == 1 else 2_400  # neighbours from core distances leave fewer to search
    assert follow(cuda, cloud(n, d, dtype, kind), k) >= 1


@pytest.mark.parametrize("name", ["manhattan", "any power 2.7"])
def test_other_norms(cuda, name):
    for d, kind, k in [(2, "uniform", 1), (3, "lattice", 4)]:
        x = cloud(1_900, d, np.float64, kind)
        assert follow(cuda, x, k, BY_NAME[name]) >= 1
        assert follow(cuda, x, k, in_box(BY_NAME[name], x)) >= 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("blocks", [1, 16])
def test_packets_with_too_many_leaves_nearby(cuda, monkeypatch, blocks, k, dtype):
    """A point far out has almost the same distance to thousands of others. Some packets get no list of leaves. They are
    divided if there are more warps."""
    monkeypatch.setattr("emst.cuda.points.search.BLOCKS_AN_SM", blocks)
    x, unlisted = np.random.default_rng(0).lognormal(0, 9, (20_000, 2)).astype(dtype), []
    follow_the_cpu(cuda, x, k, lambda cache: unlisted.append(int(cache.count[3])))
    assert max(unlisted) > 0
