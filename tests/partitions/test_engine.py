"""The stages on an engine of plain threads: the results of one device, whether arrays are passed or sent."""

import numpy as np
import pytest
from threads import Threads, model_of, predictions_of, results_of, tree_of

import emst
from emst.hdbscan.prediction import approximate_predict
from emst.partitions.engine import packets_for, routed
from emst.progress import Progress


@pytest.fixture(params=[True, False], ids=["by reference", "packets"])
def engine(request):
    with Threads(2, request.param) as engine:
        yield engine


@pytest.mark.parametrize("k", [1, 4])
def test_the_tree_of_one_device(engine, rng, k):
    X = np.concatenate([rng.random((1500, 2)), rng.integers(0, 6, (500, 2)) / 6])
    reported = []
    progress = Progress(lambda *round: reported.append(round))
    (edges, weights, cores), costs = tree_of(np.array_split(X, 3), engine, 5, k, progress=progress)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    assert costs.partitions == 5 and reported[-1][1] == 1
    assert np.array_equal(edges, wanted.edges) and np.array_equal(weights, wanted.weights)
    np.testing.assert_array_equal(cores, wanted.core_distances)


def test_the_clusters_of_one_device(engine, rng):
    X = np.concatenate([rng.normal(center, size=(400, 2)) for center in (0, 9, 18)])
    new = rng.normal(9, 6, (50, 2))
    alone = emst.HDBSCAN(min_cluster_size=20, min_samples=5, prediction_data=True, device="cpu").fit(X)
    assert alone.labels_.max() == 2
    model = model_of(np.array_split(X, 3), engine, 4, alone)
    for ours, theirs in zip(results_of(model), (alone.labels_, alone.probabilities_, alone.cluster_persistence_)):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(predictions_of(model, np.array_split(new, 2)), approximate_predict(alone, new)):
        np.testing.assert_array_equal(ours, theirs)


def test_packets_between_two_workers_travel_together():
    """Eight partitions on two workers: one task for each direction, whichever senders have packets."""
    with Threads(2, in_one_place=False) as engine:
        submitted, submit = [], engine.submit
        engine.submit = lambda function, *arguments, at=None: (
            submitted.append(function.__name__) or submit(function, *arguments, at=at)
        )
        senders = [submit(packets, number, at=number) for number in range(8)]
        arriving = routed(senders, 8, engine)
        assert submitted == ["_carried", "_carried"]
        for j in range(8):
            assert arriving[j][j] is senders[j] and arriving[j][j - 1] is not senders[j - 1]
            found = packets_for(j, engine.gather(arriving[j]))
            assert found == {i: (i, j) for i in range(8) if (i + j) % 3}
            assert list(found) == sorted(found)
        submitted.clear()
        anywhere = routed(senders[:3], 8, engine, by_partitions=False)
        assert submitted == ["_carried"] * 6
        for j in range(8):
            assert packets_for(j, engine.gather(anywhere[j])) == {i: (i, j) for i in range(3) if (i + j) % 3}


def packets(ops, number):
    return {j: (number, j) for j in range(8) if (number + j) % 3}
