"""What `scaling` times: trees, clusterings and forests, and what follows from a clustering."""

from __future__ import annotations

import importlib
import pathlib
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

CLUSTERED_BY = 6  # min_samples

Arrays = list[np.ndarray]


def _as_they_are(arrays: Arrays) -> Any:
    return arrays


class Work(NamedTuple):
    """How the input of a size is made, what is prepared from it before the clock runs, one run, a checksum of its
    result, and the seconds of the stages of a further run. If it is `sized`, it runs on as many points as --n says."""

    title: str
    size: int
    make: Callable[[int], Arrays]
    run: Callable[[Any], Any]
    checksum: Callable[[Any], str]
    stages: Callable[[Any], dict[str, float]]
    prepare: Callable[[Arrays], Any] = _as_they_are
    sized: bool = True


def _points(name: str, d: int, n: int) -> Arrays:
    from datasets import synthetic

    return [np.ascontiguousarray(getattr(synthetic, name)(n, d, 0), np.float64 if d < 10 else np.float32)]


def _csr(vertices: int) -> Arrays:
    """A random graph of four edges a vertex, each stored once."""
    from scipy.sparse import csr_array

    g = np.random.default_rng(0)
    ends = tuple(g.integers(0, vertices, (2, 4 * vertices)))
    graph = csr_array((g.random(4 * vertices, np.float32), ends), shape=(vertices, vertices))
    return [graph.indptr, graph.indices, graph.data]


def _tree(arrays: Arrays) -> Any:
    import emst

    return emst.minimum_spanning_tree(arrays[0], device="cpu")


def _labels(k: int, arrays: Arrays, metric: str = "euclidean") -> Any:
    from contestants import MIN_CLUSTER_SIZE

    import emst

    options = {"min_cluster_size": MIN_CLUSTER_SIZE, "min_samples": k, "metric": metric, "device": "cpu"}
    return emst.HDBSCANGPU(**options).fit(arrays[0])


def _on_workers(arrays: Arrays) -> Any:
    """As many workers as there are threads, and an array of eight chunks."""
    from dask.array import from_array

    from emst.cpu.runtime.parallel import thread_count
    from emst.dask import local_cluster

    client = local_cluster(thread_count(), device="cpu")
    return client, client.persist(from_array(arrays[0], (max(len(arrays[0]) // 8, 1), -1)))


def _tree_of_workers(prepared: Any) -> Any:
    from emst.dask import minimum_spanning_tree

    client, points = prepared
    return minimum_spanning_tree(points, client=client, device="cpu")


def _forest(arrays: Arrays) -> Any:
    import emst

    return emst.graph_msf(tuple(arrays), symmetric="min", device="cpu")


def _fitted(arrays: Arrays) -> Any:
    """A clustering of one half of the points, and the other half."""
    half = len(arrays[0]) // 2
    model = _labels(CLUSTERED_BY, [arrays[0][:half]])
    model._model.prepare_queries()
    return model, arrays[0][half:]


def _prediction(fitted: Any) -> Any:
    import emst

    return emst.approximate_predict(*fitted)


def _membership(fitted: Any) -> Any:
    import emst

    return [emst.all_points_membership_vectors(fitted[0])]


def _attributes(fitted: Any) -> Any:
    """What is computed from the clusters when it is first read, and a cut of the dendrogram."""
    model = fitted[0]
    model._made.clear()
    exemplars = np.concatenate(model.exemplar_indices_)
    cut = model.dbscan_clustering(float(model._model.weights[len(model._model.weights) // 2]))
    return [model.outlier_scores_, exemplars, np.atleast_1d(model.relative_validity_), cut]


def _centers(fitted: Any) -> Any:
    from emst.hdbscan.centers import centers_of

    return centers_of(fitted[0]._model, "both")


def _labelled(arrays: Arrays) -> Any:
    return arrays[0], _labels(CLUSTERED_BY, arrays).labels_


def _validity(labelled: Any) -> Any:
    import emst

    return [np.atleast_1d(emst.validity_index(*labelled, device="cpu"))]


def _written(arrays: Arrays) -> Any:
    """A .csv, which is deleted with the folder that is returned as well."""
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name) / "points.csv"
    lines = "\n".join(",".join(map(repr, row)) for row in arrays[0].tolist())
    path.write_text(f"x,y,z\n{lines}\n")
    return folder, path


def _reading(written: Any) -> Any:
    import emst

    return [emst.read_points(written[1])]


def _tree_stages(arrays: Arrays) -> dict[str, float]:
    from stages import time_stages

    return time_stages(arrays[0], 1, "cpu")["seconds"]


def _no_stages(prepared: Any) -> dict[str, float]:
    return {}


def _labels_stages(k: int, arrays: Arrays) -> dict[str, float]:
    from contestants import MIN_CLUSTER_SIZE
    from stages import time_labels, time_stages

    tree = time_stages(arrays[0], k, "cpu")["seconds"]
    after = time_labels(arrays[0], k, MIN_CLUSTER_SIZE, "cpu", runs=1)["seconds"]
    return tree | {name: seconds for name, seconds in after.items() if name != "tree"}


def _operations(module: str, run: Callable[[Any], Any], prepared: Any) -> dict[str, float]:
    """Seconds of every operation that the stages of this module call in one run."""
    from stages import Timed

    stages = importlib.import_module(module)
    backend_of, ops = stages.backend_of, Timed(stages.backend_of("cpu"))
    try:
        stages.backend_of = lambda *_: ops
        run(prepared)
    finally:
        stages.backend_of = backend_of
    return ops.seconds


def _of_tree(result: Any) -> str:
    return _of_contestant("emst", result)


def _of_tree_of_workers(tree: Any) -> str:
    from contestants import checksum

    edges = tree.edges.compute()
    return checksum(edges[:, 0], edges[:, 1])


def _of_contestant(name: str, result: Any) -> str:
    from contestants import ours

    return ours("cpu")[name].figures(result)["checksum"]


def _of_forest(forest: Any) -> str:
    from contestants import checksum

    return checksum(forest.edges[:, 0], forest.edges[:, 1])


def _of_arrays(arrays: Any) -> str:
    from contestants import checksum

    return " ".join(checksum(np.ascontiguousarray(array).reshape(-1).view(np.uint64)) for array in arrays)


_of_labels = partial(_of_contestant, "HDBSCANGPU")


def _after(title: str, size: int, run: Callable[[Any], Any], module: str = "emst.hdbscan.model") -> Work:
    """What follows from a clustering of `size` blobs."""
    stages = partial(_operations, module, run)
    return Work(title, size, partial(_points, "blobs", 3), run, _of_arrays, stages, _fitted)


def _uneven(title: str, size: int, name: str, d: int, k: int, metric: str = "euclidean") -> Work:
    run = partial(_labels, k, metric=metric)
    stages = partial(_labels_stages, k) if metric == "euclidean" else _no_stages
    return Work(f"labels, {title}, k = {k}", size, partial(_points, name, d), run, _of_labels, stages, sized=False)


_CLUSTERED = f"{{:,}} x 3 blobs, k = {CLUSTERED_BY}"

WORKS = {
    "tree": Work("tree, {:,} x 3 uniform", 2_000_000, partial(_points, "uniform", 3), _tree, _of_tree, _tree_stages),
    "labels": Work(
        f"labels, {_CLUSTERED}",
        2_000_000,
        partial(_points, "blobs", 3),
        partial(_labels, CLUSTERED_BY),
        _of_labels,
        partial(_labels_stages, CLUSTERED_BY),
    ),
    "graph": Work(
        "forest, {:,} vertices, four edges each",
        2_000_000,
        _csr,
        _forest,
        _of_forest,
        partial(_operations, "emst.graph.msf", _forest),
    ),
    "small": Work(
        "tree, {:,} x 2 uniform",
        1_000,
        partial(_points, "uniform", 2),
        _tree,
        _of_tree,
        _tree_stages,
        sized=False,
    ),
    "dimensions": Work(
        "labels, {:,} x 384 blobs, k = 16",
        20_000,
        partial(_points, "blobs", 384),
        partial(_labels, 16),
        _of_labels,
        partial(_labels_stages, 16),
        sized=False,
    ),
    "tracks": _uneven("{:,} x 3 tracks", 1_000_000, "tracks", 3, 6),
    "lognormal": _uneven("{:,} x 2 lognormal(0, 7)", 300_000, "lognormal", 2, 6),
    "k": _uneven("{:,} x 2 uniform", 300_000, "uniform", 2, 201),
    "manhattan": _uneven("{:,} x 3 blobs, Manhattan", 500_000, "blobs", 3, 6, "manhattan"),
    "workers": Work(
        "tree by workers of Dask, one a thread, {:,} x 3 uniform",
        2_000_000,
        partial(_points, "uniform", 3),
        _tree_of_workers,
        _of_tree_of_workers,
        _no_stages,
        _on_workers,
    ),
    "prediction": _after(f"labels of the other half of {_CLUSTERED}", 2_000_000, _prediction),
    "membership": _after(f"membership vectors of one half of {_CLUSTERED}", 200_000, _membership),
    "attributes": _after(f"scores, exemplars and a cut of one half of {_CLUSTERED}", 2_000_000, _attributes),
    "centers": _after(
        f"centroids and medoids of one half of {_CLUSTERED}", 2_000_000, _centers, "emst.hdbscan.medoids"
    ),
    "validity": Work(
        f"validity index of {_CLUSTERED}",
        50_000,
        partial(_points, "blobs", 3),
        _validity,
        _of_arrays,
        partial(_operations, "emst.hierarchy.validity", _validity),
        _labelled,
    ),
    "reading": Work(
        "reading a .csv, {:,} x 3 uniform",
        1_000_000,
        partial(_points, "uniform", 3),
        _reading,
        _of_arrays,
        _no_stages,
        _written,
    ),
}
