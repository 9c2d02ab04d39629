"""Weights of rows: what is allowed, and the units in which they are added."""

import numpy as np
import pytest

from emst import EMST, HDBSCANGPU, minimum_spanning_tree
from emst.backend import backend_of
from emst.inputs import weights as inputs

X = np.arange(6.0).reshape(3, 2)
BAD = {
    "one weight for each of the 3 rows of X; got shape (2,)": [1, 2],
    "got shape (3, 1)": [[1], [2], [3]],
    "it is NaN in 1 row, first in 1": [1, np.nan, 1],
    "it is infinite in 2 rows, first in 0": [np.inf, 1, np.inf],
    "it is negative in 1 row, first in 2": [1, 1, -1],
    "every weight is zero": [0, 0, 0],
    "must not be masked": np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
    "must hold real numbers; got dtype complex128": [1j, 1, 1],
    "must hold real numbers; got dtype object": ["a", None, 1],
    "must sum to less than 2**52": [2.0**51, 2.0**51, 1],
}


def check_weights(weights, n):
    return inputs.check_weights(weights, n, backend_of("cpu"))


@pytest.mark.parametrize("sentence", BAD)
@pytest.mark.parametrize("fit", [HDBSCANGPU(min_samples=1, device="cpu").fit, EMST(device="cpu").fit])
def test_bad_weights(fit, sentence):
    with pytest.raises(ValueError, match=r"^sample_weight must") as error:
        fit(X, sample_weight=BAD[sentence])
    assert sentence in str(error.value)


def test_a_tree_takes_no_weight_of_zero():
    with pytest.raises(ValueError, match=r"it is 0 in 2 rows, first in 0: leave those rows out"):
        minimum_spanning_tree(X, min_samples=2, sample_weight=[0, 3, 0], device="cpu")


def test_whole_numbers_are_their_own_units():
    weights = check_weights([3, 0, 2.0**51], 3)
    assert weights.units.tolist() == [3, 0, 2**51] and weights.per == 1 and weights.copies.tolist() == [3, 0, 17]
    assert check_weights(np.ones(3, np.float32), 3) is None and check_weights(None, 3) is None


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9])
def test_other_weights_are_rounded_to_a_power_of_two(scale):
    g = np.random.default_rng(0)
    for n in range(1, 60):
        w = scale * g.random(n) ** 8
        weights = check_weights(w, n)
        unit = 2.0**-weights.bits
        assert weights.total < 2**52 and (weights.total >= 2**50 or weights.bits == 1000)
        assert (abs(weights.units * unit - w) <= np.where(w < unit, unit, unit / 2)).all()
        assert ((weights.units > 0) == (w > 0)).all()
        assert check_weights(w[::-1], n).bits == weights.bits  # whatever their order is
