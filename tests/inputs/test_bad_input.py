"""Bad input raises the right exception, which names the argument, the first bad row and their number."""

import subprocess
import sys
import types

import numpy as np
import pytest
from helpers import cloud

import emst.inputs.points
from emst import EMST, HDBSCANGPU


def both(x, **options):
    """The function and the estimator must raise the same error."""
    return [lambda: emst.minimum_spanning_tree(x, **options), lambda: EMST(**options).fit(x)]


def refuses(error, pattern, x, **options):
    for call in both(x, **options):
        with pytest.raises(error, match=pattern):
            call()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(ops, value, dtype):
    x = cloud(1_000, 3, dtype)
    x[17, 2] = value
    refuses(ValueError, r"X .*1 row.* row 17\b", x, device=ops.name)
    x[[400, 999], 0] = value
    refuses(ValueError, r"X .*3 rows.* row 17\b", x, device=ops.name)


def test_values_too_large_for_the_type_asked_for(ops):
    x = cloud(100, 2, np.float64)
    x[40] = x[60] = 1e300
    x[3, 1] = np.nan
    message = r"^X holds numbers beyond the range of float32 in 2 rows, first in row 40\b"
    refuses(ValueError, message, x, dtype=np.float32, device=ops.name)
    with pytest.raises(ValueError, match=message):
        HDBSCANGPU(dtype=np.float32, device=ops.name).fit(x)
    assert HDBSCANGPU(device=ops.name).fit(x).labels_[3] == -3


@pytest.mark.parametrize("shape", [(), (5,), (5, 2, 2)])
def test_wrong_number_of_dimensions(ops, shape):
    refuses(ValueError, r"\bX\b(.|\n)*(2D|2-D|dim)", np.zeros(shape), device=ops.name)


@pytest.mark.parametrize("shape", [(0, 3), (0, 1)])
def test_no_points(ops, shape):
    refuses(ValueError, r"\bX\b.*(0 sample|point)", np.zeros(shape), device=ops.name)


def test_no_features(ops):
    refuses(ValueError, r"\bX\b.*(0 feature|dimension)", np.zeros((4, 0)), device=ops.name)


@pytest.mark.parametrize("k", [0, -1, 11, 10**12])
def test_min_samples_out_of_range(ops, k):
    refuses(ValueError, rf"min_samples.* 10\b.*{k}", cloud(10, 2, np.float64), min_samples=k, device=ops.name)


@pytest.mark.parametrize("k", [1.5, "3", None, True])
def test_min_samples_that_is_no_count(ops, k):
    refuses(ValueError, "min_samples", cloud(10, 2, np.float64), min_samples=k, device=ops.name)


@pytest.mark.parametrize("k", [np.int64(3), np.uint8(3)])
def test_min_samples_of_any_integer_type(ops, k):
    ours = emst.minimum_spanning_tree(cloud(10, 2, np.float64), min_samples=k, device=ops.name)
    assert len(ours.core_distances) == 10


@pytest.mark.parametrize("device", ["gpu", "CUDA", None, 0])
def test_unknown_device_lists_the_choices(device):
    refuses(ValueError, r"device.*auto.*cpu.*cuda", cloud(10, 2, np.float64), device=device)


@pytest.mark.parametrize("metric", ["canberra", "Euclidean", None])
def test_unknown_metric_lists_the_choices(metric):
    refuses(ValueError, r"metric.*'euclidean'", cloud(10, 2, np.float64), metric=metric)


@pytest.mark.parametrize("dtype", [np.float16, np.int32, "complex128"])
def test_unknown_dtype_lists_the_choices(dtype):
    refuses(ValueError, r"dtype.*float32.*float64", cloud(10, 2, np.float64), dtype=dtype)


def test_a_dtype_that_is_no_dtype():
    refuses((ValueError, TypeError), "dtype|data type", cloud(10, 2, np.float64), dtype="nonsense")


@pytest.mark.parametrize(
    ("x", "pattern"),
    [
        (np.array([["a", "b"]]), "real|convert|dtype"),
        (np.zeros((3, 2), complex), "[Cc]omplex"),
        ([[1.0], [1.0, 2.0]], "^X must hold rows of equally many numbers$"),
    ],
    ids=["text", "complex", "ragged"],
)
def test_what_is_no_real_number(ops, x, pattern):
    refuses(ValueError, pattern, x, device=ops.name)


def test_masked_points_are_refused(ops):
    x = cloud(10, 2, np.float64) - 0.5
    refuses(ValueError, "X is masked: leave those rows out, or fill them", np.ma.masked_less(x, 0), device=ops.name)
    assert len(emst.minimum_spanning_tree(np.ma.masked_less(x, -np.inf), device=ops.name).weights) == 9


@pytest.mark.parametrize("dtype", ["float16", "real", np.int64, 3])
def test_a_dtype_that_is_none(ops, dtype):
    refuses(
        ValueError, "dtype must be float32, float64 or None; got", cloud(5, 2, np.float64), dtype=dtype, device=ops.name
    )


def test_lists_of_objects_are_numbers_where_they_can_be(ops):
    """As scikit-learn reads them: None is a missing value."""
    refuses(ValueError, r"X .*1 row.* row 1\b", [[0.0, 1.0], [None, 1.0], [2.0, 3.0]], device=ops.name)
    whole = [[0, 2**70], [1, 2**71], [3, 2**72]]
    tree = emst.minimum_spanning_tree(whole, device=ops.name)
    np.testing.assert_array_equal(tree.edges, emst.minimum_spanning_tree(np.array(whole, float), device=ops.name).edges)
    refuses(ValueError, "'a'", [[0.0, "a"], [None, 1.0]], device=ops.name)


def test_sparse_matrices_are_refused_by_name(ops):
    from scipy.sparse import csr_matrix

    refuses(TypeError, "(?i)sparse", csr_matrix(np.eye(3)), device=ops.name)


def test_sparse_matrices_of_cupy_are_asked_for_on_the_host():
    data = types.SimpleNamespace(__dlpack_device__=lambda: (2, 0))  # on GPU 0
    matrix = type("csr_matrix", (), {"__module__": "cupyx.scipy.sparse._csr", "data": data})()
    for fit in (EMST().fit, HDBSCANGPU().fit):
        with pytest.raises(TypeError, match=r"pass X\.get\(\)"):
            fit(matrix)


def in_a_fresh_process(code):
    """Output of a process that has not found out yet what is installed."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


SHOW = """
import numpy as np, emst
try:
    emst.minimum_spanning_tree(np.random.default_rng(0).random((10, 2)), device='cuda')
except RuntimeError as error:
    print('RuntimeError', error)
"""


def test_no_gpu_names_the_extra():
    """CUDA_VISIBLE_DEVICES hides the GPU where there is one."""
    code = "import os; os.environ['CUDA_VISIBLE_DEVICES'] = '-1'\n" + SHOW
    output = in_a_fresh_process(code).stdout
    assert output.startswith("RuntimeError")
    assert "emst[cuda" in output


def test_no_cupy_names_the_extra():
    code = "import importlib.util as u; real = u.find_spec\n"
    code += "u.find_spec = lambda name, *rest: None if name.partition('.')[0] == 'cupy' else real(name, *rest)\n" + SHOW
    output = in_a_fresh_process(code).stdout
    assert output.startswith("RuntimeError")
    assert "CuPy" in output
    assert "emst[cuda" in output


def test_without_a_gpu_auto_runs_on_the_cpu_and_says_so():
    code = "import os; os.environ['CUDA_VISIBLE_DEVICES'] = '-1'\nfrom emst import EMST\n"
    code += "print(EMST().fit([[0.0], [1.0]]).device_)"
    assert in_a_fresh_process(code).stdout == "cpu\n"


NEEDS = (
    r"needs [\d,]+\.\d GB more device memory; [\d,]+\.\d GB are free; emst\.dask .*: "
    r"docs/scale_out/two_billion_points\.md$"
)


def test_not_enough_memory_says_how_much_before_allocating():
    x = np.broadcast_to(np.zeros((1, 3)), (2_000_000_000, 3))
    with pytest.raises(MemoryError, match=NEEDS.replace("device ", "")):
        emst.minimum_spanning_tree(x, device="cpu")


@pytest.mark.gpu
def test_not_enough_device_memory_says_how_much_before_allocating():
    import cupy

    free, _ = cupy.cuda.runtime.memGetInfo()
    x = cupy.lib.stride_tricks.as_strided(cupy.zeros(3), (2_000_000_000, 3), (0, 8))
    with pytest.raises(MemoryError, match=NEEDS):
        emst.minimum_spanning_tree(x)
    assert cupy.cuda.runtime.memGetInfo()[0] >= free - 2**26


@pytest.mark.gpu
def test_an_interrupt_leaves_no_device_memory_behind():
    import cupy

    x = cupy.asarray(cloud(200_000, 3, np.float32))
    emst.minimum_spanning_tree(x)  # compiles, and keeps what is kept
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()

    def interrupt(rounds, left):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        emst.minimum_spanning_tree(x, report=interrupt)
    assert pool.used_bytes() == before


def test_more_points_than_ids(monkeypatch):
    """The limit is 2^31 - 1; a lower one stands in for it here."""
    assert emst.inputs.points.MAX_POINTS == 2**31 - 1
    monkeypatch.setattr("emst.inputs.points.MAX_POINTS", 99)
    refuses(ValueError, r"100 points.*99", cloud(100, 2, np.float64))


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    for method in ("to_csr", "linkage", "plot"):
        with pytest.raises(NotFittedError):
            getattr(EMST(), method)()
