"""What several test files need: arrays on either device, and the stages before the one under test."""

import copy
import pathlib
import runpy
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
import reference
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import emst
from emst.backend.records import EUCLIDEAN, Forest
from emst.inputs.scaling import scale_of

# Other programs add rounded roots: n roundings of 2^-53 in the sum, a few in each root.
CLOSE = 1e-12
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"  # real data that the project may not commit
DIMENSIONS = [1, 2, 3, 4, 7, 20, 70]
DTYPES = [np.float32, np.float64]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def to_device(ops, array):
    """A copy of a numpy array on the backend's device."""
    return ops.asarray(np.array(array, order="C"))


def to_host(array):
    """A numpy array, from either device."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


OWN = ("scratch", "first_round")  # fields of a forest that only its backend reads


def forest_on(ops, forest):
    """A copy of a numpy forest on the backend's device."""
    values = {field.name: getattr(forest, field.name) for field in fields(forest) if field.name not in OWN}
    return Forest(**{key: to_device(ops, value) for key, value in values.items()})


def forest_at_home(forest):
    """The forest with numpy arrays, without the backend's buffers."""
    values = {field.name: getattr(forest, field.name) for field in fields(forest) if field.name not in OWN}
    return Forest(**{key: np.array(to_host(value)) for key, value in values.items()})


def scale_and_order(x, norm=EUCLIDEAN, core_factor=1.0):
    """The power of two that the points are scaled by, and their rows in curve order."""
    scale = scale_of(reference.point_statistics(x), x.dtype, norm.degree, core_factor)
    return scale, reference.curve_order(x, scale).rows


def hierarchies(ops, x, k=1, norm=EUCLIDEAN):
    """The bounding volume hierarchies of the backend and of the reference; with core distances for k > 1."""
    scale, order = scale_and_order(x, norm)
    ours = ops.build_index(to_device(ops, x), to_device(ops, order), scale, norm)
    expected_bvh = reference.build_index(x, order, scale, norm)
    if k > 1:
        ops.core_distances(ours, k)
        reference.core_distances(expected_bvh, k)
    return ours, expected_bvh, order


def scaled_in_curve_order(x, norm=EUCLIDEAN, core_factor=1.0):
    """The reference's hierarchy of a point set, and the rows that its points came from."""
    scale, order = scale_and_order(x, norm, core_factor)
    return reference.build_index(x, order, scale, norm), order


def expected_tree(x, k=1, norm=EUCLIDEAN, core_factor=1.0):
    """Edges (u < v, caller's rows) and weights of the unique tree, in the total order."""
    index, order = scaled_in_curve_order(x, norm, core_factor)
    core = reference.core_distances(index, k) if k > 1 else None
    if core is not None:
        core = core * core.dtype.type(core_factor)
    u, v, weight = reference.kruskal(index.scaled, core, index.norm)
    rows = np.sort(np.stack([order[u], order[v]], axis=1), axis=1)
    return rows.astype(np.int32), np.maximum.accumulate(reference.unscaled(index, weight, np.arange(len(weight))))


def assert_same_bits(a, b):
    """Two spanning trees have the same edges, weights and core distances, bit for bit."""
    np.testing.assert_array_equal(a.edges, b.edges)
    np.testing.assert_array_equal(a.weights, b.weights)
    if a.core_distances is not None:
        np.testing.assert_array_equal(a.core_distances, b.core_distances)


def random_components(x, seed, count):
    """A labelling as Borůvka leaves it: any partition, each part labelled by its smallest member."""
    part = np.random.default_rng(seed).integers(0, count, len(x))
    _, first, inverse = np.unique(part, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int32)


def spans(edges, n):
    """Whether n - 1 edges join all n points, by union-find."""
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for u, v in np.asarray(edges).tolist():
        parent[root(u)] = root(v)
    return len(edges) == n - 1 and len({root(i) for i in range(n)}) == 1


def cloud(n, d, dtype, kind="uniform", seed=0):
    """Small point sets: no ties, all ties, every point several times, or uneven density."""
    g = np.random.default_rng([seed, n, d])
    if kind == "uniform":
        x = g.random((n, d))
    elif kind == "lattice":
        x = g.integers(0, max(2, round(n ** (1 / d))), (n, d))
    elif kind == "repeated":
        x = g.random((max(1, n // 4), d))[g.integers(0, max(1, n // 4), n)]
    elif kind == "uneven":
        x = g.standard_normal((n, d)) * np.exp(3 * g.standard_normal((n, 1)))
    return x.astype(dtype)


KINDS = ["uniform", "lattice", "repeated", "uneven"]

# Below these limits, the CPU does a stage in one call. With 0, it does what it does with many points.
LIMITS = [f"emst.cpu.{room}.FEW" for room in ("points.small", "points.order", "points.result", "hierarchy.condensed")]


def clone(forest):
    """A deep copy: operations write into their arguments."""
    return copy.deepcopy(forest)


def mutual_reachability(x, k):
    distance = cdist(x, x)
    core = np.sort(distance, axis=1)[:, k - 1]
    return np.maximum(np.maximum(core[:, None], core[None]), distance)


def tree(ops, x, k=1, **options):
    return emst.minimum_spanning_tree(x, min_samples=k, device=ops.name, **options)


def check_tree(tree, expected, dtype):
    """Whether a tree is the expected one, bit for bit."""
    edges, weights, core = map(to_host, tree)
    assert edges.dtype == np.int32 and weights.dtype == core.dtype == dtype
    for ours, theirs in zip((edges, weights, core), expected):
        np.testing.assert_array_equal(ours, theirs)


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1 and np.array_equal(a == -1, b == -1)


def table_of(benchmark, options, tmp_path, process=False):
    """Rows of the tables that a command of `benchmarks` writes: lists of cells. `process` gives it its own process."""
    path = tmp_path / "x.md"
    command = ["benchmarks", benchmark, *options.split(), "--markdown", str(path)]
    if process:
        subprocess.run([sys.executable, *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(ROOT / "benchmarks")
            patch.setattr(sys, "argv", command)
            runpy.run_path(str(ROOT / "benchmarks/__main__.py"), run_name="benchmarks")["main"]()
    lines = [line for line in path.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def blobs(n=300, d=2, dtype=np.float64, seed=0):
    g = np.random.default_rng(seed)
    centres = g.uniform(-3, 3, (4, d))
    return (centres[g.integers(0, 4, n)] + g.standard_normal((n, d)) * g.uniform(0.1, 0.6, (n, 1))).astype(dtype)


def around(x, seed=1):
    """New points: equal to the old ones, near them, and between them."""
    g = np.random.default_rng(seed)
    spread = x.std(axis=0) + 1e-3
    near = x[g.integers(0, len(x), 80)] + g.standard_normal((80, x.shape[1])) * 0.2 * spread
    between = x[g.integers(0, len(x), 40)] * 0.5 + x[g.integers(0, len(x), 40)] * 0.5
    return np.clip(np.concatenate([x[::5], near, between]), x.min(axis=0), x.max(axis=0)).astype(x.dtype)
