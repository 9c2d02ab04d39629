"""Packed points come back in the order of the curve, and pages of half a million points are small."""

import numpy as np
import pytest
from pages import opened_page

from emst import HDBSCANGPU
from emst.plots.packing import BITS, byte_planes, cells_of, codes_of, compressed, detached, packed


def joined(planes):
    """The integers in planes of bytes."""
    return sum(plane.astype(np.int64) << 8 * k for k, plane in enumerate(planes))


@pytest.mark.parametrize("greatest, count", [(0, 1), (255, 1), (256, 2), (2**24 - 1, 3), (2**46 - 1, 6)])
def test_planes_hold_all_bytes_and_no_more(greatest, count):
    values = np.array([greatest, 0, greatest // 2, greatest // 3])
    planes = byte_planes(values)
    assert planes.shape == (count, 4) and planes.dtype == np.uint8 and planes.flags.c_contiguous
    np.testing.assert_array_equal(joined(planes), values)
    assert byte_planes(values[:0]).shape == (1, 0)


def test_codes_take_the_bits_of_x_and_y_in_turn():
    g = np.random.default_rng(0)
    cells = np.concatenate([g.integers(0, 2**BITS, (50, 2)), [[0, 0], [2**BITS - 1, 0], [0, 2**BITS - 1]]])
    codes = codes_of(cells.astype(np.uint64))
    for (x, y), code in zip(cells.tolist(), codes.tolist()):
        assert code == sum((x >> k & 1) << 2 * k | (y >> k & 1) << 2 * k + 1 for k in range(BITS))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e9])
def test_coordinates_are_right_to_half_a_step(scale):
    places = np.random.default_rng(1).random((1000, 2)) * [scale, 7.0] + [1e6 * scale, -3.0]
    cells, low, step = cells_of(places)
    np.testing.assert_allclose(step, np.ptp(places, axis=0) / (2**BITS - 1))
    assert (np.abs(cells * step + low - places) <= 0.5001 * step + 1e-15 * np.abs(places)).all()
    assert cells.min() == 0 and cells.max() == 2**BITS - 1


def test_a_line_of_points_has_one_step_across():
    cells, low, step = cells_of(np.array([[1.0, 5.0], [2.0, 5.0]]))
    assert cells.tolist() == [[0, 0], [2**BITS - 1, 0]] and low.tolist() == [1, 5] and step[1] == 1


def test_rows_groups_and_colours_follow_their_points():
    g = np.random.default_rng(2)
    places, group = g.random((500, 2)), g.integers(0, 300, 500)
    labels = g.integers(-1, 40, (3, 300)).astype(np.int32)
    colours = np.array([0xFF0000FF, 0xFF00FF00, 0xFF112233], np.uint32)[g.integers(0, 3, (3, 300))]
    row = np.sort(g.choice(10**6, 500, replace=False))
    given = {"x": places[:, 0], "y": places[:, 1], "row": row, "group": group, "labels": labels, "colours": colours}
    kinds = g.choice(["town", "village", ""], 500)
    found = packed(given | {"names": ["x", "y"], "hover": {"kind": kinds.tolist()}})
    assert found["names"] == ["x", "y"] and found["groups"] == 300
    codes = np.cumsum(joined(found["curve"]))
    order = np.searchsorted(row, joined(found["row"]))
    np.testing.assert_array_equal(codes, codes_of(cells_of(places)[0])[order])
    assert (np.diff(codes) >= 0).all() and sorted(order) == list(range(500))
    np.testing.assert_array_equal(joined(found["group"]), group[order])
    (column,) = found["hover"]
    assert column["name"] == "kind" and len(column["texts"]) == 3
    np.testing.assert_array_equal(np.array(column["texts"])[joined(column["numbers"])], kinds[order])
    np.testing.assert_array_equal(joined(found["labels"]).reshape(3, 300) - 1, labels)
    np.testing.assert_array_equal(np.array(found["palette"])[joined(found["colours"])].reshape(3, 300), colours)


def test_the_shell_holds_the_page_and_escapes_the_title():
    html = "<html>$title ä </script></html>"
    text = compressed(html, b"\x00\xff", "<a> & $page", "3.4.0")
    assert opened_page(text) == html and "<title>&lt;a&gt; &amp; $page</title>" in text
    assert text == compressed(html, b"\x00\xff", "<a> & $page", "3.4.0")  # the same bytes at any time


def test_detached_arrays_lie_one_after_the_other():
    one, two, three = (np.arange(k * m, dtype=np.uint8).reshape(k, m) for k, m in ((2, 3), (1, 4), (1, 0)))
    given, data = detached({"a": one, "b": {"c": two, "d": [1.5, 2]}, "e": [{"f": three, "g": "x"}], "h": []})
    assert given["b"]["d"] == [1.5, 2] and given["e"][0]["g"] == "x" and given["h"] == []
    for place, array in ((given["a"], one), (given["b"]["c"], two), (given["e"][0]["f"], three)):
        found = np.frombuffer(data, np.uint8, array.size, place["at"]) if array.size else np.zeros(0)
        assert place["shape"] == list(array.shape) and found.tolist() == array.reshape(-1).tolist()
    assert len(data) == 10


def uniform(g, n):
    return g.random((n, 2)), {}


def blobs(g, n):
    return 100 * g.random((50, 2))[g.integers(0, 50, n)] + g.normal(size=(n, 2)), {}


def places(g, n):
    """Towns of uneven size around the world, in degrees."""
    towns = np.degrees(np.stack([np.arcsin(g.uniform(-0.6, 0.95, 20_000)), g.uniform(-np.pi, np.pi, 20_000)], axis=1))
    spread = g.normal(size=(n, 2)) * g.exponential(0.05, (n, 1))
    near = towns[np.minimum(g.exponential(3000, n).astype(int), 19_999)] + spread
    near[:, 1] = (near[:, 1] + 180) % 360 - 180
    return near, {"metric": "haversine", "metric_params": {"degrees": True}}


@pytest.mark.parametrize("kind, n", [(uniform, 100_000), (blobs, 300_000), (places, 100_000)])
def test_half_a_million_points_take_less_than_6_mb(tmp_path, kind, n):
    """Fewer points take their share: they are farther apart on the curve, and their row numbers are shorter."""
    pytest.importorskip("bokeh", reason="Bokeh (the extra html) is not installed")
    from emst.plots.page import clusters_page

    points, metric = kind(np.random.default_rng(3), n)
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device="cpu", **metric).fit(points)
    model.save_html(tmp_path / "page.html")
    size = (tmp_path / "page.html").stat().st_size
    text = opened_page((tmp_path / "page.html").read_text(encoding="utf-8"))
    empty = len(clusters_page(np.zeros((0, 2)), {2: np.zeros(0, int)}, 2))
    assert f"{n:,} points" in text
    assert size - empty < (6_000_000 - empty) * n / 500_000, (size, empty)
