"""`rng`: random numbers."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A generator of the test's own, so that its numbers do not depend on which tests ran before."""
    return np.random.default_rng(11)
