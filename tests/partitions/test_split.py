"""Points by segments: the cuts of a cell find the segments, and points go to the places of theirs."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, cloud, scale_and_order, to_device, to_host

from emst.backend.records import Box

MANY = 2**31  # more rows than int32 holds
SPLITS = [(0, 1), (0, 3), (1, 1), (5, 2), (2_047, 2), (2_049, 2), (5_000, 31), (7_000, 32), (5_000, 33), (9_000, 300)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 40])
@pytest.mark.parametrize("kind", ["uniform", "uneven", "equal"])
def test_segments_by_cuts(ops, kind, d, dtype):
    x = np.full((300, d), 0.3, dtype) if kind == "equal" else cloud(300, d, dtype, kind)
    box, scale = Box(x.min(axis=0).astype(np.float64), x.max(axis=0).astype(np.float64)), scale_and_order(x)[0]
    codes = np.unique(reference.curve_codes(x, scale, box))
    top = np.array([2**64 - 1], np.uint64)
    for firsts in (codes[:0], codes[:1], codes[::9], np.unique(np.concatenate([codes[5::40], codes[5::40] + 1, top]))):
        firsts = np.unique(np.concatenate([np.zeros(1, np.uint64), firsts]))
        numbers = np.random.default_rng(d).integers(-5, 50, len(firsts)).astype(np.int32)
        for some in (x, x[:1], x[:0]):
            ours = to_host(ops.curve_segments(to_device(ops, some), scale, box, firsts, numbers))
            assert ours.dtype == np.int32
            np.testing.assert_array_equal(ours, reference.curve_segments(some, scale, box, firsts, numbers))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 40, 300])
@pytest.mark.parametrize(("n", "count"), SPLITS)
def test_points_go_to_the_places_of_their_segments(ops, n, count, d, dtype):
    if n * d > 300_000:
        n = 300_000 // d
    g = np.random.default_rng(n + count)
    x, units = g.standard_normal((n, d)).astype(dtype), g.integers(1, 2**50, n)
    runs = np.repeat(g.integers(0, count, n // 100 + 1), 100)[:n]
    for segments in (g.integers(0, count, n), runs, np.full(n, count - 1), np.sort(g.integers(0, count, n))):
        segments = segments.astype(np.int32)
        for weights, first, rows in ((None, 0, np.int32), (units, 12_345, np.int32), (units, MANY, np.int64)):
            given = to_device(ops, x), None if weights is None else to_device(ops, weights)
            ours = ops.split_points(*given, first, rows, to_device(ops, segments), count)
            expected = reference.split_points(x, weights, first, rows, segments, count)
            assert ours[3] == expected[3] and all(type(start) is int for start in ours[3])
            for one, other in zip(ours[:3], expected[:3]):
                if other is None:
                    assert one is None
                else:
                    assert one.dtype == other.dtype
                    np.testing.assert_array_equal(to_host(one), other)
