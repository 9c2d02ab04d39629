"""The kernels that are loaded ahead are those that fits launch."""

import pathlib

import numpy as np
import pytest

import emst
from datasets import synthetic
from emst.cuda.runtime.compile import ENTRY, source_of
from emst.cuda.runtime.signature import signature
from emst.distances.metrics import tree_metric_of

CUDA = pathlib.Path(emst.__file__).parent / "cuda"


def test_every_name_is_that_of_a_kernel():
    """Also how many arguments a template has; which ones, the tests on a GPU show."""
    from emst.cuda.points.ahead import KERNELS

    lines = [line.strip() for group in KERNELS.values() for line in group.split("\n") if line.strip()]
    assert len(lines) > 80
    for line in lines:
        room, name = line.removesuffix(" resident").split(" ", 1)
        kernel, _, arguments = name.rstrip(">").partition("<")
        found = [entry for entry in ENTRY.finditer((CUDA / f"{room}.cu").read_text()) if entry["name"] == kernel]
        assert len(found) == 1, line
        given = arguments.replace("{STAGES}", "3, false").count(",") + bool(arguments)
        assert given == len((found[0]["template"] or "").split(",")) - (not found[0]["template"]), line


def test_every_signature_can_be_checked():
    """Launches compare their arguments with it."""
    for path in CUDA.rglob("*.cu"):
        room = str(path.relative_to(CUDA).with_suffix(""))
        for entry in ENTRY.finditer(path.read_text()):
            assert signature(room, f"{entry['name']}<float>")


def test_a_kernel_is_compiled_without_the_others():
    for path in CUDA.rglob("*.cu"):
        room = str(path.relative_to(CUDA).with_suffix(""))
        for entry in ENTRY.finditer(path.read_text()):
            alone = source_of(room, f"{entry['name']}<float>")
            assert [kernel["name"] for kernel in ENTRY.finditer(alone)] == [entry["name"]]
            assert alone.count("{") == alone.count("}")


def test_from_how_many_points_on_keys_are_wide():
    from emst.cuda.hierarchy.linkage import KEY_BITS, bits_of_keys
    from emst.cuda.points.ahead import WIDE_KEYS_FROM

    assert [bits_of_keys(n - 1)[1] > KEY_BITS for n in (WIDE_KEYS_FROM - 1, WIDE_KEYS_FROM)] == [False, True]


FITS = {
    "few": ("uniform", 1000, 3, np.float32, 1, "euclidean"),
    "few, k": ("blobs", 1000, 2, np.float64, 5, "manhattan"),
    "uniform": ("uniform", 100_000, 3, np.float32, 1, "euclidean"),
    "some rounds at once": ("uniform", 600_000, 2, np.float32, 2, "euclidean"),
    "lists": ("blobs", 100_000, 2, np.float64, 5, "euclidean"),
    "ranks": ("blobs", 50_000, 3, np.float32, 40, "chebyshev"),
    "powers": ("blobs", 20_000, 3, np.float64, 5, "minkowski"),
    "places": ("uniform", 20_000, 2, np.float64, 1, "haversine"),
    "a periodic box": ("uniform", 20_000, 3, np.float32, 5, "periodic"),
    "few in a periodic box": ("blobs", 1000, 30, np.float64, 1, "periodic"),
    "ties": ("tracks", 1_000_000, 3, np.float32, 5, "euclidean"),
    "heavy tails": ("lognormal", 100_000, 2, np.float64, 5, "euclidean"),
    "a look": ("blobs", 20_000, 30, np.float32, 5, "euclidean"),
    "products": ("blobs", 20_000, 384, np.float32, 16, "euclidean"),
    "products, k = 1": ("intrinsic", 5_000, 60, np.float32, 1, "euclidean"),
    "pairs": ("blobs", 2_000, 384, np.float32, 5, "manhattan"),
}


@pytest.mark.gpu
@pytest.mark.parametrize("labels", [False, True], ids=["tree", "labels"])
@pytest.mark.parametrize("name", FITS)
def test_fits_launch_nothing_else(monkeypatch, name, labels):
    from emst.cuda.points import ahead
    from emst.cuda.points.bvh import are_few
    from emst.cuda.points.engine import engine_before_looking
    from emst.cuda.points.order import WARP
    from emst.cuda.points.rounds import at_once
    from emst.cuda.runtime import launch
    from emst.cuda.runtime.constants import FEW

    data, n, d, dtype, k, metric = FITS[name]
    params = {"p": 3} if metric == "minkowski" else None
    if metric == "periodic":
        metric, params = "euclidean", {"period": 1.0}
    x = np.asarray(getattr(synthetic, data)(n, d, 0), dtype)
    loaded, launched = launch._loaded, set()
    monkeypatch.setattr(launch, "_thread", launch._Thread())
    monkeypatch.setattr(launch, "_loaded", lambda kernel: launched.add(kernel) or loaded(kernel))
    if labels:
        emst.HDBSCANGPU(20, k, metric=metric, metric_params=params, device="cuda").fit(x)
    else:
        emst.EMST(min_samples=k, metric=metric, metric_params=params, device="cuda").fit(x)
    chosen = tree_metric_of(metric, params)
    d, heights = chosen.searched_columns(d), chosen.computed_in(np.dtype(dtype), None)
    chosen = chosen.of_columns(d, heights)
    few = are_few(n, d, chosen.norm, k > 1)
    engine, ranked = engine_before_looking(n, d, chosen.norm), n <= FEW and d <= WARP
    kind = few, at_once(n), ranked, engine, d, chosen.searched_in(heights)
    expected = ahead.kernels_of(*kind, chosen.norm, k, heights if labels else None)
    assert launched <= set(expected)
