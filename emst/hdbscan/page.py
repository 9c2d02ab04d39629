"""The interactive page of a fitted model: its clusters at some twenty sizes, and its condensed tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.hdbscan.parameters import CLUSTER_SIZE
from emst.inputs.devices import to_host
from emst.io.atomic import replacing

if TYPE_CHECKING:
    from emst.hdbscan.model import Model
    from emst.plots.page_tree import PageTree

POSITIONS = 20  # of the slider, by default


def write_page(clusterer: Any, file: Any, sizes: Sequence[int] | None, **options: Any) -> None:
    """Write the page to a path or a binary file; see `HDBSCANGPU.save_html`."""
    if hasattr(file, "write"):
        file.write(_page_of(clusterer, sizes, **options).encode("utf-8"))
    else:
        with replacing(Path(file)) as opened:
            opened.write(_page_of(clusterer, sizes, **options).encode("utf-8"))


def _page_of(
    clusterer: Any, sizes: Sequence[int] | None, *, names: Sequence[str] | None, title: str, hover: Any
) -> str:
    from emst.plots.page import clusters_page

    model = clusterer._model
    if not model.has_features:
        raise ValueError("a page shows points; this model was fitted to distances or to sparse features")
    chosen = clusterer.min_cluster_size_
    wanted = _sizes(model, chosen) if sizes is None else [_size(size) for size in sizes]
    names = getattr(clusterer, "feature_names_in_", None) if names is None else names
    if names is not None and len(names) != model.data.shape[1]:
        raise ValueError(f"names must be those of the {model.data.shape[1]} columns of X; got {len(names)}")
    labels = {}
    for size in sorted({*wanted, chosen}):
        same = size == chosen
        one = clusterer if same else clusterer.recluster(min_cluster_size=size, store_centers=None)
        labels[size] = to_host(one.labels_)
    unit = model.metric.geographic
    return clusters_page(
        model.data, labels, chosen, title=title, names=names, geographic=unit, hover=hover, tree=_tree(model)
    )


def _size(size: Any) -> int:
    CLUSTER_SIZE.check("sizes", size)
    return int(size)


def _tree(model: Model) -> PageTree | None:
    """The condensed tree for the page; None for fewer than two points, and for rows with weights, which it would count
    as one each."""
    from emst.hdbscan.trees.sources import on_host, table_of
    from emst.plots.page_tree import PageTree

    if model.flat is None or model.row_weights is not None:
        return None
    with model.scope():
        condensed = on_host(model.flat.condensed)
    cluster, leaves = condensed.leaving()
    m, kept = len(cluster), slice(None) if model.kept is None else to_host(model.kept)
    every, heights = np.full(model.n, -1), np.full(model.n, np.inf)
    every[kept], heights[kept] = cluster, leaves
    birth = np.append(np.inf, condensed.linkage.height[condensed.born_at[1:]])
    return PageTree(
        rows=table_of(condensed, np.arange(m), m),
        parent=condensed.parent.astype(np.int64),
        birth=birth,
        begins=condensed.birth,
        ends=condensed.death,
        size=condensed.size.astype(np.int64),
        chosen=to_host(model.flat.selection.chosen).astype(np.int64),
        cluster=every,
        leaves=heights,
    )


def _sizes(model: Model, chosen: int) -> list[int]:
    """Sizes from a quarter of the chosen one to the greatest at which anything splits, in geometric progression."""
    from emst.hdbscan.trees import SingleLinkageTree

    greatest = chosen
    if model.flat is not None:
        merges, weights = SingleLinkageTree(model.dendrogram_of_rows()).to_numpy(), model.weights_of_points()
        of_rows = np.ones(len(merges) + 1) if weights is None else weights
        sides = np.append(of_rows, merges[:, 3])[merges[:, :2].astype(np.int64)]
        greatest = max(greatest, int(sides.min(axis=1).max(initial=0)))
    least = min(chosen, max(chosen // 4, 5))
    limit = model.options.max_cluster_size or greatest
    sizes = np.unique(np.round(np.geomspace(least, greatest, POSITIONS)).astype(int)).tolist()
    return [size for size in sizes if size <= max(limit, chosen)]
