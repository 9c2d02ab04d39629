"""A page for the browser: the clusters, a slider over `min_cluster_size`, and the condensed tree beside them.

The labels of the shown points at every size of the slider are in the page, which is one file and needs no network.
`document.py` writes it, `page.js` paints the points, and `tree.js` draws the condensed tree of `page_tree.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from emst.inputs.devices import to_host
from emst.plots.coasts import coasts
from emst.plots.colours import colour_numbers, packed_colours
from emst.plots.document import html_of
from emst.plots.hover import hover_texts
from emst.plots.page_tree import PageTree, branch_colours, passed, tree_of
from emst.plots.plane import sample, view_of

MOST = 500_000  # of more points, a random sample of this size is shown


def clusters_page(
    points: Any,
    labels: Mapping[int, Any],
    chosen: int,
    *,
    title: str = "clusters",
    names: Sequence[str] | None = None,
    geographic: str | None = None,
    hover: Any = None,
    tree: PageTree | None = None,
) -> str:
    """A page that shows clusters of points, for a slider of sizes.

    Pan by dragging, zoom with the wheel; the pointer tells a point's cluster and row. Points of more than two
    dimensions are projected to their first two principal components. Rows with NaN or infinite values are not shown. Of
    more than 500,000 points a random sample of 500,000 is shown, and the page says so. Numbers of points are those of
    all points in any case.

    Parameters
    ----------
    points : array-like of shape (n, d)
        The points that were clustered.
    labels : mapping of int to int array-like of shape (n,)
        For every position of the slider, by ascending `min_cluster_size`, the cluster of each point; negative labels
        are noise.
    chosen : int
        The size that is shown first.
    title : str, default "clusters"
        Title of the page.
    names : sequence of str, optional
        Names of the columns of `points`.
    geographic : {None, "degrees", "radians"}, default None
        The unit, if the points are latitude and longitude: longitude is drawn on x, latitude on y, over coasts.
    hover : mapping of str to array-like of shape (n,), or data frame, optional
        Columns that are told beside the pointer.
    tree : PageTree, optional
        The condensed tree of the clusters at `chosen`, to show beside the map.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    ImportError
        Bokeh is not installed.
    TypeError, ValueError
        `hover` is no table of one row for each point.
    """
    _require_bokeh()
    every = {size: np.asarray(to_host(of_size)) for size, of_size in labels.items()}
    places = np.asarray(to_host(points))
    rows = sample(places, MOST)
    finite = np.isfinite(places).all(axis=1)
    told = hover_texts(hover, len(places), rows)
    view = view_of(places[rows], names, geographic)
    shown = [of_size[rows] for of_size in every.values()]
    first = list(every).index(chosen)
    leaves = [] if tree is None else [tree.cluster[rows]]
    group, table = groups_of([*leaves, *shown])
    own, table = table[: len(leaves)], table[len(leaves) :]
    bounds = _bounds(view.places)
    numbers = _numbers(view.places, shown, group, table, first)
    given: dict[str, Any] = {
        "x": view.places[:, 0],
        "y": view.places[:, 1],
        "row": rows,
        "group": group,
        "labels": table,
        "colours": _colours(numbers, table),
        "counts": [_counts(of_size, finite) for of_size in every.values()],
        "sizes": list(every),
        "names": list(view.names),
        "hover": told,
        "bounds": bounds,
        "stretch": view.stretch,
        "wrap": view.half_turn if view.beyond else 0.0,
        "n": len(places),
        "missing": int((~finite).sum()),
    }
    if tree is not None:
        of_branches = branch_colours(tree, leaves[0], view.places, numbers[first])
        given["tree"] = tree_of(tree, of_branches, len(places)) | {"own": own[0], "position": first}
        given["left"] = passed(tree.leaves[rows], np.array(given["tree"]["levels"]))
    note = f"{len(rows):,} points"
    if len(rows) < len(places):
        note = f"{len(rows):,} of {len(places):,} points" + (", chosen at random" if len(rows) == MOST else "")
    lines = None
    if geographic:
        lines, note = coasts(bounds[0], bounds[1], geographic), f"{note}; coasts from Natural Earth"
    return html_of(given, first, title, note, lines)


def groups_of(labels: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Group of each point, int64[m], so that points of one group have the same label at every size, and the labels of
    the groups, int32[sizes, groups]. There are few groups, because clusters are nested. They are in the order of their
    labels, at the greatest size first, so that neighbours have equal labels at most sizes."""
    group = np.zeros(len(labels[0]), np.int64)
    for of_size in reversed(labels):
        key = group * (int(of_size.max(initial=-1)) + 2) + np.maximum(of_size, -1) + 1
        group = np.unique(key, return_inverse=True)[1].reshape(-1)  # by the labels of the sizes so far
    one = np.zeros(int(group.max(initial=-1)) + 1, np.int64)  # a point of each group
    one[group] = np.arange(len(group))
    return group, np.stack([np.maximum(of_size, -1)[one] for of_size in labels]).astype(np.int32)


def _numbers(
    places: np.ndarray, labels: Sequence[np.ndarray], group: np.ndarray, table: np.ndarray, first: int
) -> list[np.ndarray]:
    """Position in `PALETTE` of every cluster's colour, for every size: a cluster keeps its colour while the slider
    moves."""
    members = np.bincount(group, minlength=table.shape[1])
    numbers: list[np.ndarray] = [np.zeros(0, np.int64)] * len(table)
    numbers[first] = colour_numbers(labels[first], places, int(table[first].max(initial=-1)) + 1)
    for order in (range(first + 1, len(table)), range(first - 1, -1, -1)):
        before = first
        for size in order:
            wanted = _inherited(table[before], table[size], members, numbers[before])
            numbers[size] = colour_numbers(labels[size], places, len(wanted), wanted)
            before = size
    return numbers


def _colours(numbers: Sequence[np.ndarray], table: np.ndarray) -> np.ndarray:
    """Colours of all groups at every size, uint32[sizes, groups]: 0xAABBGGRR."""
    colours = packed_colours()
    return np.stack([colours[np.append(number, -1)[of_size]] for number, of_size in zip(numbers, table)])


def _inherited(before: np.ndarray, after: np.ndarray, members: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The colours that clusters take over from an earlier clustering, -1 for new ones: each colour goes to the cluster
    that has most of the old cluster's points."""
    both = (before >= 0) & (after >= 0)
    count = int(after.max(initial=-1)) + 1
    shared = np.zeros((0, 3), np.int64)
    if both.any():
        pairs, where = np.unique(np.stack([before[both], after[both]], axis=1), axis=0, return_inverse=True)
        common = np.bincount(where.reshape(-1), weights=members[both]).astype(np.int64)
        shared = np.column_stack([pairs, common])[np.argsort(-common, kind="stable")]
    wanted, taken = np.full(count, -1), np.zeros(len(numbers), bool)
    for old, new, _ in shared.tolist():
        if wanted[new] < 0 and not taken[old]:
            wanted[new], taken[old] = numbers[old], True
    return wanted


def _counts(labels: np.ndarray, finite: np.ndarray) -> dict[str, Any]:
    """Number of points of each cluster, and of noise. Rows with NaN or infinite values are no noise: they have no
    place."""
    return {"clusters": np.bincount(labels[labels >= 0]).tolist(), "noise": int(((labels < 0) & finite).sum())}


def _bounds(places: np.ndarray) -> list[float]:
    """Left, right, bottom and top of a box around the points that has an extent."""
    if len(places) == 0:
        return [-1.0, 1.0, -1.0, 1.0]
    low, high = places.min(axis=0), places.max(axis=0)
    if (high - low).max() <= 0:
        low, high = low - 1, high + 1
    return [float(low[0]), float(high[0]), float(low[1]), float(high[1])]


def _require_bokeh() -> None:
    if find_spec("bokeh") is None:
        raise ImportError("an interactive page needs Bokeh: pip install 'emst[html]'")
