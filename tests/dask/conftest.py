"""`client`: two workers, threads of this process. `where`: workers of the backend under test. `rng`: random numbers."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

from emst.dask import local_cluster


@pytest.fixture(scope="session")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
        ) as local,
        Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def where(request, client):
    """What functions of `emst.dask` take to compute on the backend under test: `device` and `client`."""
    if request.param == "cpu":
        yield {"device": "cpu", "client": client}
    else:
        with local_cluster(device="cuda", set_as_default=False) as gpus:
            yield {"device": "cuda", "client": gpus}


@pytest.fixture
def rng():
    """A generator of the test's own, so that its numbers do not depend on which tests ran before."""
    return np.random.default_rng(11)
