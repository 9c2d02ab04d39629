"""Density-based cluster validity, against hdbscan's and against what the definition says where that is undefined."""

import importlib

import numpy as np
import pytest
import reference
from helpers import cloud, to_device, to_host
from scipy.spatial import distance
from sklearn.datasets import make_blobs

from emst.distances.pairwise import distances_between
from emst.hierarchy.validity import validity_index

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def blobs(sizes, d, seed, noise=0):
    x, labels = make_blobs(sizes, d, cluster_std=1.5, random_state=seed)
    if noise:
        g = np.random.default_rng(seed)
        x = np.concatenate([x, g.uniform(x.min(), x.max(), (noise, d))])
        labels = np.concatenate([labels, np.full(noise, -1)])
    return x, labels


METRICS = {"euclidean": distance.euclidean, "cityblock": distance.cityblock, "chebyshev": distance.chebyshev}


def theirs(x, labels, metric="euclidean", **options):
    """hdbscan's, with exact distances: its own Euclidean ones are rounded away by 1e-8."""
    validity = pytest.importorskip("hdbscan.validity")
    return validity.validity_index(x, labels, METRICS[metric], per_cluster_scores=True, **options)


def check(ours, expected):
    np.testing.assert_allclose(ours[0], expected[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], expected[1], rtol=1e-9)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize(
    "sizes, d, noise", [([50, 70, 30], 2, 20), ([200, 40], 3, 0), ([40, 2, 60, 3], 5, 9), ([9] * 20, 2, 5)]
)
def test_agrees_with_hdbscan(device, sizes, d, noise, raw):
    for seed in range(2):
        x, labels = blobs(sizes, d, seed, noise)
        ours = validity_index(x, labels, per_cluster_scores=True, mst_raw_dist=raw, device=device)
        check(ours, theirs(x, labels, mst_raw_dist=raw))
        assert validity_index(x, labels, mst_raw_dist=raw, device=device) == ours[0]


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "euclidean"])
def test_other_metrics_and_given_distances(metric):
    x, labels = blobs([50, 70, 30], 2, 4, 20)
    expected = theirs(x, labels, metric)
    check(validity_index(x, labels, metric, per_cluster_scores=True), expected)
    given = validity_index(distance.cdist(x, x, metric), labels, "precomputed", d=2, per_cluster_scores=True)
    check(given, expected)


def test_both_ways_agree_in_blocks(monkeypatch):
    """A callable metric is computed in blocks; blocks of a few rows give the same result."""
    monkeypatch.setattr("emst.distances.pairwise.BLOCK_BYTES", 8 * 500)
    x, labels = blobs([50, 70, 30], 3, 1, 20)
    ours = validity_index(x, labels, lambda a, b: np.sqrt(((a - b) ** 2).sum()), per_cluster_scores=True)
    check(ours, validity_index(x, labels, per_cluster_scores=True, device="cpu"))


def test_operations_equal_the_reference(ops):
    """Equal to the reference bit for bit, ties included."""
    for d in (1, 2, 6):
        x = np.concatenate(
            [cloud(40, d, np.float64, kind, seed=i) for i, kind in enumerate(["uniform", "lattice"] * 3)]
        )
        sizes = np.array([1, 2, 7, 90, 100, 40])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        cluster = np.repeat(np.arange(6, dtype=np.int32), sizes)
        columns = np.ascontiguousarray(x.T)
        core = np.round(np.random.default_rng(d).random(240), 1)
        on = [to_device(ops, a) for a in (columns, cluster, starts, core)]
        for ours, from_reference in [
            (ops.core_distance_sums(on[0], on[1], on[2], 5), reference.core_distance_sums(columns, cluster, starts, 5)),
            (ops.cluster_trees(on[0], on[2], on[3]), reference.cluster_trees(columns, starts, core)),
            ((ops.separations(*on),), (reference.separations(columns, cluster, starts, core),)),
        ]:
            for a, b in zip(ours, from_reference):
                np.testing.assert_array_equal(to_host(a), b)


@pytest.mark.gpu
@pytest.mark.parametrize("most", [2, 5, 1000])
@pytest.mark.parametrize("large, points", [(1, 1), (1, 30), (90, 16), (101, 16)])
def test_teams_of_blocks_change_nothing(monkeypatch, large, points, most):
    """Clusters are shared by several blocks, several clusters at a time or few."""
    cuda = importlib.import_module("emst.cuda")
    for name, value in {"LARGE": large, "POINTS_A_BLOCK": points, "most_resident": lambda *_: most}.items():
        monkeypatch.setattr(f"emst.cuda.distances.validity.{name}", value)
    test_operations_equal_the_reference(cuda)


@pytest.mark.gpu
def test_a_large_cluster_equals_the_cpu():
    from emst import cpu, cuda

    sizes = [30_000, 200, 9_000]
    x = np.round(np.random.default_rng(0).normal(size=(3, sum(sizes))), 2)
    starts, core = (
        np.concatenate([[0], np.cumsum(sizes)]),
        np.round(np.random.default_rng(1).random(sum(sizes)) / 50, 3),
    )
    ours = cuda.cluster_trees(*(to_device(cuda, a) for a in (x, starts, core)))
    for a, b in zip(ours, cpu.cluster_trees(x, starts, core)):
        np.testing.assert_array_equal(to_host(a), b)


@pytest.mark.parametrize("most", [1, 3, 132, 1000])
def test_teams_have_all_clusters_and_no_more_blocks_than_there_are(most):
    validity = pytest.importorskip("emst.cuda.distances.validity", reason="needs CuPy, which is not installed")
    for seed in range(20):
        points = np.random.default_rng(seed).integers(validity.LARGE, 10**6, min(most, seed + 1))
        sizes = validity.team_sizes(points, most)
        assert sizes.min() >= 1 and sizes.sum() <= most
        assert (sizes <= -(-points // validity.POINTS_A_BLOCK)).all()
        clusters = 3 * np.arange(len(points))
        cluster, rank, size, first = validity._teams(clusters, sizes).T
        for c, wanted in zip(clusters, sizes):
            team = np.flatnonzero(cluster == c)
            assert (size[team] == wanted).all() and rank[team].tolist() == list(range(wanted))
            assert (first[team] == team[0]).all() and len(team) == wanted


@pytest.mark.parametrize("device", DEVICES)
def test_scale_and_order_do_not_matter(device):
    x, labels = blobs([50, 70, 30], 2, 7, 20)
    _, scores = validity_index(x, labels, per_cluster_scores=True, device=device)
    for factor in (2.0**-600, 2.0**500):
        assert validity_index(x * factor, labels, per_cluster_scores=True, device=device)[1].tolist() == scores.tolist()
    order = np.random.default_rng(0).permutation(len(x))  # bare distances: mutual reachabilities tie
    index = validity_index(x, labels, mst_raw_dist=True, device=device)
    assert validity_index(x[order], labels[order], mst_raw_dist=True, device=device) == pytest.approx(index, rel=1e-12)


@pytest.mark.parametrize("p", [1.5, 3, 20, 32])
def test_scale_does_not_matter_to_powers(p):
    """To the power of p, these differences are too large or too small for float64."""
    x, labels = blobs([50, 70, 30], 3, 7, 20)
    index = validity_index(x, labels, "minkowski", p=p)
    assert 0 < index < 1
    for factor in (2.0**-400, 2.0**-34, 2.0**33, 2.0**400):
        assert validity_index(x * factor, labels, "minkowski", p=p) == pytest.approx(index, rel=1e-12)


@pytest.mark.parametrize(
    "w, expected", [([0, 1], 1), ([1, 0], 1e4), ([1e-300, 1], 10), ([0, 0], 0), ([2, 3], 1e4 * 2**0.01)]
)
def test_weighted_powers_beyond_float64(w, expected):
    """A weight of 0 times an infinite power would be NaN."""
    found = distances_between(np.zeros((1, 2)), np.array([[1e4, 1.0]]), "minkowski", {"p": 100, "w": w})
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["mahalanobis", "seuclidean"])
def test_a_metric_takes_its_parameters_from_all_finite_rows(metric):
    """As in a fit: so the scores of two clusterings can be compared."""
    x, labels = blobs([50, 70, 30], 2, 7, 20)
    labels[::5] = -1
    given = {"V": x.var(axis=0, ddof=1)} if metric == "seuclidean" else {"V": np.cov(x.T)}
    expected = validity_index(x, labels, metric, **given)
    assert validity_index(x, labels, metric) == pytest.approx(expected)
    gap = np.append(x, [[np.nan, 1.0]], axis=0)
    assert validity_index(gap, np.append(labels, -1), metric) == pytest.approx(expected * len(x) / len(gap))


@pytest.mark.parametrize("device", DEVICES)
def test_many_dimensions_do_not_overflow(device):
    """(1 / distance)^dimension of hdbscan's sum is infinite here, and its result NaN or wrong."""
    x, labels = blobs([30, 40], 200, 3)
    index, scores = validity_index(x / 1000, labels, per_cluster_scores=True, device=device)
    np.testing.assert_allclose(validity_index(x, labels, device=device), index, rtol=1e-9)
    assert 0 < index < 1 and np.isfinite(scores).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_what_the_definition_leaves_open_is_defined(device, metric):
    def scores(x, labels):
        return validity_index(np.asarray(x, float), labels, metric, per_cluster_scores=True, device=device)

    g = np.random.default_rng(0)
    x = g.random((20, 2))
    assert scores(x, [-1] * 20)[0] == 0 and len(scores(x, [-1] * 20)[1]) == 0
    assert scores(x, [0] * 20) == (0.0, [0.0])  # the only cluster
    index, each = scores(np.concatenate([x, x + 5, [[9, 9]]]), [0] * 20 + [2] * 20 + [3])  # label 1 has no points
    assert each[0] > 0 and each[1] == 0 and each[2] > 0 and each[3] == 0
    np.testing.assert_allclose(index, (each[0] + each[2]) * 20 / 41)
    index, each = scores(np.repeat([[0.0, 0], [3, 4]], 10, axis=0), np.repeat([0, 1], 10))  # no inside, well apart
    assert index == 1 and each.tolist() == [1, 1]
    assert scores(np.zeros((20, 2)), np.repeat([0, 1], 10))[1].tolist() == [0, 0]  # neither


def test_repeated_points_do_not_count_for_core_distances():
    x, labels = blobs([30, 40], 2, 3)
    x = np.concatenate([x, x[::2]])
    labels = np.concatenate([labels, labels[::2]])
    check(validity_index(x, labels, per_cluster_scores=True, device="cpu"), theirs(x, labels))


@pytest.mark.parametrize("far", [np.inf, 1e308])
def test_clusters_that_are_far_apart(far):
    one, two = np.array([[0, 1], [1, 0]]), np.full((2, 2), far)
    apart, labels = np.block([[one, two], [two, one]]), np.array([0, 0, 1, 1])
    options = {"metric": "precomputed", "d": 2, "per_cluster_scores": True, "device": "cpu"}
    index, scores = validity_index(apart, labels, **options)
    assert index == 1 and scores.tolist() == [1, 1]
    options["mst_raw_dist"] = True
    index, scores = validity_index(np.where(apart == 1, far, np.where(apart == far, 1, 0)), labels, **options)
    assert index == -1 and scores.tolist() == [-1, -1]
    assert validity_index(np.where(apart > 0, far, 0), labels, **options)[0] == 0


def test_bad_input():
    x, labels = blobs([30, 40], 2, 3)
    for wrong in (labels[:-1], labels.astype(float), labels[:, None]):
        with pytest.raises(ValueError, match="labels must hold one integer"):
            validity_index(x, wrong)
    with pytest.raises(ValueError, match="needs d"):
        validity_index(distance.cdist(x, x), labels, "precomputed")
    with pytest.raises(ValueError, match="square matrix"):
        validity_index(x, labels, "precomputed", d=2)
    for d in (0, 2.5):
        with pytest.raises(ValueError, match="d must be a positive integer"):
            validity_index(x, labels, d=d)
    x[7] = np.nan
    for metric in ("euclidean", "cityblock"):
        with pytest.raises(ValueError, match="NaN or infinity in rows of clusters, first in row 7"):
            validity_index(x, labels, metric)
    labels[7] = -3
    assert np.isfinite(validity_index(x, labels))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "euclidean", "p": 3}, "metric='euclidean' takes no parameters; got 'p'"),
        ({"metric": "canberra", "q": 3}, "^metric='canberra' does not take these parameters: 'q'$"),
        ({"metric": "mahalanobis", "VI": np.eye(3)}, r"VI has shape \(3, 3\), but X has 2 columns"),
        ({"metric": "mahalanobis", "V": np.ones((2, 2))}, "its parameter V has no inverse"),
        ({"metric": "seuclidean", "V": np.ones(3)}, r"V has shape \(3,\), but X has 2 columns"),
        ({"metric": lambda a, b: -1.0}, "gives -1 for rows 0 and 0 of X"),
    ],
    ids=["euclidean", "canberra", "mahalanobis VI", "mahalanobis V", "seuclidean", "function"],
)
def test_metrics_that_cannot_be_honoured(options, message):
    x, labels = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=message):
        validity_index(x, labels, **options)


@pytest.mark.parametrize("value", [np.nan, -1.0])
def test_given_distances_that_are_none(value):
    x = np.random.default_rng(0).random((20, 2))
    between = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    between[4, 8] = between[8, 4] = value
    labels = np.arange(20) // 4 % 2
    with pytest.raises(ValueError, match=f"metric='precomputed' gives {value:g} for rows"):
        validity_index(between, labels, metric="precomputed", d=2)
    labels[8] = -1  # noise is not looked at
    assert np.isfinite(validity_index(between, labels, metric="precomputed", d=2))


def test_numbers_of_labels_cost_nothing():
    x, labels = np.random.default_rng(0).random((20, 2)), np.arange(20) // 10
    assert validity_index(x, labels * 10**15) == validity_index(x, labels)


def test_masked_labels():
    labels = np.ma.masked_array(np.arange(60) % 3, mask=np.arange(60) == 5)
    with pytest.raises(ValueError, match="labels must not be masked"):
        validity_index(np.random.default_rng(0).random((60, 2)), labels)
