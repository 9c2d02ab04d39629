"""`client`: two workers, threads of this process."""

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
        ) as local,
        Client(local) as client,
    ):
        yield client
