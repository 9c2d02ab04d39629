"""Scaling by a power of two."""

import numpy as np
import pytest
import reference
from helpers import DTYPES

from emst.inputs.scaling import scale_of


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("magnitude", [0.25, 1e-30, 1e30, "greatest"])
def test_scale_is_a_power_of_two_and_leaves_room_for_squares(magnitude, dtype):
    greatest = float(np.finfo(dtype).max) if magnitude == "greatest" else magnitude
    corner = np.full(70, greatest)
    scale = scale_of(reference.point_statistics(np.array([-corner, corner])), np.dtype(dtype))
    assert np.frexp(scale)[0] == 0.5
    one_sided = np.array([-corner, 0 * corner])
    assert scale_of(reference.point_statistics(one_sided), np.dtype(dtype)) == scale
    diagonal = (corner * scale * 2).astype(dtype)
    with np.errstate(over="raise"):
        assert np.isfinite(reference.squared_distance(diagonal, np.zeros(70, dtype)))
