"""fast_hdbscan's own tests of clusterings, run on `emst.compat.hdbscan`. They are fetched, not kept here.

    python tests/compat/fast_hdbscan_suite.py [folder of its tests] [arguments of pytest]

Without the folder `fast_hdbscan/tests` of TutteInstitute/fast_hdbscan, the files of COMMIT are downloaded. fast_hdbscan
itself is not needed: the modules that the tests import are made here. `EMST_TEST_DEVICE` says where to compute.
benchmarks/results/peers.md holds the outcome.
"""

import functools
import os
import pathlib
import sys
import tempfile
import types
import urllib.request

import pytest

from emst.compat import hdbscan

COMMIT = "e9c75c5407f92e055c98bbfea3a39e21c188dadf"
URL = f"https://raw.githubusercontent.com/TutteInstitute/fast_hdbscan/{COMMIT}/fast_hdbscan/tests"
FILES = ("test_hdbscan.py", "test_edge_cases.py")  # the others test private helpers, branches and PLSCAN
DEVICE = os.environ.get("EMST_TEST_DEVICE", "auto")

FORMS = "documented convention: dense matrices of distances are accepted"
TYPES = "documented convention: a number may be an integer where fast_hdbscan takes only floats"
MESSAGES = "documented convention: the same ValueError in other words"
ONE_POINT = "documented convention: one point alone is an error, as in scikit-learn"
PRIVATE = "a private helper of fast_hdbscan"
ROWS = "documented convention: an error where rows of a sparse matrix hold fewer distances than min_samples takes"
MISSING = "documented convention: there are no sample weights, no labels to fit, no PLSCAN, no detectors"
TIES = (
    "exactness: expects 69 points of noise, as found where equal heights are merged two at a time (62 to 69, depending "
    "on the order of the rows); the definition has 71. Expects epsilon to select the root cluster, which is not allowed"
)
EXPECTED = {
    "test_hdbscan_sample_weight": MISSING,
    "test_precomputed_reject_sample_weight": MISSING,
    "test_precomputed_semi_supervised_requires_labels": MISSING,
    "test_precomputed_semi_supervised_label_length_validation": MISSING,
    "test_plscan_rejects_sparse_input": MISSING,
    "test_subcluster_rejects_precomputed_clusterer": MISSING,
    "test_hdbscan_badargs": TYPES,
    "test_hdbscan_allow_single_cluster_with_epsilon": TIES,
    "test_mst_entry": PRIVATE,
    "test_hdbscan_precomputed_sparse_basic_fit": ROWS,
    "test_precomputed_isolated_nodes_autobridge_inf_chain": ROWS,
    "test_precomputed_validation_non_square": MESSAGES,
    "test_precomputed_validation_negative_weight": MESSAGES,
    "test_precomputed_validation_nonfinite_weight": MESSAGES,
    "test_precomputed_validation_dense_matrix": FORMS,
    "test_single_point": ONE_POINT,
}


# What the tests import


class HDBSCAN(hdbscan.HDBSCAN):
    """fast_hdbscan's attribute of the spanning tree, and the device that the environment names."""

    __init__ = functools.partialmethod(hdbscan.HDBSCAN.__init__, device=DEVICE, gen_min_span_tree=True)

    @property
    def _min_spanning_tree(self):
        return self.minimum_spanning_tree_.to_numpy()


def fast_hdbscan(data, return_trees=False, **options):
    labels, probabilities, _, condensed, linkage, tree = hdbscan.hdbscan(
        data, gen_min_span_tree=return_trees, device=DEVICE, **options
    )
    return (labels, probabilities, linkage, condensed, tree, None, None) if return_trees else (labels, probabilities)


def compute_minimum_spanning_tree(data, **options):
    model = HDBSCAN(**options).fit(data)
    return model._min_spanning_tree, None, None


def nothing(*arguments, **options):
    raise NotImplementedError("emst has nothing like it")


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made
    return made


def give_modules():
    """Put the modules that the tests import in their places."""
    module("fast_hdbscan", HDBSCAN=HDBSCAN, fast_hdbscan=fast_hdbscan, PLSCAN=nothing).__path__ = []
    functions = {"compute_minimum_spanning_tree": compute_minimum_spanning_tree, "clusters_from_spanning_tree": nothing}
    module("fast_hdbscan.hdbscan", **functions)
    module("fast_hdbscan.sub_clusters", find_sub_clusters=nothing)


class Plugin:
    """The expected failures."""

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if item.originalname in EXPECTED:
                item.add_marker(pytest.mark.xfail(reason=EXPECTED[item.originalname], strict=True))


def main():
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(arguments.pop(0)) if arguments and pathlib.Path(arguments[0]).is_dir() else None
        for name in FILES:
            file = pathlib.Path(folder) / name
            if source:
                file.write_text((source / name).read_text())
            else:
                urllib.request.urlretrieve(f"{URL}/{name}", file)
        give_modules()
        options = ["-c", os.devnull, "--rootdir", folder, "-p", "no:cacheprovider", "-q"]
        files = [str(pathlib.Path(folder) / name) for name in FILES]
        sys.exit(pytest.main([*options, *files, *arguments], plugins=[Plugin()]))


if __name__ == "__main__":
    main()
