"""The interactive page: what is in it, and what it does in a browser."""

import io
import re
import shutil
import time

import numpy as np
import pytest
from pages import opened_page

from emst import HDBSCANGPU
from emst.plots import page as page_room
from emst.plots.colours import NOISE, PALETTE
from emst.plots.page import clusters_page, groups_of

pytest.importorskip("bokeh", reason="Bokeh (the extra html) is not installed")


@pytest.fixture(scope="module")
def model():
    g = np.random.default_rng(0)
    centres = np.array([[0, 0], [8, 0], [0, 8], [8, 8], [9.5, 9.5]])
    points = np.repeat(centres, [400, 200, 100, 60, 40], axis=0) + g.normal(size=(800, 2)) * 0.4
    points = np.concatenate([points, [[100.0, -50.0], [np.nan, 0.0], [np.inf, 1.0]]])
    return HDBSCANGPU(min_cluster_size=20, device="cpu").fit(points), points


@pytest.fixture
def given(monkeypatch):
    """What the page gets: filled when a page is made."""
    found = {}

    def keep(data, first, title, note, coasts):
        found.update(data, first=first, title=title, note=note, coasts=coasts)
        return "<html>"

    monkeypatch.setattr(page_room, "html_of", keep)
    return found


def labels_at(given, position):
    return given["labels"][position][given["group"]]


def test_the_labels_are_those_of_recluster(model, given):
    clusterer, points = model
    clusterer.save_html(io.BytesIO())
    assert 10 <= len(given["sizes"]) <= 21 and given["sizes"][given["first"]] == 20
    assert given["sizes"] == sorted(set(given["sizes"]))
    np.testing.assert_array_equal(given["row"], np.arange(801))  # without NaN and infinity
    for position, size in enumerate(given["sizes"]):
        labels = clusterer.recluster(min_cluster_size=size).labels_
        np.testing.assert_array_equal(labels_at(given, position), labels[:801])
        assert given["counts"][position]["clusters"] == np.bincount(labels[labels >= 0]).tolist()
        assert given["counts"][position]["noise"] == (labels[:801] < 0).sum() == (labels == -1).sum()
    assert given["missing"] == 2  # one NaN, one infinity
    last = given["counts"][-1]["clusters"]
    assert len(last) == 2  # the greatest size at which the data still splits
    assert clusterer.recluster(min_cluster_size=given["sizes"][-1] + 1).labels_.max() < 1
    np.testing.assert_array_equal(np.column_stack([given["x"], given["y"]]), points[:801])
    assert given["note"] == "801 of 803 points" and given["coasts"] is None


def test_sizes_that_are_asked_for(model, given):
    clusterer, _ = model
    clusterer.save_html(io.BytesIO(), sizes=[50, 10], names=["east", "north"], title="mine")
    assert given["sizes"] == [10, 20, 50] and given["names"] == ["east", "north"] and given["title"] == "mine"
    for wrong in ([1], [2.5], "auto"):
        with pytest.raises(ValueError, match="sizes must be an integer of at least 2"):
            clusterer.save_html(io.BytesIO(), sizes=wrong)
    with pytest.raises(ValueError, match="names must be those of the 2 columns of X; got 1"):
        clusterer.save_html(io.BytesIO(), names=["east"])


def test_a_cluster_keeps_its_colour_while_the_slider_moves(model, given):
    clusterer, _ = model
    clusterer.save_html(io.BytesIO())
    colours = np.stack([given["colours"][k][given["group"]] for k in range(len(given["sizes"]))])
    labels = np.stack([labels_at(given, k) for k in range(len(given["sizes"]))])
    packed = [
        int(c[0]) | int(c[1]) << 8 | int(c[2]) << 16 | 255 << 24 for c in np.round(255 * np.vstack([PALETTE, NOISE]))
    ]
    assert (colours[labels < 0] == packed[-1]).all() and np.isin(colours[labels >= 0], packed[:-1]).all()
    large = np.arange(400)  # the largest cluster is there at every size
    inside = labels[:, large] >= 0
    assert all(len(np.unique(colours[k, large][inside[k]])) == 1 for k in range(given["first"], len(labels)))
    assert len(np.unique(colours[:, large][inside])) == 1


def test_groups_have_the_same_labels_at_every_size():
    g = np.random.default_rng(1)
    fine = g.integers(-1, 30, 5000)
    labels = [fine, np.where(fine < 0, -1, fine // 4), np.where(g.random(5000) < 0.5, -3, fine // 10)]
    group, table = groups_of(labels)
    for of_size, column in zip(labels, table):
        np.testing.assert_array_equal(column[group], np.maximum(of_size, -1))
    assert len(np.unique(table, axis=1).T) == table.shape[1] == group.max() + 1


def test_of_very_many_points_a_sample_is_shown_and_said(monkeypatch, given):
    monkeypatch.setattr(page_room, "MOST", 1000)
    points, labels = np.random.default_rng(2).random((5000, 2)), np.arange(5000) % 3
    clusters_page(points, {5: labels}, 5, hover={"index": np.arange(5000)})
    assert given["hover"] == {"index": [str(row) for row in given["row"]]}
    assert given["note"] == "1,000 of 5,000 points, chosen at random"
    assert len(given["x"]) == 1000 and len(np.unique(given["row"])) == 1000
    assert given["counts"][0]["clusters"] == [1667, 1667, 1666]  # of all points
    np.testing.assert_array_equal(labels_at(given, 0), labels[given["row"]])


def test_maps(given):
    places = np.array([[60.0, 10.0], [61.0, 12.0], [59.0, 11.0]])
    clusters_page(places, {2: [0, 0, -1]}, 2, geographic="degrees")
    assert given["names"] == ["longitude (degrees)", "latitude (degrees)"]
    assert given["bounds"] == [10, 12, 59, 61] and given["stretch"] == pytest.approx(2)
    assert given["note"] == "3 points; coasts from Natural Earth" and np.nanmax(given["coasts"]) == 180
    model = HDBSCANGPU(min_cluster_size=2, metric="haversine").fit(np.radians(places))
    model.save_html(io.BytesIO())
    assert given["names"] == ["longitude (radians)", "latitude (radians)"]
    assert np.nanmax(given["coasts"]) == pytest.approx(np.pi)
    clusters_page([[0.0, 179.0], [0.0, -179.0]], {2: [0, 0]}, 2, geographic="degrees")
    assert given["bounds"][:2] == [179, 181] and given["wrap"] == 180


def test_coasts_lie_below_the_points():
    places, labels = np.array([[60.0, 10.0], [61.0, 12.0]]), {2: [0, 0]}
    text = opened_page(clusters_page(places, labels, 2, geographic="degrees"))
    assert 0 < text.index('"name":"Line"') < text.index('"name":"ImageRGBA"')
    assert '"name":"Line"' not in opened_page(clusters_page(places, labels, 2))


@pytest.mark.parametrize("points", [np.zeros((0, 2)), np.zeros((3, 2)), np.full((2, 2), np.nan), np.ones((3, 1))])
def test_nothing_to_see(points):
    labels = np.full(len(points), -1)
    assert "<html" in clusters_page(points, {2: labels, 3: labels}, 2)


def test_one_file_without_network(model, tmp_path):
    clusterer, _ = model
    clusterer.save_html(tmp_path / "page.html", title="<b>&")
    shell = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert "src=" not in shell and "href=" not in shell and "<title>&lt;b&gt;&amp;</title>" in shell
    text = opened_page(shell)
    assert "Redistributions in binary form" in text  # Bokeh's licence
    markup = re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)
    tags = re.findall(r"<(?:script|link|img|iframe|style)\b[^>]*>", markup)
    assert tags and not any("src=" in tag or "href=" in tag for tag in tags)
    assert "<title>&lt;b&gt;&amp;</title>" in text


def test_models_without_points():
    distances = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    clusterer = HDBSCANGPU(min_cluster_size=3, metric="precomputed").fit(distances)
    with pytest.raises(ValueError, match="a page shows points; this model was fitted to distances"):
        clusterer.save_html(io.BytesIO())


def test_without_bokeh_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(page_room, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'emst\[html\]'"):
        clusters_page(np.eye(2), {2: [0, 0]}, 2)


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Headless Chromium. It needs no GPU: the page paints without one."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("there is no Chromium with its driver (on Debian: chromium and chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", "disable-dev-shm-usage", "window-size=1200,900",
        f"user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driven = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield driven
    driven.quit()


TOOLS = """
window.model = (type) => [...Bokeh.documents[0]._all_models.values()].find((model) => model.type === type)
window.plot = model('Figure')
window.painted = () => {
  const image = Bokeh.documents[0].get_model_by_name('picture').data.image[0], found = {}
  for (const colour of image) found[colour] = (found[colour] || 0) + 1
  return found
}
window.after = (act, done) => {
  const start = performance.now()
  act()
  requestAnimationFrame(() => requestAnimationFrame(() =>
    done([performance.now() - start, Number(document.body.dataset.milliseconds)])))
}
"""


def opened(browser, path):
    browser.get(path.as_uri())
    until = time.monotonic() + 30
    while not browser.execute_script("return document.body.dataset.paintings"):
        assert time.monotonic() < until, browser.get_log("browser")
        time.sleep(0.05)
    browser.execute_script(TOOLS)


def act(browser, script):
    """Run a script; the milliseconds until the browser has drawn, and those of painting."""
    return browser.execute_async_script(f"after(() => {{{script}}}, arguments[arguments.length - 1])")


@pytest.fixture
def shown(browser, model, tmp_path):
    clusterer, points = model
    hover = {"<i>name</i>": [f"<b>{i}</b>" for i in range(len(points))], "kind": np.where(points[:, 0] > 5, "", "west")}
    clusterer.save_html(tmp_path / "page.html", names=["east", "north"], sizes=[10, 150, 300], hover=hover)
    opened(browser, tmp_path / "page.html")
    return browser, clusterer, points


def texts(browser):
    return browser.execute_script(
        "return [...Bokeh.documents[0]._all_models.values()].filter((m) => m.type === 'Div').map((m) => m.text)"
    )


def test_the_first_view(shown):
    browser, clusterer, _ = shown
    heading, headline, note = texts(browser)
    assert heading == "<h1>clusters</h1>"
    noise, clusters = int((clusterer.labels_ == -1).sum()), int(clusterer.labels_.max()) + 1
    assert headline.startswith(f"<b>min_cluster_size 20</b>: {clusters} clusters, {noise} point")
    assert noise == 1 and headline.endswith(" of noise (0.1%), 2 rows with NaN or infinite values")
    assert note == "801 of 803 points"
    painted = browser.execute_script("return painted()")
    assert len(painted) == 1 + clusters + 1  # nothing, clusters, noise
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert not [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]


def test_the_slider(shown):
    browser, clusterer, _ = shown
    for position, size in enumerate([10, 20, 150, 300]):
        act(browser, f"model('Slider').value = {position}")
        labels = clusterer.recluster(min_cluster_size=size).labels_
        clusters = labels.max() + 1
        headline = texts(browser)[1]
        assert f"<b>min_cluster_size {size}</b>: {clusters} cluster" in headline
        assert len(browser.execute_script("return painted()")) == 1 + clusters + 1


def test_the_bubble_of_the_slider_tells_the_size_and_is_seen_in_full(browser, tmp_path):
    labels = np.zeros(4, int)
    sizes = dict.fromkeys([2, 30, 1_234_567], labels)
    (tmp_path / "page.html").write_text(clusters_page(np.eye(4), sizes, 2), encoding="utf-8")
    opened(browser, tmp_path / "page.html")
    bubble = (
        "const root = Bokeh.index.find_one(model('Slider')).shadow_el, bubble = root.querySelector('.noUi-tooltip');"
        "bubble.style.display = 'block'; const {left, top, right} = bubble.getBoundingClientRect();"
        "return [bubble.innerText, left, top, innerWidth - right]"
    )
    for position, size in enumerate(["2", "30", "1,234,567"]):
        act(browser, f"model('Slider').value = {position}")
        text, *distances = browser.execute_script(bubble)
        assert text == size and min(distances) > 0


CHOOSE = """
const shape = document.querySelectorAll('#tree g')[%d]
shape.dispatchEvent(new MouseEvent('click', {bubbles: true}))
"""
SLIDE = "const level = document.querySelector('#tree input'); level.value = %d; level.dispatchEvent(new Event('input'))"
GREY, DARK = 0xFFC7C7C7, 0xFF4A4A4A


def shown_colours(browser):
    """The colour of every point of the map, by row."""
    return np.array(browser.execute_script("return pointColours()"), np.int64)


def told(browser):
    return browser.execute_script("return document.querySelector('#told').textContent")


def test_a_branch_shows_all_its_points_and_no_others(shown):
    browser, clusterer, points = shown
    tree = clusterer.condensed_tree_
    n, rows = len(points), tree.to_numpy()
    numbers = browser.execute_script(
        "return [...document.querySelectorAll('#tree g')].map((g) => Number(g.dataset.cluster))"
    )
    assert sorted(numbers) == sorted({n, *rows["child"][rows["child"] > n].tolist()})
    before = shown_colours(browser)
    for i, number in enumerate(numbers):
        below, todo = [], [number]
        while todo:
            part = rows[rows["parent"] == todo.pop()]
            todo += part["child"][part["child"] > n].tolist()
            below += part["child"][(part["child"] < n) & (part["child"] < 801)].tolist()
        act(browser, CHOOSE % i)
        colours = shown_colours(browser)
        member = np.isin(np.arange(801), below)
        labels = clusterer.labels_[:801]
        assert (colours[~member] == GREY).all()
        assert (colours[member & (labels >= 0)] == before[member & (labels >= 0)]).all()
        assert (colours[member & (labels < 0)] == DARK).all()
        assert told(browser).startswith(f"Branch {number}: {len(below)} point")
        act(browser, CHOOSE % i)  # the second click ends it
        assert (shown_colours(browser) == before).all() and told(browser).startswith("Click a branch")


def test_the_level_shows_the_clusters_that_exist_there(shown):
    browser, clusterer, _ = shown
    levels = browser.execute_script("return document.querySelector('#tree input').max")
    before = shown_colours(browser)
    for level in (1, int(levels) // 2, int(levels)):
        act(browser, SLIDE % level)
        text = browser.execute_script("return document.querySelector('#tree output').textContent")
        distance = float(text.removeprefix("distance "))
        cut = clusterer.single_linkage_tree_.get_clusters(np.nextafter(distance, np.inf), 20)[:801]
        colours = shown_colours(browser)
        assert ((colours == GREY) == (cut < 0)).all()
        for label in range(cut.max() + 1):
            assert len(np.unique(colours[cut == label])) == 1
        assert f"<b>distance {distance:g}</b> in the condensed tree: {cut.max() + 1} cluster" in texts(browser)[1]
        assert f"{(cut < 0).sum()} point" in texts(browser)[1]
        line = "return document.querySelector('#tree line')"
        assert browser.execute_script(f"{line}.getAttribute('display')") == "inline"
        fills = browser.execute_script(
            "return [...document.querySelectorAll('#tree g')].map((g) => g.lastChild.getAttribute('fill'))"
        )
        assert sum(fill != "#b4b4b4" for fill in fills) == cut.max() + 1
        assert float(browser.execute_script(f"{line}.getAttribute('y1')")) > 0
    act(browser, "model('Slider').value = 0")  # sizes end the level
    assert browser.execute_script("return document.querySelector('#tree output').textContent") == "as selected"
    act(browser, "model('Slider').value = 1; document.querySelector('#tree button').click()")
    assert (shown_colours(browser) == before).all()


def test_keys_walk_the_tree(shown):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser, clusterer, points = shown
    rows, n = clusterer.condensed_tree_.to_numpy(), len(points)
    children = rows[(rows["parent"] == n) & (rows["child"] > n)]
    largest = children["child"][np.argmax(children["child_size"])]
    svg = browser.find_element(By.CSS_SELECTOR, "#tree svg")
    for key, text in (
        (Keys.ARROW_DOWN, f"Branch {n}: 801 points. The root, splits at "),
        (Keys.ARROW_DOWN, f"Branch {largest}: {children['child_size'].max()} points. Born at "),
        (Keys.ARROW_UP, f"Branch {n}: "),
        (Keys.ESCAPE, "Click a branch"),
    ):
        svg.send_keys(key)
        assert told(browser).startswith(text)
    svg.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert told(browser).startswith(f"Branch {children['child'].max()}: ")
    svg.send_keys(Keys.ESCAPE)


def test_on_a_narrow_screen_the_tree_is_below_the_map(shown):
    browser, _, _ = shown
    place = "const box = document.querySelector('%s').getBoundingClientRect(); return [box.left, box.top, box.right]"
    left, top, _ = browser.execute_script(place % "#tree")
    assert left > 600 and top == 0
    browser.set_window_size(500, 800)
    until = time.monotonic() + 10
    while browser.execute_script(place % "#tree")[0] > 0:
        assert time.monotonic() < until
        time.sleep(0.05)
    left, top, right = browser.execute_script(place % "#tree")
    assert top > 300 and right <= browser.execute_script("return innerWidth")
    browser.set_window_size(1200, 900)


def test_a_title_is_text(browser, tmp_path):
    title = "<img src=x onerror='window.bad = 1'>&amp; $$x^2$$"
    text = clusters_page(np.eye(2), {2: [0, 0]}, 2, title=title)
    assert len(text) < 800_000  # without the library that sets formulas
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    opened(browser, tmp_path / "page.html")
    shown = "return Bokeh.index.find_one(model('Div')).shadow_el.querySelector('h1').innerText"
    assert browser.execute_script(shown) == browser.title == title
    assert browser.execute_script("return window.bad") is None


def test_one_size_needs_no_slider(browser, tmp_path):
    (tmp_path / "page.html").write_text(clusters_page(np.eye(2), {2: [0, 0]}, 2), encoding="utf-8")
    opened(browser, tmp_path / "page.html")
    assert browser.execute_script("return model('Slider').visible") is False
    assert texts(browser)[1].startswith("<b>min_cluster_size 2</b>: 1 cluster, 0 points of noise")


def test_a_page_without_places(browser, tmp_path):
    (tmp_path / "page.html").write_text(clusters_page(np.full((2, 2), np.nan), {2: [-3, -3]}, 2), encoding="utf-8")
    opened(browser, tmp_path / "page.html")
    assert texts(browser)[1].endswith("0 clusters, 0 points of noise (0.0%), 2 rows with NaN or infinite values")
    assert len(browser.execute_script("return painted()")) == 1  # nothing


def test_a_browser_that_cannot_decompress_says_so(browser, tmp_path):
    (tmp_path / "page.html").write_text(clusters_page(np.eye(2), {2: [0, 0]}, 2), encoding="utf-8")
    command = {"source": "delete window.DecompressionStream"}
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", command)
    try:
        browser.get((tmp_path / "page.html").as_uri())
        assert browser.execute_script("return document.body.innerText").startswith("This browser cannot open")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.mark.parametrize("middle", [[8, 0], [0, 8], [9.5, 9.5]])
def test_the_pointer_tells_cluster_and_row(shown, middle):
    from selenium.webdriver.common.action_chains import ActionChains

    browser, clusterer, points = shown
    row = int(np.argmin(np.linalg.norm(points[:800] - middle, axis=1)))
    act(browser, f"plot.x_range.setv({{start: {points[row, 0]} - .01, end: {points[row, 0]} + .01}});"
        f"plot.y_range.setv({{start: {points[row, 1]} - .01, end: {points[row, 1]} + .01}})")  # fmt: skip
    box = browser.execute_script(
        "const view = Bokeh.index.find_one(plot), box = view.el.getBoundingClientRect(), inner = view.frame.bbox;"
        "return [box.left + inner.left + inner.width / 2, box.top + inner.top + inner.height / 2]"
    )
    chain = ActionChains(browser)
    chain.w3c_actions.pointer_action.move_to_location(int(box[0]) - 3, int(box[1]))
    chain.w3c_actions.pointer_action.move_to_location(int(box[0]), int(box[1]))
    chain.perform()
    act(browser, "")
    display, text = browser.execute_script("return [tip.style.display, tip.innerText]")
    label = clusterer.labels_[row]
    cluster, name, *kind, east, north, number = text.splitlines()
    assert kind == (["kind west"] if points[row, 0] <= 5 else [])  # what is empty is left out
    assert name == f"<i>name</i> <b>{row}</b>"
    assert label >= 0 and display == "block"
    assert cluster == f"cluster {label} ({(clusterer.labels_ == label).sum()} points)" and number == f"row {row}"
    assert east.startswith("east ") and float(east[5:]) == pytest.approx(points[row, 0], abs=6e-5)
    assert north.startswith("north ") and float(north[6:]) == pytest.approx(points[row, 1], abs=6e-5)


def test_zoom_pan_and_reset(shown):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    browser, _, _ = shown
    ranges = "return [plot.x_range.start, plot.x_range.end, plot.y_range.start, plot.y_range.end]"
    first = np.array(browser.execute_script(ranges))
    paintings = int(browser.execute_script("return document.body.dataset.paintings"))
    ActionChains(browser).scroll_from_origin(ScrollOrigin.from_viewport(600, 450), 0, -300).perform()
    act(browser, "")
    zoomed = np.array(browser.execute_script(ranges))
    assert zoomed[1] - zoomed[0] < 0.9 * (first[1] - first[0]) and zoomed[3] - zoomed[2] < 0.9 * (first[3] - first[2])
    chain = ActionChains(browser)
    chain.w3c_actions.pointer_action.move_to_location(600, 450).pointer_down().move_to_location(700, 400).pointer_up()
    chain.perform()
    act(browser, "")
    panned = np.array(browser.execute_script(ranges))
    assert (panned[:2] < zoomed[:2]).all() and (panned[2:] < zoomed[2:]).all()
    np.testing.assert_allclose(panned[1] - panned[0], zoomed[1] - zoomed[0])
    assert int(browser.execute_script("return document.body.dataset.paintings")) >= paintings + 2
    act(browser, "plot.reset.emit()")
    np.testing.assert_allclose(browser.execute_script(ranges), first)


def test_a_change_of_the_window_keeps_the_view(shown):
    browser, _, _ = shown
    act(browser, "plot.x_range.setv({start: 7, end: 9}); plot.y_range.setv({start: -1, end: 1})")
    scale = "return (plot.x_range.end - plot.x_range.start) / plot.inner_width"
    middle = "return (plot.x_range.end + plot.x_range.start) / 2"
    before, width = browser.execute_script(scale), browser.execute_script("return plot.inner_width")
    browser.set_window_size(900, 800)
    until = time.monotonic() + 10
    while browser.execute_script("return plot.inner_width") == width:
        assert time.monotonic() < until
        time.sleep(0.05)
    act(browser, "")
    assert browser.execute_script(scale) == pytest.approx(before)
    assert browser.execute_script(middle) == pytest.approx(8)
    browser.set_window_size(1200, 900)


def test_half_a_million_points_follow_the_slider_within_100_ms(browser, tmp_path):
    g = np.random.default_rng(3)
    points = g.normal(size=(500_000, 2)).astype(np.float32)
    cell = np.floor(points * 4).astype(int)
    fine = np.unique(cell @ [100, 1], return_inverse=True)[1].reshape(-1)
    sizes = {2 * 2**k: np.where(fine % (k + 2) == 0, -1, fine // (k + 1)) for k in range(12)}
    text = clusters_page(points, sizes, 2)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    assert len(text) < 6e6
    opened(browser, tmp_path / "page.html")
    assert texts(browser)[2] == "500,000 points"
    times = [act(browser, f"model('Slider').value = {k % 12}")[1] for k in range(1, 25)]
    assert np.median(times) < 100, times
