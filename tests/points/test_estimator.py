"""EMST as scikit-learn, SciPy, matplotlib and other array libraries see it."""

import dataclasses

import numpy as np
import pytest
from helpers import cloud, expected_tree, mutual_reachability
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse import issparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import emst
from emst import EMST


@parametrize_with_checks(
    [EMST(), EMST(min_samples=2), EMST(dtype=np.float32)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "a row of a tree with weight 0 is an error"
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def fitted(ops):
    return EMST(device=ops.name).fit(cloud(200, 2, np.float64))


def test_attributes(ops):
    x = cloud(200, 3, np.float64)
    model = EMST(min_samples=4, device=ops.name)
    assert model.fit(x) is model
    edges, weights = expected_tree(x, 4)
    np.testing.assert_array_equal(model.edges_, edges)
    np.testing.assert_array_equal(model.weights_, weights)
    assert model.core_distances_.shape == (200,)
    assert model.total_weight_ == pytest.approx(weights.sum(), rel=1e-14)
    assert isinstance(model.total_weight_, float)
    assert model.device_ == ops.name
    assert model.n_features_in_ == 3


def test_core_distances_only_where_asked_for(ops):
    x = cloud(50, 2, np.float64)
    model = EMST(min_samples=3, device=ops.name).fit(x)
    assert hasattr(model, "core_distances_")
    assert not hasattr(model.set_params(min_samples=1).fit(x), "core_distances_")


def test_total_of_float32_is_added_in_float64(ops):
    model = EMST(device=ops.name).fit(cloud(5_000, 3, np.float32))
    assert model.weights_.dtype == np.float32
    assert model.total_weight_ == model.weights_.astype(np.float64).sum()


def test_clone_and_parameters():
    model = EMST(min_samples=3, device="cpu", dtype=np.float32, verbose=True)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(TypeError):
        EMST(3)  # keywords only


def test_the_function_returns_a_frozen_dataclass(ops):
    ours = emst.minimum_spanning_tree(cloud(10, 2, np.float64), device=ops.name)
    assert isinstance(ours, emst.MinimumSpanningTree)
    with pytest.raises(dataclasses.FrozenInstanceError):
        ours.edges = None


@pytest.mark.parametrize("empty", [[], (), [[]]])
@pytest.mark.parametrize("metric", ["euclidean", "haversine"])
def test_an_empty_list_is_a_value_error(ops, empty, metric):
    for model in (EMST(metric=metric, device=ops.name), emst.HDBSCANGPU(metric=metric, device=ops.name)):
        with pytest.raises(ValueError, match=r"2D array|0 (sample|feature|column)"):
            model.fit(empty)


def test_verbose_writes_a_line_a_round(ops, capsys):
    EMST(device=ops.name, verbose=True).fit(cloud(500, 2, np.float64))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 3
    EMST(device=ops.name).fit(cloud(500, 2, np.float64))
    assert capsys.readouterr() == ("", "")


def test_report_counts_down_to_one(ops):
    seen = []
    emst.minimum_spanning_tree(cloud(500, 2, np.float64), device=ops.name, report=lambda *round_: seen.append(round_))
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][1] == 1


def test_csr_keeps_every_edge(ops):
    x = cloud(300, 2, np.float64, "repeated")  # weights of 0 must stay entries
    model = EMST(device=ops.name).fit(x)
    matrix = model.to_csr()
    assert issparse(matrix)
    assert matrix.format == "csr"
    assert matrix.shape == (300, 300)
    assert matrix.nnz == 299
    assert matrix.sum() == pytest.approx(model.total_weight_, rel=1e-14)
    back = matrix.tocoo()
    given = dict(zip(map(tuple, model.edges_.tolist()), model.weights_.tolist()))
    assert dict(zip(zip(back.row.tolist(), back.col.tolist()), back.data.tolist())) == given


@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("k", [1, 4])
def test_linkage_is_scipys(ops, k, kind):
    x = cloud(150, 2, np.float64, kind)
    ours = EMST(min_samples=k, device=ops.name).fit(x).linkage()
    distance = mutual_reachability(x, k)
    np.fill_diagonal(distance, 0)
    theirs = scipy_linkage(squareform(distance), "single")
    assert ours.shape == (149, 4)
    assert ours.dtype == np.float64
    assert is_valid_linkage(ours, throw=True)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-12)
    assert ours[-1, 3] == 150
    for height in np.quantile(theirs[:, 2], [0.3, 0.7, 0.95]) * (1 + 1e-9):  # flat cuts do not depend on ties
        a, b = (fcluster(z, height, "distance") for z in (ours, theirs))
        assert len(set(zip(a, b))) == len(set(a)) == len(set(b))


def test_linkage_of_few_points(ops):
    assert EMST(device=ops.name).fit([[0.0], [3.0]]).linkage().tolist() == [[0, 1, 3, 2]]
    assert emst.minimum_spanning_tree([[1.0, 2.0]], device=ops.name).linkage().shape == (0, 4)


def test_plot_is_one_collection_coloured_by_weight(fitted):
    from matplotlib import pyplot
    from matplotlib.collections import LineCollection

    _, ax = pyplot.subplots()
    assert fitted.plot(ax=ax) is ax
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(lines.get_segments()) == 199
    np.testing.assert_array_equal(lines.get_array(), fitted.weights_)
    assert fitted.plot() is not ax
    pyplot.close("all")


@pytest.mark.parametrize("d", [1, 4])
def test_only_the_plane_and_space_can_be_plotted(ops, d):
    with pytest.raises(ValueError, match=f"only points of two or three dimensions can be plotted; X has {d} column"):
        EMST(device=ops.name).fit(cloud(20, d, np.float64)).plot()


def test_pandas(ops):
    pandas = pytest.importorskip("pandas")
    x = cloud(100, 2, np.float64)
    model = EMST(device=ops.name).fit(pandas.DataFrame(x, columns=["east", "north"]))
    assert model.feature_names_in_.tolist() == ["east", "north"]
    np.testing.assert_array_equal(model.edges_, expected_tree(x)[0])
    assert isinstance(model.edges_, np.ndarray)


def test_torch(ops):
    torch = pytest.importorskip("torch", reason="needs torch, which is not installed")
    x = torch.from_numpy(cloud(100, 2, np.float32))
    ours = emst.minimum_spanning_tree(x, device=ops.name)
    assert isinstance(ours.edges, torch.Tensor)
    assert ours.edges.device == x.device
    np.testing.assert_array_equal(ours.edges.numpy(), expected_tree(x.numpy())[0])


@pytest.mark.gpu
def test_cupy_in_cupy_out():
    import cupy

    x = cloud(500, 3, np.float32)
    ours = emst.minimum_spanning_tree(cupy.asarray(x), min_samples=3)
    assert all(isinstance(array, cupy.ndarray) for array in (ours.edges, ours.weights, ours.core_distances))
    assert ours.device == "cuda"
    np.testing.assert_array_equal(ours.edges.get(), expected_tree(x, 3)[0])
    assert ours.to_csr().nnz == 499
    assert is_valid_linkage(ours.linkage())


@pytest.mark.parametrize(
    "kind", ["list", "fortran", "read-only", "strided", "transposed", "byte-swapped", "float16", "int8", "bool"]
)
def test_any_array_like(ops, kind):
    x = np.random.default_rng(0).integers(0, 2 if kind == "bool" else 100, (80, 3)).astype(np.float64)
    given = {
        "list": x.tolist(),
        "fortran": np.asfortranarray(x),
        "read-only": x.copy(),
        "strided": np.repeat(x, 2, axis=0)[::2],
        "transposed": np.ascontiguousarray(x.T).T,
        "byte-swapped": x.astype(">f8"),
        "float16": x.astype(np.float16),
        "int8": x.astype(np.int8),
        "bool": x.astype(bool),
    }[kind]
    if kind == "read-only":
        given.flags.writeable = False
    ours = emst.minimum_spanning_tree(given, device=ops.name)
    expected = np.float32 if kind == "float16" else np.float64
    assert ours.weights.dtype == expected
    np.testing.assert_array_equal(ours.edges, expected_tree(x.astype(expected))[0])


def test_the_input_is_not_written_to(ops):
    x = cloud(200, 3, np.float64)
    before = x.copy()
    emst.minimum_spanning_tree(x, min_samples=3, device=ops.name)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("asked", [np.float32, "float64"])
def test_dtype_overrides(ops, asked):
    got = np.dtype(asked)
    x = cloud(100, 2, np.float32 if got == np.float64 else np.float64)
    ours = emst.minimum_spanning_tree(x, dtype=asked, device=ops.name)
    assert ours.weights.dtype == got
    np.testing.assert_array_equal(ours.weights, expected_tree(x.astype(got))[1])


def test_a_forest_cut_from_the_tree_is_single_linkage(ops):
    """Dropping the heaviest edges of the tree leaves the connected components of the distance graph."""
    x = cloud(300, 2, np.float64)
    model = EMST(device=ops.name).fit(x)
    height = model.weights_[-20]
    matrix = model.to_csr()
    matrix.data[matrix.data > height] = 0
    matrix.eliminate_zeros()
    assert connected_components(matrix, directed=False)[0] == 1 + (model.weights_ > height).sum()
