"""`emst warm-up`: compile the kernels for this machine, before anybody waits for them."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from emst.backend.notices import keeps_kernels
from emst.cli.shared import Commands, add_device

if TYPE_CHECKING:
    import numpy as np

Step: TypeAlias = tuple[str, Callable[[], Any]]

UNKEPT = "kernels were compiled, but not all of them could be kept on disk"
MOST = 16  # processes; each takes about 400 MB
WEIGHTS = ("int32", "int64", "float32", "float64")
METRICS = [("manhattan", {}), ("chebyshev", {}), *(("minkowski", {"p": p}) for p in (1.5, 2.7, 3))]

DESCRIPTION = """\
Compile the kernels for this machine in advance and keep them on disk: for container images and classrooms. The command
works on small data of its own. It takes a minute or two on all cores, or seconds if the kernels are compiled already.

CPU: trees, clusterings, prediction, membership vectors, validity and forests, in float32 and float64, for any number of
dimensions, any min_samples, all metrics of the tree search and all types of weights.

GPU, if there is a usable one and --device cpu is not given: the same for 2, 3 and 5 dimensions and for min_samples 1
and 5. Each number of dimensions up to 32 and each min_samples up to 32 has kernels of its own on the GPU. Those of
other values are compiled when they are first used, and so are those for graphs of more than 2^32 - 2 entries.

The environment variable NUMBA_CACHE_DIR says where kernels for the CPU are kept; by default they lie beside the
package's files or, if these cannot be written, in the user's cache folder. Set it to a folder that stays, and to the
same one when the package is used. Kernels for the GPU are kept by CuPy, in CUPY_CACHE_DIR. Other processors and other
versions of emst or numba compile anew.
"""

EXAMPLES = """\
examples:
  emst warm-up
  NUMBA_CACHE_DIR=/opt/kernels emst warm-up --device cpu
"""


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = commands.add_parser(
        "warm-up",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="compile the kernels for this machine in advance",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add_device(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Compile for the CPU, and for a GPU if there is one and it is wanted."""
    from tqdm import tqdm

    from emst.backend import backend_of
    from emst.inputs.devices import choose_device

    gpu, start = choose_device(arguments.device) == "cuda", time.perf_counter()
    cpu_steps, gpu_steps = (list(_steps(device)) if wanted else [] for device, wanted in (("cpu", True), ("cuda", gpu)))
    shown = {"unit": " step", "disable": not sys.stderr.isatty(), "leave": False}
    with tqdm(total=len(cpu_steps) + len(gpu_steps), **shown) as bar, _processes() as pool:
        # Processes take the steps in order, and keep what they compile on disk for each other.
        compiled = [pool.submit(_compiled, step) for step in cpu_steps]
        for name, call in gpu_steps:
            call()
            _show(bar, f"cuda: {name}")
        kernels, folders, kept_all = set[str](), set[str](), True
        for step in concurrent.futures.as_completed(compiled):
            name, found, folder, kept = step.result()
            kernels |= found
            folders.add(folder)
            kept_all &= kept
            _show(bar, f"cpu: {name}")
    if not (kept_all and keeps_kernels()):
        raise OSError(UNKEPT)
    ready = f"{len(kernels):,} kernels for cpu in {os.path.commonpath(folders)}"
    if gpu:
        found, folder = backend_of("cuda").kernels_ready()
        ready += f", {len(found):,} kernels for cuda in {folder}"
    print(f"ready after {time.perf_counter() - start:.1f} s: {ready}")


@contextlib.contextmanager
def _processes() -> Iterator[Any]:
    """A process for every core. They end with the block around them, at once after an interrupt, which they ignore."""
    import multiprocessing

    from emst.backend import backend_of

    count, ignore = min(backend_of("cpu").parallelism()[0], MOST), (signal.SIGINT, signal.SIG_IGN)
    context = multiprocessing.get_context("spawn")
    pool = concurrent.futures.ProcessPoolExecutor(count, context, signal.signal, ignore)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown()


def _compiled(step: Step) -> tuple[str, set[str], str, bool]:
    """Take a step. Returns its name, the kernels that this process has compiled or loaded, their folder, and whether
    all could be kept there."""
    from emst.backend import backend_of

    name, call = step
    call()
    return name, *backend_of("cpu").kernels_ready(), keeps_kernels()


def _show(bar: Any, name: str) -> None:
    bar.set_description(name)
    bar.update()


def _steps(device: str) -> Iterator[Step]:
    """Names and calls that between them meet every kernel with every type. Neighbours have few kernels in common, so
    that processes that take them at the same time seldom compile the same."""
    of_points, of_graphs = list(_steps_of_points(device)), list(_steps_of_graphs(device))
    for steps in itertools.zip_longest(of_points, of_graphs):
        yield from (step for step in steps if step is not None)


def _steps_of_graphs(device: str) -> Iterator[Step]:
    for weight, index in itertools.product(WEIGHTS, ("int32", "int64")):
        yield f"forests, {weight} weights, {index} offsets", partial(_forests, weight, index, device)
    yield "forests, many vertices", partial(_many_vertices, device)
    for algorithm in ("contraction", "primitives", "partial-prim", "hybrid"):
        yield f"forests, {algorithm}", partial(_published, algorithm, device)


def _steps_of_points(device: str) -> Iterator[Step]:
    for d, dtype in itertools.product((3, 2, 5), ("float32", "float64")):
        yield f"trees, {d}-D {dtype}", partial(_trees, d, dtype, device)
        for k in (1, 5):
            yield f"clusters, {d}-D {dtype}, min_samples {k}", partial(_clusters, d, dtype, k, device)
    for dtype in ("float32", "float64") if device == "cpu" else ():
        yield f"trees, many dimensions, {dtype}", partial(_many_dimensions, dtype, device)
    for dtype in ("float32", "float64"):
        yield f"distance matrices, {dtype}", partial(_matrices, dtype, device)
    for dtype, (metric, params) in itertools.product(("float32", "float64"), METRICS):
        if dtype == "float64" or not params:  # powers are float64 in any case
            yield f"clusters, {metric} {params or ''} {dtype}", partial(_under, metric, params, dtype, device)
    yield "validity", partial(_validity, device)


SIZES = (600, 10_000)  # few and many points have kernels of their own


def _points(d: int, dtype: str, n: int = 600) -> np.ndarray:
    """Four clusters with noise; rounded, so that there are equal points and equal distances."""
    import numpy as np

    random = np.random.default_rng(0)
    points = random.normal(size=(n, d)) + 12 * random.integers(0, 2, (n, 2)).repeat(d, axis=1)[:, :d]
    return points.round(1).astype(dtype)


def _trees(d: int, dtype: str, device: str) -> None:
    from emst import minimum_spanning_tree

    for n, k in itertools.product(SIZES, (1, 5)):
        minimum_spanning_tree(_points(d, dtype, n), min_samples=k, device=device)


def _many_dimensions(dtype: str, device: str) -> None:
    """Noise, which is multiplied, and clusters, which are walked and multiplied."""
    import numpy as np

    from emst import minimum_spanning_tree

    noise = np.random.default_rng(0).normal(size=(1000, 256)).astype(dtype)
    for points, k in itertools.product((noise, _points(32, dtype)), (1, 5, 20)):
        minimum_spanning_tree(points, min_samples=k, device=device)


def _clusters(d: int, dtype: str, k: int, device: str) -> None:
    from emst import HDBSCANGPU, all_points_membership_vectors, approximate_predict_scores, membership_vector

    for n in SIZES[::-1]:
        points = _points(d, dtype, n)
        model = HDBSCANGPU(min_cluster_size=5, min_samples=k, device=device).fit(points)
    model.predict(points[:50] + points.dtype.type(0.01))
    approximate_predict_scores(model, points[:50])
    membership_vector(model, points[:50])
    all_points_membership_vectors(model)
    model.dbscan_clustering(1.0)
    model.recluster(cluster_selection_method="leaf", cluster_selection_epsilon=0.5, cluster_selection_persistence=0.1)
    model.recluster(y=[0] * 100 + [1] * (len(points) - 100), must_link=[[0, 1]])
    _ = model.outlier_scores_, model.exemplars_


def _under(metric: str, params: dict[str, float], dtype: str, device: str) -> None:
    from emst import HDBSCANGPU

    for n, k, d in itertools.product(SIZES, (1, 5), (2, 3, 5)):
        points = _points(d, dtype, n)
        model = HDBSCANGPU(min_samples=k, metric=metric, metric_params=params, device=device).fit(points)
        model.predict(points[:50] + points.dtype.type(0.01))


def _matrices(dtype: str, device: str) -> None:
    from scipy.spatial.distance import cdist

    from emst import HDBSCANGPU

    points = _points(2, dtype)[::4]
    matrix = cdist(points, points).astype(dtype)
    for k in (1, 5):
        HDBSCANGPU(min_samples=k, metric="precomputed", device=device).fit(matrix)


def _validity(device: str) -> None:
    from emst import validity_index

    points = _points(2, "float64")
    validity_index(points, (points[:, 0] > 6).astype(int), device=device)


def _edges(n: int, m: int, weight: str) -> Any:
    """A random graph as scipy's matrix in coordinates, each edge in one direction."""
    import numpy as np
    from scipy.sparse import coo_array

    random = np.random.default_rng(0)
    ends = np.sort(random.integers(0, n, (2, m)), axis=0)
    return coo_array((random.integers(1, 100, m).astype(weight), tuple(ends)), shape=(n, n))


def _forests(weight: str, index: str, device: str) -> None:
    """Few and many edges a vertex, in one direction and in both."""
    import numpy as np

    from emst import graph_msf

    for m in (4_000, 120_000):
        upper = _edges(2_000, m, weight).tocsr()
        for graph in (upper, upper + upper.T):
            indptr, indices = graph.indptr.astype(index), graph.indices.astype(np.int32)
            graph_msf((indptr, indices, graph.data), device=device, return_labels=True)


def _many_vertices(device: str) -> None:
    """So many that those of the largest component are marked."""
    from emst import graph_msf

    graph_msf(_edges(140_000, 1_000_000, "float32"), symmetric="min", device=device)


def _published(algorithm: str, device: str) -> None:
    from emst import graph_msf

    for weight in WEIGHTS:
        graph_msf(_edges(2_000, 20_000, weight), algorithm=algorithm, symmetric="min", device=device)
