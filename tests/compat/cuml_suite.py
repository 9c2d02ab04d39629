"""cuML's own tests of HDBSCAN, run on `emst.compat.cuml_hdbscan`. They are fetched, not kept here.

    python tests/compat/cuml_suite.py [test_hdbscan.py] [arguments of pytest]

Without the file `python/cuml/tests/test_hdbscan.py` of rapidsai/cuml, the one of COMMIT is downloaded. cuML itself is
not needed: the modules that the tests import are made here from `emst`, scikit-learn and numpy. The tests compare with
the hdbscan package. Those that depend on cuML's kinds of results are expected to fail. `EMST_TEST_DEVICE` says where to
compute. benchmarks/results/peers.md holds the outcome.
"""

import functools
import os
import pathlib
import sys
import tempfile
import types
import urllib.request

import numpy as np
import pytest
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

from emst.backend import backend_of
from emst.backend.records import Condensed, Linkage
from emst.compat import cuml_hdbscan
from emst.compat.hdbscan.plots import SingleLinkageTree
from emst.hdbscan.trees import CondensedTree
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import Options, flat_clustering

COMMIT = "342457bcb82bbdd6aadab6dc37fb808a838b1c31"
URL = f"https://raw.githubusercontent.com/rapidsai/cuml/{COMMIT}/python/cuml/tests/test_hdbscan.py"
DEVICE = os.environ.get("EMST_TEST_DEVICE", "auto")

KINDS = "documented convention: results are numpy or cupy arrays, not data frames"
METRICS = "documented convention: more metrics than cuML's Euclidean one"
PERSISTENCE = "documented convention: persistence is at most 1; that of a root with few members exceeds 1 in hdbscan"
TIES = (
    "exactness: sizes of clusters in the condensed tree are compared with hdbscan's, which merges equal heights two at "
    "a time; ours are those of the definition"
)
PREDICTION = (
    "exactness: hdbscan takes k - 1 other points for the core distance of a training point and k + 1 training points "
    "for that of a new one, not k for both as in the tree"
)
MEMBERSHIP = "documented convention: new points are weighted as training points are; hdbscan has two formulas"
EXPECTED = {
    "test_all_points_membership_vectors_output_type": KINDS,
    "test_membership_vector_output_type": KINDS,
    "test_approximate_predict_output_type": KINDS,
    "test_hdbscan_metric_parameter_input[l1-False]": METRICS,
    "test_hdbscan_cluster_patterns": TIES,
}
POSSIBLE = {  # some cases of each, by the name of the test: a reason, and the parameters of these cases
    "test_hdbscan_sklearn_datasets": (PERSISTENCE, {"method": "eom", "single": True}),
    "test_approximate_predict_moons": (PREDICTION, {}),
    "test_approximate_predict_digits": (PREDICTION, {}),
    "test_membership_vector_circles": (MEMBERSHIP, {}),
}
PARAMETERS = {"method": "cluster_selection_method", "single": "allow_single_cluster"}


def mark_of(item):
    """The mark of an expected or possible failure, or None."""
    reason = EXPECTED.get(item.name, EXPECTED.get(item.originalname))
    if reason is not None:
        return pytest.mark.xfail(reason=reason, strict=True)
    reason, needed = POSSIBLE.get(item.originalname, (None, {}))
    if reason is None or any(item.callspec.params[PARAMETERS[name]] != value for name, value in needed.items()):
        return None
    return pytest.mark.xfail(reason=reason, raises=AssertionError, strict=False)


# What the tests import


def condense_hierarchy(dendrogram, min_cluster_size):
    """cuML's private helper: the condensed tree of SciPy's linkage matrix."""
    ops = backend_of("cpu")
    linkage, _, _ = SingleLinkageTree(dendrogram)._fetch()
    condensed = condensed_tree(linkage, min_cluster_size, 0.0, ops)
    return CondensedTree(condensed, flat_clustering(condensed, Options(), ops).selection).to_numpy()


def condensed_of(table):
    """The record of a condensed tree, from hdbscan's table. What only `simplify` and plots read is left empty."""
    n = int(table["parent"].min())
    of_points = table[table["child"] < n]
    of_clusters = np.sort(table[table["child"] >= n], order="child")
    count = len(of_clusters) + 1
    parent, children = np.full(count, -1, np.int32), np.zeros((count, 2), np.int32)
    birth, size = np.zeros(count), np.full(count, n, np.int32)
    parent[1:], birth[1:], size[1:] = of_clusters["parent"] - n, of_clusters["lambda_val"], of_clusters["child_size"]
    first = np.arange(1, count, 2)  # children are numbered in pairs
    children[parent[first]] = np.stack([first, first + 2], axis=1)
    death, stability = np.zeros(count), np.zeros(count)
    np.maximum.at(death, table["parent"] - n, table["lambda_val"])
    with np.errstate(invalid="ignore"):
        stays = np.nan_to_num(table["lambda_val"] - birth[table["parent"] - n], nan=0.0, posinf=np.inf)
    np.add.at(stability, table["parent"] - n, stays * table["child_size"])
    order = np.argsort(-of_points["lambda_val"], kind="stable")
    cluster, merge = np.zeros(n, np.int32), np.zeros(n, np.int32)
    cluster[of_points["child"]] = of_points["parent"] - n
    merge[of_points["child"][order]] = np.arange(n)
    with np.errstate(divide="ignore"):
        height = 1 / of_points["lambda_val"][order]
    linkage, none = Linkage(np.zeros((n - 1, 2), np.int32), np.zeros(n - 1, np.int32), height), np.empty(0, np.int32)
    tree = (parent, children, none, birth, death, size, stability)
    return OfTable(linkage, 2, *tree, cluster, merge, of_merge=none, left=none)


class OfTable(Condensed):
    """It has no nodes."""

    def born_heights(self):
        with np.errstate(divide="ignore"):
            return 1 / self.birth


def extract_clusters(
    condensed_tree,
    allow_single_cluster=False,
    max_cluster_size=0,
    cluster_selection_method="eom",
    cluster_selection_epsilon=0.0,
):
    """cuML's private helper: labels and probabilities from hdbscan's table."""
    options = Options(
        method=cluster_selection_method,
        epsilon=cluster_selection_epsilon,
        max_cluster_size=max_cluster_size or None,
        allow_single_cluster=allow_single_cluster,
        unsplit_root=False,
    )
    flat = flat_clustering(condensed_of(condensed_tree), options, backend_of("cpu"))
    return flat.labels, flat.probabilities


def make_pattern(name, n_samples):
    """cuML's `cuml.testing.datasets.make_pattern`, for the patterns of these tests."""
    np.random.seed(0)  # noqa: NPY002 - the generators of scikit-learn take their numbers from it
    makers = {
        "noisy_circles": lambda: datasets.make_circles(n_samples, factor=0.5, noise=0.05),
        "noisy_moons": lambda: datasets.make_moons(n_samples, noise=0.05),
        "varied": lambda: datasets.make_blobs(n_samples, cluster_std=[1.0, 2.5, 0.5], random_state=170),
    }
    return [makers[name](), {}]


def array_equal(a, b, unit_tol=1e-4, total_tol=1e-4):
    """cuML's `cuml.testing.utils.array_equal`: at most a share of `total_tol` differs by more than `unit_tol`."""
    return (np.abs(np.asarray(a) - np.asarray(b)) > unit_tol).mean() <= total_tol


class OnHost(np.ndarray):
    """A numpy array with CuPy's `get`."""

    def get(self):
        return np.asarray(self)


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made
    return made


def give_modules():
    """Put the modules that the tests import in their places."""
    for name in ("cuml", "cuml.testing", "cuml.cluster"):
        module(name).__path__ = []
    module("cuml.metrics", adjusted_rand_score=adjusted_rand_score)
    module("cuml.testing.datasets", make_pattern=make_pattern)
    module("cuml.testing.utils", array_equal=array_equal)
    functions = {name: getattr(cuml_hdbscan, name) for name in cuml_hdbscan.__all__}
    module("cuml.cluster.hdbscan", **functions).__path__ = []
    module("cuml.cluster.hdbscan.hdbscan", _condense_hierarchy=condense_hierarchy, _extract_clusters=extract_clusters)
    one = cuml_hdbscan.HDBSCAN
    one.__init__ = functools.partialmethod(one.__init__, device=DEVICE)


class Plugin:
    """Fixtures of cuML's conftest, numpy in the place of cupy, and the expected failures."""

    @pytest.fixture(params=["digits", "diabetes", "breast_cancer"])
    def supervised_learning_dataset(self, request):
        return getattr(datasets, f"load_{request.param}")().data

    def pytest_collection_modifyitems(self, items):
        on_host = types.SimpleNamespace(
            asarray=np.asarray,
            asnumpy=np.asarray,
            ndarray=np.ndarray,
            sort=lambda a: np.sort(a).view(OnHost),
            unique=np.unique,
        )
        for item in items:
            item.module.cp = on_host
            mark = mark_of(item)
            if mark is not None:
                item.add_marker(mark)


def main():
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "test_hdbscan.py"
        if arguments and arguments[0].endswith(".py"):
            file.write_text(pathlib.Path(arguments.pop(0)).read_text())
        else:
            urllib.request.urlretrieve(URL, file)
        give_modules()
        options = ["-c", os.devnull, "--rootdir", folder, "-p", "no:cacheprovider", "-q", str(file)]
        sys.exit(pytest.main([*options, *arguments], plugins=[Plugin()]))


if __name__ == "__main__":
    main()
