"""An engine of plain threads, written from what `emst/partitions/engine.py` says, and the trees that it finds."""

from concurrent.futures import Future, ThreadPoolExecutor

import numba
import numpy as np

from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.partitions.chunks import Chunks
from emst.partitions.edges import TreeEdges
from emst.partitions.records import Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress


class Threads:
    """An engine: each worker is a thread, which runs what it is given in order."""

    def __init__(self, count, in_process=True, device="cpu"):
        self.workers, self.threads, self.in_process, self.device = list(range(count)), count, in_process, device
        self.few_messages = device == "cpu"
        self.pools = [ThreadPoolExecutor(1, initializer=numba.set_num_threads, initargs=(1,)) for _ in self.workers]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pool in self.pools:
            pool.shutdown()

    def bytes_a_thread(self):
        return 0

    def home(self, partition):
        return partition % len(self.workers)

    def submit(self, function, *arguments, at=None):
        return self.pools[self.home(at or 0)].submit(self._run, function, arguments)

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


def placed(ops, points):
    return ops.asarray(points)


def chunks_of(pieces, engine):
    """Arrays of points as chunks on the workers."""
    futures = [engine.submit(placed, piece, at=i) for i, piece in enumerate(pieces)]
    return Chunks(futures, [len(piece) for piece in pieces], pieces[0].shape[1], pieces[0].dtype, [])


def tree_of(pieces, engine, partitions, min_samples=1, metric="euclidean", metric_params=None, progress=None):
    """The tree of points in pieces: edges in the total order, weights and core distances; and what it cost."""
    request = Request(tree_metric_of(metric, metric_params), min_samples, partitions)
    fitted = fitted_tree(chunks_of(pieces, engine), request, engine, progress or Progress())
    cores = None if fitted.cores is None else np.concatenate(engine.gather(fitted.cores))
    return (*TreeEdges(fitted.tree, fitted.units, engine).in_total_order(), cores), fitted.tree.costs
