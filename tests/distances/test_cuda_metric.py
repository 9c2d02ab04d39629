"""What the kernels are told about a norm: constants as macros, the degree by value. That needs no GPU."""

import math
import re

import numpy as np
import pytest

from emst.backend.records import EXP2_SERIES, LOG2_SERIES, Norm

pytest.importorskip("cupy", reason="needs CuPy, which is not installed")

from emst.cuda.distances.metric import NUMBERS, metric_of, number_of
from emst.cuda.runtime.compile import KERNELS, OPTIONS
from emst.cuda.runtime.constants import PERIODIC


@pytest.mark.parametrize("name, series", [("LOG2_SERIES", LOG2_SERIES), ("EXP2_SERIES", EXP2_SERIES)])
def test_the_series_reach_the_kernels_to_the_last_bit(name, series):
    (macro,) = (option.partition("=")[2] for option in OPTIONS if option.startswith(f"-DEMST_{name}="))
    assert tuple(float.fromhex(number) for number in macro.split(",")) == series


def test_the_range_of_the_logarithm_begins_at_the_root_of_one_half():
    spelled = re.search(r"SQRT_HALF = 0x(\w+)ll", (KERNELS / "distances/metric.cuh").read_text())
    assert int(spelled[1], 16) == np.float64(math.sqrt(0.5)).view(np.int64)


@pytest.mark.parametrize("degree", [1.1, math.pi, 31.99, math.nextafter(1, 2)])
def test_the_upper_part_of_the_degree_times_an_exponent_is_exact(degree):
    number, norm, period = metric_of(Norm("any power", degree), np.float64)
    p, high, low, at = np.frombuffer(norm.tobytes()).tolist()
    assert (number, p, high + low, at, period) == (NUMBERS["any power"], degree, degree, 0, None)
    assert int(math.frexp(high)[0] * 2**40) == math.frexp(high)[0] * 2**40
    assert norm.shape == (1,)  # passed by value


def test_every_kind_of_norm_has_a_number_of_its_own():
    assert sorted(NUMBERS.values()) == list(range(len(NUMBERS)))
    assert len(NUMBERS) <= PERIODIC  # which is added to them


def test_a_period_makes_other_kernels():
    norm = Norm("chebyshev", 1.0)
    assert number_of(norm._replace(period=(1.0,))) == number_of(norm) + PERIODIC
