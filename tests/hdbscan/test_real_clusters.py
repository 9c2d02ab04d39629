"""Labels on benchmark sets for clustering and on cuML's own cases. They lie outside the repository."""

import gzip
import json

import numpy as np
import pytest
from definition_reference import by_definition
from helpers import SHARED, same_partition
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from emst import HDBSCANGPU

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the reference data in ../shared/data")

REFERENCE = SHARED / "hdbscan-ref"
LARGEST = 4_000  # points


@pytest.fixture(scope="module")
def cuml_cases():
    with gzip.open(REFERENCE / "cuml_hdbscan_cases.json.gz") as file:
        return json.load(file)


def test_gagolewskis_batteries(ops):
    """With k = 2 weights are equal only where distances are. Without such ties every label is scikit-learn's, with them
    every label is that of the definition."""
    archive = np.load(REFERENCE / "gagolewski_v1_subset.npz")
    without_ties = 0
    for name in archive:
        if not name.endswith("__X") or len(x := archive[name].astype(np.float64)) > LARGEST:
            continue
        for method in ("eom", "leaf"):
            options = dict(min_samples=2, min_cluster_size=10, cluster_selection_method=method)
            ours = HDBSCANGPU(device=ops.name, **options).fit(x)
            *ends, weights = ours.minimum_spanning_tree_.to_numpy().T
            if (np.diff(weights) > 0).all():
                without_ties += 1
                expected = HDBSCAN(copy=True, **options).fit(x).labels_
            else:
                edges = np.stack(ends, axis=1).astype(int).tolist()
                expected = by_definition(len(x), edges, weights.tolist(), 10, method).labels
            assert same_partition(ours.labels_, expected), (name, method)
    assert without_ties > 40


def test_cumls_cases(ops, cuml_cases):
    """Its min_pts leaves out the point. Digits have ties: scikit-learn's labels agree with cuML's to 0.974 too."""
    for case in cuml_cases["hdbscan_inputsf2"]:
        given = case["data"]
        x = load_digits().data if isinstance(given, str) else np.reshape(given, (case["n_row"], case["n_col"]))
        model = HDBSCANGPU(case["min_cluster_size"], case["min_pts"] + 1, device=ops.name).fit(x)
        agreement = adjusted_rand_score(model.labels_, case["expected_labels"])
        assert agreement == 1 if len(x) < 100 else agreement > 0.97


def test_cumls_predictions(ops, cuml_cases):
    case = cuml_cases["approximate_predict_inputs"][0]
    x, queries = (np.reshape(case[name], (-1, case["n_col"])) for name in ("data", "points_to_predict"))
    model = HDBSCANGPU(case["min_cluster_size"], case["min_samples"] + 1, device=ops.name).fit(x)
    assert adjusted_rand_score(model.predict(queries), case["expected_labels"]) == 1
