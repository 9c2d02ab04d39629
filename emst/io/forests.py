"""Forests as files: the arrays of an .npz, or a table of edges or vertices."""

from __future__ import annotations

from dataclasses import replace
from typing import IO, Any

import numpy as np

from emst.graph.result import MinimumSpanningForest, node_array
from emst.inputs.devices import to_host
from emst.io.column_files import TABLES, write_columns

SUFFIXES = (".npz", *TABLES)


def save_forest(
    file: IO[bytes], suffix: str, forest: MinimumSpanningForest, labels: Any = None, *, vertices: bool = False
) -> None:
    """Write a forest, and the `labels` of a cut, to an open file.

    An .npz holds all, but only nodes that are all integers or all texts. A table holds the edges, or with `vertices`
    the nodes with their components and labels.

    Raises
    ------
    ValueError
        Of a table: nodes that are neither all integers nor all texts.
    """
    if forest.nodes is not None:
        try:
            forest = replace(forest, nodes=written_nodes(forest.nodes))
        except ValueError:
            if suffix != ".npz":
                raise
            forest = replace(forest, nodes=None)  # an .npz has the numbers of the vertices
    if suffix == ".npz":
        columns = _arrays(forest, labels)
    else:
        columns = _vertices(forest, labels) if vertices else forest._edge_columns()
    write_columns(file, suffix, columns)


def written_nodes(nodes: Any) -> np.ndarray:
    """Nodes as an array of integers, or of texts as objects: numpy's own texts all take the memory of the longest."""
    if isinstance(nodes, np.ndarray):
        return nodes
    if all(isinstance(node, str) for node in nodes):
        return node_array(nodes)
    if all(isinstance(node, (int, np.integer)) for node in nodes):
        array = np.array(nodes)
        if array.dtype.kind in "iu":  # integers of more than 64 bits are objects
            return array
    kinds = ", ".join(sorted({type(node).__name__ for node in nodes}))
    raise ValueError(
        f"a file holds nodes that are all integers of at most 64 bits or all texts, not {kinds}; "
        "forest.to_pandas() has a table of any nodes"
    )


def _arrays(forest: MinimumSpanningForest, labels: Any) -> dict[str, Any]:
    names = ["source", "target", "weight", "edge_id", "n_vertices"]
    names += [name for name in ("component_labels", "nodes") if getattr(forest, name) is not None]
    arrays = {name: to_host(getattr(forest, name)) for name in names}
    if forest.nodes is not None and arrays["nodes"].dtype == object:  # numpy would pickle objects
        arrays["nodes"] = arrays["nodes"].astype(str)
    return arrays if labels is None else arrays | {"labels": labels}


def _vertices(forest: MinimumSpanningForest, labels: Any) -> dict[str, Any]:
    columns = {"vertex": np.arange(forest.n_vertices) if forest.nodes is None else forest.nodes}
    if forest.component_labels is not None:
        columns["component"] = to_host(forest.component_labels)
    return columns if labels is None else columns | {"label": labels}
