"""The condensed tree as a text: JSON, and Newick, which programs for phylogenies read and draw."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np


class Clusters(NamedTuple):
    """The clusters of a condensed tree in the order of their numbers, so parents come before children."""

    number: list[int]
    parent: list[int | None]
    birth: list[float]  # lambda at which it leaves its parent
    death: list[float]  # lambda at which it splits, or at which its last points leave
    size: list[float]  # whole numbers unless weights are not


def clusters_of(rows: np.ndarray) -> Clusters:
    """The clusters in a table of a condensed tree with at least one row."""
    n = int(rows["parent"][0])
    below = rows[rows["child"] > n]
    below = below[np.argsort(below["child"])]
    death = np.zeros(len(below) + 1)
    np.maximum.at(death, rows["parent"] - n, rows["lambda_val"])
    size = [rows["child_size"][rows["parent"] == n].sum().item(), *below["child_size"].tolist()]
    parents: list[int | None] = [None, *below["parent"].tolist()]
    return Clusters([n, *below["child"].tolist()], parents, [0.0, *below["lambda_val"].tolist()], death.tolist(), size)


def json_of(rows: np.ndarray, chosen: list[int], points: bool) -> str:
    """See `CondensedTree.to_json`."""
    labels = {cluster: label for label, cluster in enumerate(chosen)}
    found: dict[str, Any] = {"clusters": []}
    if len(rows):
        found["clusters"] = [
            {"cluster": c, "parent": p, "birth": _number(b), "death": _number(d), "size": s, "label": labels.get(c)}
            for c, p, b, d, s in zip(*clusters_of(rows))
        ]
    if points:
        leaves = rows[rows["child"] < rows["parent"][0]] if len(rows) else rows  # the root has the least number
        leaves = leaves[np.argsort(leaves["child"])]
        found["points"] = {
            "cluster": leaves["parent"].tolist(),
            "lambda": [_number(one) for one in leaves["lambda_val"].tolist()],
        }
    return json.dumps(found, allow_nan=False)


def _number(value: float) -> float | None:
    """JSON has no infinity."""
    return value if np.isfinite(value) else None


def newick_of(rows: np.ndarray) -> str:
    """See `CondensedTree.to_newick`."""
    if len(rows) == 0:
        return ";"
    clusters = clusters_of(rows)
    finite = rows["lambda_val"][np.isfinite(rows["lambda_val"])]
    greatest = float(finite.max(initial=0.0))
    root = clusters.number[0]
    texts: list[list[str]] = [[] for _ in clusters.number]  # of the children of every cluster
    for number, parent, birth, death in zip(*(reversed(column) for column in clusters[:4])):
        children = texts[number - root]
        below = f"({','.join(reversed(children))})" if children else ""
        text = f"{below}{number}:{min(death, greatest) - min(birth, greatest)!r}"
        children.clear()
        (children if parent is None else texts[parent - root]).append(text)
    return f"{texts[0][0]};"
