"""`rng`: random numbers. `engine`: workers of the backend under test."""

import numpy as np
import pytest
from threads import Threads


@pytest.fixture
def rng():
    """A generator of the test's own, so that its numbers do not depend on which tests ran before."""
    return np.random.default_rng(11)


@pytest.fixture(scope="module")
def engine(ops):
    """Two threads of this process."""
    with Threads(2, device=ops.name) as engine:
        yield engine
