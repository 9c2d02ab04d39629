"""The selection of a distance by its rank, given its distances in any order; as walks offer them, in tests/points."""

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.gpu

KERNEL = str(Path(__file__).with_name("selection"))
QUERIES = 32  # of a block in selection.cu
MOST = 200  # passes; any selection ends long before
RANKS = (1, 2, 33, 51, 128, 200, 1000, 2047, 2048, 2049, 6000)
COUNTS = (6000, 9000, 50_000)
G = np.random.default_rng(7)


def next_to(value, steps, dtype):
    """Numbers that lie so many steps of the last digit above a value."""
    kind = np.int32 if dtype == np.float32 else np.int64
    return (np.asarray(value, dtype).view(kind) + np.asarray(steps, kind)).view(dtype)


# By name: so many distances of a type.
DISTANCES = {
    "uniform": lambda n, dtype: G.random(n).astype(dtype),
    "of any magnitude": lambda n, dtype: np.exp(G.normal(0, 12, n)).astype(dtype),
    "within one bin": lambda n, dtype: (1 + G.random(n) / 16).astype(dtype),
    "one bin, and few nearer": lambda n, dtype: np.where(G.random(n) < 0.02, G.random(n), 1.05).astype(dtype),
    "neighbouring numbers": lambda n, dtype: next_to(3, G.integers(0, 5000, n), dtype),
    "two numbers": lambda n, dtype: next_to(5, G.integers(0, 2, n), dtype),
    "equal": lambda n, dtype: np.full(n, 7, dtype),
    "zeros and subnormal": lambda n, dtype: next_to(0, G.integers(0, 3000, n), dtype),
    "a crowd far away": lambda n, dtype: np.where(G.random(n) < 0.3, G.random(n), 100 + G.random(n)).astype(dtype),
}


def selected(distances, ranks, farthest, stops):
    import cupy

    from emst.cuda.runtime.launch import launch

    dtype = distances[0].dtype
    found, passes = cupy.empty(len(ranks), dtype), cupy.empty(len(ranks), np.int64)
    starts = np.cumsum([0, *map(len, distances)])
    arrays = map(cupy.asarray, (np.concatenate(distances), starts, np.asarray(ranks), np.asarray(farthest, dtype)))
    name = f"select_ranks<{'float' if dtype == np.float32 else 'double'}>"
    launch(KERNEL, name, len(ranks), *arrays, len(ranks), int(stops), MOST, found, passes, block=QUERIES)
    return found.get(), passes.get()


@pytest.mark.parametrize("stops", [False, True], ids=["", "may stop"])
@pytest.mark.parametrize("order", ["shuffled", "ascending", "descending"])
@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_distance_of_every_rank(dtype, name, order, stops):
    distances, ranks, farthest, expected = [], [], [], []
    for count in COUNTS:
        of_query = DISTANCES[name](count, dtype)
        ascending = np.sort(of_query)
        met = {"shuffled": of_query, "ascending": ascending, "descending": ascending[::-1]}[order]
        for rank in RANKS:
            for bound in {ascending[rank - 1], ascending[min(2 * rank, count - 1)], ascending[-1]}:
                distances.append(met)
                ranks.append(rank)
                farthest.append(bound)
                expected.append(ascending[rank - 1])
    found, passes = selected(distances, ranks, farthest, stops)
    np.testing.assert_array_equal(found, expected)
    assert passes.max() <= (32 if dtype == np.float32 else 64)
