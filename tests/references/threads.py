"""An engine of plain threads, written from what `emst/partitions/engine.py` says; and trees, clusters and predictions
on it."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numba
import numpy as np

from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.hdbscan.parameters import options_of
from emst.partitions.chunks import Chunks, finite_chunks, namer, weightless_chunks
from emst.partitions.edges import TreeEdges, cores_in_chunks
from emst.partitions.model import clustered
from emst.partitions.prediction import all_results, predicted
from emst.partitions.records import Fitted, Request
from emst.partitions.spanning import fitted_tree
from emst.partitions.weights import chunk_weights
from emst.progress import Progress


class Threads:
    """An engine: each worker is a thread, which runs what it is given in order."""

    def __init__(self, count, in_one_place=True, device="cpu"):
        self.workers, self.threads, self.in_one_place, self.device = list(range(count)), count, in_one_place, device
        self.one_process = in_one_place
        self.pools = [ThreadPoolExecutor(1, initializer=numba.set_num_threads, initargs=(1,)) for _ in self.workers]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pool in self.pools:
            pool.shutdown()

    def bytes_a_thread(self):
        return 0

    def home(self, partition):
        return 0 if self.in_one_place else partition % self.threads

    def submit(self, function, *arguments, at=None):
        return self.pools[(at or 0) % self.threads].submit(self._run, function, arguments)

    def _run(self, function, arguments):
        ops = backend_of(self.device)
        result = function(ops, *map(result_of, arguments))
        if self.device == "cuda":
            ops.xp.cuda.get_current_stream().synchronize()
        return result

    def gather(self, futures):
        return [future.result() for future in futures]


def result_of(argument):
    if isinstance(argument, list):
        return [result_of(one) for one in argument]
    return argument.result() if isinstance(argument, Future) else argument


def placed(ops, points, dtype):
    return ops.asarray(points, dtype)


def chunks_of(pieces, engine, dtype=None):
    """Arrays of points as chunks on the workers."""
    dtype = np.dtype(dtype or pieces[0].dtype)
    futures = [engine.submit(placed, piece, dtype, at=i) for i, piece in enumerate(pieces)]
    return Chunks(futures, [len(piece) for piece in pieces], pieces[0].shape[1], dtype, [])


def with_weights(chunks, weights, engine):
    """The chunks with weights of all rows."""
    if weights is None:
        return chunks
    pieces = np.split(np.asarray(weights, float), chunks.offsets[1:-1])
    futures = [engine.submit(placed, piece, np.float64, at=i) for i, piece in enumerate(pieces)]
    return replace(chunks, weights=chunk_weights(futures, engine))


def tree_of(
    pieces, engine, partitions, min_samples=1, metric="euclidean", metric_params=None, progress=None, weights=None
):
    """The tree of points in pieces: edges in the total order, weights and core distances; and what it cost."""
    (edges, chunks), costs = edges_of(pieces, engine, partitions, min_samples, metric, metric_params, progress, weights)
    fitted = Fitted(edges.tree, edges.units)
    cores = cores_in_chunks(fitted, chunks, engine)
    cores = None if cores is None else joined(cores, engine)
    return (*edges.in_total_order(), cores), costs


def edges_of(pieces, engine, partitions, min_samples, metric, metric_params=None, progress=None, weights=None):
    """Three results of a fit: its edges, which stay on the workers; the chunks of the points; and the costs."""
    request = Request(tree_metric_of(metric, metric_params), min_samples, partitions)
    chunks = with_weights(chunks_of(pieces, engine), weights, engine)
    fitted = fitted_tree(chunks, request, engine, progress or Progress())
    return (TreeEdges(fitted.tree, fitted.units, engine), chunks), fitted.tree.costs


def model_of(pieces, engine, partitions, estimator, weights=None):
    """The clusters of points in pieces, by the parameters of an estimator of one device."""
    given = with_weights(chunks_of(pieces, engine, estimator.dtype), weights, engine)
    weightless = weightless_chunks(given, engine)
    chunks, rows = finite_chunks(given, engine)
    k = estimator.min_cluster_size if estimator.min_samples is None else estimator.min_samples
    metric = tree_metric_of(estimator.metric, estimator.metric_params)
    request = Request(metric, k, partitions, alpha=float(estimator.alpha))
    fitted = fitted_tree(chunks, request, engine, Progress(), namer(given, rows, engine))
    return clustered(fitted, given, chunks, rows, options_of(estimator), engine, weightless)


def results_of(model):
    """Labels and probabilities of all rows, and the persistence of clusters."""
    labels, probabilities, persistence = all_results(model)
    return joined(labels, model.engine), joined(probabilities, model.engine), persistence


def predictions_of(model, pieces):
    """Labels and probabilities of new points in pieces."""
    chunks = chunks_of(pieces, model.engine, model.fitted.units.dtype)
    return [joined(one, model.engine) for one in predicted(model, chunks)]


def joined(chunks, engine):
    """The chunks of a result, in this process."""
    return np.concatenate(engine.gather(chunks))
