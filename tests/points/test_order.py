"""Places of points on the Hilbert curve."""

import numpy as np
import pytest
import reference
from helpers import DIMENSIONS, DTYPES, KINDS, cloud, scaling_for, to_device, to_host

from emst.backend.records import Scaling


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [*DIMENSIONS, 64, 65])
@pytest.mark.parametrize("kind", KINDS)
def test_codes_equal_the_reference(ops, d, kind, dtype):
    x = cloud(150, d, dtype, kind)
    scaling = scaling_for(x)
    codes = to_host(ops.curve_codes(to_device(ops, x), scaling))
    assert codes.dtype == np.uint64
    np.testing.assert_array_equal(codes, reference.curve_codes(x, scaling))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", [1e-30, 1.0, 1e30])
def test_codes_do_not_depend_on_the_unit(ops, extent, dtype):
    x = (cloud(300, 2, np.float64) - 0.5).astype(dtype)
    power = dtype(2.0 ** round(np.log2(extent)))
    one, other = (to_host(ops.curve_codes(to_device(ops, y), scaling_for(y))) for y in (x, x * power))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_points_have_code_zero(ops, dtype):
    x = np.full((100, 3), 7.5, dtype)
    assert not to_host(ops.curve_codes(to_device(ops, x), scaling_for(x))).any()


@pytest.mark.parametrize(("d", "side"), [(2, 64), (3, 16), (4, 8), (5, 4)])
def test_neighbours_on_the_curve_are_neighbours_in_space(ops, d, side):
    cells = np.indices((side,) * d).reshape(d, -1).T
    bits = min(32, 64 // d)
    scaling = Scaling(np.zeros(d), 1.0, bits, 2.0**bits / side)
    x = cells + 0.5  # centres of the coarse cells, so their order is that of the curve's first bits
    order = to_host(ops.sort_order(ops.curve_codes(to_device(ops, x), scaling)))
    steps = np.abs(np.diff(cells[order], axis=0)).sum(axis=1)
    assert (steps == 1).all()
