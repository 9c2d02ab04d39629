"""The stages on an engine of plain threads, written from what `emst/partitions/engine.py` says: the results of one
device."""

from concurrent.futures import Future, ThreadPoolExecutor

import numba
import numpy as np
import pytest

import emst
from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.hdbscan.prediction import approximate_predict
from emst.hierarchy.selection import Options
from emst.partitions.chunks import Chunks
from emst.partitions.edges import TreeEdges
from emst.partitions.model import clustered
from emst.partitions.prediction import predicted
from emst.partitions.records import Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress


class Threads:
    """An engine: each worker is a thread, which runs what it is given in order."""

    device, few_messages = "cpu", True

    def __init__(self, count, in_process):
        self.workers, self.threads, self.in_process = list(range(count)), count, in_process
        self.pools = [ThreadPoolExecutor(1, initializer=numba.set_num_threads, initargs=(1,)) for _ in self.workers]

    def bytes_a_thread(self):
        return 0

    def home(self, partition):
        return partition % len(self.workers)

    def submit(self, function, *arguments, at=None):
        return self.pools[self.home(at or 0)].submit(self._run, function, arguments)

    def _run(self, function, arguments):
        return function(backend_of(self.device), *map(result_of, arguments))

    def gather(self, futures):
        return [future.result() for future in futures]


def result_of(argument):
    if isinstance(argument, list):
        return [result_of(one) for one in argument]
    return argument.result() if isinstance(argument, Future) else argument


def placed(ops, points):
    return ops.asarray(points)


@pytest.fixture(params=[True, False], ids=["by reference", "packets"])
def engine(request):
    engine = Threads(2, request.param)
    yield engine
    for pool in engine.pools:
        pool.shutdown()


def chunks_of(X, count, engine):
    pieces = np.array_split(X, count)
    futures = [engine.submit(placed, piece, at=i) for i, piece in enumerate(pieces)]
    return Chunks(futures, [len(piece) for piece in pieces], X.shape[1], X.dtype, [])


@pytest.mark.parametrize("k", [1, 4])
def test_the_tree_of_one_device(engine, rng, k):
    X = np.concatenate([rng.random((1500, 2)), rng.integers(0, 6, (500, 2)) / 6])
    reported = []
    request = Request(tree_metric_of("euclidean", None), k, partitions=5)
    fitted = fitted_tree(chunks_of(X, 3, engine), request, engine, Progress(lambda *round: reported.append(round)))
    edges = TreeEdges(fitted.tree, fitted.units, engine).in_total_order()
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    assert fitted.tree.costs.partitions == 5 and reported[-1][1] == 1
    assert np.array_equal(edges.rows, wanted.edges) and np.array_equal(edges.weights, wanted.weights)
    if k > 1:
        assert np.array_equal(np.concatenate(engine.gather(fitted.cores)), wanted.core_distances)


def test_the_clusters_of_one_device(engine, rng):
    X = np.concatenate([rng.normal(center, size=(400, 2)) for center in (0, 9, 18)])
    new = rng.normal(9, 6, (50, 2))
    chunks = chunks_of(X, 3, engine)
    fitted = fitted_tree(chunks, Request(tree_metric_of("euclidean", None), 5, 4), engine, Progress())
    model = clustered(fitted, chunks, chunks, None, Options(min_cluster_size=20), engine)
    alone = emst.HDBSCAN(min_cluster_size=20, min_samples=5, prediction_data=True, device="cpu").fit(X)
    labels, probabilities, persistence = model.results()
    assert np.array_equal(np.concatenate(engine.gather(labels)), alone.labels_) and alone.labels_.max() == 2
    assert np.array_equal(np.concatenate(engine.gather(probabilities)), alone.probabilities_)
    assert np.array_equal(persistence, alone.cluster_persistence_)
    results = predicted(model, chunks_of(new, 2, engine))
    for ours, theirs in zip(results, approximate_predict(alone, new)):
        assert np.array_equal(np.concatenate(engine.gather(ours)), theirs)
